import { describe, expect, it } from "vitest";
import {
  collectEventTypes,
  createFsmActor,
  fsmFromStatusGraph,
  moveEvent,
  type StatusGraph,
  transition,
} from "../../../src/machine/index.js";

const plain = (graph: Record<string, string[]>, initial = Object.keys(graph)[0] ?? "") =>
  fsmFromStatusGraph({ initial, graph });

describe("fsmFromStatusGraph, plain", () => {
  it.each([
    ["In Review", "MOVE_TO_IN_REVIEW"],
    ["Done!", "MOVE_TO_DONE_"],
    ["Révisé", "MOVE_TO_R_VIS_"],
    ["to_review", "MOVE_TO_TO_REVIEW"],
  ])("names the event to %j %s, as the seed does", (status, event) => {
    expect(Object.keys(plain({ start: [status], [status]: [] }).states.start?.on ?? {})).toEqual([event]);
  });

  it.each([[["in review", "In-Review"]], [["進行中", "完了"]], [["a b", "a-b", "a_b", "A B"]]])(
    "gives statuses whose names collide an event each: %j (V8)",
    (targets) => {
      const machine = plain({ a: targets, ...Object.fromEntries(targets.map((t) => [t, []])) });
      const on = Object.entries(machine.states.a?.on ?? {});
      expect(on.map(([, to]) => (to as { target: string }).target)).toEqual(targets);
      expect(new Set(on.map(([event]) => event)).size).toBe(targets.length);
    },
  );

  it("does not rename an event because a colliding status is added later", () => {
    const one = plain({ a: ["in review"], "in review": [] });
    const two = plain({ a: ["in review", "In-Review"], "in review": [], "In-Review": [] });
    expect(Object.keys(two.states.a?.on ?? {})).toContain(Object.keys(one.states.a?.on ?? {})[0]);
  });

  it("collapses duplicate targets, keeps self loops and unreachable statuses, and ends where nothing leads on", () => {
    const { states } = plain({ a: ["b", "b", "a"], b: [], loop: ["loop"] });
    expect(Object.keys(states.a?.on ?? {})).toEqual(["MOVE_TO_B", "MOVE_TO_A"]);
    expect([states.a?.final, states.b?.final, states.loop?.final]).toEqual([false, true, false]);
  });

  it("refuses an unknown target or initial status, and inherited names", () => {
    expect(() => plain({ a: ["q"] })).toThrow('status "a" lists unknown target "q"');
    expect(() => plain({ a: [] }, "q")).toThrow('initial status "q" is not a key of graph');
    expect(() => plain({ a: ["toString"] })).toThrow('status "a" lists unknown target "toString"');
    expect(() => plain({ a: [] }, "constructor")).toThrow('initial status "constructor"');
  });

  it("takes statuses called like an object's own machinery", async () => {
    const machine = plain(
      Object.fromEntries([
        ["a", ["constructor", "__proto__"]],
        ["constructor", []],
        ["__proto__", []],
      ]),
    );
    const actor = createFsmActor(machine);
    expect((await actor.send({ type: "MOVE_TO_CONSTRUCTOR" })).snapshot.value).toBe("constructor");
    actor.reset();
    expect((await actor.send({ type: "MOVE_TO__PROTO_" })).snapshot.value).toBe("__proto__");
  });

  it("drops an empty prompt, keeps a written one, and names events as asked", () => {
    const machine = fsmFromStatusGraph({
      id: "t",
      initial: "a",
      graph: { a: ["b"], b: [] },
      prompts: { a: "", b: "There." },
      eventName: (status) => `GO_${status}`,
    });
    expect(machine).toMatchObject({ id: "t", states: { b: { meta: { prompt: "There." } } } });
    expect(machine.states.a?.meta).toBeUndefined();
    expect(Object.keys(machine.states.a?.on ?? {})).toEqual(["GO_b"]);
  });

  it("runs onEnter on every arrival, self loops included, with the event, and never for the initial status", async () => {
    const arrivals: unknown[] = [];
    const actor = createFsmActor(
      fsmFromStatusGraph<{ n: number }>({
        initial: "a",
        context: { n: 0 },
        graph: { a: ["a", "b"], b: ["a"] },
        onEnter: {
          a: async (context, event) => {
            arrivals.push([context.n, event.by]);
            return { n: context.n + 1 };
          },
        },
      }),
    );
    expect(arrivals).toEqual([]);
    await actor.send({ type: "MOVE_TO_A", by: "first" });
    await actor.send({ type: "MOVE_TO_B" });
    await actor.send({ type: "MOVE_TO_A", by: "second" });
    expect(arrivals).toEqual([
      [0, "first"],
      [1, "second"],
    ]);
    expect(actor.getSnapshot().context.n).toBe(2);
  });
});

const status = (id: string, name: string, order: number, more: object = {}) =>
  ({ id, name, order, category: "doing", aliases: [], ...more }) as const;

const board: StatusGraph = {
  id: "jira.3f2a.10001.10002",
  name: "Web",
  statuses: [
    status("20", "In Review", 2),
    status("10", "To Do", 1),
    status("30", "In-Review", 3),
    status("40", "Gone", 4, { retired: true }),
  ],
  moves: [
    { id: "m1", from: "10", to: "20", name: "Ask for review" },
    { id: "m2", from: "10", to: "20", name: "Hand over", fields: [] },
    { id: "m3", from: "*", to: "10" },
    { id: "m4", from: "20", to: "30" },
    { id: "m5", from: "20", to: "40" },
    { id: "m6", from: "40", to: "20" },
  ],
  edges: "authoritative",
};

describe("fsmFromStatusGraph, rich", () => {
  it("starts in the first status by order unless the graph says where", () => {
    expect(fsmFromStatusGraph(board).initial).toBe("10");
    expect(fsmFromStatusGraph({ ...board, initial: "20" }).initial).toBe("20");
  });

  it("makes one event per destination and keeps every move that leads there", () => {
    const machine = fsmFromStatusGraph(board);
    expect([...collectEventTypes(machine).keys()].sort()).toEqual(["10", "20", "30"].map(moveEvent).sort());
    const step = transition(machine, { value: "10", context: {} }, { type: moveEvent("20") });
    expect(step).toMatchObject({
      position: { value: "20" },
      taken: { meta: { moves: [{ id: "m1" }, { id: "m2" }] } },
    });
  });

  it("keeps statuses whose names look alike apart, because it goes by id", () => {
    const events = Object.keys(fsmFromStatusGraph(board).states["20"]?.on ?? {});
    expect(events).toEqual([moveEvent("10"), moveEvent("30")]);
  });

  it("leads into no retired status, yet out of one, and from anywhere but to itself", () => {
    const { states } = fsmFromStatusGraph(board);
    expect(Object.keys(states["20"]?.on ?? {})).not.toContain(moveEvent("40"));
    expect(Object.keys(states["40"]?.on ?? {})).toEqual([moveEvent("10"), moveEvent("20")]);
    expect(Object.keys(states["10"]?.on ?? {})).toEqual([moveEvent("20")]);
  });

  it("carries entry hooks and prompts by status id", () => {
    const machine = fsmFromStatusGraph(board, {
      prompts: { "20": "Up for review." },
      onEnter: { "20": [{ run: "draft-pull-request" }] },
    });
    expect(machine.states["20"]?.meta?.prompt).toBe("Up for review.");
    expect(machine.states["10"]?.meta?.prompt).toBe("Now in To Do.");
    expect(transition(machine, { value: "10", context: {} }, { type: moveEvent("20") })).toMatchObject({
      hooks: [{ on: "enter", run: { run: "draft-pull-request" } }],
    });
  });

  it("names what is wrong with a faulty graph", () => {
    const make = (change: Partial<StatusGraph>) => () => fsmFromStatusGraph({ ...board, ...change });
    expect(make({ moves: [{ id: "m9", from: "10", to: "99" }] })).toThrow(/"m9".*"99"/);
    expect(make({ moves: [{ id: "m9", from: "toString", to: "10" }] })).toThrow(/"toString"/);
    expect(make({ initial: "99" })).toThrow(/no status to start in/);
    expect(make({ statuses: [], moves: [] })).toThrow(/no status to start in/);
    expect(make({ statuses: [...board.statuses, status("10", "Again", 9)] })).toThrow(
      /"10".*"Again" and "To Do"|"10".*"To Do" and "Again"/,
    );
  });
});
