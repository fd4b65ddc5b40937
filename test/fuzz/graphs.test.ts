import fc from "fast-check";
import { createMachine } from "xstate";
import { createFsmMcpBridge, type FsmLogic, fromXstate, logicOf, toMermaid } from "../../src/bridge/index.js";
import { parseStateSnapshot } from "../../src/bridge/state-store.js";
import {
  createFsmActor,
  type FsmConfig,
  fsmFromStatusGraph,
  type StatusGraph,
} from "../../src/machine/index.js";
import { mergeGraph } from "../../src/sync/diff.js";
import type { HookRule } from "../../src/sync/records.js";
import { hooksByStatus, restrictMoves } from "../../src/sync/rules.js";
import { fakeGraph } from "../support/fake-board.js";
import { fuzz, fuzzed } from "../support/fuzz.js";
import { jsonOf, jsonText, like, text } from "../support/hostile.js";

/** Workflows as boards have them, and where something stands in them as it was kept. */

const id = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("1", "2", "3", "none", "__proto__", "constructor", "*") },
  { weight: 1, arbitrary: text },
);
const graph = fc.record({
  id: fc.oneof(fc.constantFrom("w", "__proto__"), text),
  name: text,
  statuses: fc.array(
    fc.record({
      id,
      name: text,
      category: fc.constantFrom("todo", "doing", "done", "unknown"),
      order: fc.oneof(fc.integer(), fc.double()),
      aliases: fc.array(text, { maxLength: 2 }),
    }),
    { maxLength: 6 },
  ),
  moves: fc.array(fc.record({ id, from: id, to: id, name: text }), { maxLength: 8 }),
  edges: fc.constantFrom("authoritative", "observed", "implied"),
}) as fc.Arbitrary<StatusGraph>;
const rules = fc.array(
  fc.record({ on: fc.constant("enter"), status: id, run: fc.constant("draft-pull-request") }),
  { maxLength: 3 },
);
const allowed = fc.dictionary(id, fc.array(id, { maxLength: 3 }), { maxKeys: 3 });

/** A machine as somebody's own JSON has it. */
const CONFIG = {
  id: "bug",
  initial: "todo",
  states: {
    todo: { on: { START: "doing", SKIP: { target: "done" } }, meta: { prompt: "Begin." } },
    doing: { on: { FINISH: [{ target: "done" }] } },
    done: { type: "final" },
  },
};
const config = fc.oneof(
  { weight: 4, arbitrary: like(CONFIG) },
  { weight: 1, arbitrary: jsonOf(["id", "initial", "states", "on", "target", "type"]) },
);

const logic = logicOf(fsmFromStatusGraph(fakeGraph()));
const article = createMachine({
  id: "article",
  initial: "draft",
  context: { edits: 0 },
  states: {
    draft: { on: { EDIT: "editing" } },
    editing: { after: { 1000: "draft" }, on: { SAVE: "draft" } },
  },
});
const peer = fromXstate(article);
const saved = peer.save(peer.start().getSnapshot());
const POSITION = { value: "1", context: { a: 1 } };
const SNAPSHOT = {
  state: "1",
  updatedAt: "2026-11-30T00:00:00Z",
  claim: { by: "p", until: "2026-11-30T00:00:00Z" },
};

/** Where it stands, taken up and left again. */
function takenUp(machine: FsmLogic<object>, text_: string): unknown {
  const actor = machine.start(text_);
  const snapshot = actor.getSnapshot();
  actor.stop?.();
  return [machine.label(snapshot), machine.prompt(snapshot), machine.save(snapshot)];
}

fuzz("status graphs", {
  machine: fuzzed(graph, (given) => Object.keys(fsmFromStatusGraph(given).states)),
  drawn: fuzzed(graph, (given) => toMermaid(fsmFromStatusGraph(given))),
  tools: fuzzed(graph, (given) =>
    createFsmMcpBridge(fsmFromStatusGraph(given)).tools.map(({ name }) => name),
  ),
  merged: fuzzed(fc.tuple(graph, graph), ([kept, pulled]) => mergeGraph(kept, pulled, new Date()).changes),
  rules: fuzzed(fc.tuple(graph, rules, allowed), ([given, hooks, moves]) => [
    hooksByStatus(given, hooks as readonly HookRule[]),
    restrictMoves(given, moves).moves,
  ]),
  "a machine of somebody's own": fuzzed(config, (given) =>
    createFsmActor(given as unknown as FsmConfig).getSnapshot(),
  ),
  "where it stands": fuzzed(
    fc.oneof(like(SNAPSHOT), jsonOf(Object.keys(SNAPSHOT))),
    (stored) => parseStateSnapshot(stored)?.state,
  ),
  "a position": fuzzed(fc.oneof(text, jsonText(like(POSITION))), (stored) => takenUp(logic, stored)),
  "a position of XState's": fuzzed(fc.oneof(text, jsonText(like(JSON.parse(saved)))), (stored) =>
    takenUp(peer, stored),
  ),
});
