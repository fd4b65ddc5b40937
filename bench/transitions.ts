import { createActor, createMachine, setup } from "xstate";
import { createFsmActor, type FsmConfig, type FsmPosition, transition } from "../src/index.js";
import { interleave, type Row } from "./harness.js";

/** Claim: transitions per second, against XState v5's actor, on the same machine and in the same process. */

interface Count {
  n: number;
}

const plain: FsmConfig = {
  id: "plain",
  initial: "a",
  states: { a: { on: { GO: "b" } }, b: { on: { GO: "c" } }, c: { on: { GO: "a" } } },
};
const counting = (how: "assign" | "actions"): FsmConfig<Count> => {
  const go = (target: string) => ({
    target,
    guard: (c: Count) => c.n >= 0,
    [how]: (c: Count) => ({ n: c.n + 1 }),
  });
  return {
    id: how,
    initial: "a",
    context: { n: 0 },
    states: { a: { on: { GO: go("b") } }, b: { on: { GO: go("c") } }, c: { on: { GO: go("a") } } },
  };
};

const xstatePlain = () =>
  createMachine({
    initial: "a",
    states: { a: { on: { GO: "b" } }, b: { on: { GO: "c" } }, c: { on: { GO: "a" } } },
  });

const xstateCounting = () => {
  const kind = setup({ types: {} as { context: Count; events: { type: "GO" } } });
  const bump = kind.assign({ n: ({ context }) => context.n + 1 });
  const go = <T extends string>(target: T) => ({
    target,
    guard: ({ context }: { context: Count }) => context.n >= 0,
    actions: bump,
  });
  return kind.createMachine({
    initial: "a",
    context: { n: 0 },
    states: { a: { on: { GO: go("b") } }, b: { on: { GO: go("c") } }, c: { on: { GO: go("a") } } },
  });
};

const GO = { type: "GO" };

function awaitedSends<C extends object>(machine: FsmConfig<C>) {
  const actor = createFsmActor(machine);
  return async (times: number) => {
    for (let i = 0; i < times; i++) await actor.send(GO);
  };
}

function pureTransitions<C extends object>(machine: FsmConfig<C>) {
  let position: FsmPosition<C> = { value: machine.initial, context: (machine.context ?? {}) as C };
  return async (times: number) => {
    for (let i = 0; i < times; i++) {
      const step = transition(machine, position, GO);
      if (step.ok) position = step.position;
    }
  };
}

function xstateSends(machine: ReturnType<typeof xstatePlain> | ReturnType<typeof xstateCounting>) {
  const actor = createActor(machine as ReturnType<typeof xstatePlain>).start();
  return async (times: number) => {
    for (let i = 0; i < times; i++) actor.send(GO);
  };
}

export async function run(): Promise<Row[]> {
  const cases = [
    ["awaited send, plain", awaitedSends(plain), xstateSends(xstatePlain()), 10],
    ["awaited send, guard + assign", awaitedSends(counting("assign")), xstateSends(xstateCounting()), 10],
    [
      "awaited send, guard + synchronous actions",
      awaitedSends(counting("actions")),
      xstateSends(xstateCounting()),
      10,
    ],
    ["pure transition, plain", pureTransitions(plain), xstateSends(xstatePlain()), 20],
    [
      "pure transition, guard + assign",
      pureTransitions(counting("assign")),
      xstateSends(xstateCounting()),
      20,
    ],
  ] as const;
  const rows: Row[] = [];
  for (const [name, ours, theirs, target] of cases) {
    rows.push(
      await interleave({ name: `${name} vs XState actor`, unit: "transitions/s", target, ours, theirs }),
    );
  }
  return rows;
}

if (import.meta.url === `file://${process.argv[1]}`) console.table(await run());
