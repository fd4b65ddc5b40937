import { Cluster, type Redis } from "ioredis";
import type { Problem } from "../board/connector.js";
import { openConnection, watchConnection } from "../redis/connection.js";
import type { RedisClient } from "../redis/open.js";
import { createSubscriber } from "../redis/subscriber.js";
import { requireTenantId, tenantTaken } from "./checks.js";
import { AUDIT_LIMIT, byId, decodeTenant, HISTORY_LIMIT } from "./codec.js";
import { encodeContent } from "./format.js";
import { decodeTenantId, readChange, redisKeys } from "./redis/keys.js";
import { defineScripts } from "./redis/scripts.js";
import { watchServer } from "./redis/server-watch.js";
import { RedisTenant, splitOnce } from "./redis/tenant.js";
import type { Loss, Store } from "./store.js";

export interface RedisStoreOptions {
  /**
   * A URL, or a connection that stays the caller's: `close` leaves it open, and its options decide how long a call
   * waits while Redis is away (`enableOfflineQueue: false` and `autoResendUnfulfilledCommands: false` are wise).
   */
  readonly client: RedisClient | string;
  /** What every key begins with. @default "bw" */
  readonly prefix?: string;
  /** Events kept of one ticket. @default 200 */
  readonly historyLimit?: number;
  /** Audit events kept of one tenant. @default 100000 */
  readonly auditLimit?: number;
}

/**
 * Keeps everything in Redis 6.2 or later, or Valkey. Every write is one atomic script or command, and every read one
 * round trip. While Redis cannot be reached calls reject with `unavailable`, and work again once it is back; a write
 * that was under way when it went may or may not have landed.
 */
export function createRedisStore(options: RedisStoreOptions): Store {
  const { client: given, prefix = "bw" } = options;
  const { client, connection } =
    typeof given === "string"
      ? openConnection(given)
      : { client: given, connection: watchConnection(given, false) };
  const keys = redisKeys(prefix);
  const limits = { history: options.historyLimit ?? HISTORY_LIMIT, audit: options.auditLimit ?? AUDIT_LIMIT };
  const returned = new Set<(loss: Loss) => void>();
  const tell = (loss: Loss) => {
    for (const listener of returned) listener(loss);
  };
  const subscriber = createSubscriber(connection, () => tell("unheard"));
  const unwatch = watchServer(client, () => tell("undone"));
  defineScripts(client);

  return {
    tenant: (id) => new RedisTenant(requireTenantId(id), connection, keys, limits),
    async createTenant(info) {
      const json = encodeContent("tenant", info);
      const made = await connection.run((redis) =>
        redis.hsetnx(keys.tenants, requireTenantId(info.id), json),
      );
      if (made === 0) throw tenantTaken(info.id);
    },
    async listTenants() {
      const all = await connection.run((redis) => redis.hgetall(keys.tenants));
      return Object.entries(all)
        .map(([id, json]) => decodeTenant(json, id))
        .sort(byId);
    },
    async findHandle(kind, handle) {
      const stored = await connection.run((redis) => redis.hget(keys.handles(kind), handle));
      if (stored === null) return undefined;
      const [tenant, value] = splitOnce(stored);
      return { tenant: decodeTenantId(tenant), value };
    },
    async publish(channel, message) {
      await connection.run((redis) => publishTo(redis, keys.channel(channel), message));
    },
    subscribe: (channel, listener) => subscriber.subscribe(keys.channel(channel), listener),
    watch: (listener) =>
      subscriber.watch(keys.changes, (channel, message) =>
        listener(keys.changedTenant(channel), ...readChange(message)),
      ),
    returned(listener) {
      const own = (loss: Loss) => listener(loss);
      returned.add(own);
      return () => void returned.delete(own);
    },
    async ping() {
      await connection.run((redis) => redis.ping());
    },
    async close() {
      unwatch();
      returned.clear();
      await subscriber.close();
      await connection.close();
    },
  };
}

/** On a cluster by the node that has the channel's slot: by any node, as else, messages may overtake each other. */
function publishTo(redis: RedisClient, channel: string, message: string): Promise<unknown> {
  if (!(redis instanceof Cluster)) return redis.publish(channel, message);
  return redis.eval("return redis.call('PUBLISH', KEYS[1], ARGV[1])", 1, channel, message);
}

/**
 * What is wrong with this Redis as a place to keep things in; empty when nothing is. Of a cluster, each primary is
 * looked at. Asks INFO, which hosted Redis allows where it forbids CONFIG.
 * @throws BoardwalkError `unavailable` when it cannot be reached.
 */
export async function checkRedisSettings(client: RedisClient): Promise<Problem[]> {
  const connection = watchConnection(client, false);
  const all = await connection
    .run((redis) => Promise.all((redis instanceof Cluster ? redis.nodes("master") : [redis]).map(factsOf)))
    .finally(() => connection.close());
  return [versionProblem, appendOnlyProblem, evictionProblem, failoverProblem].flatMap(
    (check) => all.map(check).find((problem) => problem !== undefined) ?? [],
  );
}

const MOST_SKEW_MS = 5_000;

/** How far this machine's clock is from the store's: leases, budgets and what is remembered are told by either. */
export async function checkRedisClock(client: RedisClient): Promise<Problem[]> {
  const askedAt = Date.now();
  const [seconds = 0, micros = 0] = (await client.time()).map(Number);
  const halfway = (askedAt + Date.now()) / 2;
  const skewMs = Math.round(halfway - (seconds * 1_000 + micros / 1_000));
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return [];
  const which = skewMs > 0 ? "ahead of" : "behind";
  return [
    {
      code: "clock_skew",
      message: `This machine's clock is ${Math.abs(skewMs / 1_000).toFixed(1)} seconds ${which} Redis' clock.`,
      fix: "Set both clocks by NTP.",
    },
  ];
}

type Facts = ReadonlyMap<string, string>;

async function factsOf(server: Redis): Promise<Facts> {
  const info = await Promise.all(
    ["server", "persistence", "memory", "replication"].map((part) => server.info(part)),
  );
  const lines = info.join("\n").split(/\r?\n/);
  return new Map(lines.map((line) => line.split(/:(.*)/, 2) as [string, string]));
}

function versionProblem(facts: Facts): Problem | undefined {
  const version = facts.get("redis_version") ?? "0";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 6 || (major === 6 && minor >= 2)) return undefined;
  return {
    code: "redis_too_old",
    message: `This Redis is version ${version}; Boardwalk needs 6.2 or later.`,
    fix: "Run Redis 7 or later, or Valkey.",
  };
}

function appendOnlyProblem(facts: Facts): Problem | undefined {
  if (facts.get("aof_enabled") === "1") return undefined;
  return {
    code: "redis_not_durable",
    message:
      "This Redis keeps no append-only file, so a crash can lose tickets, moves and hooks that are owed.",
    fix: "Set `appendonly yes` in redis.conf, or run `redis-cli CONFIG SET appendonly yes` and CONFIG REWRITE.",
  };
}

function evictionProblem(facts: Facts): Problem | undefined {
  const policy = facts.get("maxmemory_policy");
  if (policy === "noeviction") return undefined;
  return {
    code: "redis_evicts",
    message: `This Redis throws keys away when its memory is full (maxmemory-policy ${policy ?? "unknown"}).`,
    fix: "Set `maxmemory-policy noeviction` in redis.conf, or run `redis-cli CONFIG SET maxmemory-policy noeviction` and CONFIG REWRITE.",
  };
}

/** Only a primary that counts its replicas before it takes a write tells how many are near. */
function failoverProblem(facts: Facts): Problem | undefined {
  const replicas = Number(facts.get("connected_slaves") ?? 0);
  if (replicas === 0 || facts.has("min_slaves_good_slaves")) return undefined;
  return {
    code: "redis_failover_loses",
    message:
      "This Redis has replicas and takes writes without them, so when one of them takes over, all that it had not received yet is lost.",
    fix: "Set `min-replicas-to-write 1` and `min-replicas-max-lag 1` in redis.conf, or with `redis-cli CONFIG SET` and CONFIG REWRITE: that bounds it to about a second. See docs/reliability.md.",
  };
}
