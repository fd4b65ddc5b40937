import { createActor, setup } from "xstate";
import { createFsmActor, type FsmConfig, type FsmTransitionConfig } from "../src/index.js";
import { interleave, type Row } from "./harness.js";

/** Claim: choosing among guarded candidates, against XState's actor on the same machine. */

interface Count {
  n: number;
}

const SEND = { type: "GO", by: 2 };

function ours() {
  const go: FsmTransitionConfig<Count>[] = [
    { target: "a", guard: (c) => c.n > 2 },
    { target: "b", guard: (_, e) => Number(e.by) > 5 },
    { target: "c", guard: (c, e) => c.n + Number(e.by) > 1 },
  ];
  const machine: FsmConfig<Count> = {
    initial: "a",
    context: { n: 0 },
    states: { a: { on: { GO: go } }, b: { on: { GO: go } }, c: { on: { GO: go } } },
  };
  const actor = createFsmActor(machine);
  return async (times: number) => {
    for (let i = 0; i < times; i++) await actor.send(SEND);
  };
}

function theirs() {
  const kind = setup({ types: {} as { context: Count; events: { type: "GO"; by: number } } });
  const go = [
    { target: "a" as const, guard: ({ context }: { context: Count }) => context.n > 2 },
    { target: "b" as const, guard: ({ event }: { event: { by: number } }) => event.by > 5 },
    {
      target: "c" as const,
      guard: ({ context, event }: { context: Count; event: { by: number } }) => context.n + event.by > 1,
    },
  ];
  const machine = kind.createMachine({
    initial: "a",
    context: { n: 0 },
    states: { a: { on: { GO: go } }, b: { on: { GO: go } }, c: { on: { GO: go } } },
  });
  const actor = createActor(machine).start();
  return async (times: number) => {
    for (let i = 0; i < times; i++) actor.send(SEND as { type: "GO"; by: number });
  };
}

export async function run(): Promise<Row[]> {
  return [
    await interleave({
      name: "three guarded candidates vs XState actor",
      unit: "transitions/s",
      target: 12,
      ours: ours(),
      theirs: theirs(),
    }),
  ];
}

if (import.meta.url === `file://${process.argv[1]}`) console.table(await run());
