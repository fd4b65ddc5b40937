import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedisStore } from "../../src/store/redis.js";
import type { Store } from "../../src/store/store.js";
import { type Balancer, startBalancer } from "../support/balancer.js";
import { type RedisServer, startRedis } from "../support/redis.js";
import { type Service, startService } from "../support/service.js";
import { BOARDS, DARK, LOGIN, type PeoplesBoard } from "../support/sync-boards.js";
import { callApi, type Listener, listenLegacy, listenModern, serviceEnv } from "../support/sync-world.js";
import { until } from "../support/until.js";

/** Two web processes and two workers on one Redis: what one notices all tell, and what one began another goes on with. */

let redis: RedisServer;
let board: PeoplesBoard;
let balancer: Balancer;
let webs: Service[];
let workers: Service[];
let store: Store;
let tokens: { readonly ann: string; readonly bob: string };
/** Of 2025, through the balancer; of 2026, at the second web process. */
let legacy: Listener;
let modern: Listener;
/** A name that the tools have had. */
let oldTool: string;

beforeAll(async () => {
  const [, startJira] = BOARDS[0] ?? [];
  if (startJira === undefined) throw new Error("there is no board");
  [redis, board, balancer] = await Promise.all([startRedis(), startJira(), startBalancer()]);
  store = createRedisStore({ client: redis.url });
  const env = { ...serviceEnv(redis.url), LOG_LEVEL: "info", PUBLIC_URL: balancer.url };
  const start = (role: "web" | "worker") => startService({ role, env });
  [webs, workers] = await Promise.all([
    Promise.all([start("web"), start("web")]),
    Promise.all([start("worker"), start("worker")]),
  ]);
  balancer.sendTo(web(0).url);
  await api(0, "POST", "/tenants", { id: "acme", name: "Acme" });
  const { provider, settings, credentials } = board;
  await api(0, "POST", "/tenants/acme/connections", { id: "web", provider, settings, credentials });
  await sync(0);
  tokens = { ann: await token("Ann"), bob: await token("Bob") };
  legacy = await listenLegacy(`${balancer.url}/mcp`, tokens.ann);
  modern = await listenModern(`${web(1).url}/mcp`, tokens.ann);
});

afterAll(async () => {
  await Promise.all([legacy?.close(), modern?.close()]);
  await Promise.all([...(webs ?? []), ...(workers ?? [])].map((service) => service.kill()));
  await Promise.all([store?.close(), board?.close(), balancer?.close()]);
  await redis?.stop();
});

function web(index: number): Service {
  const service = webs[index];
  if (service === undefined) throw new Error(`there is no web process ${index}`);
  return service;
}

const api = (replica: number, method: string, path: string, body?: unknown) =>
  callApi(web(replica).url, method, path, body);
const sync = (replica: number) => api(replica, "POST", "/tenants/acme/connections/web/sync?wait=true");
const token = async (name: string) =>
  ((await api(0, "POST", "/tenants/acme/tokens", { name })) as { token: string }).token;

/** The tool that moves to this column; names are cut to fit, but never their end. */
function toolTo(tools: readonly string[], column: string): string | undefined {
  return tools.find((name) => name.endsWith(`_move_to_${column}`));
}

/** A request of the 2025 session, sent to whichever replica by whoever has the token. */
async function inSession(replica: number, bearer: string, body: object): Promise<Response> {
  return await fetch(`${web(replica).url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${bearer}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": legacy.sessionId ?? "",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
  });
}

const call = (name: string, args: object) => ({ method: "tools/call", params: { name, arguments: args } });

/** Renames the column, has one replica notice, and waits until both clients have been told. */
async function rename(from: string, to: string, noticedBy: number): Promise<void> {
  const [a, b] = [legacy.heard, modern.heard];
  board.rename(from, to);
  await sync(noticedBy);
  await until(() => legacy.heard > a && modern.heard > b, { timeoutMs: 20_000 });
}

describe("a service of four processes", () => {
  it("tells a change that one noticed to the clients of the other", async () => {
    await rename("In Review", "Peer check", 1);
    for (const client of [legacy, modern]) {
      oldTool = toolTo(await client.tools(), "peer_check") ?? "";
      expect(oldTool).not.toBe("");
    }
    await rename("Peer check", "Second look", 0);
    for (const client of [legacy, modern]) expect(toolTo(await client.tools(), "second_look")).toBeDefined();
  });

  it("serves a session that the other began, and to its own person only", async () => {
    const listed = await inSession(1, tokens.ann, { method: "tools/list", params: {} });
    expect(listed.status).toBe(200);
    expect(await listed.text()).toContain("move_to_second_look");
    expect((await inSession(1, tokens.bob, { method: "tools/list", params: {} })).status).toBe(404);
    const moved = (await (await inSession(1, tokens.ann, call(oldTool, { ticket: LOGIN }))).json()) as {
      result: { structuredContent: object };
    };
    expect(moved.result.structuredContent).toMatchObject({
      outcome: "confirmed",
      renamedTo: toolTo(await modern.tools(), "second_look"),
    });
    expect(board.statusOf(LOGIN)).toBe("Second look");
  });

  it("tells a session's stream of what was asked for at the other replica", async () => {
    const setting = await store.tenant("acme").getDocument("setting", "mcp");
    const value = { gating: "hide" };
    await store.tenant("acme").saveDocument("setting", "mcp", { version: setting?.version ?? 0, value });
    await rename("Second look", "Third look", 0);
    const before = legacy.heard;
    await inSession(1, tokens.ann, call("read_ticket", { ticket: DARK }));
    // Its stream is at the first replica.
    await until(() => legacy.heard > before);
    const focused = await legacy.tools();
    expect(toolTo(focused, "done")).toBeUndefined();
    expect(toolTo(focused, "third_look")).toBeDefined();
    board.move(DARK, "Third look");
    // Nobody but the board has said so; its webhook was heard by the first replica, and read by a worker.
    await until(async () => toolTo(await legacy.tools(), "done") !== undefined);
    await until(() => legacy.heard > before + 1);
  });

  it("loses neither session nor news when one web process and one worker are killed", async () => {
    await Promise.all([web(0).kill(), workers[0]?.kill()]);
    balancer.sendTo(web(1).url);
    await rename("Third look", "Last look", 1);
    // The session has moved with its focus: from Third look, as it was called, only Done and In Progress are open.
    expect(toolTo(await legacy.tools(), "done")).toBeDefined();
    expect(toolTo(await modern.tools(), "last_look")).toBeDefined();
    expect((await inSession(1, tokens.ann, { method: "ping" })).status).toBe(200);
    board.move(DARK, "In Progress");
    await until(async () => {
      const found = await modern.call("find_tickets", { query: DARK, status: "In Progress" });
      return found.facts.total === 1;
    });
  });

  it("ends a session everywhere when its client ends it", async () => {
    const headers = {
      authorization: `Bearer ${tokens.ann}`,
      "mcp-session-id": legacy.sessionId ?? "",
      "mcp-protocol-version": "2025-11-25",
    };
    expect((await fetch(`${web(1).url}/mcp`, { method: "DELETE", headers })).status).toBe(200);
    expect((await inSession(1, tokens.ann, { method: "ping" })).status).toBe(404);
  });
});
