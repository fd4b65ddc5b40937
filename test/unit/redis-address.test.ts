import { Cluster, Redis } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";
import { parseConfig, secretsOf } from "../../src/config.js";
import { parseRedisUrl, withoutRedisSecrets } from "../../src/redis/address.js";
import { type ClientOptions, openRedis, type RedisClient } from "../../src/redis/open.js";

const node = (host: string, port: number) => ({ host, port });

describe("the address of Redis", () => {
  it.each([
    ["redis://h", { kind: "single", nodes: [node("h", 6379)], db: 0, tls: false }],
    ["redis://h:1/3", { kind: "single", nodes: [node("h", 1)], db: 3, tls: false }],
    ["redis://[::1]:7", { kind: "single", nodes: [node("::1", 7)], db: 0, tls: false }],
    [
      "rediss://u:p%40s:s@h",
      { kind: "single", nodes: [node("h", 6379)], db: 0, tls: true, username: "u", password: "p@s:s" },
    ],
    ["redis://:a@b@h", { kind: "single", nodes: [node("h", 6379)], db: 0, tls: false, password: "a@b" }],
    ["redis://h?tls=1", { kind: "single", nodes: [node("h", 6379)], db: 0, tls: true }],
    [
      "rediss://h?tls=false&family=6",
      { kind: "single", nodes: [node("h", 6379)], db: 0, tls: false, family: 6 },
    ],
    [
      "redis-cluster://u:p@a:1,b:2,c",
      {
        kind: "cluster",
        nodes: [node("a", 1), node("b", 2), node("c", 6379)],
        tls: false,
        username: "u",
        password: "p",
      },
    ],
    ["rediss-cluster://[fe80::1]/0", { kind: "cluster", nodes: [node("fe80::1", 6379)], tls: true }],
    [
      "redis-sentinel://:p@a,b:2/mymaster/4?sentinelPassword=s%25",
      {
        kind: "sentinel",
        nodes: [node("a", 26379), node("b", 2)],
        group: "mymaster",
        db: 4,
        tls: false,
        password: "p",
        sentinelPassword: "s%",
      },
    ],
    [
      "rediss-sentinel://a/g?sentinelUsername=watch",
      {
        kind: "sentinel",
        nodes: [node("a", 26379)],
        group: "g",
        db: 0,
        tls: true,
        sentinelUsername: "watch",
      },
    ],
  ])("is read from %s", (url, expected) => {
    expect(parseRedisUrl(url)).toEqual(expected);
  });

  it.each([
    ["http://hunter2", /must look like redis:\/\//],
    ["redis+cluster://hunter2", /must look like/],
    ["redis://", /must look like/],
    ["redis://hunter2:99999", /host:port/],
    ["redis://hunter2,other", /redis-cluster:\/\/ and redis-sentinel:\/\//],
    ["redis://h/hunter2", /number of a database/],
    ["redis-cluster://h/1", /a cluster has none but 0/],
    ["redis-cluster://a,,b", /each host/],
    ["redis-sentinel://hunter2", /name the group/],
    ["redis-sentinel://hunter2/g/x", /number of a database/],
    ["redis://:50%hunter2@h", /write %25/],
    ["redis://h?hunter2=1", /no more/],
    ["redis://h?tls=hunter2", /tls=1/],
    ["redis://h?sentinelPassword=hunter2", /only when it begins with redis-sentinel/],
  ])("is refused as %s, saying what must be different and not what it was", (url, why) => {
    expect(() => parseRedisUrl(url)).toThrow(why);
    expect(() => parseRedisUrl(url)).not.toThrow(/hunter2/);
    expect(() => parseConfig({ REDIS_URL: url })).toThrow(why);
  });

  it("is shown without its passwords, and those are known to whoever keeps them out of logs", () => {
    const url = "redis-sentinel://u:p%40@ss@a,b/g?sentinelPassword=s%2Fs&tls=1";
    expect(withoutRedisSecrets(url)).toBe("redis-sentinel://***@a,b/g?sentinelPassword=***&tls=1");
    const secrets = secretsOf(parseConfig({ REDIS_URL: url }));
    expect(secrets).toEqual(expect.arrayContaining(["p@@ss", "p%40@ss", "s/s", "s%2Fs"]));
  });
});

describe("a client", () => {
  const opened: RedisClient[] = [];
  afterEach(() => {
    for (const client of opened.splice(0)) client.disconnect();
  });
  function open(url: string, options: ClientOptions = {}): RedisClient {
    const client = openRedis(url, { ...options, lazyConnect: true });
    opened.push(client);
    return client;
  }

  it("of one server takes login, database and TLS from the address", () => {
    const client = open("rediss://u:p@h:1/2", { commandTimeout: 5 });
    expect(client).toBeInstanceOf(Redis);
    expect(client.options).toMatchObject({
      ...{ host: "h", port: 1, db: 2, username: "u", password: "p", tls: {}, commandTimeout: 5 },
    });
  });

  it("of a group asks its sentinels, over TLS too, and hears of fail-overs from them", () => {
    const client = open("rediss-sentinel://:p@a,b:2/g/3?sentinelPassword=s");
    expect(client.options).toMatchObject({
      ...{ name: "g", db: 3, password: "p", sentinelPassword: "s", failoverDetector: true },
      ...{ sentinels: [node("a", 26379), node("b", 2)], enableTLSForSentinelMode: true, sentinelTLS: {} },
    });
  });

  it("of a cluster logs in at each node, by the names that their certificates have", () => {
    const client = open("rediss-cluster://u:p@a:1,b:2");
    if (!(client instanceof Cluster)) throw new Error("it is not a cluster's client");
    expect(client.options.redisOptions).toMatchObject({ username: "u", password: "p", tls: {} });
    const told: unknown[] = [];
    client.options.dnsLookup?.("a", (...answer) => told.push(...answer));
    expect(told.slice(0, 2)).toEqual([null, "a"]);
  });

  it("of a cluster sends nothing again for a caller who does not wait", () => {
    const patient = open("redis-cluster://a");
    const hasty = open("redis-cluster://a", { enableOfflineQueue: false });
    expect(patient.options).toMatchObject({ retryDelayOnFailover: 100 });
    expect(hasty.options).toMatchObject({ retryDelayOnFailover: 0 });
  });
});
