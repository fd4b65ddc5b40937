import { createActor, createMachine, type Snapshot } from "xstate";
import { createMemoryStateStore, createStateGate, type FsmConfig } from "../src/index.js";
import { interleave, type Row } from "./harness.js";

/** Claim: a workflow restored, moved and saved in memory, against XState restored, sent and persisted as JSON. */

const flat = {
  id: "flat",
  initial: "a",
  states: { a: { on: { GO: "b" } }, b: { on: { GO: "c" } }, c: { on: { GO: "a" } } },
} as const satisfies FsmConfig;

function ours() {
  const gate = createStateGate(flat as FsmConfig, { store: createMemoryStateStore() });
  const ctx = { sessionId: "s" };
  return async (times: number) => {
    for (let i = 0; i < times; i++) await gate.send({ type: "GO" }, ctx);
  };
}

/** The whole way of a tool call: arguments parsed, claim, handler, transition, save. */
function toolCalls() {
  const gate = createStateGate(flat as FsmConfig, { store: createMemoryStateStore() });
  const ctx = { sessionId: "s" };
  gate.bindState(
    { name: "go", description: "Goes on.", handler: () => ({ content: [] }) },
    ["a", "b", "c"],
    "GO",
  );
  return async (times: number) => {
    for (let i = 0; i < times; i++) await gate.call("go", {}, ctx);
  };
}

function theirs() {
  const machine = createMachine(flat);
  const store = new Map<string, string>();
  return async (times: number) => {
    for (let i = 0; i < times; i++) {
      const saved = store.get("s");
      const actor = createActor(
        machine,
        saved === undefined ? {} : { snapshot: JSON.parse(saved) as Snapshot<unknown> },
      );
      actor.start();
      actor.send({ type: "GO" });
      store.set("s", JSON.stringify(actor.getPersistedSnapshot()));
      actor.stop();
    }
  };
}

export async function run(): Promise<Row[]> {
  return [
    await interleave({
      name: "gate: restore, transition, save in memory vs XState restore, send, persist",
      unit: "transitions/s",
      target: 20,
      rounds: 15,
      ours: ours(),
      theirs: theirs(),
    }),
    await interleave({
      name: "gate: whole tool call vs XState restore, send, persist",
      unit: "calls/s",
      // Shown, not claimed: XState has no such thing to compare with.
      target: 0,
      ours: toolCalls(),
      theirs: theirs(),
    }),
  ];
}

if (import.meta.url === `file://${process.argv[1]}`) console.table(await run());
