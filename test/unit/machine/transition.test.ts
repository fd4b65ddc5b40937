import { describe, expect, it } from "vitest";
import {
  collectEventTypes,
  type FsmConfig,
  type FsmPosition,
  transition,
} from "../../../src/machine/index.js";

interface Cart {
  items: number;
}

const cart: FsmConfig<Cart> = {
  id: "cart",
  initial: "open",
  context: { items: 0 },
  states: {
    open: {
      on: {
        ADD: { assign: (c) => ({ items: c.items + 1 }) },
        PAY: [
          { target: "free", guard: (c) => c.items === 0, reason: "Nothing is in the cart." },
          { target: "paid", guard: (c, e) => e.amount === c.items, reason: "Pay exactly what is owed." },
        ],
        SELF: "open",
      },
      onEnter: { run: "welcome" },
    },
    free: { final: true },
    paid: { final: true, onEnter: [{ run: "ship", with: { fast: true } }, { run: "thank" }] },
  },
};

const open = (items: number): FsmPosition<Cart> => ({ value: "open", context: { items } });

describe("transition", () => {
  it("says where an event leads and changes nothing", () => {
    const before = open(1);
    const step = transition(cart, before, { type: "ADD" });
    expect(step).toMatchObject({ ok: true, position: { value: "open", context: { items: 2 } }, hooks: [] });
    expect(before).toEqual(open(1));
  });

  it("takes the first candidate whose guard says yes", () => {
    expect(transition(cart, open(0), { type: "PAY" })).toMatchObject({ position: { value: "free" } });
    expect(transition(cart, open(3), { type: "PAY", amount: 3 })).toMatchObject({
      position: { value: "paid" },
    });
  });

  it("refuses with the first candidate's reason when no guard says yes", () => {
    expect(transition(cart, open(3), { type: "PAY", amount: 1 })).toEqual({
      ok: false,
      reason: "guard-rejected",
      why: "Nothing is in the cart.",
    });
  });

  it("hands out the entry hooks of the target, in order, without running them", () => {
    const step = transition(cart, open(1), { type: "PAY", amount: 1 });
    expect(step).toMatchObject({
      hooks: [
        { on: "enter", run: { run: "ship", with: { fast: true } } },
        { on: "enter", run: { run: "thank" } },
      ],
    });
  });

  it("owes entry hooks on a self-target but not without a target", () => {
    expect(transition(cart, open(1), { type: "SELF" })).toMatchObject({
      hooks: [{ run: { run: "welcome" } }],
    });
    expect(transition(cart, open(1), { type: "ADD" })).toMatchObject({ hooks: [] });
  });

  it.each(["toString", "constructor", "__proto__", "hasOwnProperty", ""])(
    "does not take the inherited name %j for an event (V7)",
    (type) => {
      expect(transition(cart, open(0), { type })).toEqual({ ok: false, reason: "no-transition" });
    },
  );

  it("refuses an asynchronous guard instead of taking its promise for a yes (V11)", () => {
    const machine = {
      initial: "a",
      states: { a: { on: { GO: { target: "b", guard: (async () => false) as never } } }, b: {} },
    };
    expect(() => transition(machine, { value: "a", context: {} }, { type: "GO" })).toThrowError(
      expect.objectContaining({ code: "invalid" }),
    );
  });

  it("names a position the machine no longer has (F7)", () => {
    expect(() => transition(cart, { value: "gone", context: { items: 0 } }, { type: "ADD" })).toThrowError(
      expect.objectContaining({ code: "stale_workflow", message: expect.stringContaining('"gone"') }),
    );
  });
});

describe("a faulty config", () => {
  it.each([
    ["an unknown target (V12)", { initial: "a", states: { a: { on: { GO: "bb" } } } }, '"bb"'],
    ["an inherited target", { initial: "a", states: { a: { on: { GO: "toString" } } } }, '"toString"'],
    ["an unknown initial state", { initial: "z", states: { a: {} } }, '"z"'],
    ["an inherited initial state (V7)", { initial: "constructor", states: { a: {} } }, '"constructor"'],
  ])("is refused when made: %s", (_, machine, named) => {
    expect(() => collectEventTypes(machine as FsmConfig)).toThrowError(
      expect.objectContaining({ code: "invalid", message: expect.stringContaining(named) }),
    );
  });
});

describe("a config no compiler has seen", () => {
  const a = (state: unknown) => ({ initial: "a", states: { a: state } });
  it.each([
    ["nothing", undefined, /object/],
    ["no initial state", { states: {} }, /"initial"/],
    ["no states", { initial: "a" }, /"states"/],
    ["a state that is none", a("b"), /"a" must be an object/],
    ["a list of events", a({ on: ["GO"] }), /"on" of state "a"/],
    ["a number for a transition", a({ on: { GO: 1 } }), /"GO" of state "a"/],
    ["null in a list", a({ on: { GO: [null] } }), /"GO" of state "a"/],
    ["several targets", a({ on: { GO: { target: ["a"] } } }), /target of "GO"/],
    ["a named guard", a({ on: { GO: { target: "a", guard: "paid" } } }), /guard of "GO".*function/],
    ["a list of actions", a({ on: { GO: { target: "a", actions: [] } } }), /actions of "GO".*function/],
    ["nested states", a({ initial: "b", states: { b: {} } }), /"a" uses "states".*fromXstate/],
    ["a delay", a({ after: { 10: "a" } }), /"a" uses "after".*npm install xstate/],
    ["a transient transition", a({ always: "a" }), /"always".*fromXstate/],
    ["a history state", a({ type: "history" }), /type "history".*fromXstate/],
    ["a parallel machine", { type: "parallel", states: {} }, /fromXstate/],
  ])("is refused with a sentence: %s", (_, config, message) => {
    expect(() => collectEventTypes(config as never)).toThrowError(
      expect.objectContaining({ code: "invalid", message: expect.stringMatching(message) }),
    );
  });
});

describe("collectEventTypes", () => {
  it("lists every declared event with its states, in order of writing, also of unreachable and final states", () => {
    const machine: FsmConfig = {
      initial: "a",
      states: {
        a: { on: { X: "b", Y: "a" } },
        b: { final: true, on: { X: "a" } },
        nowhere: { on: { Z: "a" } },
      },
    };
    expect([...collectEventTypes(machine)]).toEqual([
      ["X", ["a", "b"]],
      ["Y", ["a"]],
      ["Z", ["nowhere"]],
    ]);
  });
});
