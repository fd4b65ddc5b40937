import { describe, expect, it, vi } from "vitest";
import { assign, createMachine, emit, log, SimulatedClock, setup } from "xstate";
import { load } from "../../../src/bridge/xstate-peer.js";
import {
  bindState,
  createFsmMcpBridge,
  createMemoryStateStore,
  createStateGate,
  type FsmLogic,
  type FsmMcpBridge,
  fromXstate,
  toXstate,
} from "../../../src/index.js";

const textOf = (result: { content: { text: string }[] } | undefined) => result?.content[0]?.text;
const call = <C extends object>(bridge: FsmMcpBridge<C>, name: string) =>
  bridge.tools.find((tool) => tool.name === name)?.handler({});

const article = setup({
  types: {} as { context: { edits: number }; events: { type: string } },
  guards: { edited: ({ context }) => context.edits > 0 },
  actions: { count: assign({ edits: ({ context }) => context.edits + 1 }) },
}).createMachine({
  id: "article",
  initial: "editing",
  context: { edits: 0 },
  on: { DISCARD: ".trashed" },
  states: {
    editing: {
      initial: "plain",
      meta: { prompt: "Editing." },
      on: { SUBMIT: { target: "review", guard: "edited" }, EDIT: { actions: "count" } },
      states: {
        plain: { on: { BOLD: "bold" } },
        bold: { meta: { prompt: "Editing in bold." }, on: { PLAIN: "plain" } },
        hist: { type: "history" },
      },
    },
    review: { on: { BACK: "editing.hist", APPROVE: "checking" } },
    checking: {
      always: [{ guard: ({ context }) => context.edits > 5, target: "editing" }, { target: "published" }],
    },
    published: { type: "final" },
    trashed: { type: "final" },
  },
});

const player = createMachine({
  id: "player",
  type: "parallel",
  states: {
    sound: {
      initial: "on",
      states: { on: { meta: { prompt: "Sound on." }, on: { MUTE: "off" } }, off: { on: { UNMUTE: "on" } } },
    },
    video: {
      initial: "stopped",
      states: {
        stopped: { on: { PLAY: "playing" } },
        playing: { meta: { prompt: "Playing." }, on: { STOP: "stopped" } },
      },
    },
  },
});

const light = (actions: () => unknown = () => {}) =>
  createMachine({
    id: "light",
    initial: "red",
    states: {
      red: { after: { 1000: "green" }, on: { HURRY: "green" } },
      green: { entry: actions, after: { 500: { target: "yellow" } } },
      yellow: { after: { 100: "red" } },
    },
  });

describe("fromXstate: tools", () => {
  it("are one per event of the machine, nested states included, without XState's own", () => {
    const { tools } = createFsmMcpBridge(fromXstate(article));
    expect(tools.map(({ name }) => name).sort()).toEqual(
      ["approve", "back", "bold", "discard", "edit", "plain", "submit"].map((name) => `article_${name}`),
    );
    expect(tools.find(({ name }) => name === "article_bold")?.description).toBe(
      'Send the "BOLD" event. Available from: editing.plain.',
    );
    expect(createFsmMcpBridge(fromXstate(light())).tools.map(({ name }) => name)).toEqual(["light_hurry"]);
    expect(tools.find(({ name }) => name === "article_discard")?.annotations?.destructiveHint).toBe(true);
  });

  it("carry no prefix where the machine has no id", () => {
    const machine = createMachine({ initial: "a", states: { a: { on: { GO: "a" } } } });
    expect(createFsmMcpBridge(fromXstate(machine)).tools.map(({ name }) => name)).toEqual(["go"]);
  });

  it("speak the innermost prompts and name nested states by path", async () => {
    const bridge = createFsmMcpBridge(fromXstate(article));
    expect(textOf(await call(bridge, "article_edit"))).toMatch(/^Editing\. You can: /);
    expect(textOf(await call(bridge, "article_bold"))).toMatch(/^Editing in bold\. You can: /);
    expect(bridge.getSnapshot()).toMatchObject({ value: "editing.bold", context: { edits: 1 } });
    expect(textOf(await call(bridge, "article_bold"))).toContain(
      '"BOLD" isn\'t available from "editing.bold". Try: PLAIN',
    );
  });

  it("refuse by guard, follow history and always, and end in a final state", async () => {
    const bridge = createFsmMcpBridge(fromXstate(article));
    const refused = await call(bridge, "article_submit");
    expect(textOf(refused)).toMatch(/^You can't SUBMIT right now\. Try: /);
    expect(refused?.structuredContent).toMatchObject({ reason: "guard-rejected", code: "no_such_move" });
    for (const name of ["edit", "bold", "submit", "back"]) await call(bridge, `article_${name}`);
    expect(bridge.getSnapshot().value).toBe("editing.bold");
    for (const name of ["submit", "approve"]) await call(bridge, `article_${name}`);
    expect(bridge.getSnapshot()).toMatchObject({ value: "published", done: true, availableEvents: [] });
    expect((await call(bridge, "article_discard"))?.structuredContent).toMatchObject({
      reason: "no-transition",
    });
  });

  it("move the regions of a parallel state side by side", async () => {
    const bridge = createFsmMcpBridge(fromXstate(player));
    expect(bridge.getSnapshot().value).toBe("sound.on + video.stopped");
    expect(textOf(await call(bridge, "player_play"))).toBe("Sound on. Playing. You can: MUTE, STOP.");
    await call(bridge, "player_mute");
    expect(bridge.getSnapshot().value).toBe("sound.off + video.playing");
    const { contents } = (await bridge.resources[0]?.read()) ?? { contents: [] };
    expect(JSON.parse(contents[0]?.text ?? "")).toMatchObject({
      value: "sound.off + video.playing",
      done: false,
    });
  });

  it("wait for asynchronous actions, run them once, and stay where they were when one fails", async () => {
    const done: string[] = [];
    let fail = true;
    const machine = createMachine({
      initial: "a",
      states: {
        a: {
          entry: () => done.push("initial"),
          on: {
            GO: {
              target: "b",
              actions: [
                async () => {
                  await Promise.resolve();
                  if (fail) throw new Error("10.0.0.1");
                  done.push("action");
                },
                log("x"),
                emit({ type: "e" }),
              ] as never,
            },
          },
        },
        b: { entry: () => done.push("entry"), on: { BACK: "a" } },
      },
    });
    const bridge = createFsmMcpBridge(fromXstate(machine));
    const [tool] = bridge.tools;
    const failure = await tool?.handler({});
    expect(failure).toMatchObject({ isError: true, structuredContent: { code: "hook_failed", state: "a" } });
    expect(JSON.stringify(failure)).not.toContain("10.0.0.1");
    fail = false;
    done.length = 0;
    vi.spyOn(console, "log").mockImplementation(() => {});
    const both = await Promise.all([tool?.handler({}), tool?.handler({})]);
    vi.restoreAllMocks();
    expect(both.map((result) => result?.structuredContent?.ok)).toEqual([true, false]);
    expect(done).toEqual(["initial", "action", "entry"]);
  });

  it("cannot have their machine changed through a snapshot, and can be reset", async () => {
    const bridge = createFsmMcpBridge(fromXstate<{ edits: number }>(article));
    await call(bridge, "article_edit");
    expect(() => Object.assign(bridge.getSnapshot().context, { edits: 99 })).toThrow(TypeError);
    bridge.reset();
    expect(bridge.getSnapshot()).toMatchObject({ value: "editing.plain", context: { edits: 0 } });
  });
});

describe("fromXstate: delays", () => {
  it("run on the injected clock", async () => {
    const clock = new SimulatedClock();
    const bridge = createFsmMcpBridge(fromXstate(light(), { clock }));
    await call(bridge, "light_hurry");
    expect(bridge.getSnapshot().value).toBe("green");
    clock.increment(500);
    await vi.waitUntil(() => bridge.getSnapshot().value === "yellow");
    clock.increment(100);
    await vi.waitUntil(() => bridge.getSnapshot().value === "red");
  });

  it("are told to listeners, and count as being in the middle of something", async () => {
    const clock = new SimulatedClock();
    let now = 0;
    const onDrop = vi.fn();
    const bridge = createFsmMcpBridge(fromXstate(light(), { clock }), {
      getSessionId: (ctx) => ctx?.sessionId ?? "",
      sessions: { idleMs: 10, now: () => now, onDrop },
    });
    const heard = vi.fn();
    bridge.onTransition(heard);
    await bridge.tools[0]?.handler({}, { sessionId: "s" });
    bridge.reset({ sessionId: "s" });
    clock.increment(1000);
    await vi.waitUntil(() => heard.mock.calls.length === 2);
    expect(heard.mock.calls[1]?.[0]).toMatchObject({
      sessionId: "s",
      event: "xstate.after.1000.light.red",
      snapshot: { value: "green" },
    });
    now = 11;
    expect(bridge.getSnapshot({ sessionId: "s" }).value).toBe("red");
    expect(onDrop).toHaveBeenCalledWith("s", expect.objectContaining({ value: "green" }));
  });

  it("that were left behind do not fire", async () => {
    const clock = new SimulatedClock();
    const actor = fromXstate(light(), { clock }).start();
    await actor.send({ type: "HURRY" });
    clock.increment(499);
    actor.reset();
    clock.increment(999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(actor.getSnapshot().value).toBe("red");
    clock.increment(1);
    await vi.waitUntil(() => actor.getSnapshot().value === "green");
    actor.stop?.();
    clock.increment(10_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(actor.getSnapshot().value).toBe("green");
  });

  it("that fell due while the machine was put away have happened when it comes back, each from its own time", () => {
    const clock = new SimulatedClock();
    const logic = fromXstate(light(), { clock });
    const first = logic.start();
    const saved = logic.save(first.getSnapshot());
    first.stop?.();
    clock.increment(1599);
    expect(logic.start(saved).getSnapshot().value).toBe("yellow");
    clock.increment(1);
    expect(logic.start(saved).getSnapshot().value).toBe("red");
    clock.increment(1000);
    expect(logic.start(saved).getSnapshot().value).toBe("green");
  });

  it("owe their actions to whoever acts next, once", async () => {
    const clock = new SimulatedClock();
    const entered = vi.fn();
    const machine = createMachine({
      id: "m",
      initial: "a",
      states: { a: { after: { 10: "b" } }, b: { entry: entered, on: { GO: "c" } }, c: { on: { ON: "c" } } },
    });
    const store = createMemoryStateStore();
    const gate = createStateGate(fromXstate(machine, { clock }), { store });
    const logic = fromXstate(machine, { clock });
    const fresh = logic.start();
    fresh.stop?.();
    await store.save("s", {
      state: logic.save(fresh.getSnapshot()),
      updatedAt: new Date().toISOString(),
    });
    clock.increment(10);
    expect((await gate.getSnapshot({ sessionId: "s" })).value).toBe("b");
    expect(entered).not.toHaveBeenCalled();
    expect(await gate.send({ type: "GO" }, { sessionId: "s" })).toMatchObject({ ok: true });
    await gate.send({ type: "ON" }, { sessionId: "s" });
    expect(entered).toHaveBeenCalledOnce();
  });
});

describe("fromXstate: saving", () => {
  it("keeps actions owed for time that passed, even when only looked at and saved again", async () => {
    const clock = new SimulatedClock();
    const entered = vi.fn();
    const logic = fromXstate(light(entered), { clock });
    const first = logic.start();
    const saved = logic.save(first.getSnapshot());
    first.stop?.();
    clock.increment(1000);
    const looked = logic.start(saved);
    const again = logic.save(looked.getSnapshot());
    looked.stop?.();
    const later = logic.start(again);
    expect(later.getSnapshot().value).toBe("green");
    clock.increment(500);
    await vi.waitUntil(() => later.getSnapshot().value === "yellow");
    expect(entered).toHaveBeenCalledOnce();
    later.stop?.();
  });

  it("does not run the initial state's actions again once they have run", async () => {
    const entered = vi.fn();
    const machine = createMachine({
      id: "m",
      initial: "a",
      states: { a: { entry: entered, on: { GO: "b" } }, b: { on: { BACK: "c" } }, c: {} },
    });
    const logic = fromXstate(machine);
    let saved = logic.save(logic.start().getSnapshot());
    for (const type of ["GO", "BACK"]) {
      const actor = logic.start(saved);
      saved = logic.save((await actor.send({ type })).snapshot);
    }
    expect(entered).toHaveBeenCalledOnce();
    expect(logic.start(saved).getSnapshot().value).toBe("c");
  });
});

describe("fromXstate: the gate", () => {
  const tool = (name: string) => ({ name, description: `Does ${name}.`, handler: () => ({ content: [] }) });

  it("binds tools to nested states, by path or by what is around them, and saves and restores everything (F15)", async () => {
    const store = createMemoryStateStore();
    const make = () =>
      createStateGate(fromXstate(article), {
        store,
        tools: [
          bindState(tool("edit"), "editing", "EDIT"),
          bindState(tool("bold"), "editing.plain", "BOLD"),
          bindState(tool("plain"), "editing.bold", "PLAIN"),
          bindState(tool("submit"), "editing", "SUBMIT"),
          bindState(tool("back"), "review", "BACK"),
        ],
      });
    const ctx = { sessionId: "s" };
    const names = async () => (await make().list(ctx)).map(({ name }) => name);
    expect(await names()).toEqual(["edit", "bold", "submit"]);
    expect(await make().call("submit", {}, ctx)).toMatchObject({
      structuredContent: { code: "FORBIDDEN", state: "editing.plain" },
    });
    // Every call is made by a gate that knows nothing but the store.
    for (const name of ["edit", "bold", "submit", "back"]) {
      expect((await make().call(name, {}, ctx)).isError).toBeUndefined();
    }
    expect(await names()).toEqual(["edit", "plain", "submit"]);
    expect(await make().getSnapshot(ctx)).toMatchObject({ value: "editing.bold", context: { edits: 1 } });
  });

  it("offers what any region of a parallel state allows", async () => {
    const gate = createStateGate(fromXstate(player), {
      tools: [
        bindState(tool("mute"), "sound.on", "MUTE"),
        bindState(tool("stop"), "video.playing", "STOP"),
        bindState(tool("any"), "sound"),
      ],
    });
    expect((await gate.list()).map(({ name }) => name)).toEqual(["mute", "any"]);
    await gate.send({ type: "PLAY" });
    expect((await gate.list()).map(({ name }) => name)).toEqual(["mute", "stop", "any"]);
  });

  it("leaves no timer running after a list, a call or a look (F17)", async () => {
    const running = new Set<unknown>();
    const clock = {
      now: () => 0,
      setTimeout(_run: () => void) {
        const id = {};
        running.add(id);
        return id;
      },
      clearTimeout: (id: never) => void running.delete(id),
    };
    const gate = createStateGate(fromXstate(light(), { clock }), { stateHandleKey: "lamp" });
    gate.bindState(tool("hurry"), "red", "HURRY").bindState(tool("other"), "yellow");
    const lamp = await gate.createHandle();
    for (const name of ["hurry", "other"]) await gate.call(name, { lamp }, { sessionId: "s" });
    await gate.list({ sessionId: "s" });
    expect((await gate.getSnapshot({}, lamp)).value).toBe("green");
    await gate.send({ type: "HURRY" }, {}, lamp);
    expect(running.size).toBe(0);
  });

  it("checks bindings against the machine (F14)", () => {
    const gate = createStateGate(fromXstate(article));
    expect(() => gate.bindState(tool("t"), "editing.italic")).toThrow(/"editing\.italic"/);
    expect(() => gate.bindState(tool("t"), "editing", "SUBMITT")).toThrow(/"SUBMITT"/);
  });

  it("refuses a saved state that the machine no longer has (F7)", async () => {
    const store = createMemoryStateStore();
    const logic: FsmLogic = fromXstate(createMachine({ id: "old", initial: "gone", states: { gone: {} } }));
    const at = new Date().toISOString();
    await store.save("a", { state: logic.save(logic.start().getSnapshot()), updatedAt: at });
    await store.save("b", { state: "editing", updatedAt: at });
    const gate = createStateGate(fromXstate(article), {
      store,
      tools: [bindState(tool("edit"), "editing", "EDIT")],
    });
    for (const sessionId of ["a", "b"]) {
      expect(await gate.call("edit", {}, { sessionId })).toMatchObject({
        structuredContent: { code: "stale_workflow" },
      });
    }
  });
});

describe("without what it needs", () => {
  it("says what to install when XState is missing or too old", () => {
    const absent = () => {
      throw Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
    };
    expect(() => load(absent)).toThrowError(
      expect.objectContaining({ code: "invalid", message: expect.stringContaining("npm install xstate@^5") }),
    );
    expect(() => load(() => ({ createMachine() {} }))).toThrow(/newer version.*npm install xstate/);
  });

  it.each([undefined, {}, { initial: "a", states: { a: {} } }])(
    "refuses what is no XState machine: %j",
    (machine) => {
      expect(() => fromXstate(machine as never)).toThrowError(expect.objectContaining({ code: "invalid" }));
    },
  );

  it("refuses a machine that invokes actors, naming the state", () => {
    const machine = createMachine({
      id: "m",
      initial: "a",
      states: { a: { invoke: { src: "x" } as never } },
    });
    expect(() => fromXstate(machine)).toThrow(/"m\.a" invokes/);
  });
});

describe("toXstate", () => {
  it("is plain JSON for a machine without functions, named hooks as named actions", () => {
    const config = toXstate({
      id: "m",
      initial: "a",
      context: { n: 0 },
      states: {
        a: { on: { GO: "b", STAY: { reason: "x" } } },
        b: { final: true, onEnter: { run: "ship", with: { fast: true } }, meta: { prompt: "There." } },
      },
    });
    expect(JSON.parse(JSON.stringify(config))).toEqual({
      id: "m",
      initial: "a",
      context: { n: 0 },
      states: {
        a: { on: { GO: { target: "b", reenter: true }, STAY: { description: "x" } } },
        b: { type: "final", entry: [{ type: "ship", params: { fast: true } }], meta: { prompt: "There." } },
      },
    });
  });

  it.each([
    ["an event XState reads as a wildcard", { initial: "a", states: { a: { on: { "*": "a" } } } }],
    ["a state whose name XState reads as an id", { initial: "#a", states: { "#a": {} } }],
    ["a final state with events", { initial: "a", states: { a: { final: true, on: { GO: "a" } } } }],
    ["an unknown target", { initial: "a", states: { a: { on: { GO: "b" } } } }],
  ])("refuses %s", (_, config) => {
    expect(() => toXstate(config as never)).toThrowError(expect.objectContaining({ code: "invalid" }));
  });
});
