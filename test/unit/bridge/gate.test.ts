import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  bindState,
  createMemoryStateStore,
  createStateGate,
  type FsmConfig,
  type FsmMcpCallContext,
  type FsmStateSnapshot,
  type FsmStateStore,
  type GateTool,
  type StateGate,
  type StateGateOptions,
} from "../../../src/index.js";

const invoice: FsmConfig = {
  id: "invoice",
  initial: "draft",
  states: {
    draft: { on: { SUBMIT: "review" } },
    review: { on: { APPROVE: "approved", REJECT: "draft" } },
    approved: { on: { DISCHARGE: "discharged" } },
    discharged: { type: "final" },
  },
};

const tool = (name: string, more: Partial<GateTool> = {}): GateTool => ({
  name,
  description: `Does ${name}.`,
  handler: () => ({ content: [{ type: "text", text: `${name} done` }] }),
  ...more,
});

const handlerOf = (text = "done") => vi.fn(async () => ({ content: [{ type: "text" as const, text }] }));

const invoiceTools = (discharge: GateTool["handler"] = handlerOf("discharged")) => [
  bindState(tool("invoice.submit", { compactDescription: "Submit." }), "draft", "SUBMIT"),
  bindState(tool("invoice.approve"), ["review"], "APPROVE"),
  bindState(tool("invoice.reject"), "review", "REJECT"),
  bindState(tool("invoice.discharge", { handler: discharge }), "approved", "DISCHARGE"),
  bindState(tool("invoice.history"), ["review", "approved", "discharged"]),
  tool("help", { description: "Explains everything at length.", compactDescription: "Explains." }),
];

const gateOf = (options: StateGateOptions<object> = {}) =>
  createStateGate(invoice, { tools: invoiceTools(), ...options });

const names = async (gate: StateGate, ctx?: FsmMcpCallContext) =>
  (await gate.list(ctx)).map(({ name }) => name);
const textOf = (result: { content: { text: string }[] }) => result.content.map(({ text }) => text).join("\n");
const stateOf = async (gate: StateGate, ctx?: FsmMcpCallContext, handle?: string) =>
  (await gate.getSnapshot(ctx, handle)).value;

describe("a state gate's list", () => {
  it("names a bound tool only in its states, and an unbound one always (F1: each tool has its own binding)", async () => {
    const gate = gateOf();
    expect(await names(gate)).toEqual(["invoice_submit", "help"]);
    await gate.call("invoice_submit", {});
    expect(await names(gate)).toEqual(["invoice_approve", "invoice_reject", "invoice_history", "help"]);
    await gate.call("invoice_approve", {});
    expect(await names(gate)).toEqual(["invoice_discharge", "invoice_history", "help"]);
    await gate.call("invoice_discharge", {});
    expect(await names(gate)).toEqual(["invoice_history", "help"]);
  });

  it("shows the compact description in the initial state and the full one later", async () => {
    const gate = gateOf();
    const help = async () => (await gate.list()).find(({ name }) => name === "help")?.description;
    expect(await help()).toBe("Explains.");
    await gate.call("invoice_submit", {});
    expect(await help()).toBe("Explains everything at length.");
  });

  it("where it may not vary, names every tool and says when it is open", async () => {
    const all = await gateOf().list(undefined, { all: true });
    expect(all).toHaveLength(6);
    expect(all[3]).toMatchObject({
      name: "invoice_discharge",
      description: "Does invoice.discharge. Available in: approved.",
    });
  });

  it("makes a tool's JSON schema once, not for every list (F18)", async () => {
    const gate = gateOf();
    const before = (await gate.list())[0];
    await gate.call("invoice_approve", {});
    expect((await gate.list())[0]).toBe(before);
  });

  it("gives the input as JSON schema, the handle declared (F13)", async () => {
    const gate = createStateGate(invoice, {
      stateHandleKey: "workflow",
      tools: [bindState(tool("pay", { inputSchema: z.object({ amount: z.number() }) }), "draft", "SUBMIT")],
    });
    const pay = (await gate.list(undefined, { all: true })).find(({ name }) => name === "pay");
    expect(pay?.inputSchema).toMatchObject({
      type: "object",
      properties: {
        amount: { type: "number" },
        workflow: { type: "string", description: expect.any(String) },
      },
      required: ["amount"],
    });
  });
});

describe("a call through the gate", () => {
  it("fires its transition on success, and says where the workflow is beside the tool's own result", async () => {
    const gate = gateOf();
    const result = await gate.call("invoice_submit", {});
    expect(result.content).toEqual([{ type: "text", text: "invoice.submit done" }]);
    expect(result._meta).toEqual({
      "boardwalk/gate": {
        state: "review",
        done: false,
        allowed: [
          { tool: "invoice_approve", event: "APPROVE" },
          { tool: "invoice_reject", event: "REJECT" },
          { tool: "invoice_history" },
        ],
      },
    });
  });

  it("of a tool that is not listed is FORBIDDEN, in words and in data, and its handler does not run (F2, F3)", async () => {
    const discharge = handlerOf();
    const gate = createStateGate(invoice, { tools: invoiceTools(discharge) });
    const result = await gate.call("invoice_discharge", {});
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        code: "FORBIDDEN",
        tool: "invoice_discharge",
        state: "draft",
        allowed: [{ tool: "invoice_submit", event: "SUBMIT" }],
      },
    });
    expect(textOf(result)).toBe(
      'FORBIDDEN: "invoice_discharge" is not available in "draft". Allowed now: invoice_submit.',
    );
    expect(discharge).not.toHaveBeenCalled();
    expect(await stateOf(gate)).toBe("draft");
  });

  it.each(["invoice", "invoice.discharge", "invoice/discharge", "toString"])(
    "by another name than the listed one reaches no tool: %j (F2, F3)",
    async (name) => {
      await expect(gateOf().call(name, { action: "discharge" })).rejects.toMatchObject({
        code: "not_found_or_hidden",
      });
    },
  );

  it("in a finished workflow says that it is finished", async () => {
    const gate = gateOf();
    for (const name of ["invoice_submit", "invoice_approve", "invoice_discharge"]) await gate.call(name, {});
    const result = await gate.call("invoice_submit", {});
    expect(textOf(result)).toContain("Allowed now: invoice_history.");
    const bare = createStateGate({ initial: "a", states: { a: { on: { GO: "b" } }, b: { final: true } } });
    bare.bindState(tool("go"), "a", "GO");
    await bare.call("go", {});
    expect(textOf(await bare.call("go", {}))).toBe(
      'FORBIDDEN: "go" is not available in "b". This workflow is finished.',
    );
  });

  it.each([
    ["returns an error", () => ({ isError: true, content: [] })],
    [
      "throws",
      () => {
        throw new Error("secret db at 10.0.0.1");
      },
    ],
  ])("whose handler %s leaves the workflow where it is and leaks nothing", async (_, handler) => {
    const onError = vi.fn();
    const gate = createStateGate(invoice, { onError }).bindState(
      tool("go", { handler: handler as never }),
      "draft",
      "SUBMIT",
    );
    const result = await gate.call("go", {});
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain("10.0.0.1");
    expect(await stateOf(gate)).toBe("draft");
    await gate.send({ type: "SUBMIT" });
    expect(await stateOf(gate)).toBe("review");
  });

  it("with arguments that do not fit is told which, before anything happens", async () => {
    const handler = handlerOf();
    const schema = z.object({ amount: z.number() });
    const gate = createStateGate(invoice).bindState(
      tool("pay", { inputSchema: schema, handler }),
      "draft",
      "SUBMIT",
    );
    const result = await gate.call("pay", { amount: "much" });
    expect(result).toMatchObject({ isError: true, structuredContent: { code: "invalid" } });
    expect(textOf(result)).toContain("amount");
    expect(handler).not.toHaveBeenCalled();
  });

  it("tells the handler where the workflow is, and gives it its own arguments only", async () => {
    const handler = vi.fn(() => ({ content: [] }));
    const gate = createStateGate(invoice, { stateHandleKey: "workflow" });
    gate.bindState(tool("go", { inputSchema: z.object({ n: z.number() }), handler }), "draft", "SUBMIT");
    const workflow = await gate.createHandle();
    await gate.call("go", { n: 1, workflow }, { sessionId: "s" });
    expect(handler).toHaveBeenCalledWith({ n: 1 }, { sessionId: "s", handle: workflow, state: "draft" });
  });

  it("hands a strict tool no handle it does not know", async () => {
    const gate = createStateGate(invoice, { stateHandleKey: "workflow" });
    const inputSchema = z.strictObject({ n: z.number() });
    gate.bindState(tool("strict", { inputSchema }), "draft", "SUBMIT");
    const [, listed] = await gate.list();
    expect(Object.keys(listed?.inputSchema.properties ?? {})).toEqual(["n", "workflow"]);
    const workflow = await gate.createHandle();
    expect((await gate.call("strict", { n: 1, workflow })).isError).toBeUndefined();
  });

  it("asks the machine's guard, with the arguments and the kept context, before the handler runs (F15)", async () => {
    const approve = handlerOf();
    const machine: FsmConfig<{ votes: number }> = {
      id: "vote",
      initial: "open",
      context: { votes: 0 },
      states: {
        open: {
          on: {
            VOTE: { assign: (c, e) => ({ votes: c.votes + Number(e.weight) }) },
            CLOSE: { target: "closed", guard: (c, e) => c.votes >= Number(e.quorum) },
          },
        },
        closed: {},
      },
    };
    const gate = createStateGate(machine);
    gate.bindState(tool("vote", { inputSchema: z.object({ weight: z.number() }) }), "open", "VOTE");
    gate.bindState(
      tool("close", { inputSchema: z.object({ quorum: z.number() }), handler: approve }),
      "open",
      "CLOSE",
    );
    const refused = await gate.call("close", { quorum: 2 });
    expect(textOf(refused)).toBe(
      'FORBIDDEN: "close" is offered in "open", but its condition is not met. Allowed now: vote.',
    );
    expect(approve).not.toHaveBeenCalled();
    await gate.call("vote", { weight: 2 });
    expect((await gate.getSnapshot()).context).toEqual({ votes: 2 });
    expect((await gate.call("close", { quorum: 2 })).isError).toBeUndefined();
    expect(await stateOf(gate)).toBe("closed");
  });

  it("runs the entry hooks of the state it leads to, as the machine has them", async () => {
    const onEnter = vi.fn(async () => ({ pr: 7 }));
    const gate = createStateGate<{ pr?: number }>({
      initial: "a",
      context: {},
      states: { a: { on: { GO: "b" } }, b: { onEnter } },
    }).bindState(tool("go"), "a", "GO");
    await gate.call("go", {});
    expect(onEnter).toHaveBeenCalledOnce();
    expect(await gate.getSnapshot()).toMatchObject({ value: "b", context: { pr: 7 } });
  });

  it("of one tool twice at once runs its handler once (F4)", async () => {
    const discharge = vi.fn(async () => {
      await Promise.resolve();
      return { content: [] };
    });
    const gate = createStateGate(invoice, { tools: invoiceTools(discharge) });
    await gate.call("invoice_submit", {});
    await gate.call("invoice_approve", {});
    const results = await Promise.all([
      gate.call("invoice_discharge", {}),
      gate.call("invoice_discharge", {}),
    ]);
    expect(discharge).toHaveBeenCalledOnce();
    expect(results.map((r) => r.isError === true)).toEqual([false, true]);
  });

  it("whose entry hooks fail says that it was done all the same, and leaks nothing", async () => {
    const machine: FsmConfig = {
      initial: "a",
      states: {
        a: { on: { GO: "b" } },
        b: {
          onEnter: async () => {
            throw new Error("10.0.0.1");
          },
        },
      },
    };
    const gate = createStateGate(machine).bindState(tool("go"), "a", "GO");
    const result = await gate.call("go", {});
    expect(result).toMatchObject({ isError: true, structuredContent: { code: "hook_failed" } });
    expect(textOf(result)).toBe(
      'It was done, but what follows it failed, so the workflow is still in "a". Do not repeat it without looking.',
    );
    expect(await stateOf(gate)).toBe("a");
  });

  it("waits for the one before it, with a store that has two methods too (F4)", async () => {
    const kept = new Map<string, FsmStateSnapshot>();
    const plain: FsmStateStore = {
      load: async (handle) => kept.get(handle),
      save: async (handle, snapshot) => void kept.set(handle, snapshot),
    };
    for (const store of [plain, createMemoryStateStore()]) {
      const discharge = handlerOf();
      const gate = createStateGate(invoice, { store, tools: invoiceTools(discharge) });
      const inOrder = ["invoice_submit", "invoice_approve", "invoice_discharge", "invoice_discharge"];
      const results = await Promise.all(inOrder.map((name) => gate.call(name, {})));
      expect(results.map(({ structuredContent }) => structuredContent?.code)).toEqual([
        ...[undefined, undefined, undefined],
        "FORBIDDEN",
      ]);
      expect(discharge).toHaveBeenCalledOnce();
    }
  });

  it("of two contradicting tools at once lets one succeed (F5)", async () => {
    const gate = gateOf();
    await gate.call("invoice_submit", {});
    const results = await Promise.all([gate.call("invoice_approve", {}), gate.call("invoice_reject", {})]);
    expect(results.filter((r) => r.isError !== true)).toHaveLength(1);
    expect(await stateOf(gate)).toBe("approved");
  });
});

describe("definitions are checked when made (F14)", () => {
  it.each([
    [
      "a misspelt state",
      () => bindState(tool("t"), "aproved", "DISCHARGE"),
      /"t" is bound to "aproved".*draft, review/,
    ],
    ["an inherited one", () => bindState(tool("t"), "toString"), /"toString"/],
    ["no state at all", () => bindState(tool("t"), []), /bound to no state/],
    ["a misspelt event", () => bindState(tool("t"), "approved", "DISCHARG"), /"DISCHARG".*DISCHARGE/],
    [
      "an event that leads nowhere from there",
      () => bindState(tool("t"), ["approved", "draft"], "DISCHARGE"),
      /from "draft"/,
    ],
    [
      "two tools of one name",
      () => bindState(tool("invoice submit"), "draft"),
      /"invoice\.submit" and "invoice submit".*"invoice_submit"/,
    ],
    ["a name too long", () => tool("x".repeat(65)), /1 to 64/],
  ])("%s", (_, make, message) => {
    expect(() => gateOf().add(make())).toThrowError(
      expect.objectContaining({ code: "invalid", message: expect.stringMatching(message) }),
    );
  });

  it("a faulty machine", () => {
    expect(() => createStateGate({ initial: "a", states: { a: { on: { GO: "bb" } } } } as FsmConfig)).toThrow(
      /"bb"/,
    );
    expect(() => createStateGate({ initial: "z", states: { a: {} } } as FsmConfig)).toThrow(/"z"/);
  });
});

describe("limits", () => {
  it.each([{ ttlMs: 0 }, { ttlMs: Number.NaN }, { claimMs: -1 }])(
    "are refused when they are none: %j",
    (options) => {
      expect(() => createStateGate(invoice, options)).toThrowError(
        expect.objectContaining({ code: "invalid" }),
      );
      expect(() => createMemoryStateStore({ max: 0 })).toThrow(/"max"/);
    },
  );
});

describe("whose workflow a call means", () => {
  const alice = { sessionId: "s1", authInfo: { clientId: "app", extra: { sub: "alice" } } };
  const bob = { sessionId: "s2", authInfo: { clientId: "app", extra: { sub: "bob" } } };

  it("is told by the handle, else by the session, else it is the process's own", async () => {
    const gate = gateOf({ stateHandleKey: "workflow" });
    const workflow = await gate.createHandle({ sessionId: "s1" });
    await gate.call("invoice_submit", { workflow }, { sessionId: "s1" });
    await gate.call("invoice_submit", {});
    expect(await stateOf(gate, { sessionId: "s1" })).toBe("draft");
    expect(await stateOf(gate, { sessionId: "s1" }, workflow)).toBe("review");
    expect(await stateOf(gate)).toBe("review");
    await gate.call("invoice_submit", { workflow: "" }, { sessionId: "s1" });
    expect(await stateOf(gate, { sessionId: "s1" })).toBe("review");
  });

  it("does not start over with every call where there is neither handle nor session (F11)", async () => {
    const gate = gateOf();
    await gate.call("invoice_submit", {});
    expect((await gate.call("invoice_approve", {})).isError).toBeUndefined();
  });

  it("is never somebody else's, even with the same session id or an overheard handle", async () => {
    const gate = gateOf({ stateHandleKey: "workflow" });
    const workflow = await gate.createHandle(alice);
    await gate.call("invoice_submit", { workflow }, alice);
    const stolen = await gate.call("invoice_approve", { workflow }, bob);
    expect(stolen).toMatchObject({
      isError: true,
      structuredContent: { code: "handle_unknown", allowed: [{ tool: "invoice_start" }] },
    });
    expect(textOf(stolen)).toBe(
      "There is no such workflow, or it has expired. Call invoice_start to begin a new one.",
    );
    expect(await stateOf(gate, alice, workflow)).toBe("review");
    const sessions = gateOf();
    await sessions.call("invoice_submit", {}, alice);
    expect(await stateOf(sessions, { ...bob, sessionId: "s1" })).toBe("draft");
  });

  it("is not confused by handles that look like another principal's key", async () => {
    const gate = gateOf({
      stateHandleKey: "t",
      handles: "named",
      getPrincipal: (ctx) => ctx?.who as string | undefined,
    });
    await gate.call("invoice_submit", { t: "1" }, { who: "acme" });
    expect(await stateOf(gate, {}, "acme/1")).toBe("draft");
    expect(await stateOf(gate, { who: "acme/1" }, "")).toBe("draft");
  });

  it("may be told by any name where handles are named, a ticket's for one", async () => {
    const gate = gateOf({ stateHandleKey: "ticket", handles: "named" });
    await gate.call("invoice_submit", { ticket: "ENG-1" });
    expect([await stateOf(gate, {}, "ENG-1"), await stateOf(gate, {}, "ENG-2")]).toEqual(["review", "draft"]);
    expect(gate.toolNames()).not.toContain("invoice_start");
  });

  it("a handle nobody minted leads nowhere; the start tool mints one of 128 random bits", async () => {
    const gate = gateOf({ stateHandleKey: "workflow" });
    expect(await gate.call("invoice_submit", { workflow: "h1" })).toMatchObject({
      structuredContent: { code: "handle_unknown" },
    });
    const started = await gate.call("invoice_start", {}, alice);
    const { workflow } = started.structuredContent as { workflow: string };
    expect(workflow).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(textOf(started)).toContain(workflow);
    expect(await gate.createHandle()).not.toBe(await gate.createHandle());
    expect((await gate.call("invoice_submit", { workflow }, alice)).isError).toBeUndefined();
  });

  it("a session's list follows the workflow whose handle it last used", async () => {
    const gate = gateOf({ stateHandleKey: "workflow" });
    expect(await names(gate, alice)).toHaveLength(7);
    const workflow = await gate.createHandle(alice);
    await gate.call("invoice_submit", { workflow }, alice);
    expect(await names(gate, alice)).toEqual([
      "invoice_start",
      "invoice_approve",
      "invoice_reject",
      "invoice_history",
      "help",
    ]);
    expect(await names(gate, bob)).toHaveLength(7);
  });
});

describe("time", () => {
  const clock = () => {
    let ms = Date.parse("2026-01-01T00:00:00Z");
    return {
      now: () => ms,
      pass: (by: number) => {
        ms += by;
      },
    };
  };

  it("expires a handle after its last use, and says so", async () => {
    const { now, pass } = clock();
    const gate = gateOf({ stateHandleKey: "workflow", now, ttlMs: 3_600_000 });
    const workflow = await gate.createHandle();
    pass(3_600_000);
    expect((await gate.call("invoice_submit", { workflow })).isError).toBeUndefined();
    pass(3_600_001);
    const late = await gate.call("invoice_approve", { workflow });
    expect(late).toMatchObject({
      isError: true,
      structuredContent: { code: "handle_expired", allowed: [{ tool: "invoice_start" }] },
    });
    expect(textOf(late)).toBe(
      "This workflow has expired: it was last used more than 1 hour ago. Call invoice_start to begin a new one.",
    );
  });

  it("tells a session that was left alone too long before it starts over", async () => {
    const { now, pass } = clock();
    const gate = gateOf({ now, ttlMs: 1000 });
    const ctx = { sessionId: "s" };
    await gate.call("invoice_submit", {}, ctx);
    pass(1001);
    const told = await gate.call("invoice_approve", {}, ctx);
    expect(told).toMatchObject({ isError: true, structuredContent: { code: "session_expired" } });
    expect(textOf(told)).toContain('It stood in "review". It starts again from "draft".');
    expect((await gate.call("invoice_submit", {}, ctx)).isError).toBeUndefined();
  });

  it("tells a session whose place was dropped for want of room (F8)", async () => {
    const gate = gateOf({ store: createMemoryStateStore({ max: 2 }) });
    for (const sessionId of ["a", "b", "c"]) await gate.call("invoice_submit", {}, { sessionId });
    expect(await gate.call("invoice_approve", {}, { sessionId: "a" })).toMatchObject({
      structuredContent: { code: "session_expired" },
    });
    expect((await gate.call("invoice_approve", {}, { sessionId: "c" })).isError).toBeUndefined();
  });

  it("renews a workflow with every transition, one that leads back to its own state too (F20)", async () => {
    const { now, pass } = clock();
    const gate = createStateGate(
      { initial: "a", states: { a: { on: { PING: "a" } } } },
      { now, ttlMs: 1000 },
    );
    gate.bindState(tool("ping"), "a", "PING");
    for (let i = 0; i < 5; i++) {
      pass(900);
      expect((await gate.call("ping", {}, { sessionId: "s" })).isError).toBeUndefined();
    }
  });
});

describe("the store", () => {
  it("is one with two methods, and is given a state's name and an ISO time", async () => {
    const kept = new Map<string, FsmStateSnapshot>();
    const store: FsmStateStore = {
      load: async (handle) => kept.get(handle),
      save: async (handle, snapshot) => void kept.set(handle, snapshot),
    };
    const gate = gateOf({ store, now: () => 0 });
    await gate.call("invoice_submit", {}, { sessionId: "s1" });
    expect([...kept]).toEqual([["s1", { state: "review", updatedAt: "1970-01-01T00:00:00.000Z" }]]);
  });

  it("may hold what another version wrote: a time in milliseconds", async () => {
    const store = {
      load: async () => ({ state: "approved", updatedAt: Date.now() }) as never,
      save: async () => {},
    };
    expect(await stateOf(gateOf({ store }))).toBe("approved");
  });

  it.each([{ state: 1, updatedAt: "x" }, "approved", { state: "approved" }])(
    "that returns something else is not acted upon: %j",
    async (stored) => {
      const store = { load: async () => stored as never, save: async () => {} };
      expect(await gateOf({ store }).call("invoice_submit", {})).toMatchObject({
        isError: true,
        structuredContent: { code: "internal" },
      });
    },
  );

  it("that holds a state the machine no longer has is a named refusal, never a restart (F7)", async () => {
    const store = createMemoryStateStore();
    await store.save("s", { state: "checking", updatedAt: new Date().toISOString() });
    const result = await gateOf({ store }).call("invoice_submit", {}, { sessionId: "s" });
    expect(result).toMatchObject({ isError: true, structuredContent: { code: "stale_workflow" } });
    expect((await store.load("s"))?.state).toBe("checking");
    const migrated = gateOf({ store, migrate: (saved) => (saved === "checking" ? "review" : undefined) });
    expect((await migrated.call("invoice_approve", {}, { sessionId: "s" })).isError).toBeUndefined();
    expect((await store.load("s"))?.state).toBe("approved");
  });

  it("that fails to save does not make the caller repeat what was done: it is saved before the next call (F6)", async () => {
    const inner = createMemoryStateStore();
    let broken = false;
    const fail = () => {
      if (broken) throw new Error("redis at 10.0.0.1 is down");
    };
    for (const cas of [false, true]) {
      const discharge = handlerOf();
      const store: FsmStateStore = {
        load: inner.load,
        async save(handle, snapshot) {
          fail();
          return inner.save(handle, snapshot);
        },
        ...(cas
          ? {
              async compareAndSet(handle, expected, next) {
                if (next.claim === undefined) fail();
                return inner.compareAndSet(handle, expected, next);
              },
            }
          : {}),
      };
      const ctx = { sessionId: `cas-${cas}` };
      const gate = createStateGate(invoice, { store, tools: invoiceTools(discharge) });
      await gate.call("invoice_submit", {}, ctx);
      await gate.call("invoice_approve", {}, ctx);
      broken = true;
      const result = await gate.call("invoice_discharge", {}, ctx);
      expect(result).toMatchObject({ isError: true, structuredContent: { code: "unavailable" } });
      expect(textOf(result)).toMatch(/^It was done, but .* Do not repeat it/);
      expect(await gate.call("invoice_discharge", {}, ctx)).toMatchObject({
        structuredContent: { code: "unavailable" },
      });
      broken = false;
      expect(await gate.call("invoice_discharge", {}, ctx)).toMatchObject({
        structuredContent: { code: "FORBIDDEN", state: "discharged" },
      });
      expect(discharge).toHaveBeenCalledOnce();
    }
  });

  it("that lost the answer of a save which landed does not make it a conflict", async () => {
    const inner = createMemoryStateStore();
    let lose = true;
    const store: FsmStateStore = {
      ...inner,
      async compareAndSet(handle, expected, next) {
        const set = await inner.compareAndSet(handle, expected, next);
        if (next.claim === undefined && lose) {
          lose = false;
          throw new Error("connection reset");
        }
        return set;
      },
    };
    const gate = gateOf({ store });
    expect((await gate.call("invoice_submit", {})).isError).toBeUndefined();
    expect(await stateOf(gate)).toBe("review");
  });

  describe("shared by two processes", () => {
    /** Two gates know nothing of each other but the store. */
    function pair(options: StateGateOptions<object> = {}) {
      const store = createMemoryStateStore();
      let finish: (() => void) | undefined;
      const discharge = vi.fn(
        () =>
          new Promise<{ content: [] }>((resolve) => {
            finish = () => resolve({ content: [] });
          }),
      );
      const make = () => createStateGate(invoice, { store, tools: invoiceTools(discharge), ...options });
      return { store, discharge, gates: [make(), make()] as const, finish: () => finish?.() };
    }
    const ctx = { sessionId: "s" };

    it("lets one of two calls act, and tells the other to wait (F4)", async () => {
      const {
        gates: [a, b],
        discharge,
        finish,
      } = pair();
      await a.call("invoice_submit", {}, ctx);
      await b.call("invoice_approve", {}, ctx);
      const first = a.call("invoice_discharge", {}, ctx);
      await vi.waitUntil(() => discharge.mock.calls.length === 1);
      expect(await b.call("invoice_discharge", {}, ctx)).toMatchObject({
        isError: true,
        structuredContent: { code: "busy", retryable: true },
      });
      expect(await names(b, ctx)).toContain("invoice_discharge");
      finish();
      expect((await first).isError).toBeUndefined();
      expect(await b.call("invoice_discharge", {}, ctx)).toMatchObject({
        structuredContent: { code: "FORBIDDEN" },
      });
      expect(discharge).toHaveBeenCalledOnce();
    });

    it("loses no update of racing calls (F5)", async () => {
      const store = createMemoryStateStore();
      const count: FsmConfig<{ n: number }> = {
        initial: "a",
        context: { n: 0 },
        states: { a: { on: { INC: { assign: (c) => ({ n: c.n + 1 }) } } } },
      };
      const gates = Array.from({ length: 4 }, () =>
        createStateGate(count, { store }).bindState(tool("inc"), "a", "INC"),
      );
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, i) => gates[i % 4]?.call("inc", {}, ctx)),
      );
      const done = results.filter((result) => result?.isError !== true).length;
      for (const result of results)
        if (result?.isError) expect(result.structuredContent).toMatchObject({ code: "busy" });
      expect(done).toBeGreaterThan(0);
      expect((await gates[0]?.getSnapshot(ctx))?.context).toEqual({ n: done });
    });

    it("frees a workflow whose call died with its process once the claim has run out", async () => {
      let ms = 0;
      const {
        gates: [a, b],
        discharge,
      } = pair({ now: () => ms, claimMs: 1000 });
      await a.call("invoice_submit", {}, ctx);
      await a.call("invoice_approve", {}, ctx);
      void a.call("invoice_discharge", {}, ctx);
      await vi.waitUntil(() => discharge.mock.calls.length === 1);
      expect(await b.call("invoice_history", {}, ctx)).toMatchObject({ structuredContent: { code: "busy" } });
      ms = 1001;
      expect((await b.call("invoice_history", {}, ctx)).isError).toBeUndefined();
    });
  });
});

describe("transitions", () => {
  it("are told to listeners: by which tool, from where, and whether lists changed (F16, F19)", async () => {
    const heard = vi.fn();
    const gate = gateOf({ onError: () => {} });
    gate.onTransition(() => {
      throw new Error("its own fault");
    });
    const stop = gate.onTransition(heard);
    await gate.call("invoice_submit", {}, { sessionId: "s" });
    await gate.send({ type: "APPROVE" }, { sessionId: "s" });
    stop();
    await gate.call("invoice_discharge", {}, { sessionId: "s" });
    expect(heard.mock.calls).toEqual([
      [
        {
          key: "s",
          event: "SUBMIT",
          tool: "invoice_submit",
          from: "draft",
          snapshot: expect.objectContaining({ value: "review" }),
          listChanged: true,
        },
      ],
      [
        {
          key: "s",
          event: "APPROVE",
          from: "review",
          snapshot: expect.objectContaining({ value: "approved" }),
          listChanged: true,
        },
      ],
    ]);
  });

  it("may be made by the program, and are refused like any other", async () => {
    const gate = gateOf();
    expect(await gate.send({ type: "APPROVE" })).toMatchObject({ ok: false, reason: "no-transition" });
    expect(await gate.send({ type: "SUBMIT" })).toMatchObject({ ok: true, snapshot: { value: "review" } });
  });

  it("leave a resource that shows where the workflow is (F20)", async () => {
    const gate = gateOf();
    await gate.call("invoice_submit", {}, { sessionId: "s" });
    const read = await gate.resources[0]?.read({ sessionId: "s" });
    expect(JSON.parse(read?.contents[0]?.text ?? "")).toMatchObject({
      value: "review",
      availableEvents: ["APPROVE", "REJECT"],
    });
  });
});
