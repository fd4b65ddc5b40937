import { once } from "node:events";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openRedis } from "../../src/redis/open.js";
import { type RedisSentinels, redisCli, startRedisSentinels } from "../support/redis-groups.js";
import { until } from "../support/until.js";

/** A client of a group that real sentinels watch, in the moments when it asks them anew. */

let sentinels: RedisSentinels;
const opened: Redis[] = [];
beforeAll(async () => {
  sentinels = await startRedisSentinels();
}, 60_000);
afterEach(() => {
  for (const client of opened.splice(0)) client.disconnect();
});
afterAll(() => sentinels?.stop());

async function open(): Promise<Redis> {
  const client = openRedis(sentinels.url, { retryStrategy: () => 20 });
  if (!(client instanceof Redis)) throw new Error("sentinels are asked by a single client");
  client.on("error", () => undefined);
  opened.push(client);
  await until(() => client.status === "ready");
  return client;
}

/** How many listen to what the sentinels tell. */
async function listeners(): Promise<number> {
  const lists = await Promise.all(sentinels.ports.map((port) => redisCli(port, "client", "list")));
  return lists.join("\n").match(/ sub=1 /g)?.length ?? 0;
}

describe("a client that asks the sentinels", () => {
  it("comes back when it is told to connect anew while it asks", async () => {
    const client = await open();
    client.once("connecting", () => client.disconnect(true));
    client.disconnect(true);
    await once(client, "reconnecting");
    await once(client, "connecting");
    await until(() => client.status === "ready");
    expect(await client.ping()).toBe("PONG");
  });

  it("so does a copy of it", async () => {
    const copy = (await open()).duplicate();
    opened.push(copy);
    copy.on("error", () => undefined);
    copy.once("connecting", () => copy.disconnect(true));
    await until(() => copy.status === "ready");
  });

  it("ends when it is told to while it asks", async () => {
    const client = await open();
    client.once("connecting", () => client.disconnect());
    client.disconnect(true);
    await once(client, "end");
    await expect(client.ping()).rejects.toThrow("closed");
  });

  it("listens to no sentinel any more once it has quit", async () => {
    await until(async () => (await listeners()) === 0);
    const client = await open();
    await until(async () => (await listeners()) === 3);
    await client.quit();
    await until(async () => (await listeners()) === 0);
  });
});
