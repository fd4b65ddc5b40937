import { afterEach, describe, expect, it } from "vitest";
import { demoJiraSite, jwt, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { createMemoryStore } from "../../src/store/memory.js";
import type { TenantStore } from "../../src/store/store.js";
import { ensureWebhook } from "../../src/sync/webhooks.js";
import { BOARDS, LOGIN, type PeoplesBoard } from "../support/sync-boards.js";
import { freshConnections } from "../support/sync-parts.js";
import { type SyncWorld, serviceEnv, startSyncWorld } from "../support/sync-world.js";
import { until } from "../support/until.js";
import { startWebhookSink } from "../support/webhook-sink.js";

/** That boards go on telling us: registered once, renewed in time, loud when it fails, and never believed too easily. */

const signal = () => AbortSignal.timeout(30_000);
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function connect(board: Pick<PeoplesBoard, "provider" | "settings" | "credentials">, now?: () => Date) {
  const tenant = createMemoryStore().tenant("acme");
  const { provider, settings, credentials } = board;
  await freshConnections(now).add(tenant, { id: "web", provider, settings, credentials });
  return tenant;
}

/** What every sync of a process that has just begun does about the webhook. */
async function ensure(tenant: TenantStore, publicUrl: string, now = () => new Date(), always = true) {
  const connections = freshConnections(now);
  const deps = { connections, publicUrl: () => publicUrl, now };
  await ensureWebhook(deps, tenant, "web", { always }, signal());
  return await connections.get(tenant, "web");
}

describe.each(BOARDS)("%s", (_name, start) => {
  it("has one webhook of ours after a hundred restarts", async () => {
    const board = await start();
    closers.push(() => board.close());
    // Trello asks whether anyone answers there.
    const sink = await startWebhookSink();
    closers.push(() => sink.close());
    const publicUrl = sink.newUrl();
    const tenant = await connect(board);
    for (let restart = 0; restart < 100; restart++) {
      const { webhook, health } = await ensure(tenant, publicUrl);
      expect(webhook).toMatchObject({ state: "active", by: "boardwalk" });
      expect(health.problems).toEqual([]);
    }
    expect(board.webhooks()).toBe(1);
    // And after a move to another address, which takes the one there is along.
    const moved = await startWebhookSink();
    closers.push(() => moved.close());
    const { webhook } = await ensure(tenant, moved.newUrl());
    expect(webhook).toMatchObject({
      state: "active",
      url: expect.stringContaining(new URL(moved.newUrl()).host),
    });
    expect(board.webhooks()).toBe(1);
  });
});

const DAY_MS = 24 * 3_600_000;
const oauth = {
  clientId: "client",
  clientSecret: "a client secret of the test",
  accessToken: "access-token",
  refreshToken: "refresh-token",
  accountId: "5b10a2844c20165700ede21g",
};

describe("a webhook that ends after thirty days", () => {
  it("is renewed by day twenty, day after day, and is loud when that fails", async () => {
    let clock = Date.parse("2026-11-01T00:00:00Z");
    const now = () => new Date(clock);
    const emulator = await startJiraEmulator({ site: { ...demoJiraSite(), oauth }, now });
    closers.push(() => emulator.close());
    const { accountId: _who, ...credentials } = oauth;
    const tokenUrl = `${emulator.url}/oauth/token`;
    const tenant = await connect(
      {
        provider: "jira",
        settings: { baseUrl: emulator.url, project: "ENG" },
        credentials: { ...credentials, tokenUrl },
      },
      now,
    );
    const daily = async () => {
      clock += DAY_MS;
      return await ensure(tenant, "https://boardwalk.example", now, false);
    };
    for (let day = 1; day <= 90; day++) {
      const { webhook } = await daily();
      expect(Date.parse(webhook?.expiresAt ?? "") - clock).toBeGreaterThanOrEqual(10 * DAY_MS);
    }
    expect(emulator.webhooks.registered).toHaveLength(1);

    emulator.setFaults({ status: 403, times: 1_000 });
    const { webhook, health } = await daily();
    expect(webhook?.state).toBe("failing");
    expect(health).toMatchObject({ state: "degraded", problems: [{ code: "webhook" }] });
    const { items } = await tenant.auditPage({ limit: 10 });
    expect(items).toMatchObject([{ action: "webhook", outcome: "failing" }]);
    await daily();
    expect((await tenant.auditPage({ limit: 10 })).items).toHaveLength(1);

    emulator.setFaults({});
    const healed = await daily();
    expect(healed).toMatchObject({ webhook: { state: "active" }, health: { state: "ok", problems: [] } });
  });

  it("that works is not asked after more than once an hour", async () => {
    let clock = Date.parse("2026-11-01T00:00:00Z");
    const now = () => new Date(clock);
    const emulator = await startJiraEmulator({ now });
    closers.push(() => emulator.close());
    const tenant = await connect(
      {
        provider: "jira",
        settings: { baseUrl: emulator.url, project: "ENG" },
        credentials: emulator.credentials,
      },
      now,
    );
    await ensure(tenant, "https://boardwalk.example", now, false);
    const asked = emulator.journal.length;
    for (let minute = 0; minute < 50; minute++) {
      clock += 60_000;
      await ensure(tenant, "https://boardwalk.example", now, false);
    }
    expect(emulator.journal.length).toBe(asked);
    clock += 3_600_000;
    await ensure(tenant, "https://boardwalk.example", now, false);
    expect(emulator.journal.length).toBeGreaterThan(asked);
  });
});

describe("deliveries", () => {
  let world: SyncWorld;

  async function start() {
    const [, startJira] = BOARDS[0] ?? [];
    if (startJira === undefined) throw new Error("there is no board");
    const board = await startJira();
    world = await startSyncWorld(board, { replicas: 1 });
    closers.push(() => world.close());
    return board;
  }

  it("are answered at once, known again however often they come, and told of in the connection", async () => {
    const board = await start();
    const path = "/tenants/acme/connections/web";
    expect(await world.api(0, "GET", path)).not.toHaveProperty("webhook.lastDeliveryAt");
    board.setFaults({ duplicateWebhooks: 10 });
    board.move(LOGIN, "In Review");
    const [record] = await until(async () => {
      const found = (await world.actors()).filter(
        ({ ticket }) => ticket.title === LOGIN && ticket.status === "10002",
      );
      return found.length > 0 && found;
    });
    expect(record?.entry).toBe(1);
    expect(await world.api(0, "GET", path)).toMatchObject({
      webhook: { state: "active", by: "boardwalk", lastDeliveryAt: expect.any(String) },
    });
  });

  it("of an app of Jira's whose token has run out or is none are refused for good, counted, and logged without a stack", async () => {
    const { accountId: _who, ...login } = oauth;
    const emulator = await startJiraEmulator({ site: { ...demoJiraSite(), oauth } });
    closers.push(() => emulator.close());
    const lines: string[] = [];
    const env = { ...serviceEnv(""), REDIS_URL: undefined, LOG_LEVEL: "debug" };
    const app = await createApp(parseConfig(env), {
      inMemory: true,
      writeLog: (line) => void lines.push(line),
    });
    closers.push(() => app.close());
    const tenant = app.store.tenant("acme");
    await app.store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
    await app.connections.add(tenant, {
      id: "eng",
      provider: "jira",
      settings: { baseUrl: emulator.url, project: "ENG" },
      credentials: { ...login, tokenUrl: `${emulator.url}/oauth/token` },
    });
    const { webhookToken } = await app.connections.get(tenant, "eng");
    const deliver = (authorization: string) =>
      fetch(`${app.url}/webhooks/jira/${webhookToken}`, {
        method: "POST",
        headers: { authorization },
        body: JSON.stringify({ webhookEvent: "jira:issue_updated", timestamp: 1 }),
      });
    const claims = jwt(oauth, new Date()).split(".")[1];
    const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${claims}.`;
    const late = jwt(oauth, new Date(Date.now() - DAY_MS));
    const refused = [late, none, "garbage", jwt({ ...oauth, clientSecret: "another" }, new Date())];
    for (const token of refused) {
      const response = await deliver(`Bearer ${token}`);
      expect(response.status).toBe(401);
      expect(await response.text()).not.toMatch(/ at |\.ts|node_modules|stack/);
    }
    // The board's own and late, as with a wrong clock: never the 429 that would have it sent again and again.
    for (let i = 0; i < 100; i++) expect((await deliver(`Bearer ${late}`)).status).toBe(401);
    expect((await deliver(`Bearer ${jwt(oauth, new Date())}`)).status).toBe(200);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toContain('boardwalk_webhooks_received_total{provider="jira",result="unauthorized"} 104');
    expect(metrics).toContain('boardwalk_webhooks_received_total{provider="jira",result="fresh"} 1');
    const about = lines.filter((line) => line.includes("/webhooks/"));
    expect(about).toHaveLength(105);
    for (const line of lines) expect(line).not.toMatch(/"at":|"stack":/);
  });

  it("that cannot be believed change nothing, and nobody is asked who they are for", async () => {
    await start();
    const [app] = world.apps;
    const tenant = app?.store.tenant("acme");
    const { webhookToken = "" } = (await app?.connections.get(tenant as TenantStore, "web")) ?? {};
    const send = (token: string, method = "POST") =>
      fetch(`${world.url(0)}/webhooks/jira/${token}`, {
        method,
        ...(method === "POST" ? { body: JSON.stringify({ issue: { id: "1" } }) } : {}),
      });
    expect((await send(webhookToken)).status).toBe(401);
    expect((await send("unknown")).status).toBe(404);
    expect((await send(webhookToken, "HEAD")).status).toBe(200);
    expect((await send("unknown", "HEAD")).status).toBe(404);
    expect(await tenant?.recall("delivered/web")).toBeUndefined();
  });
});
