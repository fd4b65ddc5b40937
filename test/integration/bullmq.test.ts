import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type BullmqHooksOptions, createBullmqHooks } from "../../src/hooks/bullmq.js";
import { type Hooks, type Job, jobId } from "../../src/hooks/hooks.js";
import { type QuietLink, startQuietLink } from "../support/quiet-link.js";
import { freePort, type RedisServer, redisUrl, startRedis } from "../support/redis.js";
import { until } from "../support/until.js";

const WAIT_MS = 20_000;
const CHILD = fileURLToPath(new URL("../support/hooks-child.ts", import.meta.url));
const internal = expect.objectContaining({ ok: false, code: "internal" });

const opened: Hooks[] = [];
const children: ChildProcess[] = [];
let prefix: string;

function open(options: Omit<BullmqHooksOptions, "prefix">): Hooks {
  const hooks = createBullmqHooks({ prefix, lockMs: 1_000, stalledCheckMs: 300, ...options });
  opened.push(hooks);
  return hooks;
}

function startChild(...args: string[]): { process: ChildProcess; line(text?: string): Promise<string> } {
  const child = spawn(process.execPath, ["--import", "tsx", CHILD, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  return {
    process: child,
    line: (text) =>
      until(() => lines.find((line) => text === undefined || line === text), { timeoutMs: WAIT_MS }),
  };
}

const job = (fields: Partial<Job> = {}): Job => ({
  id: jobId("test", randomUUID()),
  name: "work",
  data: {},
  lane: "lane",
  ...fields,
});

const warnings: Error[] = [];
const onWarning = (warning: Error) => warnings.push(warning);

beforeAll(() => {
  process.on("warning", onWarning);
});
afterAll(() => {
  process.off("warning", onWarning);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await Promise.all(opened.splice(0).map((hooks) => hooks.close()));
});

describe("BullMQ hooks with a Redis that runs", () => {
  let connection: string;
  beforeAll(async () => {
    connection = await redisUrl();
  });

  it("gives the same reply to a process that did not put the job", { timeout: 30_000 }, async () => {
    prefix = `test-${randomUUID()}`;
    const hooks = open({ connection });
    let runs = 0;
    await hooks.serve({ work: async () => ({ run: ++runs }) });
    const same = job();
    const reply = await hooks.ask(same, WAIT_MS);
    const child = startChild("ask", connection, prefix, same.id);
    expect(JSON.parse(await child.line())).toEqual(reply);
    expect(runs).toBe(1);
  });

  it("hears the reply of a job that another process does", { timeout: 30_000 }, async () => {
    prefix = `test-${randomUUID()}`;
    const child = startChild("serve", connection, prefix);
    const reply = await open({ connection }).ask(job(), WAIT_MS);
    expect(reply).toEqual({ ok: true, result: { pid: child.process.pid } });
  });

  it("tells the reply to the process that put the job, and to nobody when that is who did it", async () => {
    prefix = `test-${randomUUID()}`;
    const listener = new Redis(connection);
    const told: string[] = [];
    listener.on("pmessage", (_pattern, channel: string, text: string) => told.push(`${channel} ${text}`));
    await listener.psubscribe(`${prefix}:*`);
    const [asker, doer] = [open({ connection }), open({ connection })];
    await doer.serve({ work: async () => "done" });
    const [elsewhere, here] = [job(), job()];
    const done = { ok: true, result: "done" };
    expect(await asker.ask(elsewhere, WAIT_MS)).toEqual(done);
    expect(await doer.ask(here, WAIT_MS)).toEqual(done);
    // Who joins what another has put looks for the reply.
    const joined = job();
    const both = [asker.ask(joined, WAIT_MS), open({ connection }).ask(joined, WAIT_MS)];
    expect(await Promise.all(both)).toEqual([done, done]);
    await listener.ping();
    const ids = told.map((line) => JSON.parse(line.slice(line.indexOf(" ") + 1)).id);
    expect(ids).toEqual(expect.arrayContaining([elsewhere.id, joined.id]));
    expect(ids).not.toContain(here.id);
    // What is no message of ours is passed over.
    const [channel = ""] = told[0]?.split(" ") ?? [];
    const publisher = listener.duplicate();
    for (const text of ["", "{", "null", "[]", JSON.stringify({ id: 7 })]) {
      expect(await publisher.publish(channel, text)).toBe(2);
    }
    expect(await asker.ask(job(), WAIT_MS)).toEqual(done);
    publisher.disconnect();
    listener.disconnect();
  });

  it("has a killed worker's job done by another, the waiter waiting on", { timeout: 40_000 }, async () => {
    prefix = `test-${randomUUID()}`;
    const hooks = open({ connection });
    const child = startChild("serve", connection, prefix);
    await child.line("serving");
    const asked = hooks.ask(job({ name: "hang" }), 30_000);
    await child.line("begun");
    const gone = once(child.process, "exit");
    child.process.kill("SIGKILL");
    await gone;
    await hooks.serve({ hang: async () => "done by another" });
    expect(await asked).toEqual({ ok: true, result: "done by another" });
  });

  it("answers a job that its worker could not even begin as internal", async () => {
    prefix = `test-${randomUUID()}`;
    const hooks = open({ connection });
    const queue = new Queue("boardwalk", { connection: { url: connection }, prefix });
    const tick = job();
    // A schedule's tick that asks for what nobody may put.
    await queue.add(
      "work",
      { lane: "lane", data: {}, attempt: 1, puts: "7" },
      { jobId: tick.id, removeOnFail: true },
    );
    const asked = hooks.ask(tick, WAIT_MS);
    await hooks.serve({ work: async () => "done" });
    expect(await asked).toEqual(internal);
    await queue.close();
  });

  it("waits no longer for a job that is gone without a word, and lets it be put again", async () => {
    prefix = `test-${randomUUID()}`;
    const broken = new Worker("boardwalk", () => Promise.reject(new Error("no such table")), {
      connection: { url: connection },
      prefix,
    });
    const hooks = open({ connection });
    const failing = job();
    expect(await hooks.ask(failing, WAIT_MS)).toBeUndefined();
    await broken.close();
    await hooks.serve({ work: async () => "done" });
    expect(await hooks.ask(failing, WAIT_MS)).toEqual({ ok: true, result: "done" });
  });

  it("does the same with a failure kept from before", async () => {
    prefix = `test-${randomUUID()}`;
    const kept = job();
    const queue = new Queue("boardwalk", { connection: { url: connection }, prefix });
    const broken = new Worker("boardwalk", () => Promise.reject(new Error("no such table")), {
      connection: { url: connection },
      prefix,
    });
    await queue.add("work", {}, { jobId: kept.id });
    await until(async () => (await queue.getFailedCount()) === 1);
    await broken.close();
    const hooks = open({ connection });
    await hooks.serve({ work: async () => "done" });
    expect(await hooks.ask(kept, WAIT_MS)).toEqual(internal);
    expect(await hooks.ask(kept, WAIT_MS)).toEqual({ ok: true, result: "done" });
    await queue.close();
  });

  it("answers a job or a reply that it cannot read as internal", async () => {
    prefix = `test-${randomUUID()}`;
    const queue = new Queue("boardwalk", { connection: { url: connection }, prefix });
    const unreadable = job();
    await queue.add("work", { attempt: "many" }, { jobId: unreadable.id });
    const foreign = new Worker("boardwalk", undefined, { connection: { url: connection }, prefix });
    const answered = job();
    await queue.add("work", {}, { jobId: answered.id });
    await until(async () => (await queue.getWaitingCount()) === 2);
    const hooks = open({ connection });
    const first = await foreign.getNextJob("token");
    await first?.moveToDelayed(Date.now() + 200, "token");
    const second = await foreign.getNextJob("token");
    await second?.moveToCompleted({ ok: true, surprise: 1, code: 7 }, "token", false);
    await foreign.close();
    await hooks.serve({ work: async () => "done" });
    expect(await hooks.ask(unreadable, WAIT_MS)).toEqual(internal);
    // What merely says more than we know is still a reply.
    expect(await hooks.ask(answered, WAIT_MS)).toEqual({ ok: true, result: undefined });
    await queue.close();
  });

  it("finds by itself a reply whose event was lost", async () => {
    prefix = `test-${randomUUID()}`;
    const hooks = open({ connection });
    const queue = new Queue("boardwalk", { connection: { url: connection }, prefix });
    const worker = new Worker("boardwalk", undefined, { connection: { url: connection }, prefix });
    const lost = job();
    const asked = hooks.ask(lost, WAIT_MS);
    await until(async () => (await queue.getWaitingCount()) === 1);
    const taken = await worker.getNextJob("token");
    const redis = await queue.getBackend().connection.client;
    await redis
      .multi()
      .hset(`${prefix}:boardwalk:${lost.id}`, {
        finishedOn: Date.now(),
        returnvalue: JSON.stringify({ ok: true, result: "silent" }),
      })
      .exec();
    expect(taken?.id).toBe(lost.id);
    expect(await asked).toEqual({ ok: true, result: "silent" });
    await worker.close(true);
    await queue.close();
  });

  it("serves a hundred waiters at once without a warning of leaked listeners", async () => {
    prefix = `test-${randomUUID()}`;
    const hooks = open({ connection });
    const replies = Array.from({ length: 100 }, (_, n) =>
      hooks.ask(job({ data: { n }, lane: `${n}` }), WAIT_MS),
    );
    await until(async () => (await hooks.counts()).waiting === 100);
    await hooks.serve({
      work: async ({ n }, { signal }) => {
        signal.addEventListener("abort", () => {});
        return n;
      },
    });
    expect(await Promise.all(replies)).toEqual(replies.map((_, n) => ({ ok: true, result: n })));
    expect(warnings).toEqual([]);
  });

  it("lets a burst of one lane wait in its worker, and other lanes through meanwhile", async () => {
    prefix = `test-${randomUUID()}`;
    const hooks = open({ connection, laneCap: 1, concurrency: 4 });
    const queue = new Queue("boardwalk", { connection: { url: connection }, prefix });
    let openGate = () => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    const done: unknown[] = [];
    await hooks.serve({
      first: () => gate,
      work: async ({ id }) => {
        done.push(id);
      },
    });
    await hooks.put(job({ name: "first" }));
    for (const id of ["a", "b", "c", "d"]) await hooks.put(job({ id, data: { id } }));
    await until(async () => (await queue.getActiveCount()) === 5);
    // All of its four places are taken or waited for; there is room for others all the same.
    for (const id of ["x", "y", "z"])
      expect(await hooks.ask(job({ id, lane: `other-${id}`, data: { id } }), WAIT_MS)).toMatchObject({
        ok: true,
      });
    expect(done).toEqual(["x", "y", "z"]);
    openGate();
    await until(() => done.length === 7, { timeoutMs: WAIT_MS });
    expect(done.slice(3)).toEqual(["a", "b", "c", "d"]);
    await queue.close();
  });

  it("begins the first of a hundred jobs before it has fetched the rest", async () => {
    prefix = `test-${randomUUID()}`;
    const hooks = open({ connection, laneCap: 100, concurrency: 100 });
    for (let n = 0; n < 100; n++) await hooks.put(job({ lane: `team-${n}`, data: { n } }));
    const fetched: Promise<number>[] = [];
    let begun = 0;
    let openGate = () => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    await hooks.serve({
      work: async () => {
        begun += 1;
        fetched.push(hooks.counts().then(({ running }) => running));
        await gate;
      },
    });
    // As many as there may be, in the end.
    await until(() => begun === 100, { timeoutMs: WAIT_MS });
    expect(await fetched[0]).toBeLessThan(50);
    openGate();
    await until(async () => (await hooks.counts()).running === 0, { timeoutMs: WAIT_MS });
  });

  it("fetches jobs that stepped back as soon as their lane has room", { timeout: 40_000 }, async () => {
    prefix = `test-${randomUUID()}`;
    // Two more of the lane may wait in the worker.
    const hooks = open({ connection, laneCap: 1, concurrency: 2 });
    const queue = new Queue("boardwalk", { connection: { url: connection }, prefix });
    let openGate = () => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    const finishedAt = new Map<unknown, number>();
    await hooks.serve({
      first: () => gate,
      work: async ({ id }) => finishedAt.set(id, Date.now()),
    });
    await hooks.put(job({ name: "first" }));
    await until(async () => (await hooks.counts()).running === 1);
    const ids = Array.from({ length: 5 }, (_, n) => `later-${n}`);
    for (const id of ids) await hooks.put(job({ id, data: { id } }));
    // Their delays grow each time: far enough ahead to tell being fetched from coming back by oneself.
    const due = await until(
      async () => {
        const delayed = await queue.getDelayed();
        const dues = delayed.map((each) => [each.id, (each.processedOn ?? 0) + each.delay] as const);
        return dues.length === ids.length - 2 && dues.every(([, at]) => at > Date.now() + 500) && dues;
      },
      { timeoutMs: 30_000 },
    );
    openGate();
    await until(() => finishedAt.size === ids.length, { timeoutMs: WAIT_MS });
    for (const [id, at] of due) expect(finishedAt.get(id)).toBeLessThan(at);
    await queue.close();
  });

  it("runs a schedule once a tick, though two processes ask and serve", async () => {
    prefix = `test-${randomUUID()}`;
    const [one, two] = [open({ connection }), open({ connection })];
    let runs = 0;
    for (const hooks of [one, two]) await hooks.serve({ work: async () => ++runs });
    const began = Date.now();
    await Promise.all([one, two].map((hooks) => hooks.schedule(job({ id: "sweep" }), 100)));
    await until(() => runs >= 6);
    // A first run at once, another at each full tick passed since.
    expect(runs).toBeLessThanOrEqual(2 + Math.ceil((Date.now() - began) / 100));
  });
});

describe("BullMQ hooks with a Redis that comes and goes", () => {
  let redis: RedisServer | undefined;
  let link: QuietLink | undefined;
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((hooks) => hooks.close()));
    await link?.close();
    await redis?.stop();
    link = undefined;
    redis = undefined;
  });

  it("does after a restart of Redis what was put before it", { timeout: 30_000 }, async () => {
    prefix = "restart";
    redis = await startRedis({ appendOnly: true });
    const hooks = open({ connection: redis.url });
    const owed = job();
    // From here on this process listens, so that whoever asks again sends at once.
    expect(await hooks.ask(owed, 0)).toBeUndefined();
    const asked = hooks.ask(owed, WAIT_MS);
    await until(async () => (await hooks.counts()).waiting === 1);
    // Answered after what the asker has sent: a command of hers that broke off would rightly be `unavailable`.
    await hooks.counts();
    await redis.restart();
    await hooks.serve({ work: async () => "done" });
    expect(await asked).toEqual({ ok: true, result: "done" });
  });

  it("closes while Redis is away", { timeout: 30_000 }, async () => {
    prefix = "closing";
    redis = await startRedis();
    const hooks = open({ connection: redis.url });
    await hooks.serve({ work: async () => "done" });
    expect(await hooks.ask(job(), WAIT_MS)).toEqual({ ok: true, result: "done" });
    await redis.kill();
    await until(async () => (await hooks.counts().catch(() => undefined)) === undefined);
    await hooks.close();
  });

  it("says unavailable while Redis is down, and works by itself when it is back", {
    timeout: 40_000,
  }, async () => {
    prefix = "down";
    redis = await startRedis({ appendOnly: true });
    const hooks = open({ connection: redis.url });
    await hooks.serve({ work: async () => "done" });
    expect(await hooks.ask(job(), WAIT_MS)).toEqual({ ok: true, result: "done" });
    await redis.kill();
    const unavailable = { name: "BoardwalkError", code: "unavailable" };
    await expect(hooks.ask(job(), WAIT_MS)).rejects.toMatchObject(unavailable);
    await expect(hooks.put(job())).rejects.toMatchObject(unavailable);
    await expect(hooks.schedule(job(), 1_000)).rejects.toMatchObject(unavailable);
    await expect(hooks.counts()).rejects.toMatchObject(unavailable);
    await redis.restart();
    const late = job();
    const reply = await until(() => hooks.ask(late, WAIT_MS), { timeoutMs: WAIT_MS });
    expect(reply).toEqual({ ok: true, result: "done" });
  });

  it("gives up connections that have fallen silent, those of its worker too", {
    timeout: 60_000,
  }, async () => {
    prefix = "silent";
    redis = await startRedis();
    link = await startQuietLink(redis.port);
    const connection = `redis://127.0.0.1:${link.port}`;
    const [asker, doer] = [
      open({ connection, commandTimeoutMs: 500 }),
      open({ connection, commandTimeoutMs: 500 }),
    ];
    await doer.serve({ work: async () => "done" });
    expect(await asker.ask(job(), WAIT_MS)).toEqual({ ok: true, result: "done" });
    link.silence();
    await expect(asker.ask(job(), WAIT_MS)).rejects.toMatchObject({ code: "unavailable" });
    const late = job();
    const reply = await until(() => asker.ask(late, 30_000), { timeoutMs: 40_000 });
    expect(reply).toEqual({ ok: true, result: "done" });
  });

  it("is opened while Redis is down, and works once it is there", { timeout: 40_000 }, async () => {
    prefix = "later";
    const port = await freePort();
    const hooks = open({ connection: `redis://127.0.0.1:${port}` });
    await hooks.serve({ work: async () => "done" });
    await expect(hooks.ask(job(), WAIT_MS)).rejects.toMatchObject({ code: "unavailable" });
    redis = await startRedis({ port });
    const late = job();
    const reply = await until(() => hooks.ask(late, WAIT_MS), { timeoutMs: WAIT_MS });
    expect(reply).toEqual({ ok: true, result: "done" });
  });

  it("can be closed while Redis is down", { timeout: 30_000 }, async () => {
    prefix = "closing";
    const hooks = open({ connection: `redis://127.0.0.1:${await freePort()}` });
    await hooks.serve({ work: async () => "done" });
    await hooks.close();
    await expect(hooks.put(job())).rejects.toMatchObject({ code: "unavailable" });
  });

  it("hears the reply of a job asked before Redis went away", { timeout: 40_000 }, async () => {
    prefix = "waiting";
    redis = await startRedis({ appendOnly: true });
    const hooks = open({ connection: redis.url });
    let openGate: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    let begun = 0;
    await hooks.serve({
      work: () => {
        begun++;
        return gate.then(() => "done");
      },
    });
    const asked = hooks.ask(job(), 30_000);
    await until(() => begun === 1);
    await redis.restart();
    openGate();
    expect(await asked).toEqual({ ok: true, result: "done" });
  });
});
