import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type JiraEmulator, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { type App, createApp } from "../../src/app.js";
import { clock, webhook } from "../../src/cli/doctor-smoke.js";
import { parseConfig } from "../../src/config.js";
import { checkRedisClock } from "../../src/store/redis.js";
import type { ConnectionRecord } from "../../src/sync/records.js";
import { syncJobFor } from "../../src/tickets/jobs.js";
import { CLI } from "../support/cli.js";
import { type RedisServer, startRedis } from "../support/redis.js";

/** `boardwalk doctor --smoke` beside a service that is well, and beside one that is ill in one way after the other. */

const PATIENCE_MS = 120_000;
const KEYS = "k1:NwV3YbeFR8bWE1KL5PkTfQJH2vGqzXyUsiD0coAtjm4=";
let redis: RedisServer;
let jira: JiraEmulator;
let app: App;
let settings: Record<string, string>;

beforeAll(async () => {
  redis = await startRedis({ appendOnly: true });
  jira = await startJiraEmulator();
  settings = {
    PORT: "0",
    REDIS_URL: redis.url,
    LOG_LEVEL: "silent",
    BOARDWALK_ADMIN_TOKEN: "the-admin-token-of-the-doctors-test",
    BOARDWALK_ENCRYPTION_KEYS: KEYS,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
  };
  app = await createApp(parseConfig(settings));
  await app.store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
  const { url: baseUrl, credentials } = jira;
  const board = { id: "eng", provider: "jira", settings: { baseUrl, project: "ENG" }, credentials };
  await app.connections.add(app.store.tenant("acme"), board);
  await app.hooks.ask(syncJobFor("acme", "eng", "first"), 60_000);
}, PATIENCE_MS);
afterAll(async () => {
  await app?.close();
  await jira?.close();
  await redis?.stop();
});

const found = z.object({
  findings: z.array(
    z.object({
      check: z.string(),
      note: z.string().optional(),
      problems: z.array(z.object({ code: z.string(), message: z.string(), fix: z.string().min(10) })),
    }),
  ),
});

interface Seen {
  readonly code: number;
  readonly stdout: string;
}

function doctor(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Seen> {
  const all = [...CLI, "doctor", ...flags];
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...settings, ...env } };
    execFile(process.execPath, all, options, (error, stdout) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout });
    });
  });
}

/** The codes of what is wrong, by check. */
async function ills(env: Readonly<Record<string, string>> = {}): Promise<Record<string, string[]>> {
  const { code, stdout } = await doctor(["--smoke", "--json"], env);
  const ill = found.parse(JSON.parse(stdout)).findings.filter(({ problems }) => problems.length > 0);
  expect(code).toBe(ill.length === 0 ? 0 : 1);
  return Object.fromEntries(ill.map(({ check, problems }) => [check, problems.map((one) => one.code)]));
}

describe("doctor --smoke", () => {
  it(
    "finds a sound installation sound, and moves nothing",
    async () => {
      const { code, stdout } = await doctor(["--smoke"]);
      expect(stdout).not.toContain("fault");
      expect(code).toBe(0);
      for (const line of [
        "ok    settings",
        "ok    encryption keys",
        "ok    redis",
        "ok    workers (1 at work",
        "ok    acme/eng: stored credentials open",
        "ok    acme/eng: credentials",
        `ok    acme/eng: ${jira.url} answers, and its clock is ours`,
        "ok    acme/eng: webhook",
      ])
        expect(stdout).toContain(line);
      expect(stdout).toMatch(/ok {4}acme\/eng: dry move \(ENG-\d+ could go to .+\)/);
      const writes = jira.journal.filter(
        ({ method, path }) => method === "POST" && path.includes("/transitions"),
      );
      expect(writes).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    "finds keys that do not open what is stored",
    async () => {
      const other = "k1:3q2+7wAAESIzRFVmd4iZqrvM3e7/AQIDBAUGBwgJCgs=";
      expect(await ills({ BOARDWALK_ENCRYPTION_KEYS: other })).toEqual({
        "acme/eng: stored credentials open": ["auth_expired"],
      });
    },
    PATIENCE_MS,
  );

  it(
    "finds that nobody works",
    async () => {
      const takeUp = await app.rest();
      expect(await ills()).toEqual({ workers: ["no_workers"] });
      await takeUp();
    },
    PATIENCE_MS,
  );

  it(
    "finds a permission that was taken away, and a board that went on without us",
    async () => {
      const takeUp = await app.rest();
      jira.withhold(["TRANSITION_ISSUES"]);
      const ill = await ills();
      jira.withhold([]);
      expect(Object.keys(ill)).toContain("acme/eng: credentials");
      const { tickets } = await app.tickets.find(
        { tenant: app.store.tenant("acme"), speaker: { person: "ann" }, budgetMs: 1_000 },
        { board: "eng" },
      );
      // Whichever of them the doctor tries: one is blocked already.
      for (const { key, status } of tickets)
        jira.moveIssue(key ?? "", status.name === "Blocked" ? "To Do" : "Blocked");
      expect((await ills())["acme/eng: dry move"]).toEqual(["stale"]);
      await takeUp();
    },
    PATIENCE_MS,
  );

  it(
    "finds a Redis that forgets, and says how to mend it",
    async () => {
      const client = new Redis(redis.url);
      await client.config("SET", "appendonly", "no");
      await client.config("SET", "maxmemory-policy", "allkeys-lru");
      const { code, stdout } = await doctor([]);
      expect(code).toBe(1);
      expect(stdout).toContain("appendonly yes");
      expect(stdout).toContain("maxmemory-policy noeviction");
      await client.config("SET", "appendonly", "yes");
      await client.config("SET", "maxmemory-policy", "noeviction");
      await client.quit();
    },
    PATIENCE_MS,
  );

  it(
    "counts records that cannot be read, by kind, and says what to do and nothing of what is in them",
    async () => {
      const client = new Redis(redis.url);
      const at = (kind: string) => `bw:{acme}:${kind}`;
      const workflows = Object.keys(await client.hgetall(at("documents:workflow")));
      const written: readonly (readonly [key: string, field: string, bad: string])[] = [
        [at("actors"), "broken.1", "1 secret words"],
        [at("actors"), "broken.2", '3 @2 [["secret words"]]'],
        [at("actors"), "newer", "1 @99 []"],
        [at("documents:setting"), "broken", "1 {secret words"],
        [at("documents:workflow"), "broken", '1 {"secret":"words"}'],
        ["bw:tenants", "broken", '{"secret":"words"}'],
      ];
      const before = await doctor([]);
      expect(before.stdout).toMatch(/^ok +records \(\d+ records read\)$/m);
      for (const [key, field, bad] of written) await client.hset(key, field, bad);
      await client.lpush(at("history:broken"), "1 secret words");
      await client.xadd(at("audit"), "*", "event", "secret words");
      await client.set(at("remember:broken"), "secret words");
      await client.set(at("notes:broken"), "secret words");
      const { code, stdout } = await doctor([]);
      expect(code).toBe(1);
      const told = (kind: string) =>
        new RegExp(`fault records: (.*) ${kind} records (.*)`).exec(stdout)?.slice(1);
      expect(stdout).toMatch(/1 of \d+ ticket records were written by a newer Boardwalk/);
      expect(stdout).toMatch(
        /2 of \d+ ticket records cannot be read, the first of them at bw:\{acme\}:actors broken/,
      );
      expect(told("workflow")).toEqual([
        `1 of ${workflows.length + 1}`,
        "cannot be read, the first of them at bw:{acme}:documents:workflow broken.",
      ]);
      for (const kind of ["setting", "tenant", "history", "audit", "memory", "note"])
        expect(told(kind)?.[0]).toMatch(/^1 of/);
      expect(stdout).toContain("Restore a backup");
      expect(stdout).not.toMatch(/secret|words/);
      for (const [key, field] of written) await client.hdel(key, field);
      await client.del(at("history:broken"), at("remember:broken"), at("notes:broken"));
      const [last] = await client.xrevrange(at("audit"), "+", "-", "COUNT", 1);
      await client.xdel(at("audit"), last?.[0] ?? "");
      expect((await doctor([])).stdout).toMatch(/^ok +records/m);
      await client.quit();
    },
    PATIENCE_MS,
  );

  it(
    "finds a board that does not answer",
    async () => {
      await jira.close();
      const ill = await ills();
      expect(ill["acme/eng: credentials"]).toContain("unavailable");
      expect(ill[`acme/eng: ${jira.url} answers, and its clock is ours`]).toEqual(["unavailable"]);
    },
    PATIENCE_MS,
  );
});

describe("clocks", () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  it.each([
    [0, []],
    [-3_600_000, ["clock_skew"]],
    [3_600_000, ["clock_skew"]],
  ])("that are %i ms from the board's", async (offMs, codes) => {
    server = createServer((_request, response) => {
      response.setHeader("date", new Date(Date.now() + offMs).toUTCString());
      response.end();
    }).listen(0);
    const { port } = server.address() as AddressInfo;
    const { problems } = await clock("acme/eng", `http://127.0.0.1:${port}`);
    expect(problems.map(({ code }) => code)).toEqual(codes);
    if (offMs < 0) expect(problems[0]?.message).toContain("3600 seconds ahead of");
  });

  it.each([
    [0, []],
    [60_000, ["clock_skew"]],
  ])("that are %i ms from Redis'", async (offMs, codes) => {
    const at = () => Date.now() - offMs;
    const client = { time: async () => [Math.floor(at() / 1_000), (at() % 1_000) * 1_000] };
    const problems = await checkRedisClock(client as unknown as Redis);
    expect(problems.map(({ code }) => code)).toEqual(codes);
  });
});

describe("a webhook", () => {
  const now = new Date("2026-06-01T00:00:00Z");
  const of = (state: ConnectionRecord["webhook"]) =>
    webhook(
      "acme/eng",
      { webhook: state, health: { state: "ok", problems: [] } } as unknown as ConnectionRecord,
      now,
    );
  const hook = { url: "https://b.example/webhooks/jira/x", state: "active", by: "boardwalk" } as const;

  it("that is active, or not wanted, is sound", () => {
    expect(of(undefined)).toMatchObject({ problems: [], note: "none; the board is polled" });
    expect(of(hook)).toMatchObject({ problems: [], note: "active" });
    expect(of({ ...hook, expiresAt: "2026-06-20T00:00:00Z" }).problems).toEqual([]);
  });

  it("that fails, or ends within a day, is told with one thing to do", () => {
    for (const ill of [
      { ...hook, state: "failing" } as const,
      { ...hook, expiresAt: "2026-06-01T10:00:00Z" },
    ])
      expect(of(ill).problems).toMatchObject([
        { code: "webhook", fix: expect.stringContaining("PUBLIC_URL") },
      ]);
  });
});
