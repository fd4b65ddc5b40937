import { BOARDS, REPOSITORIES } from "../../connectors/index.js";
import { createBudgets } from "../../src/store/redis/budgets.js";
import { type Connections, createConnections } from "../../src/sync/connections.js";
import { createSealer } from "../../src/sync/seal.js";

const key = new Uint8Array(32).fill(7);

/** Connections as a process that has just begun has them: it knows nothing but what the store keeps. */
export function freshConnections(now: () => Date = () => new Date()): Connections {
  return createConnections({
    kinds: BOARDS,
    vcsKinds: REPOSITORIES,
    hooksFor: () => ({}),
    sealer: createSealer([{ id: "k", key }]),
    checkUrl: async () => {},
    budgets: createBudgets(),
    now,
  });
}
