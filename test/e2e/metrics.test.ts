import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoProcess, startDemoProcess } from "../support/demo.js";
import { type RedisServer, startRedis } from "../support/redis.js";
import { type Service, startService } from "../support/service.js";
import { until } from "../support/until.js";

/** A sample's value, by its name and the labels it must have; `undefined` where there is none. */
function sample(text: string, name: string, labels: Readonly<Record<string, string>> = {}) {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const row = text
    .split("\n")
    .find((line) => line.match(/^\w+/)?.[0] === name && wanted.every((label) => line.includes(label)));
  return row === undefined ? undefined : Number(row.slice(row.lastIndexOf(" ")));
}

async function scrape(url: string): Promise<string> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
  return await response.text();
}

describe("the metrics of the demo", () => {
  let demo: DemoProcess;
  let ids: readonly string[];
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${demo.line.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${demo.line.admin.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { tickets: { id: string; title: string }[]; outcome: string };
  };
  const read = () => scrape(`${demo.line.url}/metrics`);

  beforeAll(async () => {
    demo = await startDemoProcess();
    const { tickets } = await call("GET", "/api/v1/tenants/acme/tickets?query=coupons");
    ids = tickets.map(({ id }) => id);
  });
  afterAll(() => demo?.stop());

  it("count each settled move once, with how it ended and how long it took", async () => {
    const confirmed = { provider: "jira", outcome: "confirmed", reason: "none" };
    expect(sample(await read(), "boardwalk_moves_total", confirmed)).toBeUndefined();
    const path = `/api/v1/tenants/acme/tickets/${ids[0]}/moves`;
    expect(await call("POST", path, { to: "In Review" })).toMatchObject({ outcome: "confirmed" });
    const after = await read();
    expect(sample(after, "boardwalk_moves_total", confirmed)).toBe(1);
    const took = { provider: "jira", outcome: "confirmed" };
    expect(sample(after, "boardwalk_move_duration_seconds_count", took)).toBe(1);
    expect(sample(after, "boardwalk_move_duration_seconds_sum", took)).toBeGreaterThan(0);
  });

  it("count what went out to each board", async () => {
    const before = await read();
    for (const provider of ["jira", "linear", "github", "trello"])
      expect(sample(before, "boardwalk_upstream_requests_total", { provider }), provider).toBeGreaterThan(0);
  });

  it("count deliveries, and what a stranger calls himself is nobody's label", async () => {
    const hit = (provider: string) =>
      fetch(`${demo.line.url}/webhooks/${provider}/no-such-path`, { method: "POST", body: "{}" });
    expect([(await hit("jira")).status, (await hit("evil-name")).status]).toEqual([404, 404]);
    const after = await read();
    const refused = { result: "not_found_or_hidden" };
    expect(sample(after, "boardwalk_webhooks_received_total", { provider: "jira", ...refused })).toBe(1);
    expect(sample(after, "boardwalk_webhooks_received_total", { provider: "other", ...refused })).toBe(1);
    // The move above was told by the board's own webhook.
    const delivered = await until(async () =>
      sample(await read(), "boardwalk_webhooks_received_total", { provider: "jira", result: "fresh" }),
    );
    expect(delivered).toBeGreaterThan(0);
    expect(sample(await read(), "boardwalk_webhook_lag_seconds_count", { provider: "jira" })).toBe(delivered);
    expect(after).not.toContain("evil-name");
  });

  it("tell what is owed, and come to nothing once it is done", async () => {
    const text = await until(async () => {
      const now = await read();
      return sample(now, "boardwalk_outbox_pending", { kind: "move" }) === 0 && now;
    });
    expect(sample(text, "boardwalk_outbox_oldest_seconds")).toBe(0);
  });

  it("say how far behind each kind of board we may be", async () => {
    const text = await read();
    for (const provider of ["jira", "linear", "github", "trello"])
      expect(sample(text, "boardwalk_drift_open_seconds", { provider }), provider).toBeLessThan(120);
  });

  it("say which contract its frozen tools keep", async () => {
    const { sha256 } = JSON.parse(await readFile("docs/alexa-contract.json", "utf8")) as { sha256: string };
    expect(sample(await read(), "boardwalk_tool_contract_info", { surface: "frozen", sha256 })).toBe(1);
  });

  it("say how the process is, what is in the queue, and whether the store answers", async () => {
    const text = await read();
    expect(sample(text, "process_resident_memory_bytes")).toBeGreaterThan(1e7);
    expect(sample(text, "nodejs_eventloop_lag_p99_seconds")).toBeGreaterThanOrEqual(0);
    expect(sample(text, "boardwalk_workers")).toBe(1);
    expect(sample(text, "boardwalk_jobs", { state: "waiting" })).toBeGreaterThanOrEqual(0);
    expect(sample(text, "boardwalk_redis_up")).toBe(1);
    expect(sample(text, "boardwalk_redis_ping_seconds")).toBeLessThan(5);
  });

  it("have a line of their own in the documentation, and there is none of others", async () => {
    const documented = [
      ...(await readFile("docs/observability.md", "utf8")).matchAll(/^\| `boardwalk_(\w+)/gm),
    ].map(([, name]) => name);
    const shown = [...(await read()).matchAll(/^# TYPE boardwalk_(\w+)/gm)].map(([, name]) => name);
    expect(documented.sort()).toEqual(shown.sort());
  });

  it("name no tenant, no ticket and no connection", async () => {
    const text = await read();
    const ours = text.split("\n").filter((line) => line.startsWith("boardwalk_"));
    for (const word of ["acme", "globex", "ENG-", "coupons", ids[0] ?? "?"]) expect(text).not.toContain(word);
    const labels = [...ours.join("\n").matchAll(/(\w+)="/g)].map(([, label]) => label);
    const known = ["kind", "le", "outcome", "provider", "reason", "result", "version"];
    known.push("door", "sha256", "state", "surface");
    expect([...new Set(labels)].filter((label) => !known.includes(label ?? ""))).toEqual([]);
  });
});

describe("the metrics of one half", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  const env = () => ({
    REDIS_URL: redis.url,
    BOARDWALK_ADMIN_TOKEN: randomBytes(24).toString("base64url"),
    BOARDWALK_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    METRICS_PORT: "0",
    LOG_LEVEL: "info",
  });
  const started: Service[] = [];
  afterAll(async () => {
    await Promise.all(started.map((service) => service.kill()));
    await redis.stop();
  });
  const start = async (role: "web" | "worker") => {
    const service = await startService({ role, env: env() });
    started.push(service);
    return service;
  };

  it("stand at a port of their own when told to, in a worker too", async () => {
    const worker = await start("worker");
    const url = worker.log.find(({ msg }) => msg === "metrics")?.url ?? "";
    expect(sample(await scrape(url), "boardwalk_info")).toBe(1);
    expect((await fetch(new URL("/api/v1/tenants", url))).status).toBe(404);
  });

  it("are then no longer beside everything else", async () => {
    const web = await start("web");
    expect((await fetch(`${web.url}/metrics`)).status).toBe(404);
  });
});
