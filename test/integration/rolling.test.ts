import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createRedisStore } from "../../src/store/redis.js";
import type { Store } from "../../src/store/store.js";
import { type ChaosTicket, createApi, TENANT } from "../chaos/api.js";
import { type ChaosBoards, startBoards } from "../chaos/boards.js";
import { createChance } from "../chaos/chance.js";
import { judge } from "../chaos/judge.js";
import { type Heard, type Walk, type Walker, walkTicket } from "../chaos/walk.js";
import { startReadyBalancer } from "../support/balancer.js";
import { ERAS, type TestClient } from "../support/clients.js";
import { freePort, type RedisServer, startRedis } from "../support/redis.js";
import { type Role, type Service, startService } from "../support/service.js";
import { until } from "../support/until.js";

/**
 * A rolling restart: two web processes behind a load balancer and two workers, each told to end and started again while
 * people move tickets of four boards. Nobody is turned away, nothing is lost.
 */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });
const PATIENCE = { timeoutMs: 60_000, everyMs: 50 };
/** Slow enough that there is always something in hand when a process is told to end. */
const BOARD_LATENCY_MS = 60;

interface Slot {
  readonly role: Role;
  readonly env: Readonly<Record<string, string>>;
  service: Service;
}

let boards: ChaosBoards;
let redis: RedisServer;
let balancer: Awaited<ReturnType<typeof startReadyBalancer>>;
let store: Store;
let tickets: ChaosTicket[];
const branches = new Map<string, string>();
const slots: Slot[] = [];
const adminToken = randomBytes(24).toString("base64url");
let api: ReturnType<typeof createApi>;

async function startSlot(role: Role, env: Readonly<Record<string, string>>): Promise<void> {
  slots.push({ role, env, service: await startService({ role, env }) });
}

beforeAll(async () => {
  [boards, redis] = await Promise.all([startBoards(60), startRedis({ appendOnly: true })]);
  const ports = [await freePort(), await freePort()];
  const env = {
    REDIS_URL: redis.url,
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    BOARDWALK_ALLOWED_HOSTS: "*",
    BOARDWALK_REPLY_BUDGET_MS: "10000",
  };
  for (const port of ports) await startSlot("web", { ...env, PORT: String(port) });
  for (const _ of ports) await startSlot("worker", env);
  const webs = slots.filter(({ role }) => role === "web").map(({ service }) => service.url);
  balancer = await startReadyBalancer(webs);
  await until(() => webs.every(balancer.isReady), PATIENCE);
  store = createRedisStore({ client: redis.url });
  api = createApi({ urls: [balancer.url], adminToken });
  await api.connect(boards);
  tickets = [...(await api.tickets(boards))];
  for (const { id, key, board, title } of tickets) {
    const branch = board === "github" ? `${title.split(" ").at(-1)}-chaos` : `feat/${key}-chaos`;
    if (board !== "github") boards.addBranch(branch);
    branches.set(id, branch);
  }
  for (const { settings } of boards.boards)
    await fetch(`${settings.apiUrl ?? settings.baseUrl}/__emulator/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ latencyMs: BOARD_LATENCY_MS }),
    });
});
afterAll(async () => {
  await Promise.all(slots.map(({ service }) => service.kill()));
  await balancer?.close();
  await store?.close();
  await boards?.close();
  await redis?.stop();
});

/** Moves tickets of every board until told to end. @returns what ends it. */
function moveTickets(heard: Heard) {
  let going = true;
  const walks: Walk[] = [];
  const lines = boards.boards.flatMap((board) => {
    const queue = tickets.filter((ticket) => ticket.board === board.id);
    const deadline = performance.now() + 200_000;
    const walker: Walker = { api, board, urls: [balancer.url], chance: createChance(7), heard, deadline };
    return [1, 2].map(async () => {
      for (let next = queue.shift(); next !== undefined && going; next = queue.shift())
        walks.push(await walkTicket(walker, next, 2));
    });
  });
  return async () => {
    going = false;
    await Promise.all(lines);
    return walks;
  };
}

/** Asks by the same MCP session all the time. @returns what ends it, with what went wrong. */
function askAllTheTime(client: TestClient) {
  let going = true;
  const wrong: unknown[] = [];
  const loop = (async () => {
    while (going)
      await client.call("find_tickets", { query: "chaos" }).then(
        ({ isError, text }) => isError && wrong.push(text),
        (error: unknown) => wrong.push(error),
      );
  })();
  return async () => {
    going = false;
    await loop;
    return wrong;
  };
}

/** Reads a stream of events to its end. @returns how it ended. */
async function listen(path: string, init: RequestInit): Promise<{ readonly ended: Promise<string> }> {
  const response = await fetch(`${balancer.url}${path}`, init);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const ended = response.text().then(
    () => "in order",
    (error: unknown) => `broken off: ${error}`,
  );
  return { ended };
}

async function sessionOf(token: string): Promise<string> {
  const response = await fetch(`${balancer.url}/mcp`, {
    method: "POST",
    headers: { ...mcpHeaders(token), "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    }),
  });
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

function mcpHeaders(token: string) {
  return { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" };
}

/** One of each kind of stream that the service keeps open. */
async function openStreams(token: string) {
  const admin = { headers: { authorization: `Bearer ${adminToken}` } };
  const session = { ...mcpHeaders(token), "mcp-session-id": await sessionOf(token) };
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const method = "subscriptions/listen";
  const wanted = { _meta: meta, notifications: { toolsListChanged: true } };
  return await Promise.all([
    listen(`/api/v1/tenants/${TENANT}/live`, admin),
    listen("/mcp", { headers: session }),
    listen("/mcp", {
      method: "POST",
      headers: {
        ...mcpHeaders(token),
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: wanted }),
    }),
  ]);
}

async function restart(slot: Slot): Promise<void> {
  const { url } = slot.service;
  expect(await slot.service.stop()).toBe(0);
  slot.service = await startService({ role: slot.role, env: slot.env });
  if (slot.role === "web") await until(() => balancer.isReady(url), PATIENCE);
}

describe("a rolling restart", () => {
  it("turns nobody away, ends streams in order, and loses nothing", async () => {
    const heard: Heard = { asked: 0, silence: 0, accepted: 0, problems: new Map() };
    const token = await api.token();
    const clients = await Promise.all(
      ERAS.map(([, connect]) => connect({ mcpUrl: `${balancer.url}/mcp`, token })),
    );
    const streams = await openStreams(token);
    const stopMoving = moveTickets(heard);
    const stopAsking = clients.map(askAllTheTime);
    for (const slot of slots) await restart(slot);
    const wrong = await Promise.all(stopAsking.map((stop) => stop()));
    const walks = await stopMoving();
    expect(wrong).toEqual([[], []]);
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(streams.map(() => "in order"));
    expect({ silence: heard.silence, problems: [...heard.problems] }).toEqual({ silence: 0, problems: [] });
    expect(walks.length).toBeGreaterThan(20);
    expect(walks.flatMap(({ oddities }) => oddities)).toEqual([]);
    expect(await judge(store, boards, walks, branches)).toEqual([]);
    await Promise.all(clients.map((client) => client.close()));
  });
});
