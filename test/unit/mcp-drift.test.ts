import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Status, StatusGraph } from "../../src/machine/index.js";
import { generatedCatalogue } from "../../src/mcp/catalogue.js";
import { frozenContract } from "../../src/mcp/contract.js";
import { NO_NAMES } from "../../src/mcp/tool-names.js";
import { mergeGraph } from "../../src/sync/diff.js";
import { openGraph } from "../support/mcp.js";

/** Whatever a team does to its board, its tools keep to the rules of names and the frozen contract stays as it is. */

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,40}$/;
const DAY_MS = 24 * 3_600_000;

const name = fc.oneof(
  fc.constantFrom(
    "To Do",
    "In Progress",
    "Done",
    "in progress",
    "Déjà vu",
    "進行中",
    "🚀",
    "Move to Done",
    "",
  ),
  fc.string({ unit: "grapheme", maxLength: 90 }),
);
const edit = fc.oneof(
  fc.record({ kind: fc.constant("rename" as const), at: fc.nat(20), name }),
  fc.record({ kind: fc.constant("add" as const), name }),
  fc.record({ kind: fc.constant("remove" as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant("reorder" as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant("reissue" as const) }),
  fc.record({ kind: fc.constant("title" as const), name }),
  fc.record({ kind: fc.constant("edges" as const), at: fc.nat(20) }),
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

let lastId = 0;

/** The board after the edit, as it would be pulled. */
function edited(board: StatusGraph, change: Edit): StatusGraph {
  const statuses: Pick<Status, "id" | "name">[] = [...board.statuses];
  const at = "at" in change ? change.at % Math.max(1, statuses.length) : 0;
  const [picked] = statuses.slice(at, at + 1);
  if (change.kind === "title") return openGraph(board.id, change.name, statuses);
  if (change.kind === "add") statuses.push({ id: `s${++lastId}`, name: change.name });
  if (change.kind === "reissue")
    for (const [i, { name }] of statuses.entries()) statuses[i] = { id: `s${++lastId}`, name };
  if (picked !== undefined) {
    if (change.kind === "rename") statuses[at] = { ...picked, name: change.name };
    if (change.kind === "remove" && statuses.length > 1) statuses.splice(at, 1);
    if (change.kind === "reorder") statuses.unshift(...statuses.splice(at, 1));
  }
  const graph = openGraph(board.id, board.name, statuses);
  return change.kind === "edges" && picked !== undefined && graph.moves.length > 1
    ? { ...graph, moves: graph.moves.filter(({ to }) => to !== picked.id) }
    : graph;
}

describe("two hundred edits of a board", () => {
  it("never break a tool's name, name two things alike, or forget a name before its thirty days are over", async () => {
    const before = (await frozenContract()).sha256;
    fc.assert(
      fc.property(fc.array(edit, { minLength: 200, maxLength: 200 }), (edits) => {
        const first = ["To Do", "In Progress", "In Review", "Done"].map((title) => ({
          id: `s${++lastId}`,
          name: title,
        }));
        let board = openGraph("github.x.1", "Roadmap", first);
        let kept = board;
        let names = NO_NAMES;
        let clock = Date.parse("2026-11-01T00:00:00Z");
        const heard = new Map<string, { readonly status: string; readonly at: number }>();
        for (const change of edits) {
          clock += DAY_MS / 4;
          board = edited(board, change);
          kept = mergeGraph(kept, board, new Date(clock)).graph;
          const made = generatedCatalogue({
            workflows: [{ graph: kept, connection: "web", version: 1 }],
            kept: names,
            now: () => new Date(clock),
            maxTools: 500,
          });
          names = made.kept;
          const tools = made.catalogue.tools.map((tool) => tool.name);
          expect(new Set(tools).size).toBe(tools.length);
          expect(tools.filter((tool) => !TOOL_NAME.test(tool))).toEqual([]);
          const live = new Set(board.moves.map(({ to }) => to));
          for (const id of live) {
            const tool = made.catalogue.toolFor(board.id, id);
            if (tool !== undefined) heard.set(tool, { status: id, at: clock });
          }
          for (const [tool, { status, at }] of heard) {
            // A name once heard is understood, and leads nowhere else.
            if (!live.has(status) || clock - at >= 30 * DAY_MS) continue;
            expect(made.catalogue.find(tool)).toBeDefined();
            expect(names.aliases[tool]?.status ?? statusOf(made.catalogue, board, tool)).toBe(status);
          }
        }
      }),
      { numRuns: 5, seed: 5 },
    );
    expect((await frozenContract()).sha256).toBe(before);
  });
});

it("a board that grows beyond what can be listed is moved by the names of before all the same", () => {
  const columns = (count: number) =>
    openGraph(
      "github.x.1",
      "Roadmap",
      Array.from({ length: count }, (_, i) => ({ id: `c${i}`, name: `Column ${i}` })),
    );
  const make = (graph: StatusGraph, kept = NO_NAMES) =>
    generatedCatalogue({
      workflows: [{ graph, connection: "web", version: 1 }],
      kept,
      now: () => new Date("2026-11-30T10:00:00Z"),
      maxTools: 12,
    });
  const small = make(columns(4));
  const large = make(columns(9), small.kept).catalogue;
  const moves = small.catalogue.tools.filter((tool) => tool.name.includes("_move_to_"));
  expect(moves).toHaveLength(4);
  expect(large.tools.map((tool) => tool.name)).toContain("move_ticket");
  for (const tool of moves) expect(large.find(tool.name)?.tool.name).toBe(tool.name);
  expect(large.find("roadmap_move_to_nowhere")).toBeUndefined();
});

function statusOf(
  catalogue: ReturnType<typeof generatedCatalogue>["catalogue"],
  board: StatusGraph,
  tool: string,
): string | undefined {
  return board.statuses.find(({ id }) => catalogue.toolFor(board.id, id) === tool)?.id;
}
