import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { createRedisOauthRecords } from "../../src/store/redis/oauth.js";
import { createSealer, sealContext } from "../../src/sync/seal.js";
import { ERAS, type TestClient } from "../support/clients.js";
import { OBSERVED, REFUSED, REVIEWED, WAITING } from "../support/life.js";
import { type RedisServer, startRedis } from "../support/redis.js";
import { loadRedis, redisDump } from "../support/redis-dump.js";
import { callApi, serviceEnv } from "../support/sync-world.js";

/** What earlier releases kept, as `test/support/make-records.ts` wrote it down under each, is read by this one. */

const FIXTURES = "test/fixtures";
const RELEASES = readdirSync(FIXTURES).filter((name) => name.startsWith("records-"));
const fixture = z.object({ encryptionKeys: z.string(), token: z.string(), records: redisDump });
const ticketList = z.object({ tickets: z.array(z.object({ id: z.string(), key: z.string() })) });
const eventList = z.object({ events: z.array(z.record(z.string(), z.unknown())) });

it("begins with the first release", () => {
  expect(RELEASES).toContain("records-0.1");
});

describe.each(RELEASES)("%s", (release) => {
  const kept = fixture.parse(JSON.parse(readFileSync(join(FIXTURES, release, "records.json"), "utf8")));
  let redis: RedisServer;
  let app: App;
  let client: TestClient;

  beforeAll(async () => {
    redis = await startRedis();
    const raw = new Redis(redis.url);
    await loadRedis(raw, kept.records);
    await raw.quit();
    const env = { ...serviceEnv(redis.url), BOARDWALK_ENCRYPTION_KEYS: kept.encryptionKeys };
    // Nobody works: the boards of that day are gone, and what is pending is to be seen pending.
    app = await createApp(parseConfig({ ...env, BOARDWALK_ROLE: "web" }));
    const [, connect] = ERAS[0];
    client = await connect({ mcpUrl: `${app.url}/mcp`, token: kept.token });
  });
  afterAll(async () => {
    await client?.close();
    await app?.close();
    await redis?.stop();
  });

  const get = (path: string) => callApi(app.url ?? "", "GET", `/tenants/acme${path}`);
  const tickets = async () => ticketList.parse(await get("/tickets")).tickets;
  async function actor(key: string) {
    const id = (await tickets()).find((ticket) => ticket.key === key)?.id ?? "";
    const record = await app.store.tenant("acme").getActor(id);
    if (record === undefined) throw new Error(`there is no ${key}`);
    return record;
  }
  async function events(key: string) {
    const { id } = (await actor(key)).ticket;
    return eventList.parse(await get(`/tickets/${id}/history`)).events.map(({ kind }) => kind);
  }

  it("holds a record of every kind that is kept", () => {
    const kinds = ["workflow", "connection", "token", "catalogue", "changes", "member", "setting"];
    const parts = ["actors", "audit", ...kinds.map((kind) => `documents:${kind}`)];
    const keys = Object.keys(kept.records);
    for (const part of parts) expect(keys).toContain(`bw:{acme}:${part}`);
    for (const part of ["history", "remember"])
      expect(keys.some((key) => key.startsWith(`bw:{acme}:${part}:`))).toBe(true);
    for (const kind of ["Grant", "Client", "Session", "AccessToken", "RefreshToken"])
      expect(keys.some((key) => key.startsWith(`bw:{:oauth}:record:${kind}:`))).toBe(true);
  });

  it("is a tenant with its tickets where they stood, and what was done, waits or is owed", async () => {
    expect((await tickets()).length).toBe(10);
    expect(await actor(REVIEWED)).toMatchObject({
      ticket: { status: "10002" },
      hooks: [{ state: "done", result: { number: 1, draft: true } }],
      lastMove: { outcome: "confirmed" },
    });
    expect((await actor(WAITING)).hooks.at(-1)).toMatchObject({ state: "waiting" });
    expect((await actor("ENG-3")).pending).toMatchObject({ to: "10001", comment: "back to work" });
    expect((await actor(REFUSED)).ticket.status).toBe("10000");
    expect((await actor(OBSERVED)).ticket.status).toBe("10001");
  });

  it("keeps its history and its audit log", async () => {
    expect(await events(REVIEWED)).toEqual(expect.arrayContaining(["asked", "moved", "hook"]));
    expect(await events(OBSERVED)).toContain("observed");
    const { events: audited } = eventList.parse(await get("/audit?limit=500"));
    expect(audited.filter(({ action }) => action === "move").length).toBeGreaterThan(1);
  });

  it("knows its board, its people and its tokens, and opens what was sealed", async () => {
    const [document] = await app.store.tenant("acme").listDocuments("connection");
    const { sealed } = z.object({ sealed: z.string() }).parse(document?.value);
    const keys = parseConfig({ BOARDWALK_ENCRYPTION_KEYS: kept.encryptionKeys }).encryptionKeys;
    expect(JSON.parse(createSealer(keys).open(sealed, sealContext("acme", "web")))).toHaveProperty("vcs");
    expect(JSON.stringify(await get("/members"))).toContain("Bea");
    expect(JSON.stringify(await get("/connections"))).toContain('"web"');
    const [workflow] = z
      .object({ workflows: z.array(z.object({ id: z.string() })) })
      .parse(await get("/workflows")).workflows;
    const changes = await get(`/workflows/${workflow?.id}/changes`);
    expect(JSON.stringify(changes)).toContain("Stuck");
  });

  it("lets its client go on with the token it has, and calls a renamed tool by either name", async () => {
    const tools = await client.listTools();
    expect(tools.some((name) => name.endsWith("_move_to_stuck"))).toBe(true);
    const { facts } = await client.call("read_ticket", { ticket: REVIEWED });
    expect(facts).toMatchObject({ ticket: { key: REVIEWED, status: { id: "10002" } } });
    const old = tools.find((name) => name.endsWith("_move_to_stuck"))?.replace(/stuck$/, "blocked") ?? "";
    // Known by its old name: it is the move that is answered, not that there is no such tool.
    expect((await client.call(old, { ticket: "no such ticket" })).facts).toHaveProperty("outcome");
  });

  it("keeps every sign-in readable", async () => {
    const records = createRedisOauthRecords(redis.url);
    const keys = Object.keys(kept.records).filter((key) => key.startsWith("bw:{:oauth}:record:"));
    for (const key of keys) {
      const [kind = "", id = ""] = key.split(":record:")[1]?.split(":") ?? [];
      expect(await records.get(kind, id)).toMatchObject({ value: expect.any(Object) });
    }
    await records.close();
  });
});
