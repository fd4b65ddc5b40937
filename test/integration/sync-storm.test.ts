import { afterAll, beforeAll, expect, it } from "vitest";
import { BOARDS, REPOSITORIES } from "../../connectors/index.js";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { createBullmqHooks } from "../../src/hooks/bullmq.js";
import type { Hooks } from "../../src/hooks/hooks.js";
import { createBudgets } from "../../src/store/redis/budgets.js";
import { createRedisStore } from "../../src/store/redis.js";
import type { ActorRecord, Store } from "../../src/store/store.js";
import { createConnections } from "../../src/sync/connections.js";
import { receiveDelivery } from "../../src/sync/deliveries.js";
import { createSyncHandlers, type SyncWorkerDeps } from "../../src/sync/handlers.js";
import { refreshWorkflows } from "../../src/sync/import.js";
import { createSealer } from "../../src/sync/seal.js";
import { createTicketHandlers } from "../../src/tickets/handlers.js";
import { syncJobFor } from "../../src/tickets/jobs.js";
import type { WorkerDeps } from "../../src/tickets/worker-deps.js";
import { createWorkflows } from "../../src/tickets/workflows.js";
import { type RedisServer, startRedis } from "../support/redis.js";
import { until } from "../support/until.js";

/**
 * Two thousand changes whose webhooks come three times over, in any order, some a day late and one in ten never. One
 * reconcile later every actor is where its board says, and what a status owed was done once for each arrival.
 */

const TICKETS = 250;
const ROUNDS = 20;
const CHANGES = 100;
const STATUSES = ["10000", "10001", "10002", "10004"];
const OWING = "10002";
const DAY_MS = 24 * 3_600_000;

let redis: RedisServer;
let jira: JiraEmulator;
let store: Store;
let hooks: Hooks;
let stop: () => Promise<void>;
let worker: WorkerDeps;
let sync: SyncWorkerDeps;
/** Only rounds move it: all changes of one round bear the same time, as on boards that tell whole seconds. */
let clock = Date.parse("2026-11-30T10:00:00Z");
const now = () => new Date(clock);
/** How often the hook ran, by title. */
const runs = new Map<string, number>();

beforeAll(async () => {
  redis = await startRedis();
  jira = await startJiraEmulator({
    site: demoJiraSite({ issues: Array.from({ length: TICKETS }, (_, i) => ({ title: `Ticket ${i + 1}` })) }),
    now,
  });
  store = createRedisStore({ client: redis.url });
  hooks = createBullmqHooks({ connection: redis.url, concurrency: 20, laneCap: 10 });
  const connections = createConnections({
    kinds: BOARDS,
    vcsKinds: REPOSITORIES,
    hooksFor: () => ({
      "draft-pull-request": async ({ ticket }) => {
        runs.set(ticket.title, (runs.get(ticket.title) ?? 0) + 1);
        return { state: "done", result: {} };
      },
    }),
    sealer: createSealer([{ id: "k", key: new Uint8Array(32) }]),
    checkUrl: async () => {},
    budgets: createBudgets(),
    now,
  });
  const workflows = createWorkflows();
  const refresh: WorkerDeps["refresh"] = (tenant, id, signal) => refreshWorkflows(sync, tenant, id, signal);
  worker = { store, boards: connections, workflows, jobs: hooks, refresh, now };
  sync = {
    store,
    connections,
    workflows,
    jobs: hooks,
    worker,
    now,
    pollMs: 60_000,
    workflowPollMs: 365 * DAY_MS,
    fullEveryMs: 365 * DAY_MS,
    workflowsChanged: async () => {},
    publicUrl: () => "http://127.0.0.1:9",
  };
  await store.createTenant({ id: "acme", name: "Acme", createdAt: now().toISOString() });
  stop = await hooks.serve({ ...createTicketHandlers(worker), ...createSyncHandlers(sync) });
  await connections.add(store.tenant("acme"), {
    id: "web",
    provider: "jira",
    settings: {
      baseUrl: jira.url,
      project: "ENG",
      vcs: { provider: "github", repo: "acme/web" },
      hooks: [{ on: "enter", status: OWING, run: "draft-pull-request" }],
    },
    credentials: { ...jira.credentials, vcs: { token: "of-nothing" } },
  });
  // The board believes that each arrives; the test is what delivers them.
  jira.setFaults({ dropWebhooks: 1_000_000 });
  await reconcile("first");
});

afterAll(async () => {
  await stop?.();
  await hooks?.close();
  await store?.close();
  await jira?.close();
  await redis?.stop();
});

async function reconcile(cause: string): Promise<void> {
  const reply = await hooks.ask(syncJobFor("acme", "web", cause, "poll"), 60_000);
  expect(reply).toMatchObject({ ok: true });
}

/** Repeatable, so that what fails fails again. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Sent = JiraEmulator["webhooks"]["sent"][number];

async function deliver({ url, headers, body }: Sent): Promise<void> {
  const token = url.slice(url.lastIndexOf("/") + 1);
  const delivery = { method: "POST", headers, body: Buffer.from(body), url, receivedAt: now() };
  await receiveDelivery(sync, "jira", token, delivery);
}

async function deliverAll(deliveries: readonly Sent[], random: (below: number) => number): Promise<void> {
  const shuffled = deliveries.map((one) => ({ one, at: random(1_000_000) })).sort((a, b) => a.at - b.at);
  for (let i = 0; i < shuffled.length; i += 16)
    await Promise.all(shuffled.slice(i, i + 16).map(({ one }) => deliver(one)));
}

const idle = () =>
  until(async () => {
    const { waiting, running } = await hooks.counts();
    return waiting === 0 && running === 0;
  });

async function actors(): Promise<readonly ActorRecord[]> {
  const tenant = store.tenant("acme");
  const { ids } = await tenant.changesSince(0, 10_000);
  return (await tenant.getActors(ids)).filter((record) => record !== undefined);
}

it("ends with every actor where its board says, and with each arrival's hook run once", async () => {
  const random = createRandom(7);
  const issues = [...jira.site.issues.values()];
  const late: Sent[] = [];
  let taken = jira.webhooks.sent.length;
  let dropped = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // Slower than a quarrel: see "more than three flips".
    clock += 6 * 60_000;
    for (let i = 0; i < CHANGES; i++) {
      const issue = issues[random(issues.length)];
      if (issue !== undefined) jira.moveIssue(issue.key, STATUSES[random(STATUSES.length)] ?? "10000");
    }
    const fresh = jira.webhooks.sent.slice(taken);
    taken += fresh.length;
    const arriving: Sent[] = [];
    for (const one of fresh) {
      const fate = random(20);
      if (fate < 2) dropped += 1;
      else if (fate === 2) late.push(one);
      else arriving.push(one, one, one);
    }
    await deliverAll(arriving, random);
  }
  expect(taken).toBeGreaterThanOrEqual(ROUNDS * CHANGES);
  expect(dropped).toBeGreaterThan(100);
  clock += DAY_MS;
  await deliverAll(late, random);
  await idle();
  await reconcile("last");
  await idle();

  const records = await actors();
  expect(records).toHaveLength(TICKETS);
  const tenant = store.tenant("acme");
  for (const record of records) {
    const issue = jira.site.issueOf(record.ticket.key ?? "");
    expect([record.ticket.key, record.ticket.status]).toEqual([issue?.key, issue?.status]);
    const { items } = await tenant.history(record.ticket.id, { limit: 200 });
    const arrivals = items.filter(({ kind, to }) => kind === "observed" && to === OWING);
    expect([record.ticket.title, runs.get(record.ticket.title) ?? 0]).toEqual([
      record.ticket.title,
      arrivals.length,
    ]);
    expect(record.entry).toBe(items.filter(({ kind }) => kind === "observed").length);
  }
  expect(await tenant.unsettled(10)).toEqual([]);
}, 120_000);
