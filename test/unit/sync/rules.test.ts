import { describe, expect, it } from "vitest";
import { NO_STATUS, type StatusGraph } from "../../../src/machine/index.js";
import { hooksByStatus, idleHookRules, idleMoveRules, restrictMoves } from "../../../src/sync/rules.js";

const names = ["Todo", "Doing", "Review", "Done"];

function freeBoard(edges: StatusGraph["edges"] = "implied"): StatusGraph {
  const statuses = names.map((name, order) => ({
    id: `s${order}`,
    name,
    category: "unknown" as const,
    order,
    aliases: [],
  }));
  return {
    id: "free.site.board",
    name: "Free",
    statuses,
    moves: statuses.map(({ id }) => ({ id, from: "*", to: id })),
    edges,
  };
}

/** `from>to` for every edge there is. */
function edgesOf(graph: StatusGraph): string[] {
  return graph.statuses
    .flatMap(({ id: from }) =>
      graph.moves
        .filter((move) => move.from === "*" || move.from === from)
        .filter((move) => move.to !== from)
        .map((move) => `${from}>${move.to}`),
    )
    .sort();
}

describe("a team's own moves", () => {
  it("are the only ones out of a status it names, by id or exact name; others keep the board's freedom", () => {
    const byName = restrictMoves(freeBoard(), { Todo: ["Doing"], Review: ["Doing", "Done"] });
    const byId = restrictMoves(freeBoard(), { s0: ["s1"], s2: ["s1", "s3"] });
    const expected = ["s0>s1", "s1>s0", "s1>s2", "s1>s3", "s2>s1", "s2>s3", "s3>s0", "s3>s1", "s3>s2"];
    expect(edgesOf(byName)).toEqual(expected);
    expect(edgesOf(byId)).toEqual(expected);
    expect(byName.teamRules).toBe(true);
  });

  it("hold together when one status is named by its id and by its name", () => {
    const graph = restrictMoves(freeBoard(), { Todo: ["Doing"], s0: ["Done"] });
    expect(edgesOf(graph).filter((edge) => edge.startsWith("s0"))).toEqual(["s0>s1", "s0>s3"]);
  });

  it("let nothing out of a status that may go nowhere", () => {
    const graph = restrictMoves(freeBoard(), { Done: [] });
    expect(edgesOf(graph).filter((edge) => edge.startsWith("s3"))).toEqual([]);
  });

  it.each(["authoritative", "preview", "observed"] as const)(
    "change nothing on a board whose edges are %s: it has rules of its own",
    (edges) => {
      const graph = freeBoard(edges);
      expect(restrictMoves(graph, { Todo: ["Doing"] })).toBe(graph);
      expect(idleMoveRules({ Todo: ["Doing"] }, [graph]).map(({ code }) => code)).toEqual([
        "move_rule",
        "move_rule",
      ]);
    },
  );

  it("match no name by halves, in another case or with blanks, and no retired status", () => {
    for (const name of ["todo", "Todo ", "To", "__proto__", "constructor"]) {
      const graph = restrictMoves(freeBoard(), Object.fromEntries([[name, ["Doing"]]]));
      expect(edgesOf(graph), name).toEqual(edgesOf(freeBoard()));
      expect(idleMoveRules(Object.fromEntries([[name, ["Doing"]]]), [freeBoard()])).toHaveLength(1);
    }
    const board = freeBoard();
    const retired = {
      ...board,
      statuses: board.statuses.map((status) => (status.id === "s0" ? { ...status, retired: true } : status)),
    };
    expect(idleMoveRules({ Todo: ["Doing"] }, [retired])).toMatchObject([
      { message: expect.stringContaining('"Todo"'), fix: expect.stringContaining("settings.allowedMoves") },
    ]);
  });

  it("that name a target which is gone allow the others only, and are reported", () => {
    const allowed = { Todo: ["Doing", "Waiting"] };
    expect(edgesOf(restrictMoves(freeBoard(), allowed)).filter((edge) => edge.startsWith("s0"))).toEqual([
      "s0>s1",
    ]);
    expect(idleMoveRules(allowed, [freeBoard()])).toMatchObject([
      { code: "move_rule", message: expect.stringContaining('"Waiting"') },
    ]);
  });

  it("guess none of two statuses of one name, and say so", () => {
    const board = freeBoard();
    const twins = {
      ...board,
      statuses: board.statuses.map((status) => (status.id === "s1" ? { ...status, name: "Todo" } : status)),
    };
    expect(restrictMoves(twins, { Todo: ["Done"] })).toBe(twins);
    expect(idleMoveRules({ Todo: ["Done"] }, [twins])).toMatchObject([
      { message: expect.stringContaining('"Todo"') },
    ]);
    expect(hooksByStatus(twins, [{ on: "enter", status: "Todo", run: "draft-pull-request" }])).toEqual({});
  });

  it("may speak of no status at all, and are no problem where there are none", () => {
    expect(idleMoveRules({ [NO_STATUS]: ["Todo"] }, [freeBoard()])).toEqual([]);
    expect(idleMoveRules(undefined, [freeBoard()])).toEqual([]);
    const graph = freeBoard();
    expect(restrictMoves(graph, undefined)).toBe(graph);
    expect(restrictMoves(graph, {})).toBe(graph);
  });
});

describe("hooks on entering a status", () => {
  const rule = (status: string) => ({ on: "enter", status, run: "draft-pull-request" }) as const;

  it("are owed by the status with that id, else with exactly that name", () => {
    expect(hooksByStatus(freeBoard(), [rule("Review"), rule("s1")])).toEqual({
      s2: [{ run: "draft-pull-request" }],
      s1: [{ run: "draft-pull-request" }],
    });
    expect(hooksByStatus(freeBoard(), [rule("review")])).toEqual({});
  });

  it("are never given to another status when theirs is gone, and that is reported", () => {
    const graph = freeBoard();
    const renamed = {
      ...graph,
      statuses: graph.statuses.map((status) => (status.id === "s2" ? { ...status, name: "PR" } : status)),
    };
    expect(hooksByStatus(renamed, [rule("Review")])).toEqual({});
    expect(idleHookRules([rule("Review")], [renamed])).toMatchObject([
      { code: "hook_rule", message: expect.stringContaining('"Review"') },
    ]);
    expect(idleHookRules([rule("Review")], [renamed, graph])).toEqual([]);
  });
});
