import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/store/memory.js";
import { checkRedisSettings, createRedisStore } from "../../src/store/redis.js";
import type { Store } from "../../src/store/store.js";
import { startQuietLink } from "../support/quiet-link.js";
import { redisUrl, startRedis } from "../support/redis.js";
import { watchLosses } from "../support/store-losses.js";
import { until } from "../support/until.js";
import { actor, describeStore, event, pending } from "./store.contract.js";

const prefix = () => `test-${randomUUID()}`;

/** Deletes what a test left behind under its prefix: REDIS_URL may be somebody's long-lived server. */
async function sweep(client: Redis, ours: string): Promise<void> {
  for await (const keys of client.scanStream({ match: `${ours}:*`, count: 1_000 })) {
    if (keys.length > 0) await client.unlink(...keys);
  }
}

describeStore("memory store", async () => {
  const store = createMemoryStore();
  return { store, close: () => store.close() };
});

describeStore("Redis store with its own connection", async () => {
  const ours = prefix();
  const url = await redisUrl();
  const store = createRedisStore({ client: url, prefix: ours });
  return {
    store,
    async close() {
      await store.close();
      const client = new Redis(url);
      await sweep(client, ours);
      await client.quit();
    },
  };
});

describeStore("Redis store with a connection of the caller's", async () => {
  const ours = prefix();
  const client = new Redis(await redisUrl(), { protocol: 2 });
  const store = createRedisStore({ client, prefix: ours });
  return {
    store,
    async close() {
      await store.close();
      expect(await client.ping()).toBe("PONG");
      await sweep(client, ours);
      await client.quit();
    },
  };
});

describe("Redis store", () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  const later = <T extends Store | Redis>(opened: T): T => {
    cleanups.push(async () => ("close" in opened ? opened.close() : opened.disconnect()));
    // Some tests take Redis away from under it.
    if (opened instanceof Redis) opened.on("error", () => undefined);
    return opened;
  };
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  async function ownServer(options: { appendOnly?: boolean } = {}) {
    const server = await startRedis(options);
    cleanups.push(() => server.stop());
    return server;
  }

  it("keeps a tenant's keys on one cluster slot, each under its prefix", async () => {
    const server = await ownServer();
    const client = later(new Redis(server.url));
    const store = later(createRedisStore({ client: server.url, prefix: "p" }));
    const tenant = store.tenant("a:{b} 🚀");
    await tenant.saveActor(actor("t", { pending: pending("x") }), [event("1")]);
    await tenant.saveDocument("setting", "s", { version: 0, value: 1 });
    await tenant.remember("k}", 1, 60_000);
    await tenant.claim("k{", 60_000);
    await tenant.audit({ at: "2026", action: "x" });
    const keys = await client.keys("*");
    expect(keys).toHaveLength(9);
    for (const key of keys) expect(key).toMatch(/^p:\{a%3A%7Bb%7D%20%F0%9F%9A%80\}:/);
  });

  it("lets two instances see each other: races, changes, messages", async () => {
    const shared = { client: await redisUrl(), prefix: prefix() };
    const [one, two] = [later(createRedisStore(shared)), later(createRedisStore(shared))];
    const heard: string[] = [];
    await two.subscribe("news", (message) => heard.push(message));
    const saved = await one.tenant("t").saveActor(actor("a"));
    await one.publish("news", "saved");
    await until(() => heard.length === 1);
    expect(await two.tenant("t").getActor("a")).toEqual(saved);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? one : two).tenant("t").saveActor(saved)),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await one.tenant("t").changesSince(0, 9)).ids).toEqual(["a"]);
    const client = later(new Redis(shared.client));
    await sweep(client, shared.prefix);
  });

  it("survives a crash of Redis with an append-only file, and works again by itself", async () => {
    const server = await ownServer({ appendOnly: true });
    const store = later(createRedisStore({ client: server.url }));
    const tenant = store.tenant("t");
    const heard: string[] = [];
    await store.subscribe("news", (message) => heard.push(message));
    const saved = await tenant.saveActor(actor("a", { pending: pending("x") }), [event("1")]);
    await tenant.saveDocument("setting", "s", { version: 0, value: 1 });
    await tenant.audit({ at: "2026", action: "x" });
    await server.kill();
    await expect(tenant.getActor("a")).rejects.toMatchObject({ code: "unavailable" });
    await server.restart();
    await until(() => tenant.getActor("a"));
    expect(await tenant.getActor("a")).toEqual(saved);
    expect(await tenant.unsettled(9)).toEqual(["a"]);
    expect((await tenant.history("a", { limit: 9 })).items).toEqual([event("1")]);
    expect(await tenant.getDocument("setting", "s")).toEqual({ version: 1, value: 1 });
    expect((await tenant.auditPage({ limit: 9 })).items).toHaveLength(1);
    expect((await tenant.saveActor(saved)).version).toBe(2);
    await until(async () => {
      await store.publish("news", "back");
      return heard.includes("back");
    });
  });

  it("is `unavailable`, in words, when Redis is not there; and each further call fails at once", async () => {
    const server = await ownServer();
    await server.kill();
    const store = later(createRedisStore({ client: server.url }));
    const first = store.ping();
    await expect(first).rejects.toMatchObject({ code: "unavailable", message: /cannot be reached/ });
    const calls = Array.from({ length: 50 }, () => store.tenant("t").saveActor(actor("a")));
    for (const result of await Promise.allSettled([...calls, store.subscribe("c", () => undefined)])) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
    }
    await server.restart();
    await until(() => store.ping().then(() => true));
    expect((await store.tenant("t").saveActor(actor("a"))).version).toBe(1);
  });

  it("does not wait for ever for a Redis that hangs, and tells a save that may have landed as `unavailable`", async () => {
    const server = await ownServer();
    const store = later(createRedisStore({ client: server.url }));
    const tenant = store.tenant("t");
    await tenant.saveActor(actor("a"));
    process.kill(server.pid ?? 0, "SIGSTOP");
    const hanging = tenant.saveActor(actor("b"));
    await expect(hanging).rejects.toMatchObject({ code: "unavailable" });
    process.kill(server.pid ?? 0, "SIGCONT");
    await until(() => tenant.getActor("a"));
  });

  it("does not send again what was under way when Redis went: it would lose to itself", async () => {
    const server = await ownServer({ appendOnly: true });
    const store = later(createRedisStore({ client: server.url }));
    await store.ping();
    process.kill(server.pid ?? 0, "SIGSTOP");
    const answers: unknown[] = [];
    void store
      .tenant("t")
      .claim("k", 60_000)
      .then(
        (made) => answers.push(made),
        (error: unknown) => answers.push(error),
      );
    await server.restart();
    await until(() => store.ping().then(() => true));
    // By then, and not when its time is over.
    expect(answers).toMatchObject([{ code: "unavailable" }]);
    expect(await store.tenant("t").claim("k", 60_000)).toBe(true);
  });

  it("says that news may have gone unheard when its listening was cut off, and hears on", async () => {
    const server = await ownServer();
    const client = later(new Redis(server.url));
    const store = later(createRedisStore({ client: server.url }));
    const { told, hears } = await watchLosses(store);
    await client.call("CLIENT", "KILL", "TYPE", "pubsub");
    await until(() => told.length > 0);
    expect(told).toEqual(["unheard"]);
    await hears();
    // It listens elsewhere than it asks: that connection may be cut, and nothing is lost.
    await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until(() => store.ping().then(() => true));
    await hears();
    expect(told).toEqual(["unheard"]);
  });

  it("finds out that its listening has fallen silent", async () => {
    const server = await ownServer();
    const link = await startQuietLink(server.port);
    cleanups.push(() => link.close());
    const store = later(createRedisStore({ client: `redis://127.0.0.1:${link.port}` }));
    const { told, hears } = await watchLosses(store);
    link.silence();
    await until(() => told.includes("unheard"), { timeoutMs: 25_000 });
    await hears();
  });

  it("says that what was read may be undone when another server answers, or the same anew", async () => {
    const server = await ownServer();
    const store = later(createRedisStore({ client: server.url }));
    const { told, hears } = await watchLosses(store);
    await server.restart();
    await until(() => told.length === 2);
    expect(told.toSorted()).toEqual(["undone", "unheard"]);
    await hears();
  });

  it("loads its scripts again when Redis has forgotten them, singly and in bulk", async () => {
    const server = await ownServer();
    const client = later(new Redis(server.url));
    const tenant = later(createRedisStore({ client: server.url })).tenant("t");
    const a = await tenant.saveActor(actor("a"));
    await client.script("FLUSH");
    expect((await tenant.saveActor(a)).version).toBe(2);
    await client.script("FLUSH");
    expect(await tenant.saveActors([actor("b"), actor("c"), actor("b")])).toHaveLength(2);
  });

  it("says which record it cannot read, and nothing of what is in it", async () => {
    const server = await ownServer();
    const client = later(new Redis(server.url));
    const tenant = later(createRedisStore({ client: server.url })).tenant("t");
    await tenant.saveActor(actor("whole"));
    for (const bad of [
      '1 {"ticket":',
      '1 {"ticket":{"title":"secret words"}}',
      "1 null",
      "x",
      "",
      "NaN {}",
    ]) {
      await client.hset("bw:{t}:actors", "broken", bad);
      for (const read of [tenant.getActor("broken"), tenant.getActors(["whole", "broken"])]) {
        const error = await read.then(
          () => undefined,
          (thrown: Error) => thrown,
        );
        expect(error).toMatchObject({ code: "internal", message: /cannot be read/, data: { id: "broken" } });
        expect(JSON.stringify([error, String(error?.cause), error?.message])).not.toContain("secret words");
      }
    }
    await client.hset("bw:{t}:documents:setting", "broken", "1 {");
    await expect(tenant.getDocument("setting", "broken")).rejects.toMatchObject({ data: { id: "broken" } });
  });

  it("does not hang a command's arguments on its errors", async () => {
    const server = await ownServer();
    const client = later(new Redis(server.url));
    const tenant = later(createRedisStore({ client: server.url })).tenant("t");
    await client.set("bw:{t}:actors", "not a hash");
    const error = await tenant.saveActor(actor("secret words")).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "internal", cause: { message: /WRONGTYPE/ } });
    expect(
      JSON.stringify((error as Error).cause, Object.getOwnPropertyNames((error as Error).cause)),
    ).not.toContain("secret words");
  });

  it("says that nothing was saved when Redis is full, and writes no half of it", async () => {
    const server = await ownServer();
    const client = later(new Redis(server.url));
    const tenant = later(createRedisStore({ client: server.url })).tenant("t");
    const saved = await tenant.saveActor(actor("a"), [event("1")]);
    await client.config("SET", "maxmemory", "1");
    const full = tenant.saveActor(saved, [event("2")]);
    await expect(full).rejects.toMatchObject({ code: "unavailable", message: /takes no more data/ });
    expect(await tenant.getActor("a")).toEqual(saved);
    expect((await tenant.history("a", { limit: 9 })).items).toEqual([event("1")]);
    await client.config("SET", "maxmemory", "0");
    expect((await tenant.saveActor(saved)).version).toBe(2);
  });

  it.each(["redis", "memory"])("forgets the oldest audit events beyond its limit: %s", async (kind) => {
    const store =
      kind === "memory"
        ? createMemoryStore({ auditLimit: 150 })
        : createRedisStore({ client: (await ownServer()).url, auditLimit: 150 });
    const tenant = later(store).tenant("t");
    for (let n = 1; n <= 170; n++) await tenant.audit({ at: "2026", action: String(n) });
    const { items, next } = await tenant.auditPage({ limit: 1_000 });
    expect(items.map(({ action }) => Number(action))).toEqual(Array.from({ length: 150 }, (_, i) => 170 - i));
    expect(next).toBeUndefined();
  });

  it("reads many actors, changes and history in one round trip each", async () => {
    const server = await ownServer();
    const client = later(new Redis(server.url));
    const tenant = later(createRedisStore({ client: server.url })).tenant("t");
    const saved = await tenant.saveActor(actor("a"), [event("1")]);
    await tenant.changesSince(0, 9);
    await tenant.history("a", { limit: 9 });
    await tenant.addNote("k", "told", 9, 60_000);
    const calls: (() => Promise<unknown>)[] = [
      () => tenant.getActors(["a", "b", "c"]),
      () => tenant.changesSince(0, 9),
      () => tenant.newsSince(0, 9),
      () => tenant.revisions(),
      () => tenant.addNote("k", "told", 9, 60_000),
      () => tenant.history("a", { limit: 9, cursor: "1" }),
      () => tenant.saveActor(saved, [event("2"), event("3")]),
      () => tenant.deleteActors(["a"]),
    ];
    const commands = async () => {
      const stats = await client.info("commandstats");
      const counted = [...stats.matchAll(/^cmdstat_(hmget|hgetall|eval|evalsha|script\|load):calls=(\d+)/gm)];
      const sum = (wanted: RegExp) =>
        counted.reduce((n, [, name = "", count]) => n + (wanted.test(name) ? Number(count) : 0), 0);
      return { scripts: sum(/eval|script/), others: sum(/^h/) };
    };
    for (const call of calls) {
      const before = await commands();
      await call();
      const after = await commands();
      // What a script does is counted too, and is no round trip.
      const trips = after.scripts - before.scripts || after.others - before.others;
      expect(trips).toBe(1);
    }
  });

  it("costs at most 1.2 KB of Redis for an imported ticket", async () => {
    const server = await ownServer();
    const client = later(new Redis(server.url));
    const tenant = later(createRedisStore({ client: server.url })).tenant("acme");
    const used = async () => Number(/^used_memory:(\d+)/m.exec(await client.info("memory"))?.[1]);
    await tenant.saveActors([actor("jira.3f2a9c01.9999")]);
    const before = await used();
    await tenant.saveActors(Array.from({ length: 5_000 }, (_, i) => actor(`jira.3f2a9c01.${10_000 + i}`)));
    expect(((await used()) - before) / 5_000).toBeLessThan(1_200);
  });

  it("checks the settings that keep tickets safe, each with its fix", async () => {
    const server = await ownServer();
    const client = later(new Redis(server.url));
    await client.config("SET", "maxmemory-policy", "allkeys-lru");
    const problems = await checkRedisSettings(client);
    expect(problems.map(({ code }) => code)).toEqual(["redis_not_durable", "redis_evicts"]);
    for (const problem of problems) expect(problem.fix).toMatch(/Set `/);
    await client.config("SET", "maxmemory-policy", "noeviction");
    await client.config("SET", "appendonly", "yes");
    expect(await checkRedisSettings(client)).toEqual([]);
    const replica = later(new Redis((await ownServer()).url));
    await replica.replicaof("127.0.0.1", Number(new URL(server.url).port));
    const codes = async () => (await checkRedisSettings(client)).map(({ code }) => code);
    await until(async () => (await codes()).includes("redis_failover_loses"));
    await client.config("SET", "min-replicas-to-write", "1");
    expect(await codes()).toEqual([]);
    await server.kill();
    await until(() => client.status !== "ready");
    await expect(checkRedisSettings(client)).rejects.toMatchObject({ code: "unavailable" });
  });
});
