import { describe, expect, it } from "vitest";
import { rereading } from "../../../src/board/http.js";
import { checkLease, withLease } from "../../../src/board/lease.js";
import { until } from "../../support/until.js";

describe("a write's lease", () => {
  it("lets requests out while it lasts, and none afterwards", async () => {
    await withLease(60_000, async () => checkLease());
    await withLease(5, async () => {
      const refused = await until(() => {
        try {
          checkLease();
          return undefined;
        } catch (error) {
          return error;
        }
      });
      expect(refused).toMatchObject({ code: "busy", retryable: true });
    });
  });

  it("does not bind the look at what came of the write", async () => {
    await withLease(-1, async () => {
      expect(() => checkLease()).toThrow();
      await rereading("Jira", async () => checkLease());
      expect(() => checkLease()).toThrow();
    });
  });

  it("binds only what is done within it", async () => {
    await withLease(-1, async () => expect(() => checkLease()).toThrow());
    checkLease();
  });
});
