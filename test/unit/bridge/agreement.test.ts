import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createActor, createMachine } from "xstate";
import {
  createFsmActor,
  type FsmConfig,
  type FsmEvent,
  type FsmPosition,
  type FsmTransitionConfig,
  fromXstate,
  toXstate,
  transition,
} from "../../../src/index.js";

/** Ours and XState's idea of the same flat machine, walked side by side. */

interface Count {
  n: number;
}

const EVENTS = ["GO", "BACK", "mouse.click", "完了", "toString", "a b"];
const stateNames = fc
  .uniqueArray(
    fc.oneof(
      fc.constantFrom("a", "in review", "a.b", "進行中", "constructor", "x\\y", ".d", "10001"),
      fc.string({ minLength: 1, maxLength: 6 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .filter((names) => names.every((name) => name !== "__proto__" && !name.startsWith("#")));

const guards = fc.option(fc.record({ over: fc.integer({ min: 0, max: 12 }), even: fc.boolean() }), {
  nil: undefined,
});

function transitionTo(states: readonly string[]): fc.Arbitrary<FsmTransitionConfig<Count>> {
  return fc
    .record({
      target: fc.option(fc.constantFrom(...states), { nil: undefined }),
      guard: guards,
      add: fc.option(fc.integer({ min: -2, max: 3 }), { nil: undefined }),
    })
    .map(({ target, guard, add }) => ({
      ...(target === undefined ? {} : { target }),
      ...(guard === undefined
        ? {}
        : {
            guard: (c: Count, e: FsmEvent) =>
              c.n + Number(e.by) > guard.over || (guard.even && c.n % 2 === 0),
          }),
      ...(add === undefined ? {} : { assign: (c: Count, e: FsmEvent) => ({ n: c.n + add + Number(e.by) }) }),
    }));
}

const machines: fc.Arbitrary<FsmConfig<Count>> = stateNames.chain((names) => {
  const one = transitionTo(names);
  const written = fc.oneof(fc.constantFrom(...names), one, fc.array(one, { minLength: 1, maxLength: 3 }));
  const on = fc.dictionary(fc.constantFrom(...EVENTS), written, {
    minKeys: 3,
    maxKeys: 6,
    noNullPrototype: true,
  });
  const state = fc.oneof(
    { weight: 15, arbitrary: on.map((events) => ({ on: events })) },
    { weight: 1, arbitrary: fc.constant({ final: true }) },
  );
  return fc
    .tuple(fc.constantFrom(...names), fc.array(state, { minLength: names.length, maxLength: names.length }))
    .map(([initial, states]) => ({
      id: "random",
      initial,
      context: { n: 0 },
      states: Object.fromEntries(names.map((name, i) => [name, states[i] ?? {}])),
    }));
});

const walks = fc.array(
  fc.record({ type: fc.constantFrom(...EVENTS, "unknown"), by: fc.integer({ min: 0, max: 3 }) }),
  { minLength: 50, maxLength: 50 },
);

describe("a random flat machine", () => {
  it("walks alike through transition, createFsmActor, XState, and XState driven by us: 200 walks of 50 events", async () => {
    let moves = 0;
    await fc.assert(
      fc.asyncProperty(machines, walks, async (machine, walk) => {
        const actor = createFsmActor(machine);
        const compiled = createMachine(toXstate(machine) as never);
        const theirs = createActor(compiled).start();
        const driven = fromXstate<Count>(compiled).start();
        let position: FsmPosition<Count> = { value: machine.initial, context: { n: 0 } };
        for (const event of walk) {
          const could = theirs.getSnapshot().can(event as never);
          const step = transition(machine, position, event);
          if (step.ok) position = step.position;
          const sent = await actor.send(event);
          const drove = await driven.send(event);
          if (!sent.snapshot.done || sent.ok) theirs.send(event as never);
          moves += step.ok ? 1 : 0;

          expect(sent.ok).toBe(step.ok);
          expect({ value: sent.snapshot.value, context: sent.snapshot.context }).toEqual(position);
          expect(theirs.getSnapshot()).toMatchObject(position);
          expect({ value: drove.snapshot.value, context: drove.snapshot.context }).toEqual(position);
          expect(drove.snapshot.done).toBe(sent.snapshot.done);
          // A transition with neither target nor action is a refusal to XState and a move to nowhere to us.
          if (could || !isEmpty(step)) expect([could, drove.ok]).toEqual([step.ok, step.ok]);
        }
        theirs.stop();
      }),
      { numRuns: 200 },
    );
    expect(moves).toBeGreaterThan(1000);
  });
});

function isEmpty(step: ReturnType<typeof transition<Count>>): boolean {
  return step.ok && step.taken.target === undefined && step.taken.assign === undefined;
}
