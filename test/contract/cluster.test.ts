import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBullmqHooks } from "../../src/hooks/bullmq.js";
import { openRedis } from "../../src/redis/open.js";
import { createBudgets } from "../../src/store/redis/budgets.js";
import { createRedisOauthRecords } from "../../src/store/redis/oauth.js";
import { checkRedisSettings, createRedisStore } from "../../src/store/redis.js";
import { type RedisCluster, redisCli, startRedisCluster } from "../support/redis-groups.js";
import { watchLosses } from "../support/store-losses.js";
import { until } from "../support/until.js";
import { describeHooks } from "./hooks.contract.js";
import { describeOauthRecords } from "./oauth-records.contract.js";
import { actor, describeStore, event, pending } from "./store.contract.js";

/** The suites of the ports once more, on a real cluster of three. */

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster?.stop());
const fresh = () => `test-${randomUUID()}`;

describeStore("Redis store on a cluster", async () => {
  const store = createRedisStore({ client: cluster.url, prefix: fresh() });
  return { store, close: () => store.close() };
});

describeHooks("BullMQ hooks on a cluster", async (options) =>
  createBullmqHooks({ connection: cluster.url, prefix: fresh(), ...options }),
);

describeOauthRecords("on a cluster", async () => createRedisOauthRecords(cluster.url, fresh()));

describe("a cluster", () => {
  it("takes a store with a connection of the caller's", async () => {
    const client = openRedis(cluster.url);
    const store = createRedisStore({ client, prefix: fresh() });
    const heard: string[] = [];
    await store.subscribe("news", (message) => heard.push(message));
    const saved = await store.tenant("acme").saveActor(actor("a"));
    await store.publish("news", "saved");
    await until(() => heard.length === 1);
    expect(await store.tenant("acme").getActor("a")).toEqual(saved);
    await store.close();
    expect(await client.ping()).toBe("PONG");
    client.disconnect();
  });

  it("has each tenant whole on one node, and tenants on all of them", async () => {
    const store = createRedisStore({ client: cluster.url, prefix: "spread" });
    for (let n = 0; n < 30; n++) {
      const tenant = store.tenant(`t${n}`);
      await tenant.saveActor(actor("a", { pending: pending("x") }), [event("1")]);
      await tenant.saveDocument("setting", "s", { version: 0, value: 1 });
      await tenant.audit({ at: "2026", action: "x" });
    }
    await store.close();
    const lists = await Promise.all(cluster.nodes.map(({ port }) => redisCli(port, "keys", "spread:*")));
    const homes = lists.map((list) => new Set([...list.matchAll(/\{(t\d+)\}/g)].map(([, id]) => id)));
    expect(homes.every(({ size }) => size > 0)).toBe(true);
    expect(homes.reduce((sum, { size }) => sum + size, 0)).toBe(30);
  });

  it("counts a board's budget once for all processes", async () => {
    const clients = [openRedis(cluster.url), openRedis(cluster.url)];
    await until(() => clients.every(({ status }) => status === "ready"));
    const budget = { key: randomUUID(), requests: 20, perMs: 30_000 };
    const budgets = clients.map((client) => createBudgets(client));
    const waits = await Promise.all(Array.from({ length: 50 }, (_, i) => budgets[i % 2]?.take(budget)));
    expect(waits.filter((ms) => ms === 0)).toHaveLength(20);
    for (const client of clients) client.disconnect();
  });

  it("is looked at node by node for settings that lose tickets", async () => {
    const client = openRedis(cluster.url);
    expect(await checkRedisSettings(client)).toEqual([]);
    await redisCli(cluster.nodes[2]?.port ?? 0, "config", "set", "maxmemory-policy", "allkeys-lru");
    expect((await checkRedisSettings(client)).map(({ code }) => code)).toEqual(["redis_evicts"]);
    await redisCli(cluster.nodes[2]?.port ?? 0, "config", "set", "maxmemory-policy", "noeviction");
    client.disconnect();
  });

  it("says that news may have gone unheard when its listening was cut off, and hears on", async () => {
    const store = createRedisStore({ client: cluster.url, prefix: fresh() });
    const { told, hears } = await watchLosses(store);
    for (const { port } of cluster.nodes) await redisCli(port, "client", "kill", "type", "pubsub");
    await until(() => told.includes("unheard"));
    await hears();
    await store.close();
  });

  it("that lost a node serves what lies on the others, says so of the rest, and takes it back", async () => {
    const [node] = cluster.nodes;
    // A cluster refuses everything while a part is gone, unless it is told otherwise.
    for (const { port } of cluster.nodes)
      await redisCli(port, "config", "set", "cluster-require-full-coverage", "no");
    const store = createRedisStore({ client: cluster.url, prefix: fresh() });
    const tenants = Array.from({ length: 30 }, (_, n) => store.tenant(`t${n}`));
    for (const tenant of tenants) await tenant.saveActor(actor("a"));
    await node?.kill();
    const read = () => Promise.allSettled(tenants.map((tenant) => tenant.getActor("a")));
    const lost = await until(async () => {
      const refused = (await read()).filter((one) => one.status === "rejected");
      return refused.length > 0 && refused;
    });
    expect(lost.length).toBeLessThan(30);
    for (const { reason } of lost) expect(reason).toMatchObject({ code: "unavailable" });
    await node?.restart();
    await until(async () => (await read()).every(({ status }) => status === "fulfilled"), {
      timeoutMs: 20_000,
    });
    await store.close();
  });
});

describe("what cannot be reached", () => {
  it.each(["redis-cluster://127.0.0.1:1,127.0.0.1:2", "redis-sentinel://127.0.0.1:1/mymaster"])(
    "is told of, for %s, and each further call fails at once",
    async (url) => {
      const store = createRedisStore({ client: url });
      await expect(store.ping()).rejects.toMatchObject({ code: "unavailable" });
      const began = performance.now();
      await expect(store.tenant("t").getActor("a")).rejects.toMatchObject({ code: "unavailable" });
      // As against the two seconds that the first may take.
      expect(performance.now() - began).toBeLessThan(1_000);
      const hooks = createBullmqHooks({ connection: url });
      await expect(hooks.counts()).rejects.toMatchObject({ code: "unavailable" });
      await hooks.close();
      await store.close();
    },
  );
});
