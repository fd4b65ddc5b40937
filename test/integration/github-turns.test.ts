import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTurns } from "../../src/board/turns.js";
import { openRedis } from "../../src/redis/open.js";
import { createHold } from "../../src/store/redis/turns.js";
import { type RedisServer, startRedis } from "../support/redis.js";
import { until } from "../support/until.js";

/** GitHub asks that one account's writes come one after another, with a pause between: from however many processes. */

const SPACING_MS = 60;
const WRITE_MS = 40;
let redis: RedisServer;
let board: Server;
let boardUrl: string;
/** When each write began and ended at the board, by the account that made it. */
const writes: { readonly token: string | undefined; readonly began: number; ended: number }[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  redis = await startRedis();
  board = createServer(async (request, response) => {
    const write = { token: request.headers.authorization, began: performance.now(), ended: Number.NaN };
    writes.push(write);
    await sleep(WRITE_MS);
    write.ended = performance.now();
    response.setHeader("content-type", "application/json");
    response.end("{}");
  });
  board.listen(0, "127.0.0.1");
  await once(board, "listening");
  boardUrl = `http://127.0.0.1:${(board.address() as AddressInfo).port}`;
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  writes.length = 0;
});
afterAll(async () => {
  board?.close();
  await redis?.stop();
});

/** A process that makes so many writes at once when it is told to. */
async function startWriter(token: string, count: number): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [
      ...["--import", "tsx", "test/support/github-writer.ts"],
      ...[redis.url, boardUrl, token, String(SPACING_MS), String(count)],
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  children.push(child);
  if (child.stdout === null) throw new Error("it cannot be heard");
  await once(child.stdout, "data");
  return child;
}

async function write(writers: readonly ChildProcess[]): Promise<void> {
  const ended = writers.map((child) => once(child, "exit"));
  for (const child of writers) child.stdin?.write("go\n");
  for (const [code] of await Promise.all(ended)) expect(code).toBe(0);
}

describe("writes to GitHub from two processes", () => {
  it("come one after another for one account, each a while after the last has ended", async () => {
    await write(await Promise.all([startWriter("one", 6), startWriter("one", 6)]));
    expect(writes).toHaveLength(12);
    const gaps = writes.slice(1).map(({ began }, i) => began - (writes[i]?.ended ?? 0));
    // The board's own end comes before the writer hears of it, so the pause is never shorter here than there.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(SPACING_MS - 1);
  }, 60_000);

  it("wait for nobody of another account", async () => {
    await write(await Promise.all([startWriter("one", 6), startWriter("two", 6)]));
    const isBeside = (one: (typeof writes)[number]) =>
      writes.some((other) => other.token !== one.token && other.began < one.ended && one.began < other.ended);
    expect(writes.some(isBeside)).toBe(true);
  }, 60_000);

  it("go on when one of them is killed in its turn", async () => {
    const [killed, other] = await Promise.all([startWriter("one", 50), startWriter("one", 3)]);
    killed?.stdin?.write("go\n");
    await until(() => writes.length > 0);
    killed?.kill("SIGKILL");
    await write(other === undefined ? [] : [other]);
  }, 60_000);
});

describe("turns", () => {
  it("are taken alone while Redis is away", async () => {
    const client = openRedis("redis://127.0.0.1:1", { enableOfflineQueue: false });
    client.on("error", () => {});
    const turns = createTurns(createHold(client));
    const { signal } = new AbortController();
    const turn = { key: "k", spacingMs: 1 };
    let running = 0;
    const work = async () => {
      expect(++running).toBe(1);
      await sleep(2);
      running -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => turns.take(turn, work, signal)));
    client.disconnect();
  });

  it("are not waited for by whoever is called off", async () => {
    const client = openRedis(redis.url);
    await until(() => client.status === "ready");
    const [one, two] = [createTurns(createHold(client)), createTurns(createHold(client))];
    const turn = { key: "called-off", spacingMs: 1 };
    const holding = new AbortController();
    let begun = false;
    const held = one.take(
      turn,
      async () => {
        begun = true;
        await once(holding.signal, "abort");
      },
      new AbortController().signal,
    );
    await until(() => begun);
    const calling = new AbortController();
    const waiting = two.take(turn, async () => calling.signal.throwIfAborted(), calling.signal);
    calling.abort(new Error("called off"));
    await expect(waiting).rejects.toThrow("called off");
    holding.abort();
    await held;
    client.disconnect();
  });
});
