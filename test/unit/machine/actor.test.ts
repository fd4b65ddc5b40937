import { describe, expect, it, vi } from "vitest";
import { createFsmActor, type FsmActor, type FsmConfig } from "../../../src/machine/index.js";

interface Ctx {
  count: number;
}

const light: FsmConfig<Ctx> = {
  initial: "off",
  context: { count: 0 },
  states: {
    off: { on: { TOGGLE: "on" } },
    on: { on: { TOGGLE: "off", BUMP: { actions: (c) => ({ count: c.count + 1 }) } } },
  },
};

/** An effect that waits until the test says go. */
function held<C extends object>(update: (c: C) => Partial<C>) {
  const waiting: (() => void)[] = [];
  const effect = vi.fn(async (context: C) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return update(context);
  });
  const letOne = async () => {
    await vi.waitUntil(() => waiting.length > 0);
    waiting.shift()?.();
  };
  return { effect, letOne };
}

describe("createFsmActor", () => {
  it("moves on a declared event and tells the new state", async () => {
    const actor = createFsmActor(light);
    expect(await actor.send({ type: "TOGGLE" })).toEqual({
      ok: true,
      snapshot: { value: "on", context: { count: 0 }, availableEvents: ["TOGGLE", "BUMP"], done: false },
    });
  });

  it("refuses what the state does not declare, and unknown events, and stays", async () => {
    const actor = createFsmActor(light);
    for (const type of ["BUMP", "NOPE", "toString"]) {
      expect(await actor.send({ type })).toMatchObject({
        ok: false,
        reason: "no-transition",
        snapshot: { value: "off" },
      });
    }
  });

  it("runs the actions of a transition without a target and stays in its state", async () => {
    const actor = createFsmActor(light);
    await actor.send({ type: "TOGGLE" });
    await actor.send({ type: "BUMP" });
    expect(actor.getSnapshot()).toMatchObject({ value: "on", context: { count: 1 } });
  });

  it("tells a guard's refusal from a missing transition, with its reason", async () => {
    const actor = createFsmActor<Ctx>({
      initial: "a",
      context: { count: 0 },
      states: { a: { on: { GO: { target: "a", guard: (c) => c.count > 0, reason: "Count first." } } } },
    });
    expect(await actor.send({ type: "GO" })).toMatchObject({
      ok: false,
      reason: "guard-rejected",
      why: "Count first.",
    });
  });

  it("runs two parallel sends one after the other: an action runs once, the second is refused (V2)", async () => {
    const { effect, letOne } = held<{ paid?: boolean }>(() => ({ paid: true }));
    const actor = createFsmActor<{ paid?: boolean }>({
      initial: "due",
      context: {},
      states: { due: { on: { PAY: { target: "paid", actions: effect } } }, paid: {} },
    });
    const both = Promise.all([actor.send({ type: "PAY" }), actor.send({ type: "PAY" })]);
    await letOne();
    expect((await both).map((r) => r.ok)).toEqual([true, false]);
    expect(effect).toHaveBeenCalledTimes(1);
  });

  it("lets a later event act on the state the earlier one reached (V3)", async () => {
    const { effect, letOne } = held(() => ({}));
    const actor = createFsmActor({
      initial: "ordering",
      states: {
        ordering: { on: { CONFIRM: { target: "brewing", actions: effect }, CANCEL: "idle" } },
        brewing: {},
        idle: {},
      },
    });
    const confirm = actor.send({ type: "CONFIRM" });
    const cancel = actor.send({ type: "CANCEL" });
    await letOne();
    expect(await confirm).toMatchObject({ ok: true, snapshot: { value: "brewing" } });
    expect(await cancel).toMatchObject({ ok: false, snapshot: { value: "brewing" } });
  });

  it("loses no update of ten parallel asynchronous increments (V4)", async () => {
    const actor = createFsmActor<Ctx>({
      initial: "a",
      context: { count: 0 },
      states: {
        a: {
          on: {
            INC: {
              actions: async (c) => {
                await Promise.resolve();
                return { count: c.count + 1 };
              },
            },
          },
        },
      },
    });
    await Promise.all(Array.from({ length: 10 }, () => actor.send({ type: "INC" })));
    expect(actor.getSnapshot().context.count).toBe(10);
  });

  it("is not overwritten by a send that was under way when it was reset (V5)", async () => {
    const { effect, letOne } = held(() => ({}));
    const actor = createFsmActor({
      initial: "a",
      states: { a: { on: { GO: { target: "b", actions: effect } } }, b: {} },
    });
    const sent = actor.send({ type: "GO" });
    await vi.waitUntil(() => effect.mock.calls.length === 1);
    actor.reset();
    await letOne();
    await expect(sent).rejects.toMatchObject({ code: "conflict" });
    expect(actor.getSnapshot().value).toBe("a");
  });

  it("is not overwritten by an effect that resets it before returning", async () => {
    const actor: FsmActor<object> = createFsmActor<object>({
      initial: "a",
      states: { a: { on: { GO: { target: "b", actions: () => actor.reset() } } }, b: {} },
    });
    await expect(actor.send({ type: "GO" })).rejects.toMatchObject({ code: "conflict" });
    expect(actor.getSnapshot().value).toBe("a");
  });

  it("queues a send made from within an effect behind that effect's own send", async () => {
    const order: string[] = [];
    const actor = createFsmActor({
      initial: "a",
      states: {
        a: {
          on: {
            GO: {
              target: "b",
              actions: () => {
                void actor.send({ type: "NEXT" }).then((r) => order.push(`NEXT ${r.snapshot.value}`));
              },
            },
          },
        },
        b: { on: { NEXT: "c" } },
        c: {},
      },
    });
    order.push(`GO ${(await actor.send({ type: "GO" })).snapshot.value}`);
    await vi.waitUntil(() => order.length === 2);
    expect(order).toEqual(["GO b", "NEXT c"]);
  });

  it("keeps that order when the effect goes on asynchronously", async () => {
    const { effect, letOne } = held(() => ({}));
    let next: Promise<unknown> | undefined;
    const actor = createFsmActor({
      initial: "a",
      states: {
        a: {
          on: {
            GO: {
              target: "b",
              actions: () => {
                next = actor.send({ type: "NEXT" });
                return effect({});
              },
            },
          },
        },
        b: { on: { NEXT: "c" } },
        c: {},
      },
    });
    const go = actor.send({ type: "GO" });
    await letOne();
    expect((await go).snapshot.value).toBe("b");
    expect(await next).toMatchObject({ ok: true, snapshot: { value: "c" } });
  });

  it.each([
    [
      "at once",
      () => {
        throw new Error("secret db at 10.0.0.1");
      },
    ],
    [
      "later",
      async () => {
        throw new Error("secret db at 10.0.0.1");
      },
    ],
  ])(
    "stays where it was when an effect throws %s, and keeps its text in the cause (V14)",
    async (_, actions) => {
      const actor = createFsmActor({
        initial: "a",
        states: { a: { on: { GO: { target: "b", actions: actions as never }, OK: "b" } }, b: {} },
      });
      const failure = await actor.send({ type: "GO" }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "hook_failed", cause: { message: "secret db at 10.0.0.1" } });
      expect((failure as Error).message).not.toContain("10.0.0.1");
      expect(actor.getSnapshot().value).toBe("a");
      expect(await actor.send({ type: "OK" })).toMatchObject({ ok: true });
    },
  );

  it("merges the action's result before the entry hook sees the context", async () => {
    const seen: unknown[] = [];
    const actor = createFsmActor<{ a?: number; b?: number }>({
      initial: "x",
      context: {},
      states: {
        x: { on: { GO: { target: "y", actions: () => ({ a: 1 }) } } },
        y: {
          onEnter: async (context, event) => {
            seen.push(context, event.why);
            return { b: 2 };
          },
        },
      },
    });
    const result = await actor.send({ type: "GO", why: "test" });
    expect(seen).toEqual([{ a: 1 }, "test"]);
    expect(result.snapshot.context).toEqual({ a: 1, b: 2 });
  });

  it("carries out named hooks with what they were given, and refuses a machine whose hooks nobody carries out", async () => {
    const machine: FsmConfig<{ pr?: number }> = {
      initial: "a",
      context: {},
      states: { a: { on: { GO: "b" } }, b: { onEnter: { run: "open-pr", with: { draft: true } } } },
    };
    expect(() => createFsmActor(machine)).toThrowError(
      expect.objectContaining({ code: "invalid", message: expect.stringContaining('"open-pr"') }),
    );
    const openPr = vi.fn(async () => ({ pr: 7 }));
    const actor = createFsmActor(machine, { hooks: { "open-pr": openPr } });
    expect((await actor.send({ type: "GO" })).snapshot.context).toEqual({ pr: 7 });
    expect(openPr).toHaveBeenCalledWith({}, { type: "GO" }, { run: "open-pr", with: { draft: true } });
  });

  it("cannot be changed through a snapshot, the config's context, or what an effect returned (V13)", async () => {
    const given = { list: [1], deep: { n: 1 } };
    const returned = { list: [2] };
    const actor = createFsmActor<typeof given>({
      initial: "a",
      context: given,
      states: { a: { on: { SET: { actions: () => returned } } } },
    });
    given.deep.n = 99;
    await actor.send({ type: "SET" });
    returned.list.push(99);
    const snapshot = actor.getSnapshot();
    expect(() => snapshot.context.list.push(99)).toThrow(TypeError);
    expect(actor.getSnapshot().context).toEqual({ list: [2], deep: { n: 1 } });
  });

  it("cannot be changed through a Map or a Date in a snapshot either", () => {
    const maps = createFsmActor({ initial: "a", context: { seen: new Map([["k", 1]]) }, states: { a: {} } });
    maps.getSnapshot().context.seen.set("k", 99);
    expect(maps.getSnapshot().context.seen.get("k")).toBe(1);
    const dates = createFsmActor({
      initial: "a",
      context: { at: [{ when: new Date(0) }] },
      states: { a: {} },
    });
    dates.getSnapshot().context.at[0]?.when.setTime(99);
    expect(dates.getSnapshot().context.at[0]?.when.getTime()).toBe(0);
  });

  it("names the context value that is no data (V16)", () => {
    const make = (context: object) => () => createFsmActor({ initial: "a", context, states: { a: {} } });
    expect(make({ run: () => 1 })).toThrowError(
      expect.objectContaining({ code: "invalid", message: expect.stringContaining('"run"') }),
    );
    expect(make({ deep: { run: () => 1 } })).toThrowError(
      expect.objectContaining({ message: expect.stringContaining('"deep"') }),
    );
    expect(make({ big: 10n })).not.toThrow();
    const round: Record<string, unknown> = {};
    round.self = round;
    expect(make({ round })).not.toThrow();
  });

  it("begins where a saved position says, and names one the machine no longer has (F7)", () => {
    expect(
      createFsmActor(light, { from: { value: "on", context: { count: 5 } } }).getSnapshot(),
    ).toMatchObject({
      value: "on",
      context: { count: 5 },
    });
    expect(() => createFsmActor(light, { from: { value: "dim", context: { count: 5 } } })).toThrowError(
      expect.objectContaining({ code: "stale_workflow" }),
    );
  });

  it("answers at once what needs no waiting, and queues what does", async () => {
    const { effect, letOne } = held(() => ({}));
    const actor = createFsmActor({
      initial: "a",
      states: { a: { on: { GO: "b" } }, b: { on: { SLOW: { target: "a", actions: effect } } } },
    });
    expect(actor.sendNow?.({ type: "GO" })).toMatchObject({ ok: true, snapshot: { value: "b" } });
    const slow = actor.sendNow?.({ type: "SLOW" });
    const after = actor.sendNow?.({ type: "GO" });
    expect([slow, after].every((sent) => sent instanceof Promise)).toBe(true);
    await letOne();
    expect(await after).toMatchObject({ ok: true, snapshot: { value: "b" } });
    const faulty = createFsmActor({
      initial: "a",
      states: {
        a: {
          on: {
            GO: {
              actions: () => {
                throw new Error("x");
              },
            },
          },
        },
      },
    });
    expect(() => faulty.sendNow?.({ type: "GO" })).toThrowError(
      expect.objectContaining({ code: "hook_failed" }),
    );
  });

  it("reports a final state as done", async () => {
    const actor = createFsmActor({ initial: "a", states: { a: { on: { GO: "b" } }, b: { final: true } } });
    expect((await actor.send({ type: "GO" })).snapshot).toMatchObject({ done: true, availableEvents: [] });
  });

  it("returns to the initial snapshot on reset", async () => {
    const actor = createFsmActor(light);
    await actor.send({ type: "TOGGLE" });
    await actor.send({ type: "BUMP" });
    actor.reset();
    expect(actor.getSnapshot()).toMatchObject({ value: "off", context: { count: 0 } });
  });
});
