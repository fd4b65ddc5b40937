import { randomBytes } from "node:crypto";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { issueToken } from "../../src/http/auth.js";
import type { ActorRecord } from "../../src/store/store.js";
import type { Change } from "../../src/sync/records.js";
import { freePort, type RedisServer, startRedis } from "./redis.js";
import type { PeoplesBoard } from "./sync-boards.js";

/** Replicas of the whole service in this process, on one Redis, over one emulated board. */

export const ADMIN_TOKEN = randomBytes(24).toString("base64url");

export interface SyncWorld {
  readonly redis: RedisServer;
  readonly apps: readonly App[];
  /** A replica's address. */
  url(replica: number): string;
  api(replica: number, method: string, path: string, body?: unknown): Promise<unknown>;
  token(tenant?: string): Promise<string>;
  /** Takes in everything that changed on the board, through this replica. */
  sync(replica?: number): Promise<readonly Change[]>;
  actors(): Promise<readonly ActorRecord[]>;
  close(): Promise<void>;
}

export interface SyncWorldOptions {
  readonly replicas?: number;
  /** Whether the board may reach us. @default true */
  readonly webhooks?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Where a replica finds Redis. @default the server itself */
  readonly redisFor?: (replica: number, redis: RedisServer) => Promise<string>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly credentials?: Readonly<Record<string, unknown>>;
}

export async function startSyncWorld(
  board: PeoplesBoard,
  options: SyncWorldOptions = {},
): Promise<SyncWorld> {
  const { replicas = 2, webhooks = true } = options;
  const redis = await startRedis();
  const port = await freePort();
  const env = {
    ...serviceEnv(redis.url),
    // Where nothing listens, nothing is delivered.
    PUBLIC_URL: `http://127.0.0.1:${webhooks ? port : await freePort()}`,
    ...options.env,
  };
  const apps: App[] = [];
  for (let i = 0; i < replicas; i++) {
    const redisUrl = (await options.redisFor?.(i, redis)) ?? redis.url;
    apps.push(
      await createApp(parseConfig({ ...env, REDIS_URL: redisUrl, PORT: String(i === 0 ? port : 0) })),
    );
  }
  const [first] = apps;
  if (first === undefined) throw new Error("a world needs a replica");
  const { store } = first;
  for (const id of ["acme", "globex"])
    await store.createTenant({ id, name: id, createdAt: new Date().toISOString() });
  const tenant = store.tenant("acme");
  await first.connections.add(tenant, {
    id: "web",
    provider: board.provider,
    settings: { ...board.settings, ...options.settings },
    credentials: { ...board.credentials, ...options.credentials },
  });
  const url = (replica: number) => apps[replica]?.url ?? "";
  const world: SyncWorld = {
    redis,
    apps,
    url,
    api: (replica, method, path, body) => callApi(url(replica), method, path, body),
    token: async (id = "acme") => (await issueToken(store.tenant(id), { name: "Ann" }, new Date())).token,
    async sync(replica = 0) {
      const path = "/tenants/acme/connections/web/sync?wait=true";
      return ((await world.api(replica, "POST", path)) as { changes: Change[] }).changes;
    },
    async actors() {
      const { ids } = await tenant.changesSince(0, 100_000);
      return (await tenant.getActors(ids)).filter((record) => record !== undefined);
    },
    async close() {
      await Promise.all(apps.map((app) => app.close()));
      await board.close();
      await redis.stop();
    },
  };
  await world.sync();
  return world;
}

export function serviceEnv(redisUrl: string): Record<string, string> {
  return {
    HOST: "127.0.0.1",
    PORT: "0",
    REDIS_URL: redisUrl,
    LOG_LEVEL: "error",
    BOARDWALK_ADMIN_TOKEN: ADMIN_TOKEN,
    BOARDWALK_ENCRYPTION_KEYS: `k:${KEY}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    // Polls would bring the board's news by another door than the one under test.
    BOARDWALK_TICKET_POLL_MS: "3600000",
  };
}
const KEY = randomBytes(32).toString("base64");

export async function callApi(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** A client that listens, as a person's assistant does, and stays connected. */
export interface Listener {
  readonly era: string;
  /** Of the 2025 session. */
  readonly sessionId: string | undefined;
  /** How often it was told that the tools have changed. */
  readonly heard: number;
  /** Resolves when it is told the next time. */
  nextNews(): Promise<void>;
  tools(): Promise<string[]>;
  call(
    name: string,
    args: Record<string, unknown>,
  ): Promise<{ isError: boolean; facts: Record<string, unknown> }>;
  close(): Promise<void>;
}

class Ear {
  heard = 0;
  #waiting: (() => void)[] = [];

  hear(): void {
    this.heard += 1;
    for (const tell of this.#waiting.splice(0)) tell();
  }

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export async function listenLegacy(mcpUrl: string, token: string): Promise<Listener> {
  const client = new LegacyClient({ name: "listener", version: "1.0.0" });
  const ear = new Ear();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => ear.hear());
  const transport = new LegacyTransport(new URL(mcpUrl), bearer(token));
  await client.connect(transport as Parameters<LegacyClient["connect"]>[0]);
  return listener("2025-11-25", client as unknown as AnyClient, ear, transport.sessionId);
}

export async function listenModern(mcpUrl: string, token: string): Promise<Listener> {
  const client = new ModernClient(
    { name: "listener", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const ear = new Ear();
  client.setNotificationHandler("notifications/tools/list_changed", () => ear.hear());
  await client.connect(new ModernTransport(new URL(mcpUrl), bearer(token)));
  await client.listen({ toolsListChanged: true });
  return listener("2026-07-28", client as unknown as AnyClient, ear);
}

function bearer(token: string) {
  return { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<{
    isError?: boolean;
    structuredContent?: Record<string, unknown>;
  }>;
  close(): Promise<void>;
}

function listener(era: string, client: AnyClient, ear: Ear, sessionId?: string): Listener {
  return {
    era,
    sessionId,
    get heard() {
      return ear.heard;
    },
    nextNews: () => ear.next(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args) {
      const { isError = false, structuredContent = {} } = await client.callTool({ name, arguments: args });
      return { isError, facts: structuredContent };
    },
    close: () => client.close(),
  };
}
