import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carriesKey, isBranchName } from "../../connectors/github/branches.js";

describe("a ticket's key in a branch name", () => {
  it.each([
    ["feat/AB-1", true],
    ["AB-1-log-in", true],
    ["octo/ab-1_log-in", true],
    ["fix/utf-8-in-ab_1", true],
    ["feat_AB-1", true],
    ["feat/AB-12", false],
    ["feat/AB-10-AB-11", false],
    ["CRAB-1", false],
    ["feat/AB-12-then-AB-1", true],
    ["main", false],
  ])("%s carries AB-1: %s", (branch, expected) => {
    expect(carriesKey(branch, "AB-1")).toBe(expected);
  });

  it("is not fooled by a key that looks like a pattern", () => {
    expect(carriesKey("feat/anything-1", ".*-1")).toBe(false);
    expect(carriesKey("web#12-x", "web#12")).toBe(true);
    expect(carriesKey("web#123", "web#12")).toBe(false);
  });

  it("ends a key of letters where the word ends", () => {
    expect(carriesKey("feat/Ab3dEx", "Ab3dEx")).toBe(true);
    expect(carriesKey("feat/Ab3dExy", "Ab3dEx")).toBe(false);
  });

  it("finds a key wherever it stands, and never one that goes on", () => {
    const word = fc.stringMatching(/^[A-Z]{2,5}$/);
    const number = fc.integer({ min: 1, max: 9_999 });
    const before = fc.constantFrom("", "feat/", "x_", "octo/fix-");
    fc.assert(
      fc.property(word, number, before, fc.integer({ min: 0, max: 9 }), (prefix, n, start, digit) => {
        const key = `${prefix}-${n}`;
        expect(carriesKey(`${start}${key}`, key)).toBe(true);
        expect(carriesKey(`${start}${key}${digit}`, key)).toBe(false);
        expect(carriesKey(`${start}Z${key}`, key)).toBe(false);
      }),
    );
  });
});

describe("names Git allows", () => {
  it.each(["main", "feat/AB-1", "é", "a.b/c", "x@y", "日本"])("%s", (name) => {
    expect(isBranchName(name)).toBe(true);
  });

  it.each([
    "",
    "@",
    "a..b",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "a@{b",
    "/a",
    "a/",
    "a//b",
    "a.",
  ])("not %j", (name) => expect(isBranchName(name)).toBe(false));

  it.each([".a", "a/.b", "a.lock", "a.lock/b", "-a", "a\tb", "a\u007f", "é".repeat(123)])("nor %j", (name) =>
    expect(isBranchName(name)).toBe(false),
  );
});
