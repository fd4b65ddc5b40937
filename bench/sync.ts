/**
 * (e) how soon a board's change is known: from a webhook's receipt to the actor settled, against the least it can
 * take, one Redis round trip and one read of the board; and a change told to five hundred sessions, against to one.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { BOARDS, REPOSITORIES } from "../connectors/index.js";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../connectors/jira/emulator.js";
import { type App, createApp } from "../src/app.js";
import { parseConfig } from "../src/config.js";
import { createBullmqHooks } from "../src/hooks/bullmq.js";
import { issueToken } from "../src/http/auth.js";
import { createBudgets } from "../src/store/redis/budgets.js";
import { createRedisStore } from "../src/store/redis.js";
import { createConnections } from "../src/sync/connections.js";
import { receiveDelivery } from "../src/sync/deliveries.js";
import { createSyncHandlers, type SyncWorkerDeps } from "../src/sync/handlers.js";
import { refreshWorkflows } from "../src/sync/import.js";
import { tellWorkflows } from "../src/sync/news.js";
import { createSealer } from "../src/sync/seal.js";
import { createTicketHandlers } from "../src/tickets/handlers.js";
import { syncJobFor } from "../src/tickets/jobs.js";
import type { WorkerDeps } from "../src/tickets/worker-deps.js";
import { createWorkflows } from "../src/tickets/workflows.js";
import { median, type Row, round3 } from "./harness.js";

const SAMPLES = 400;
const WARM_UP = 50;
const TICKETS = 50;
const SESSIONS = 500;
const ROUNDS = 15;

export async function run(): Promise<Row[]> {
  const { REDIS_URL: redisUrl } = process.env;
  if (redisUrl === undefined) throw new Error("Run this through `npm run bench`, which brings a Redis.");
  return [...(await webhookRows(redisUrl)), await fanOutRow(redisUrl)];
}

async function webhookRows(redisUrl: string): Promise<Row[]> {
  const jira = await startJiraEmulator({
    site: demoJiraSite({ issues: Array.from({ length: TICKETS }, (_, i) => ({ title: `Ticket ${i + 1}` })) }),
  });
  const bare = new Redis(redisUrl);
  const desk = await openDesk(redisUrl, jira);
  try {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let i = 0; i < WARM_UP + SAMPLES; i++) {
      const key = `ENG-${(i % TICKETS) + 1}`;
      const pair = [
        async () => ours.push(await desk.settle(key)),
        async () => theirs.push(await least(bare, jira, key)),
      ];
      for (const measure of i % 2 === 0 ? pair : pair.reverse()) await measure();
    }
    return [0.5, 0.99].map((share) => {
      const [a, b] = [percentile(ours.slice(WARM_UP), share), percentile(theirs.slice(WARM_UP), share)];
      return {
        name: `webhook received to actor settled, p${share * 100} (ours may take 8x)`,
        unit: "ms",
        ours: round3(a),
        theirs: round3(b),
        ratio: round3(b / a),
        target: 0.125,
      };
    });
  } finally {
    await desk.close();
    bare.disconnect();
    await jira.close();
  }
}

/** One round trip to Redis and one read of the board. */
async function least(bare: Redis, jira: JiraEmulator, key: string): Promise<number> {
  const startedAt = performance.now();
  await bare.ping();
  const fields = "fields=status,issuetype,project,summary,updated";
  const response = await fetch(`${jira.url}/rest/api/3/issue/${key}?${fields}`, {
    headers: { authorization: jira.authorization },
  });
  await response.text();
  return performance.now() - startedAt;
}

/** Everything between the webhook's route and the actor, with a real queue and store. */
async function openDesk(redisUrl: string, jira: JiraEmulator) {
  const id = `bench-sync-${Date.now()}`;
  const store = createRedisStore({ client: redisUrl });
  const hooks = createBullmqHooks({ connection: redisUrl, queue: id });
  const now = () => new Date();
  const connections = createConnections({
    kinds: BOARDS,
    vcsKinds: REPOSITORIES,
    hooksFor: () => ({}),
    sealer: createSealer([{ id: "k", key: new Uint8Array(32) }]),
    checkUrl: async () => {},
    budgets: createBudgets(),
    now,
  });
  const workflows = createWorkflows();
  let settled = () => {};
  const worker: WorkerDeps = {
    store,
    boards: connections,
    workflows,
    jobs: hooks,
    now,
    refresh: (tenant, connection, signal) => refreshWorkflows(sync, tenant, connection, signal),
    changed: () => settled(),
  };
  const sync: SyncWorkerDeps = {
    store,
    connections,
    workflows,
    jobs: hooks,
    worker,
    now,
    pollMs: 3_600_000,
    workflowPollMs: 3_600_000,
    workflowsChanged: async () => {},
    // Nobody listens there: the deliveries that the board means to make are made here.
    publicUrl: () => "http://127.0.0.1:9",
  };
  const stop = await hooks.serve({ ...createTicketHandlers(worker), ...createSyncHandlers(sync) });
  await store.createTenant({ id, name: id, createdAt: now().toISOString() });
  await connections.add(store.tenant(id), {
    id: "web",
    provider: "jira",
    settings: { baseUrl: jira.url, project: "ENG" },
    credentials: jira.credentials,
  });
  jira.setFaults({ dropWebhooks: 1_000_000 });
  await hooks.ask(syncJobFor(id, "web", "first"), 30_000);
  const standing = new Map<string, boolean>();
  return {
    async settle(key: string): Promise<number> {
      const started = standing.get(key) === true;
      standing.set(key, !started);
      jira.moveIssue(key, started ? "10000" : "10001");
      const sent = jira.webhooks.sent.at(-1);
      if (sent === undefined) throw new Error("the board has no webhook");
      const { url, headers, body } = sent;
      const done = new Promise<void>((resolve) => {
        settled = resolve;
      });
      const startedAt = performance.now();
      const delivery = { method: "POST", headers, body: Buffer.from(body), url, receivedAt: now() };
      await receiveDelivery(sync, "jira", url.slice(url.lastIndexOf("/") + 1), delivery);
      await done;
      return performance.now() - startedAt;
    },
    async close() {
      await stop();
      await hooks.close();
      await store.close();
    },
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function fanOutRow(redisUrl: string): Promise<Row> {
  const app = await createApp(
    parseConfig({
      HOST: "127.0.0.1",
      PORT: "0",
      REDIS_URL: redisUrl,
      LOG_LEVEL: "error",
      BOARDWALK_ROLE: "web",
      BOARDWALK_ADMIN_TOKEN: "a-token-for-the-bench",
      BOARDWALK_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64")}`,
    }),
  );
  try {
    const [many, one] = [await listen(app, SESSIONS), await listen(app, 1)];
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const pair = [async () => ours.push(await many()), async () => theirs.push(await one())];
      for (const measure of round % 2 === 0 ? pair : pair.reverse()) await measure();
    }
    const [a, b] = [median(ours), median(theirs)];
    return {
      name: `a change told to ${SESSIONS} sessions, the last one (theirs: to one; ours may take ${SESSIONS / 4}x)`,
      unit: "ms",
      ours: round3(a),
      theirs: round3(b),
      ratio: round3(b / a),
      target: round3(4 / SESSIONS),
    };
  } finally {
    await app.close();
  }
}

/** Opens sessions of a tenant of their own. @returns what tells them of a change, and how long the last took to hear. */
async function listen(app: App, count: number): Promise<() => Promise<number>> {
  const id = `bench-fan-${count}-${Date.now()}`;
  await app.store.createTenant({ id, name: id, createdAt: new Date().toISOString() });
  const { token } = await issueToken(app.store.tenant(id), { name: "bench" }, new Date());
  let heard = () => {};
  for (let i = 0; i < count; i++) await openStream(`${app.url}/mcp`, token, () => heard());
  return async () => {
    // Each hears of its tools and of its resources.
    let left = 2 * count;
    const all = new Promise<void>((resolve) => {
      heard = () => {
        left -= 1;
        if (left === 0) resolve();
      };
    });
    const startedAt = performance.now();
    await tellWorkflows(app.store, id, []);
    await all;
    return performance.now() - startedAt;
  };
}

async function openStream(url: string, token: string, onNews: () => void): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const response = await fetch(url, { method: "POST", headers, body });
  await response.text();
  const session = response.headers.get("mcp-session-id") ?? "";
  const request = get(url, { headers: { ...headers, "mcp-session-id": session }, agent: false });
  const [stream] = (await once(request, "response")) as [IncomingMessage];
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    for (const _news of chunk.matchAll(/list_changed/g)) onNews();
  });
  // The service is closed while they listen.
  stream.on("error", () => {});
  request.on("error", () => {});
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
