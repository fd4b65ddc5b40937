import type { Redis } from "ioredis";
import { z } from "zod";

/** What lies in a Redis as data: to be read by people, kept in git, and put into another Redis. */

const pairs = z.array(z.tuple([z.string(), z.string()]));
const entry = z.discriminatedUnion("type", [
  z.object({ type: z.literal("string"), value: z.string() }),
  z.object({ type: z.literal("hash"), value: pairs }),
  z.object({ type: z.literal("set"), value: z.array(z.string()) }),
  z.object({ type: z.literal("list"), value: z.array(z.string()) }),
  /** Member and score. */
  z.object({ type: z.literal("zset"), value: pairs }),
  /** Id, then fields and values in turn. */
  z.object({ type: z.literal("stream"), value: z.array(z.tuple([z.string(), z.array(z.string())])) }),
]);
export const redisDump = z.record(z.string(), entry);
export type RedisDump = z.infer<typeof redisDump>;
type Entry = z.infer<typeof entry>;

/** All keys that match, in order; what is to expire is dumped as if it were not. */
export async function dumpRedis(client: Redis, match: string): Promise<RedisDump> {
  const keys = (await client.keys(match)).sort();
  const entries = await Promise.all(keys.map(async (key) => [key, await read(client, key)] as const));
  return Object.fromEntries(entries);
}

export async function loadRedis(client: Redis, dump: RedisDump): Promise<void> {
  for (const [key, kept] of Object.entries(dump)) await write(client, key, kept);
}

async function read(client: Redis, key: string): Promise<Entry> {
  const type = await client.type(key);
  switch (type) {
    case "string":
      return { type, value: (await client.get(key)) ?? "" };
    case "hash":
      return { type, value: Object.entries(await client.hgetall(key)).sort() };
    case "set":
      return { type, value: (await client.smembers(key)).sort() };
    case "list":
      return { type, value: await client.lrange(key, 0, -1) };
    case "zset":
      return { type, value: pairsOf(await client.zrange(key, 0, "-1", "WITHSCORES")) };
    case "stream":
      return { type, value: await client.xrange(key, "-", "+") };
    default:
      throw new Error(`${key} is a ${type}, which is not known here`);
  }
}

async function write(client: Redis, key: string, kept: Entry): Promise<unknown> {
  switch (kept.type) {
    case "string":
      return await client.set(key, kept.value);
    case "hash":
      return await client.hset(key, ...kept.value.flat());
    case "set":
      return await client.sadd(key, ...kept.value);
    case "list":
      return await client.rpush(key, ...kept.value);
    case "zset":
      return await client.zadd(key, ...kept.value.flatMap(([member, score]) => [score, member]));
    case "stream":
      for (const [id, fields] of kept.value) await client.xadd(key, id, ...fields);
  }
}

function pairsOf(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] ?? "", flat[2 * i + 1] ?? ""]);
}
