import { describe, expect, it } from "vitest";
import { batchesOf, marksOf, wayKey, wordsOfMark } from "../../../src/web/diff.js";
import type { Change, Status } from "../../../src/web/shapes.js";

const status = (id: string, name: string, more: Partial<Status> = {}): Status => ({
  id,
  name,
  category: "doing",
  ...more,
});
const at = (minute: number) => `2026-11-30T10:${String(minute).padStart(2, "0")}:00Z`;
const workflow = { statuses: [status("a", "Todo"), status("b", "Reviewing"), status("c", "Done")] };

/** Told as they happened; the service tells the newest first. */
const history = (...changes: readonly Change[]) => changes.toReversed();

describe("what is marked on a drawing", () => {
  it("is what has come of all changes since the chosen ones", () => {
    const changes = history(
      { at: at(1), kind: "renamed", status: "b", before: "Review", after: "In Review" },
      { at: at(2), kind: "renamed", status: "b", before: "In Review", after: "Reviewing" },
      { at: at(3), kind: "recategorised", status: "c", before: "todo", after: "doing" },
    );
    const { statuses } = marksOf(workflow, changes, at(1));
    expect(statuses.get("b")).toEqual({ kind: "changed", was: "Review" });
    expect(statuses.get("c")).toEqual({ kind: "changed", wasCategory: "todo" });
    expect(marksOf(workflow, changes, at(2)).statuses.get("b")).toEqual({
      kind: "changed",
      was: "In Review",
    });
    expect(marksOf(workflow, changes, at(3)).statuses.has("b")).toBe(false);
    expect(marksOf(workflow, changes, undefined).statuses.size).toBe(0);
  });

  it("is nothing for what went to and fro", () => {
    const way = { from: "a", to: "b" };
    const changes = history(
      { at: at(1), kind: "renamed", status: "b", before: "Reviewing", after: "Checking" },
      { at: at(1), kind: "added", status: "c", after: "Done" },
      { at: at(1), kind: "edges", moves: { added: [way], removed: [] } },
      { at: at(2), kind: "renamed", status: "b", before: "Checking", after: "Reviewing" },
      { at: at(2), kind: "removed", status: "c", before: "Done" },
      { at: at(2), kind: "edges", moves: { added: [], removed: [way] } },
    );
    expect(marksOf(workflow, changes, at(1))).toEqual({ statuses: new Map(), added: new Set(), removed: [] });
    const later = marksOf(workflow, changes, at(2));
    expect(later.statuses.get("c")).toEqual({ kind: "removed" });
    expect(later.removed).toEqual([way]);
  });

  it("is not the import itself, and has a sign as well as a colour", () => {
    const changes = history(
      { at: at(0), kind: "created", after: "Shop" },
      { at: at(1), kind: "added", status: "c", after: "Done" },
      { at: at(1), kind: "edges", moves: { added: [{ from: "b", to: "c" }], removed: [] } },
    );
    expect(batchesOf(changes).map((batch) => [batch.at, batch.changes.length])).toEqual([[at(1), 2]]);
    const marks = marksOf(workflow, changes, at(0));
    expect(marks.added).toEqual(new Set([wayKey({ from: "b", to: "c" })]));
    const mark = marks.statuses.get("c");
    expect(mark && wordsOfMark(mark)).toEqual({ sign: "+", words: "new" });
    expect(wordsOfMark({ kind: "changed", was: "Review" })).toEqual({ sign: "~", words: "was Review" });
  });
});
