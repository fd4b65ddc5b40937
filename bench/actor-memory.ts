/**
 * (k) what a ticket costs in Redis: 100,000 of them as they are after an import and one move each, with their history,
 * in a Redis of its own without an append-only file. The audit log beside it has its own bound.
 */
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import type { Ticket } from "../src/board/connector.js";
import { createMemoryStore } from "../src/store/memory.js";
import { createRedisStore } from "../src/store/redis.js";
import type { ActorRecord, HistoryEvent, TenantStore } from "../src/store/store.js";
import { intend, newActor, noteWrite, settle } from "../src/tickets/actor.js";
import { startRedis } from "../test/support/redis.js";
import { type Row, round3 } from "./harness.js";

const ACTORS = 100_000;
const AT_ONCE = 1_000;
const MOST_BYTES = 1_200;

/** As Jira's connector tells it. */
function ticketOf(i: number): Ticket {
  const number = 10_000 + i;
  return {
    id: `jira.910e5615.${number}`,
    key: `ENG-${i + 1}`,
    title: `The checkout button does nothing on the second tap, case ${i}`,
    workflow: "jira.910e5615.10000.10001",
    status: "10000",
    updatedAt: new Date(Date.UTC(2026, 10, 1) + i * 1_000).toISOString(),
    ref: { project: "10000", issueType: "10001" },
  };
}

interface Moved {
  readonly record: ActorRecord;
  readonly history: readonly HistoryEvent[];
}

/** The ticket and its history once it was moved, made by the very functions that the service moves it with. */
async function moved(ticket: Ticket, moveId: string): Promise<Moved> {
  const tenant = createMemoryStore().tenant("bench");
  const at = new Date(Date.parse(ticket.updatedAt) + 60_000);
  const by = { person: "ann@example.com", client: "claude", tool: "move_ticket" };
  await tenant.saveActor(newActor(ticket, "engineering"));
  const { record: asked } = await intend(tenant, ticket.id, { moveId, to: "10001", by, at });
  await noteWrite(tenant, ticket.id, { moveId }, ticket, at, asked);
  const seen = { ...ticket, status: "10001", updatedAt: at.toISOString() };
  const ending = { outcome: "confirmed", from: ticket.status } as const;
  const { record } = await settle(tenant, ticket.id, moveId, { seen, ending, at });
  const { items } = await tenant.history(ticket.id, { limit: 10 });
  return { record: { ...record, version: 0 }, history: [...items].reverse() };
}

async function fill(tenant: TenantStore): Promise<void> {
  for (let from = 0; from < ACTORS; from += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, async (_, i) => {
      const { record, history } = await moved(ticketOf(from + i), (from + i).toString(16).padStart(24, "0"));
      await tenant.saveActor(record, history);
    });
    await Promise.all(some);
  }
}

export async function run(): Promise<Row[]> {
  const redis = await startRedis({ appendOnly: false });
  const client = new Redis(redis.url);
  const store = createRedisStore({ client });
  const used = async () => Number(/used_memory:(\d+)/.exec(await client.info("memory"))?.[1]);
  try {
    await store.ping();
    const before = await used();
    await fill(store.tenant("bench"));
    const each = ((await used()) - before) / ACTORS;
    const name = `${ACTORS / 1000},000 tickets in Redis, imported and moved once, with history: each`;
    const ratio = round3(MOST_BYTES / each);
    return [{ name, unit: "bytes", ours: Math.round(each), theirs: MOST_BYTES, ratio, target: 1 }];
  } finally {
    await store.close();
    client.disconnect();
    await redis.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
