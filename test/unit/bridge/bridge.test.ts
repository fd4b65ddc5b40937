import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  createFsmMcpBridge,
  type FsmConfig,
  type FsmMcpBridge,
  type FsmMcpOptions,
  fsmFromStatusGraph,
  type StatusGraph,
} from "../../../src/index.js";

interface Ctx {
  drink?: string;
}

const coffee: FsmConfig<Ctx> = {
  id: "coffee",
  initial: "idle",
  context: {},
  states: {
    idle: {
      meta: { prompt: "Ready to order." },
      on: { ORDER: { target: "ordering", actions: (_, event) => ({ drink: event.drink as string }) } },
    },
    ordering: { on: { CONFIRM: "done", CANCEL: "idle" } },
    done: { final: true, meta: { prompt: "All set." } },
  },
};

const drinks = { eventSchemas: { ORDER: z.object({ drink: z.string().optional() }) } };
const bridgeOf = (options: FsmMcpOptions<Ctx> = {}) => createFsmMcpBridge(coffee, { ...drinks, ...options });

function call<C extends object>(
  bridge: FsmMcpBridge<C>,
  name: string,
  args = {},
  ctx?: { sessionId: string },
) {
  const tool = bridge.tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name} in ${bridge.tools.map((t) => t.name).join()}`);
  return tool.handler(args, ctx);
}
const textOf = (result: { content: { text: string }[] }) => result.content.map(({ text }) => text).join("\n");

describe("tools of a machine", () => {
  it("are one per declared event, described by where they are available", () => {
    const { tools } = bridgeOf();
    expect(tools.map(({ name }) => name)).toEqual(["coffee_order", "coffee_confirm", "coffee_cancel"]);
    expect(tools[0]).toMatchObject({
      title: "Order",
      description: 'Send the "ORDER" event. Available from: idle.',
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    });
    expect(tools[1]?.annotations).toMatchObject({ destructiveHint: true, openWorldHint: false });
  });

  it("are named, titled, described and annotated as asked", () => {
    const { tools } = bridgeOf({
      toolName: (event) => `do-${event}`,
      toolTitle: (event) => `Do ${event}`,
      describeTool: (event, from) => `${event} from ${from.join("/")}`,
      annotations: { ORDER: { idempotentHint: true } },
    });
    expect(tools[0]).toMatchObject({
      name: "do-ORDER",
      title: "Do ORDER",
      description: "ORDER from idle",
      annotations: { idempotentHint: true, readOnlyHint: false },
    });
  });

  it.each([
    [undefined, "fooBar", "foo_bar"],
    ["my machine", "GO", "my_machine_go"],
    ["カフェ", "GO", /^fsm_[a-z0-9]+_go$/],
    ["m", "完了", /^m_event_[a-z0-9]+$/],
    ["m", "__X__", "m__x_"],
    ["", "GO", "go"],
    ["jira.3f2a.10001", "GO", "jira_3f2a_10001_go"],
  ])("of id %j and event %j have a name every client takes (V17)", (id, event, expected) => {
    const machine = {
      ...(id === undefined ? {} : { id }),
      initial: "a",
      states: { a: { on: { [event]: "a" } } },
    };
    const [tool] = createFsmMcpBridge(machine).tools;
    expect(tool?.name).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    expect(tool?.name).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
  });

  it("have distinct names even where their events' would be equal (V9)", () => {
    const on = {
      FOO_BAR: "a",
      fooBar: "a",
      "foo-bar": "a",
      [`x${"y".repeat(80)}1`]: "a",
      [`x${"y".repeat(80)}2`]: "a",
    };
    const names = createFsmMcpBridge({ initial: "a", states: { a: { on } } }).tools.map(({ name }) => name);
    expect(names[0]).toBe("foo_bar");
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
  });

  it("are refused with a sentence when given a name no client would take", () => {
    expect(() => bridgeOf({ toolName: (event) => `coffee.${event}` })).toThrowError(
      expect.objectContaining({ code: "invalid", message: expect.stringContaining('"coffee.ORDER"') }),
    );
  });
});

describe("a call", () => {
  it("moves the machine and says what can be done next", async () => {
    const bridge = bridgeOf();
    const result = await call(bridge, "coffee_order", { drink: "latte" });
    expect(textOf(result)).toBe('Now in "ordering". You can: CONFIRM, CANCEL.');
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toEqual({
      ok: true,
      event: "ORDER",
      state: "ordering",
      done: false,
      allowed: [
        { tool: "coffee_confirm", event: "CONFIRM" },
        { tool: "coffee_cancel", event: "CANCEL" },
      ],
    });
    expect(bridge.getSnapshot()).toMatchObject({ value: "ordering", context: { drink: "latte" } });
  });

  it("that is not open now is refused in both forms, naming what is", async () => {
    const result = await call(bridgeOf(), "coffee_confirm");
    expect(textOf(result)).toBe('"CONFIRM" isn\'t available from "idle". Try: ORDER.');
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({
      ok: false,
      code: "no_such_move",
      reason: "no-transition",
      state: "idle",
      allowed: [{ tool: "coffee_order", event: "ORDER" }],
    });
  });

  it("in a final state says just that it is not available", async () => {
    const bridge = bridgeOf();
    await call(bridge, "coffee_order");
    expect(textOf(await call(bridge, "coffee_confirm"))).toBe("All set.");
    expect(textOf(await call(bridge, "coffee_order"))).toBe('"ORDER" isn\'t available from "done".');
  });

  it("a guard refuses does not propose itself again, and gives the guard's reason where there is one", async () => {
    const machine = (reason?: string): FsmConfig => ({
      initial: "a",
      states: {
        a: { on: { go: { target: "b", guard: () => false, ...(reason ? { reason } : {}) }, wait: "a" } },
        b: {},
      },
    });
    const plain = await call(createFsmMcpBridge(machine()), "go");
    expect(textOf(plain)).toBe("You can't go right now. Try: wait.");
    expect(plain.structuredContent).toMatchObject({
      reason: "guard-rejected",
      allowed: [{ tool: "wait", event: "wait" }],
    });
    const why = await call(createFsmMcpBridge(machine("Pay first.")), "go");
    expect(textOf(why)).toBe("You can't go right now. Pay first. Try: wait.");
    expect(why.structuredContent).toMatchObject({ why: "Pay first." });
  });

  it.each([
    ["an undeclared argument", {}],
    ["a declared one", { eventSchemas: { CANCEL: z.object({ type: z.string() }) } }],
  ])("cannot become another event through %s named type (V6)", async (_, options) => {
    const bridge = bridgeOf(options);
    await call(bridge, "coffee_order");
    await call(bridge, "coffee_cancel", { type: "CONFIRM" });
    expect(bridge.getSnapshot().value).toBe("idle");
  });

  it("hands the machine only arguments that its event declares", async () => {
    const seen: unknown[] = [];
    const machine: FsmConfig = {
      initial: "a",
      states: {
        a: {
          on: {
            GO: { actions: (_, event) => void seen.push(event) },
            PUT: { actions: (_, e) => void seen.push(e) },
          },
        },
      },
    };
    const bridge = createFsmMcpBridge(machine, { eventSchemas: { PUT: z.object({ n: z.number() }) } });
    await call(bridge, "go", { extra: 1 });
    await call(bridge, "put", { n: 1, extra: 1 });
    expect(seen).toEqual([{ type: "GO" }, { type: "PUT", n: 1 }]);
    const refused = await call(bridge, "put", { n: "one" });
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: "invalid" } });
    expect(textOf(refused)).toMatch(/^These arguments cannot be used\. n: /);
  });

  it("whose effect fails tells nothing of the error, stays where it was, and tells the operator (V14)", async () => {
    const onError = vi.fn();
    const machine: FsmConfig = {
      id: "m",
      initial: "a",
      states: {
        a: {
          on: {
            GO: {
              target: "b",
              actions: async () => {
                throw new Error("secret db at 10.0.0.1");
              },
            },
          },
        },
        b: {},
      },
    };
    const bridge = createFsmMcpBridge(machine, { onError });
    const result = await call(bridge, "m_go");
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { ok: false, code: "hook_failed", state: "a" },
    });
    expect(JSON.stringify(result)).not.toContain("10.0.0.1");
    expect(bridge.getSnapshot().value).toBe("a");
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({
        code: "hook_failed",
        cause: expect.objectContaining({ message: "secret db at 10.0.0.1" }),
      }),
      { tool: "m_go", sessionId: "default" },
    );
  });

  it.each([
    [
      "a guard",
      {
        guard: () => {
          throw new Error("10.0.0.1");
        },
      },
    ],
    [
      "an assign",
      {
        assign: () => {
          throw new Error("10.0.0.1");
        },
      },
    ],
    ["an asynchronous guard", { guard: (async () => false) as never }],
  ])("tells nothing of the error of %s either (V11, V14)", async (_, faulty) => {
    const bridge = createFsmMcpBridge({
      initial: "a",
      states: { a: { on: { GO: { target: "b", ...faulty } } }, b: {} },
    });
    const result = await call(bridge, "go");
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain("10.0.0.1");
    expect(bridge.getSnapshot().value).toBe("a");
  });

  it("that succeeded says so even if describeState throws", async () => {
    const onError = vi.fn();
    const bridge = bridgeOf({
      onError,
      describeState: () => {
        throw new Error("10.0.0.1");
      },
    });
    expect(textOf(await call(bridge, "coffee_order"))).toBe('Now in "ordering". You can: CONFIRM, CANCEL.');
    expect(onError).toHaveBeenCalledOnce();
  });

  it("is answered by describeState where given", async () => {
    const bridge = bridgeOf({ describeState: ({ value }) => `It is ${value}.` });
    expect(textOf(await call(bridge, "coffee_order"))).toBe("It is ordering.");
  });

  it("twice at once runs the effect once (V2)", async () => {
    const paid = vi.fn(async () => ({}));
    const bridge = createFsmMcpBridge({
      initial: "due",
      states: { due: { on: { PAY: { target: "paid", actions: paid } } }, paid: { final: true } },
    });
    const results = await Promise.all([call(bridge, "pay"), call(bridge, "pay")]);
    expect(paid).toHaveBeenCalledOnce();
    expect(results.map(textOf)).toEqual(['Now in "paid".', '"PAY" isn\'t available from "paid".']);
  });

  it("speaks of a board's statuses by name, never by id", async () => {
    const board: StatusGraph = {
      id: "eng",
      name: "Engineering",
      statuses: [
        { id: "10", name: "To Do", category: "todo", order: 1, aliases: [] },
        { id: "20", name: "進行中", category: "doing", order: 2, aliases: [] },
        { id: "30", name: "完了", category: "done", order: 3, aliases: [] },
        { id: "40", name: "Révisé", category: "doing", order: 4, aliases: [] },
      ],
      moves: [
        { id: "a", from: "10", to: "20" },
        { id: "b", from: "20", to: "30" },
        { id: "c", from: "20", to: "40" },
      ],
      edges: "authoritative",
    };
    const bridge = createFsmMcpBridge(fsmFromStatusGraph(board));
    const [start, finish, revise] = bridge.tools;
    expect(revise?.name).toBe("eng_move_to_revise");
    expect(start).toMatchObject({
      title: "Move to 進行中",
      description: "Move to 進行中. Available from: To Do.",
    });
    expect(start?.name).toMatch(/^eng_move_to_[a-z0-9]{4}$/);
    expect(finish?.name).not.toBe(start?.name);
    expect(finish?.annotations?.destructiveHint).toBe(true);
    expect(textOf(await call(bridge, finish?.name ?? ""))).toBe(
      '"Move to 完了" isn\'t available from "To Do". Try: Move to 進行中.',
    );
  });
});

describe("the state resource", () => {
  it("shows the snapshot as JSON under the asked URI, or is left out", async () => {
    const [resource] = bridgeOf().resources;
    expect(resource).toMatchObject({ name: "fsm_state", uri: "fsm://state", mimeType: "application/json" });
    const contents = (await resource?.read())?.contents;
    expect(contents?.[0]).toMatchObject({ uri: "fsm://state", mimeType: "application/json" });
    expect(contents?.[0]?.text).toBe(
      JSON.stringify({ value: "idle", context: {}, availableEvents: ["ORDER"], done: false }, null, 2),
    );
    expect(bridgeOf({ stateResourceUri: "x://y" }).resources[0]?.uri).toBe("x://y");
    expect(bridgeOf({ stateResourceUri: null }).resources).toEqual([]);
  });

  it("shows a BigInt, and says so when a context refers to itself (V16)", async () => {
    const read = async (context: object) =>
      (await createFsmMcpBridge({ initial: "a", context, states: { a: {} } }).resources[0]?.read())
        ?.contents[0]?.text;
    expect(JSON.parse((await read({ n: 10n })) ?? "")).toMatchObject({ context: { n: "10" } });
    const round: { self?: unknown } = {};
    round.self = round;
    await expect(read({ round })).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("onTransition", () => {
  it("tells of every transition with its session, and of none after it is stopped (F16)", async () => {
    const onError = vi.fn();
    const bridge = bridgeOf({ getSessionId: (ctx) => ctx?.sessionId ?? "none", onError });
    const heard: unknown[] = [];
    bridge.onTransition(() => {
      throw new Error("a listener's fault is its own");
    });
    const stop = bridge.onTransition((notice) =>
      heard.push([notice.sessionId, notice.event, notice.snapshot.value]),
    );
    await call(bridge, "coffee_confirm", {}, { sessionId: "s" });
    await call(bridge, "coffee_order", {}, { sessionId: "s" });
    stop();
    await call(bridge, "coffee_confirm", {}, { sessionId: "s" });
    expect(heard).toEqual([["s", "ORDER", "ordering"]]);
    expect(onError).toHaveBeenCalledTimes(2);
  });
});

describe("sessions", () => {
  const bySession = { getSessionId: (ctx?: { sessionId?: string }) => ctx?.sessionId ?? "none" };
  const a = { sessionId: "a" };
  const b = { sessionId: "b" };

  it("share one machine unless told apart", async () => {
    const shared = bridgeOf();
    await call(shared, "coffee_order", {}, a);
    expect(shared.getSnapshot(b).value).toBe("ordering");
    const apart = bridgeOf(bySession);
    await call(apart, "coffee_order", {}, a);
    expect([apart.getSnapshot(a).value, apart.getSnapshot(b).value]).toEqual(["ordering", "idle"]);
    apart.reset(a);
    expect(apart.getSnapshot(a).value).toBe("idle");
  });

  it("idle for too long are dropped, and the next call is told instead of acting from the start (V15)", async () => {
    let now = 0;
    const onDrop = vi.fn();
    const bridge = bridgeOf({ ...bySession, sessions: { idleMs: 1000, now: () => now, onDrop } });
    await call(bridge, "coffee_order", { drink: "latte" }, a);
    now = 1001;
    const told = await call(bridge, "coffee_confirm", {}, a);
    expect(onDrop).toHaveBeenCalledWith(
      "a",
      expect.objectContaining({ value: "ordering", context: { drink: "latte" } }),
    );
    expect(textOf(told)).toBe(
      "This conversation was left alone for too long and its place was forgotten, so nothing was done. " +
        'It starts again from "idle". You can: ORDER.',
    );
    expect(told.structuredContent).toMatchObject({ ok: false, code: "session_expired", state: "idle" });
    expect(textOf(await call(bridge, "coffee_order", {}, a))).toContain("ordering");
  });

  it("beyond the limit drop the one idle longest, which is told so; reading keeps one alive", async () => {
    const bridge = bridgeOf({ ...bySession, sessions: { max: 2 } });
    await call(bridge, "coffee_order", {}, a);
    await call(bridge, "coffee_order", {}, b);
    bridge.getSnapshot(a);
    await call(bridge, "coffee_order", {}, { sessionId: "c" });
    expect(bridge.getSnapshot(a).value).toBe("ordering");
    expect(JSON.parse((await bridge.resources[0]?.read(b))?.contents[0]?.text ?? "")).toMatchObject({
      value: "idle",
      startsOver: true,
    });
    expect((await call(bridge, "coffee_confirm", {}, b)).structuredContent).toMatchObject({
      code: "session_expired",
    });
  });

  it("that never left the start are dropped without a word: nothing is lost", async () => {
    const bridge = bridgeOf({ ...bySession, sessions: { max: 1 } });
    await call(bridge, "coffee_confirm", {}, a);
    await call(bridge, "coffee_order", {}, b);
    expect((await call(bridge, "coffee_confirm", {}, a)).structuredContent).toMatchObject({
      code: "no_such_move",
    });
  });

  it("with a call under way are not dropped", async () => {
    let finish: (() => void) | undefined;
    const machine: FsmConfig = {
      initial: "a",
      states: {
        a: {
          on: {
            GO: {
              target: "b",
              actions: () =>
                new Promise<void>((resolve) => {
                  finish = resolve;
                }),
            },
          },
        },
        b: { on: { BACK: "a" } },
      },
    };
    const bridge = createFsmMcpBridge(machine, { ...bySession, sessions: { max: 1 } });
    const slow = call(bridge, "go", {}, a);
    await vi.waitUntil(() => finish !== undefined);
    await call(bridge, "back", {}, b);
    const next = call(bridge, "back", {}, a);
    finish?.();
    expect((await slow).structuredContent).toMatchObject({ ok: true, state: "b" });
    expect((await next).structuredContent).toMatchObject({ ok: true, state: "a" });
  });

  it("hold memory for no more than the limit, whatever the number of callers (V15)", async () => {
    const bridge = bridgeOf({ ...bySession, sessions: { max: 10 } });
    for (let i = 0; i < 1000; i++) await call(bridge, "coffee_order", {}, { sessionId: `s${i}` });
    const alive = Array.from({ length: 1000 }, (_, i) => bridge.getSnapshot({ sessionId: `s${i}` }).value);
    expect(alive.filter((value) => value === "ordering")).toHaveLength(10);
  });
});
