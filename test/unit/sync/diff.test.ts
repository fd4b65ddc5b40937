import { describe, expect, it } from "vitest";
import type { StatusGraph } from "../../../src/machine/index.js";
import { mergeGraph, retireGraph, sameGraph } from "../../../src/sync/diff.js";
import { hooksByStatus } from "../../../src/sync/rules.js";
import { openGraph } from "../../support/mcp.js";

const AT = new Date("2026-11-30T10:00:00Z");
const graph = (...columns: readonly (readonly [id: string, name: string])[]): StatusGraph =>
  openGraph(
    "github.x.1",
    "Roadmap",
    columns.map(([id, name]) => ({ id, name })),
  );
const kept = graph(["a", "Todo"], ["b", "In Progress"], ["c", "Done"]);
const kinds = (pulled: StatusGraph, from = kept) =>
  mergeGraph(from, pulled, AT).changes.map(({ kind, status }) => [kind, status]);

describe("the difference between two pulls", () => {
  it("is nothing for the same board, however it is ordered", () => {
    const merged = mergeGraph(kept, { ...kept, moves: kept.moves.toReversed() }, AT);
    expect(merged.changes).toEqual([]);
    expect(sameGraph(merged.graph, kept)).toBe(true);
  });

  it("tells what happened to each column, by its id", () => {
    expect(kinds(graph(["a", "Todo"], ["b", "Doing"], ["c", "Done"]))).toEqual([["renamed", "b"]]);
    expect(kinds(graph(["b", "In Progress"], ["a", "Todo"], ["c", "Done"]))).toEqual([
      ["reordered", "b"],
      ["reordered", "a"],
    ]);
    expect(kinds({ ...kept, name: "Plan" })).toEqual([["renamed", undefined]]);
    expect(kinds(graph(["a", "Todo"], ["b", "In Progress"]))).toContainEqual(["removed", "c"]);
    expect(kinds(graph(["a", "Todo"], ["b", "In Progress"], ["c", "Done"], ["d", "Late"]))).toContainEqual([
      "added",
      "d",
    ]);
    const closing = kept.statuses.map((status) =>
      status.id === "c" ? { ...status, category: "done" as const } : status,
    );
    expect(kinds({ ...kept, statuses: closing })).toEqual([["recategorised", "c"]]);
    expect(kinds({ ...kept, moves: kept.moves.slice(1) })).toEqual([["edges", undefined]]);
  });

  it("tells which ways came and went, and not what they are called", () => {
    const way = (from: string, to: string, name?: string) => ({
      id: `${from}-${to}`,
      from,
      to,
      ...(name === undefined ? {} : { name }),
    });
    const before = { ...kept, moves: [way("a", "b", "Start"), way("b", "c")] };
    const { changes } = mergeGraph(
      before,
      { ...kept, moves: [way("a", "b", "Begin"), way("b", "a", "Stop")] },
      AT,
    );
    expect(changes).toMatchObject([
      {
        kind: "edges",
        moves: { added: [{ from: "b", to: "a", name: "Stop" }], removed: [{ from: "b", to: "c" }] },
      },
    ]);
    const many = { ...kept, moves: Array.from({ length: 150 }, (_, at) => way("a", `s${at}`)) };
    expect(mergeGraph(before, many, AT).changes[0]?.moves?.added).toHaveLength(100);
  });

  it("tells new ids under old names from new columns, and keeps the old ones as retired", () => {
    const reissued = graph(["a2", "Todo"], ["b2", "In Progress"], ["c2", "Shipped"]);
    const { graph: merged, changes } = mergeGraph(kept, reissued, AT);
    expect(changes.filter(({ kind }) => kind === "reissued")).toMatchObject([
      { status: "a2", before: "a", after: "a2" },
      { status: "b2", before: "b", after: "b2" },
    ]);
    // Renamed and issued anew at once: nobody can tell that it is the same, so nobody says so.
    expect(changes.map(({ kind, status }) => [kind, status])).toEqual(
      expect.arrayContaining([
        ["added", "c2"],
        ["removed", "c"],
      ]),
    );
    expect(merged.statuses.filter(({ retired }) => retired).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });

  it("takes no name that several columns share for the same column", () => {
    const twins = graph(["a", "Todo"], ["b", "Todo"]);
    const one = mergeGraph(twins, graph(["a2", "Todo"]), AT).changes.map(({ kind }) => kind);
    expect(one).not.toContain("reissued");
    const two = mergeGraph(
      kept,
      graph(["x", "Todo"], ["y", "Todo"], ["b", "In Progress"], ["c", "Done"]),
      AT,
    );
    expect(two.changes.map(({ kind }) => kind)).not.toContain("reissued");
  });

  it("gives a rule by name to the column of today, and a rule by an old id to nobody", () => {
    const { graph: merged } = mergeGraph(
      kept,
      graph(["a2", "Todo"], ["b2", "In Progress"], ["c2", "Done"]),
      AT,
    );
    const rule = (status: string) => ({ on: "enter" as const, status, run: "draft-pull-request" as const });
    expect(hooksByStatus(merged, [rule("In Progress")])).toEqual({ b2: [{ run: "draft-pull-request" }] });
    expect(hooksByStatus(merged, [rule("b")])).toEqual({});
  });

  it("retires a workflow that has vanished once, and brings it back whole", () => {
    const gone = retireGraph(kept, AT);
    expect(gone.changes).toMatchObject([{ kind: "vanished", before: "Roadmap" }]);
    expect(gone.graph.moves).toEqual([]);
    expect(retireGraph(gone.graph, AT).changes).toEqual([]);
    const back = mergeGraph(gone.graph, kept, AT);
    expect(back.changes.filter(({ kind }) => kind === "restored")).toHaveLength(3);
    expect(sameGraph(back.graph, kept)).toBe(true);
  });
});
