import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { endWithUs, freePort, type RedisServer, startRedis } from "./redis.js";
import { until } from "./until.js";

/** Several real redis-servers that belong together. */

const run = promisify(execFile);

export async function redisCli(port: number, ...args: readonly string[]): Promise<string> {
  return (await run("redis-cli", ["-h", "127.0.0.1", "-p", String(port), ...args])).stdout.trim();
}

export interface RedisCluster {
  readonly url: string;
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

/** Three primaries with a third of the slots each. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const nodes = await Promise.all([startNode(), startNode(), startNode()]);
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await run("redis-cli", ["--cluster", "create", ...hosts, "--cluster-yes"]);
  await until(() => isWhole(nodes), { timeoutMs: 30_000 });
  return {
    url: `redis-cluster://${hosts.join(",")}`,
    nodes,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}

async function startNode(): Promise<RedisServer> {
  // Not 10,000 above the other, as it would be otherwise: the kernel takes outgoing ports from there.
  const busPort = String(await freePort());
  const more = ["--cluster-enabled", "yes", "--cluster-node-timeout", "10000", "--cluster-port", busPort];
  return await startRedis({ appendOnly: true, more: () => more });
}

/** Whether each node serves and has its links to both others: messages go over those, and are lost without. */
async function isWhole(nodes: readonly RedisServer[]): Promise<boolean> {
  const whole = nodes.map(async ({ port }) => {
    const [info, list] = await Promise.all([
      redisCli(port, "cluster", "info"),
      redisCli(port, "cluster", "nodes"),
    ]);
    return info.includes("cluster_state:ok") && [...list.matchAll(/ connected /g)].length === nodes.length;
  });
  return (await Promise.all(whole)).every(Boolean);
}

export interface RedisSentinels {
  readonly url: string;
  /** The one that was primary first, and its replica. */
  readonly servers: readonly [RedisServer, RedisServer];
  /** Ports of the sentinels. */
  readonly ports: readonly number[];
  /** The port of the server that the sentinels now hold for the primary. */
  primary(): Promise<number>;
  /** The servers, told apart by that. */
  roles(): Promise<{ readonly primary: RedisServer; readonly replica: RedisServer }>;
  /** Waits until one of them is primary and the other its replica, in step with it, and every sentinel says so. */
  settled(): Promise<void>;
  /** Has them promote the replica, and waits until they have. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

const GROUP = "mymaster";

/** A primary, its replica and three sentinels, two of which must agree. */
export async function startRedisSentinels(): Promise<RedisSentinels> {
  let primaryPort: number | undefined;
  // One that is started again joins whoever is primary by then; left to the sentinels, that would take ten seconds.
  const more = (port: number) =>
    primaryPort === undefined || primaryPort === port
      ? []
      : ["--replicaof", "127.0.0.1", String(primaryPort)];
  const first = await startRedis({ appendOnly: true, more });
  primaryPort = first.port;
  const second = await startRedis({ appendOnly: true, more });
  await until(() => inStep(second), { timeoutMs: 30_000 });
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(first.port)));
  const ports = sentinels.map(({ port }) => port);
  await until(async () => (await Promise.all(ports.map(knowsAll))).every(Boolean), { timeoutMs: 30_000 });
  const [asked = 0] = ports;
  const primaryOf = async (sentinel: number) =>
    Number((await redisCli(sentinel, "sentinel", "get-master-addr-by-name", GROUP)).split("\n")[1]);
  const primary = async () => {
    primaryPort = await primaryOf(asked);
    return primaryPort;
  };
  const roles = async () =>
    (await primary()) === first.port
      ? { primary: first, replica: second }
      : { primary: second, replica: first };
  return {
    url: `redis-sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(",")}/${GROUP}`,
    servers: [first, second],
    ports,
    primary,
    roles,
    async settled() {
      await until(
        async () => {
          const { primary: told, replica } = await roles();
          const all = await Promise.all(ports.map(primaryOf));
          return all.every((port) => port === told.port) && (await inStep(replica, told.port));
        },
        { timeoutMs: 60_000 },
      );
    },
    async failOver() {
      const before = await primary();
      // Refused while the sentinels are still about the last one.
      await until(async () => (await redisCli(asked, "sentinel", "failover", GROUP)) === "OK", {
        timeoutMs: 30_000,
      });
      await until(async () => (await primary()) !== before, { timeoutMs: 30_000 });
    },
    async stop() {
      await Promise.all(sentinels.map((sentinel) => sentinel.stop()));
      await Promise.all([first.stop(), second.stop()]);
    },
  };
}

/** Whether it follows a primary, or that very one, and has all of it. */
async function inStep(replica: RedisServer, primaryPort?: number): Promise<boolean> {
  const told = await redisCli(replica.port, "info", "replication");
  const follows = primaryPort === undefined || told.includes(`master_port:${primaryPort}`);
  return follows && told.includes("master_link_status:up");
}

/** Whether this sentinel has found the replica and both its fellows. */
async function knowsAll(port: number): Promise<boolean> {
  const known = await redisCli(port, "sentinel", "master", GROUP);
  return /num-slaves\n1\n/.test(known) && /num-other-sentinels\n2\n/.test(known);
}

async function startSentinel(primaryPort: number) {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), "boardwalk-sentinel-"));
  const config = join(dir, "sentinel.conf");
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `dir ${dir}`,
    "loglevel warning",
    `sentinel monitor ${GROUP} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${GROUP} 1000`,
    `sentinel failover-timeout ${GROUP} 4000`,
  ];
  writeFileSync(config, `${lines.join("\n")}\n`);
  const child = spawn("redis-server", [config, "--sentinel"], { stdio: ["ignore", "ignore", "inherit"] });
  const guard = endWithUs(child, dir);
  await until(async () => (await redisCli(port, "ping")) === "PONG", { timeoutMs: 20_000 });
  return {
    port,
    async stop() {
      guard.kill("SIGKILL");
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
