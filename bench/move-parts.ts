/**
 * The measured process of (c): durable moves through the service, and their bare parts, each against an emulated board of its own.
 * Speaks JSON lines: a question is `{side, inFlight, ms}`, an answer `{perSecond, p50Ms, cpuMs}`.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { Queue, QueueEvents, Worker } from "bullmq";
import { createApp } from "../src/app.js";
import { parseConfig } from "../src/config.js";
import { syncJobFor } from "../src/tickets/jobs.js";
import { median, round3 } from "./harness.js";

const [redisUrl = "", boardUrl = "", email = "", apiToken = "", theirUrl = "", authorization = ""] =
  process.argv.slice(2);
const TICKETS = 64;

type Step = (ticket: number) => Promise<void>;

/** The service, whole, in one process: every move is intended, queued, made, re-read and settled. */
async function openService(): Promise<{ move: Step; close(): Promise<void> }> {
  const app = await createApp(
    parseConfig({
      PORT: "0",
      REDIS_URL: redisUrl,
      LOG_LEVEL: "error",
      BOARDWALK_ADMIN_TOKEN: "a-token-for-the-bench",
      BOARDWALK_ENCRYPTION_KEYS: `bench:${Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString("base64")}`,
      BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
      BOARDWALK_TICKET_POLL_MS: "3600000",
    }),
  );
  const id = `bench-${Date.now()}`;
  await app.store.createTenant({ id, name: id, createdAt: new Date().toISOString() });
  const tenant = app.store.tenant(id);
  await app.connections.add(tenant, {
    id: "eng",
    provider: "jira",
    settings: { baseUrl: boardUrl, project: "ENG" },
    credentials: { email, apiToken },
  });
  await app.hooks.ask(syncJobFor(id, "eng", "bench"), 60_000);
  const talk = { tenant, speaker: { person: "bench" }, budgetMs: 30_000 };
  const standing = Array.from({ length: TICKETS }, () => false);
  return {
    async move(ticket) {
      const started = standing[ticket] === true;
      const { outcome, spoken } = await app.tickets.move(talk, {
        ticket: `ENG-${ticket + 1}`,
        to: started ? "10000" : "10001",
      });
      if (outcome !== "confirmed") throw new Error(`${outcome}: ${spoken}`);
      standing[ticket] = !started;
    },
    close: () => app.close(),
  };
}

/** What the protocol cannot do without: one job that is waited for, and the board's requests by plain fetch. Deliveries are answered, no more. */
async function openParts(): Promise<{ move: Step; close(): Promise<void> }> {
  const { hostname: host, port } = new URL(redisUrl);
  const connection = { host, port: Number(port) };
  const queue = new Queue("bench-parts", { connection });
  const events = new QueueEvents("bench-parts", { connection });
  const worker = new Worker("bench-parts", async () => "done", { connection, concurrency: TICKETS });
  events.setMaxListeners(0);
  queue.setMaxListeners(0);
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady(), worker.waitUntilReady()]);
  const standing = Array.from({ length: TICKETS }, () => false);
  const headers = { authorization, "content-type": "application/json" };
  const listener = createServer((request, response) => {
    request.resume().on("end", () => response.end());
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const ask = async (path: string, body?: object) => {
    const response = await fetch(`${theirUrl}${path}`, {
      headers,
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
  };
  await ask("/rest/webhooks/1.0/webhook", {
    ...{ name: "bench", enabled: true, excludeBody: false, events: ["jira:issue_updated"] },
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`,
    filters: { "issue-related-events-section": "project = ENG" },
    secret: "of-the-bench",
  });
  return {
    async move(ticket) {
      const job = await queue.add("move", { ticket }, { removeOnComplete: { age: 3600 } });
      await job.waitUntilFinished(events);
      const issue = `/rest/api/3/issue/ENG-${ticket + 1}`;
      const fields = "fields=summary,status,issuetype,project,updated,archiveddate";
      const started = standing[ticket] === true;
      await ask(`${issue}?${fields}&expand=transitions,transitions.fields`);
      await ask(`${issue}/transitions`, { transition: { id: started ? "12" : "11" } });
      await ask(`${issue}?${fields}`);
      standing[ticket] = !started;
    },
    async close() {
      listener.close();
      await worker.close();
      await events.close();
      await queue.close();
    },
  };
}

/** `inFlight` askers, each with a ticket of its own, for `ms` milliseconds. */
async function measure(
  move: Step,
  inFlight: number,
  ms: number,
): Promise<{ perSecond: number; p50Ms: number; cpuMs: number }> {
  const took: number[] = [];
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const until = startedAt + ms;
  await Promise.all(
    Array.from({ length: inFlight }, async (_, ticket) => {
      while (performance.now() < until) {
        const askedAt = performance.now();
        await move(ticket);
        took.push(performance.now() - askedAt);
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return {
    cpuMs: round3((user + system) / 1_000 / took.length),
    perSecond: round3((took.length / (performance.now() - startedAt)) * 1000),
    p50Ms: round3(median(took)),
  };
}

const sides = { ours: await openService(), theirs: await openParts() };
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { side, inFlight, ms } = JSON.parse(line) as {
    side: "ours" | "theirs";
    inFlight: number;
    ms: number;
  };
  process.stdout.write(`${JSON.stringify(await measure(sides[side].move, inFlight, ms))}\n`);
}
await sides.ours.close();
await sides.theirs.close();
