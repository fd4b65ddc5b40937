import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoardwalkError } from "../../../src/errors.js";
import { decodeContent, encodeContent, type Migration } from "../../../src/store/format.js";

/** A made-up chain of releases: each gives the content one more key, and takes one away. */
const chain = fc
  .array(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 6 })
  .map((names) => names.map((name, i): Migration => migration(`${name}${i}`)));

function migration(name: string): Migration {
  return (content) => {
    const { lost: _lost, ...rest } = content as Record<string, unknown>;
    return { ...rest, [name]: Object.keys(rest).length, lost: name };
  };
}

const content = fc.dictionary(
  fc.string().filter((key) => key !== "__proto__"),
  fc.jsonValue(),
);
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("the format of a record", () => {
  it("of any earlier release becomes the present one, step by step", () => {
    fc.assert(
      fc.property(chain, fc.nat(), content, (steps, back, written) => {
        const then = steps.slice(0, steps.length === 0 ? 0 : back % (steps.length + 1));
        const stored = encodeContent("setting", written, then);
        const expected = steps
          .slice(then.length)
          .reduce<unknown>((older, next) => next(older), plain(written));
        const read = decodeContent("setting", "s", stored, steps);
        expect(read).toEqual(expected);
        // Saved again it is of the present format, and nothing is done to it any more.
        const again = encodeContent("setting", read, steps);
        expect(decodeContent("setting", "s", again, steps)).toEqual(plain(read));
      }),
    );
  });

  it("of any later release is refused, in words, without what is in it", () => {
    fc.assert(
      fc.property(chain, fc.integer({ min: 1, max: 5 }), (steps, ahead) => {
        const later = [...steps, ...Array.from({ length: ahead }, (_, i) => migration(`later${i}`))];
        const stored = encodeContent("ticket", { title: "secret words" }, later);
        const error = caught(() => decodeContent("ticket", "jira.1.2", stored, steps));
        expect(error).toMatchObject({ code: "unavailable", retryable: true });
        expect(error.message).toMatch(/ticket record "jira\.1\.2" was written by a newer Boardwalk/);
        expect(JSON.stringify([error.message, error.data, String(error.cause)])).not.toContain(
          "secret words",
        );
      }),
    );
  });

  it("is not marked as long as there is one, so that a release from before formats reads it", () => {
    expect(encodeContent("setting", { a: [1, "é"] }, [])).toBe('{"a":[1,"é"]}');
    expect(encodeContent("setting", undefined, [])).toBe("null");
    expect(encodeContent("setting", { a: 1 }, [migration("x")])).toBe('@2 {"a":1}');
  });

  it.each(["@0 {}", "@ {}", "@2{}", "@-1 {}", "@x {}", "{", ""])("cannot be read from %j", (stored) => {
    const error = caught(() => decodeContent("setting", "s", stored, [migration("x")]));
    expect(error).toMatchObject({ code: "internal", data: { record: "setting", id: "s" } });
  });

  it("that is not what its migration takes cannot be read, and nothing of it is told", () => {
    const steps = [
      (older: unknown) => {
        throw new Error(`no sense in ${JSON.stringify(older)}`);
      },
    ];
    const error = caught(() => decodeContent("setting", "s", '{"a":"secret words"}', steps));
    expect(error.code).toBe("internal");
    expect(JSON.stringify([error.message, error.data, String(error.cause)])).not.toContain("secret words");
  });
});

function caught(run: () => unknown): BoardwalkError {
  try {
    run();
  } catch (error) {
    if (error instanceof BoardwalkError) return error;
    throw error;
  }
  throw new Error("it did not throw");
}
