import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../src/log.js";
import { type OwnRedis, startOwnRedis } from "../../src/redis-server.js";
import { until } from "../support/until.js";

const log = createLog({ level: "silent" });
let dir: string;
const started: OwnRedis[] = [];
const clients: Redis[] = [];
const children: ChildProcess[] = [];

async function startIn(folder = dir): Promise<OwnRedis> {
  const redis = await startOwnRedis({ dir: folder, log });
  if (redis === undefined) throw new Error("no redis-server on this machine");
  started.push(redis);
  return redis;
}

function client(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => null });
  redis.on("error", () => undefined);
  clients.push(redis);
  return redis;
}

/** Another Boardwalk, in another process, that prints its Redis' address. */
async function startElsewhere(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const source = new URL("../../src/", import.meta.url);
  const script = `
    import { startOwnRedis } from ${JSON.stringify(new URL("redis-server.ts", source).href)};
    import { createLog } from ${JSON.stringify(new URL("log.ts", source).href)};
    const redis = await startOwnRedis({ dir: process.argv[1], log: createLog({ level: "silent" }) });
    console.log(redis.url + " " + redis.shared);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script, dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  let said = "";
  child.stdout.on("data", (data) => {
    said += data;
  });
  await until(() => said.includes("\n"), { timeoutMs: 20_000 });
  return { child, url: said.split(" ")[0] ?? "" };
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'boardwalk "own" '));
});

afterEach(async () => {
  for (const redis of clients.splice(0)) redis.disconnect();
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const redis of started.splice(0)) await redis.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

describe("a Redis of our own", () => {
  it("listens on loopback behind a password, appends everything and evicts nothing", async () => {
    const { url } = await startIn();
    const redis = client(url);
    const setting = async (name: string) => (await redis.config("GET", name)) as string[];
    expect(await setting("appendonly")).toEqual(["appendonly", "yes"]);
    expect(await setting("maxmemory-policy")).toEqual(["maxmemory-policy", "noeviction"]);
    expect(await setting("bind")).toEqual(["bind", "127.0.0.1"]);
    const { port, password } = new URL(url);
    expect(password.length).toBeGreaterThanOrEqual(32);
    await expect(client(`redis://127.0.0.1:${port}`).get("x")).rejects.toThrow(/NOAUTH/);
    for (const file of ["redis.conf", "running.json"]) {
      expect(statSync(join(dir, "redis", file)).mode & 0o077, file).toBe(0);
    }
  });

  it("keeps what was written over an orderly end", async () => {
    const first = await startIn();
    await client(first.url).set("ticket", "ENG-1");
    await first.close();
    await first.close();
    const second = await startIn();
    expect(second.shared).toBe(false);
    expect(await client(second.url).get("ticket")).toBe("ENG-1");
  });

  it("is shared, not started twice, when two start in one folder at once", async () => {
    const both = await Promise.all([startIn(), startIn(), startElsewhere()]);
    expect(new Set(both.map(({ url }) => url)).size).toBe(1);
    expect(started.filter(({ shared }) => !shared).length).toBeLessThanOrEqual(1);
  });

  it("is left alone by those who only share it", async () => {
    const owner = await startIn();
    const guest = await startIn();
    expect([owner.shared, guest.shared]).toEqual([false, true]);
    await guest.close();
    expect(await client(owner.url).ping()).toBe("PONG");
  });

  it("ends with a service that is killed, and gives its data to the next one", async () => {
    const { child, url } = await startElsewhere();
    await client(url).set("ticket", "ENG-2");
    child.kill("SIGKILL");
    await once(child, "exit");
    const next = await startIn();
    expect(next.shared).toBe(false);
    expect(next.url).not.toBe(url);
    expect(await client(next.url).get("ticket")).toBe("ENG-2");
    await expect(client(url).ping()).rejects.toThrow();
  });

  it("is not there where no program is installed", async () => {
    expect(await startOwnRedis({ dir, log, programs: ["no-such-redis-server"] })).toBeUndefined();
  });

  it("says where to read why it does not start", async () => {
    await expect(startOwnRedis({ dir, log, programs: ["true"] })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("redis.log"),
    });
  });
});
