import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { distinctNames, fitName, shortHash, slug, snakeCase } from "../../../src/machine/index.js";

describe("snakeCase", () => {
  it.each([
    ["fooBar", "foo_bar"],
    ["HTTPServerUp", "httpserver_up"],
    ["a1B", "a1_b"],
    ["__X__", "_x_"],
    ["完了", "_"],
    ["MOVE_TO_IN_REVIEW", "move_to_in_review"],
  ])("makes %j into %j, as the seed does", (text, expected) => {
    expect(snakeCase(text)).toBe(expected);
  });
});

describe("slug", () => {
  it.each([
    ["In Review!", "in_review"],
    ["Révisé", "revise"],
    ["  --  ", ""],
    ["進行中", ""],
  ])("makes %j into %j", (text, expected) => {
    expect(slug(text)).toBe(expected);
  });
});

describe("fitName", () => {
  it("keeps a short name and never exceeds the limit", () => {
    expect(fitName("ticket_move_to_done", 40)).toBe("ticket_move_to_done");
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (name) => fitName(name, 40).length <= 40));
  });

  it("keeps two long names apart that begin alike", () => {
    const long = "a_very_long_workflow_name_that_goes_on_and_on";
    expect(fitName(`${long}_one`, 40)).not.toBe(fitName(`${long}_two`, 40));
  });
});

describe("distinctNames", () => {
  it("gives every key a name of its own, whatever the names", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { maxLength: 50 }),
        fc.integer({ min: 1, max: 3 }),
        (keys, n) => {
          const names = distinctNames(keys, (key) => key.slice(0, n));
          expect(new Set(names.values()).size).toBe(keys.length);
        },
      ),
    );
  });

  it("never renames a key because another came after it", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 30 }), (keys) => {
        const fewer = distinctNames(keys.slice(0, -1), () => "same");
        const all = distinctNames(keys, () => "same");
        for (const [key, name] of fewer) expect(all.get(key)).toBe(name);
      }),
    );
  });
});

describe("shortHash", () => {
  it("is stable across releases: names made from it are saved by clients", () => {
    expect([shortHash("完了"), shortHash("In Review")]).toEqual(["bmvr", "ugki"]);
  });
});
