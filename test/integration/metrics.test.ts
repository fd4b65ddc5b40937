import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { type RedisServer, startRedis } from "../support/redis.js";
import { until } from "../support/until.js";

/** Each count moves when what it counts happens, and not before: trouble with a board, its login and Redis. */

const adminToken = randomBytes(24).toString("base64url");
const oauth = {
  clientId: "client",
  clientSecret: "a-secret-of-it",
  accessToken: "first",
  refreshToken: "r1",
};
let redis: RedisServer;
let jira: JiraEmulator;
let app: App;
let metricsUrl = "";

beforeAll(async () => {
  redis = await startRedis({ appendOnly: true });
  const site = demoJiraSite();
  const accountId = site.accounts?.[0]?.accountId ?? "5b10ac8d82e05b22cc7d4ef5";
  jira = await startJiraEmulator({ site: { ...site, oauth: { ...oauth, accountId } } });
  const config = parseConfig({
    PORT: "0",
    METRICS_PORT: "0",
    REDIS_URL: redis.url,
    LOG_LEVEL: "info",
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    BOARDWALK_TICKET_POLL_MS: "1000",
  });
  app = await createApp(config, {
    writeLog(line) {
      const { msg, url } = JSON.parse(line) as { msg: string; url?: string };
      if (msg === "metrics" && url !== undefined) metricsUrl = url;
    },
  });
  await api("POST", "/tenants", { id: "acme", name: "Acme" });
  await api("POST", "/tenants/acme/connections", {
    id: "eng",
    provider: "jira",
    settings: { baseUrl: jira.url, project: "ENG" },
    credentials: { ...oauth, tokenUrl: `${jira.url}/oauth/token` },
  });
  await sync();
}, 60_000);
afterAll(async () => {
  await app?.close();
  await jira?.close();
  await redis?.stop();
}, 60_000);

async function api(method: string, path: string, body?: object): Promise<{ tickets?: { id: string }[] }> {
  const response = await fetch(`${app.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as { tickets?: { id: string }[] };
}
const sync = () => api("POST", "/tenants/acme/connections/eng/sync?wait=true", {});

async function faults(faults: object | undefined): Promise<void> {
  await fetch(`${jira.url}/__emulator/faults`, {
    method: faults === undefined ? "DELETE" : "POST",
    headers: { "content-type": "application/json" },
    ...(faults === undefined ? {} : { body: JSON.stringify(faults) }),
  });
}

/** A sample's value by its name and labels; `undefined` where there is none. */
async function sample(name: string, labels: Readonly<Record<string, string>> = {}) {
  const text = await (await fetch(metricsUrl)).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const row = text
    .split("\n")
    .find(
      (line) =>
        line.match(/^\w+/)?.[0] === `boardwalk_${name}` && wanted.every((label) => line.includes(label)),
    );
  return row === undefined ? undefined : Number(row.slice(row.lastIndexOf(" ")));
}
const jiraOnly = { provider: "jira" };

describe("a count", () => {
  it("of renewed logins moves when one is renewed", async () => {
    const renewed = { ...jiraOnly, result: "renewed" };
    expect(await sample("token_refresh_total", renewed)).toBeUndefined();
    jira.oauth.expireAccessToken();
    await sync();
    expect(await sample("token_refresh_total", renewed)).toBe(1);
  });

  it("of moves that were refused moves with the reason", async () => {
    const { tickets = [] } = await api("GET", "/tenants/acme/tickets?status=To+Do");
    const refused = { ...jiraOnly, outcome: "refused", reason: "forbidden" };
    expect(await sample("moves_total", refused)).toBeUndefined();
    await faults({ status: 403 });
    await api("POST", `/tenants/acme/tickets/${tickets[0]?.id}/moves`, { to: "In Progress" });
    await faults(undefined);
    expect(await until(() => sample("moves_total", refused))).toBe(1);
  });
});

describe("the drift", () => {
  it("is open while a board cannot be read, and closes once it can", async () => {
    const drift = async () => (await sample("drift_open_seconds", jiraOnly)) ?? Number.NaN;
    await until(async () => (await drift()) < 2.5, { timeoutMs: 30_000 });
    await faults({ status: 503 });
    await until(async () => (await drift()) > 4, { timeoutMs: 30_000 });
    await faults(undefined);
    await until(async () => (await drift()) < 2.5, { timeoutMs: 30_000 });
  });
});

describe("a count of refusals", () => {
  it("moves when a board asks to be left alone, and while it is", async () => {
    const limited = (reason: string) => sample("upstream_rate_limited_total", { ...jiraOnly, reason });
    expect([await limited("board"), await limited("quiet")]).toEqual([undefined, undefined]);
    await faults({ status: 429, times: 1 });
    // For a minute, as it does not say for how long.
    await until(async () => (await limited("board")) === 1, { timeoutMs: 30_000 });
    await until(async () => ((await limited("quiet")) ?? 0) > 0, { timeoutMs: 30_000 });
    expect(await limited("board")).toBe(1);
  }, 70_000);
});

describe("what cannot be read", () => {
  it("has no value while Redis is away, and one again once it is back", async () => {
    expect(await sample("redis_up")).toBe(1);
    expect(await sample("workers")).toBe(1);
    await redis.kill();
    await until(async () => (await sample("redis_up")) === 0, { timeoutMs: 30_000 });
    expect(await sample("redis_ping_seconds")).toBeNaN();
    expect(await sample("outbox_oldest_seconds")).toBeNaN();
    expect(await sample("jobs", { state: "waiting" })).toBeNaN();
    expect(await sample("outbox_pending", { kind: "move" })).toBeUndefined();
    expect(await sample("drift_open_seconds", jiraOnly)).toBeUndefined();
    // What was counted stays counted.
    expect(await sample("token_refresh_total", { ...jiraOnly, result: "renewed" })).toBeGreaterThan(0);
    await redis.restart();
    await until(async () => (await sample("redis_up")) === 1, { timeoutMs: 30_000 });
    await until(async () => (await sample("outbox_oldest_seconds")) === 0, { timeoutMs: 30_000 });
  }, 120_000);
});
