/**
 * The measured process of (l): durable moves where there is little and where there is much. Its arguments: Redis, how to
 * reach the board, tickets of the small and the large tenant, how many tenants the crowd has. Speaks JSON lines: a
 * question is `{where, moves}`, an answer `{cpuMs, p50Ms}` for each move.
 */
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { createApp } from "../src/app.js";
import { parseConfig } from "../src/config.js";
import type { TenantStore } from "../src/store/store.js";
import { syncJobFor } from "../src/tickets/jobs.js";
import { median, round3 } from "./harness.js";

export type Place = "small" | "large" | "crowd";
export interface Cost {
  readonly cpuMs: number;
  readonly p50Ms: number;
}

const [redisUrl = "", baseUrl = "", email = "", apiToken = "", ...sizes] = process.argv.slice(2);
const [few = 0, many = 0, tenants = 0, movable = 0] = sizes.map(Number);
/** So many moves are under way at once, each of a ticket of its own. */
const IN_FLIGHT = 16;

// A worker by itself: no webhook is registered, so that nothing is measured but the moves.
const app = await createApp(
  parseConfig({
    BOARDWALK_ROLE: "worker",
    REDIS_URL: redisUrl,
    LOG_LEVEL: "error",
    BOARDWALK_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    BOARDWALK_TICKET_POLL_MS: "3600000",
  }),
);

async function openTenant(id: string): Promise<TenantStore> {
  await app.store.createTenant({ id, name: id, createdAt: new Date().toISOString() });
  const tenant = app.store.tenant(id);
  const settings = { baseUrl, project: "ENG" };
  await app.connections.add(tenant, {
    id: "eng",
    provider: "jira",
    settings,
    credentials: { email, apiToken },
  });
  return tenant;
}

/** A tenant with the board's own tickets, by its import, and as many others of ours as make `count`. */
async function openFilled(id: string, count: number): Promise<TenantStore> {
  const tenant = await openTenant(id);
  const reply = await app.hooks.ask(syncJobFor(id, "eng", "bench"), 60_000);
  if (reply?.ok !== true) throw new Error(`the import of ${id} failed`);
  const [sample] = await tenant.getActors((await tenant.changesSince(0, 1)).ids);
  if (sample === undefined) throw new Error("the board has no tickets");
  const other = (i: number) => ({
    ...sample.ticket,
    id: `jira.elsewhere.${i}`,
    key: `OLD-${i}`,
    title: `Old ticket number ${i} about ${i % 997}`,
  });
  for (let from = movable; from < count; from += 2_000) {
    const some = Array.from({ length: Math.min(2_000, count - from) }, (_, i) => other(from + i));
    await tenant.saveActors(some.map((ticket) => ({ ...sample, version: 0, ticket })));
  }
  return tenant;
}

/** A tenant as another's import left it: one board for all of them, each to move another of its tickets. */
async function openLike(id: string, first: TenantStore): Promise<TenantStore> {
  const tenant = await openTenant(id);
  for (const { id: workflow, value } of await first.listDocuments("workflow"))
    await tenant.saveDocument("workflow", workflow, { version: 0, value });
  const records = await first.getActors((await first.changesSince(0, movable)).ids);
  await tenant.saveActors(records.flatMap((record) => (record ? [{ ...record, version: 0 }] : [])));
  return tenant;
}

const small = await openFilled("small", few);
const large = await openFilled("large", many);
const crowd: TenantStore[] = [];
for (let i = 0; i < tenants; i++) crowd.push(await openLike(`crowd-${i}`, small));
/** Where each of the board's tickets stands, whoever moved it last. */
const started = Array.from({ length: movable }, () => false);

async function move(tenant: TenantStore, ticket: number): Promise<void> {
  const to = started[ticket] ? "10000" : "10001";
  const talk = { tenant, speaker: { person: "bench" }, budgetMs: 60_000 };
  const { outcome, spoken } = await app.tickets.move(talk, { ticket: `ENG-${ticket + 1}`, to });
  if (outcome !== "confirmed") throw new Error(`${outcome}: ${spoken}`);
  started[ticket] = !started[ticket];
}

let next = 0;
function tenantFor(where: Place): TenantStore {
  if (where !== "crowd") return where === "small" ? small : large;
  return crowd[next++ % crowd.length] ?? small;
}

async function measure(where: Place, moves: number): Promise<Cost> {
  const took: number[] = [];
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async (_, ticket) => {
      for (let i = 0; i < moves / IN_FLIGHT; i++) {
        const askedAt = performance.now();
        await move(tenantFor(where), ticket);
        took.push(performance.now() - askedAt);
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: round3((user + system) / 1_000 / took.length), p50Ms: round3(median(took)) };
}

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { where, moves } = JSON.parse(line) as { where: Place; moves: number };
  process.stdout.write(`${JSON.stringify(await measure(where, moves))}\n`);
}
await app.close();
