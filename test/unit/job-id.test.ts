import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jobId } from "../../src/hooks/hooks.js";
import { checkJob } from "../../src/hooks/run-job.js";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  // The signs that the escaping itself is made of, in every order.
  fc.string({ unit: fc.constantFrom("_", ".", "-", "5", "f", ":", "a", "/") }),
);
const parts = fc.array(text, { minLength: 1, maxLength: 5 });

describe("jobId", () => {
  it("never gives two lists of parts the same id", () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(jobId(...one)).not.toBe(jobId(...other));
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps apart parts that were cut differently", () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom("_", "__", ".", ":", ""), (left, right, joint) => {
        expect(jobId(left, right)).not.toBe(jobId(left + joint + right));
      }),
    );
  });

  it("makes ids that a queue can hold, when they begin with a kind", () => {
    fc.assert(
      fc.property(parts, (rest) => {
        const id = jobId("move", ...rest);
        expect(() => checkJob({ id, name: "move", data: {}, lane: "" })).not.toThrow();
        expect(id).toMatch(/^[A-Za-z0-9._-]+$/);
      }),
    );
  });
});
