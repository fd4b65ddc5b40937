/**
 * `npm run soak`: half of what the service can do, for SOAK_MINUTES (30), and what it holds meanwhile. Ends with 1 when
 * its memory grows beyond the noise, or something is still held when everybody has gone.
 */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { createApi } from "../chaos/api.js";
import { startBoards } from "../chaos/boards.js";
import { createChance } from "../chaos/chance.js";
import { startRedis } from "../support/redis.js";
import { until } from "../support/until.js";
import { type Act, actsOn, type Site } from "./load.js";
import type { Holding } from "./service.js";
import { trendOf } from "./trend.js";

const MINUTES = Number(process.env.SOAK_MINUTES ?? 30);
const CALLERS = 24;
const PEAK_MS = 20_000;
const LOOKS = 60;
const TICKETS_PER_BOARD = 50;

const tell = (line: string) => process.stderr.write(`${new Date().toISOString()} ${line}\n`);
const redis = await startRedis({ appendOnly: true });
const bare = new Redis(redis.url);
const boards = await startBoards(TICKETS_PER_BOARD);
const adminToken = randomBytes(24).toString("base64url");
const service = fork(fileURLToPath(new URL("service.ts", import.meta.url)), {
  execArgv: ["--import", "tsx", "--expose-gc"],
  env: {
    ...process.env,
    ...{ HOST: "127.0.0.1", PORT: "0", REDIS_URL: redis.url, LOG_LEVEL: "info" },
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    BOARDWALK_TENANT_CALLS_PER_MINUTE: "1000000",
  },
});
const [{ url }] = (await once(service, "message")) as [{ url: string }];
const api = createApi({ urls: [url], adminToken });
await api.connect(boards);
const site: Site = { url, token: await api.token(), tickets: await api.tickets(boards) };

async function look(): Promise<Holding> {
  service.send("look");
  const [holding] = (await once(service, "message")) as [Holding];
  return holding;
}

/** Everybody acts, one act after another, no more than `perSecond` together. @returns acts a second, and the failed ones */
async function act(ms: number, perSecond: number) {
  const acts = actsOn(site);
  const deck: Act[] = acts.flatMap(([share, , each]) => Array.from({ length: share }, () => each));
  const chance = createChance(7);
  const began = performance.now();
  let count = 0;
  const failures = new Map<string, number>();
  const caller = async () => {
    while (performance.now() - began < ms) {
      const due = began + (count * 1_000) / perSecond;
      count += 1;
      const wait = due - performance.now();
      if (wait > 0) await sleep(wait);
      await (chance.pick(deck) as Act)(chance).catch((error: unknown) => {
        const what = String(error).slice(0, 120);
        failures.set(what, (failures.get(what) ?? 0) + 1);
      });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return { perSecond: (count * 1_000) / (performance.now() - began), count, failures };
}

async function jobs(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const kind of ["wait", "active", "delayed", "failed", "prioritized"]) {
    for (const key of await bare.keys(`*:${kind}`)) {
      const type = await bare.type(key);
      const size = type === "zset" ? await bare.zcard(key) : type === "list" ? await bare.llen(key) : 0;
      found[kind] = (found[kind] ?? 0) + size;
    }
  }
  return found;
}

/** What is held when nobody is there: looked at until it no longer shrinks. */
async function rest(): Promise<Holding & { readonly clients: number }> {
  let before = await look();
  // Callers keep their connections for a few seconds after their last word.
  await sleep(10_000);
  await until(
    async () => {
      const now = await look();
      // A move that waited for its board's limits may begin in between, and holds what it needs while it is under way.
      const { active = 0 } = await jobs();
      if (active > 0) return false;
      const settled = total(now) >= total(before);
      before = now;
      return settled;
    },
    { timeoutMs: 120_000, everyMs: 10_000 },
  );
  const clients = String(await bare.client("LIST"))
    .trim()
    .split("\n").length;
  return { ...before, clients };
}

const total = ({ resources }: Holding) => Object.values(resources).reduce((sum, count) => sum + count, 0);

tell("warming up");
await act(PEAK_MS, Number.POSITIVE_INFINITY);
const peak = await act(PEAK_MS, Number.POSITIVE_INFINITY);
const before = await rest();
tell(`peak ${peak.perSecond.toFixed(0)} acts a second; soaking at half of it for ${MINUTES} minutes`);
const samples: Holding[] = [];
const ms = MINUTES * 60_000;
let over = false;
const looking = (async () => {
  while (!over && samples.length < LOOKS) {
    await sleep(ms / LOOKS);
    const holding = await look();
    samples.push(holding);
    const [heap, rss] = [holding.heapBytes / 1e6, holding.rssBytes / 1e6];
    tell(`heap ${heap.toFixed(1)} MB, resident ${rss.toFixed(0)} MB, ${JSON.stringify(holding.resources)}`);
  }
})();
const soaked = await act(ms, peak.perSecond / 2);
over = true;
await looking;
const after = await rest();
const settled = samples.slice(Math.floor(samples.length / 4));
const heap = trendOf(settled.map(({ heapBytes }) => heapBytes));
const more = Object.entries(after.resources).filter(([kind, count]) => count > (before.resources[kind] ?? 0));
const report = {
  minutes: MINUTES,
  peakPerSecond: Math.round(peak.perSecond),
  actsPerSecond: Math.round(soaked.perSecond),
  acts: soaked.count,
  landed: Object.fromEntries(boards.boards.map(({ id, landed }) => [id, landed()])),
  failures: Object.fromEntries(soaked.failures),
  heap: { ...heap, startBytes: settled[0]?.heapBytes, endBytes: settled.at(-1)?.heapBytes },
  rss: trendOf(settled.map(({ rssBytes }) => rssBytes)),
  resources: { before: before.resources, after: after.resources, more: Object.fromEntries(more) },
  redis: { clientsBefore: before.clients, clientsAfter: after.clients, keys: await bare.dbsize() },
  jobs: await jobs(),
  warnings: after.warnings,
};
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
const leaks = more.length > 0 || after.clients > before.clients || after.warnings.length > 0;
process.exitCode = heap.grows || leaks || soaked.failures.size > 0 ? 1 : 0;
service.send("stop");
await once(service, "exit");
bare.disconnect();
await boards.close();
await redis.stop();
