import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindState, createMemoryStateStore, createStateGate, type FsmStateStore } from "../../src/index.js";
import { createRedisStateStore } from "../../src/store/redis/state-store.js";
import { redisUrl } from "../support/redis.js";

/** What a gate asks of a store that several processes share. */
function describeStateStore(name: string, make: () => Required<FsmStateStore>) {
  describe(`state store: ${name}`, () => {
    const at = (state: string, by?: string) => ({
      state,
      updatedAt: "2026-01-01T00:00:00.000Z",
      ...(by === undefined ? {} : { claim: { by, until: "2026-01-01T00:01:00.000Z" } }),
    });

    it("gives back what was saved, and nothing for a handle it does not know", async () => {
      const store = make();
      expect(await store.load("h")).toBeUndefined();
      await store.save("h", at("draft"));
      expect(await store.load("h")).toEqual(at("draft"));
      await store.save("h", at("review", "p1"));
      expect(await store.load("h")).toEqual(at("review", "p1"));
      await store.save("h", at("approved"));
      expect(await store.load("h")).toEqual(at("approved"));
      expect(await store.load("H")).toBeUndefined();
    });

    it("sets only over what was expected: state, time and claim", async () => {
      const store = make();
      expect(await store.compareAndSet("h", at("draft"), at("review"))).toBe(false);
      expect(await store.compareAndSet("h", undefined, at("draft"))).toBe(true);
      expect(await store.compareAndSet("h", undefined, at("review"))).toBe(false);
      expect(await store.compareAndSet("h", at("draft", "p1"), at("review"))).toBe(false);
      expect(
        await store.compareAndSet("h", { ...at("draft"), updatedAt: "2025-01-01T00:00:00.000Z" }, at("x")),
      ).toBe(false);
      expect(await store.compareAndSet("h", at("draft"), at("draft", "p1"))).toBe(true);
      expect(await store.compareAndSet("h", at("draft"), at("review"))).toBe(false);
      expect(await store.compareAndSet("h", at("draft", "p1"), at("review"))).toBe(true);
      expect(await store.load("h")).toEqual(at("review"));
    });

    it("lets exactly one of twenty racing sets win", async () => {
      const store = make();
      await store.save("h", at("draft"));
      const wins = await Promise.all(
        Array.from({ length: 20 }, (_, i) => store.compareAndSet("h", at("draft"), at(`s${i}`))),
      );
      expect(wins.filter(Boolean)).toHaveLength(1);
      expect(await store.load("h")).toEqual(at(`s${wins.indexOf(true)}`));
    });

    it("keeps any state text whole", async () => {
      const store = make();
      const state = JSON.stringify({ value: "進行中", context: { quote: "\"'\\\n", empty: "" } });
      await store.save("日本 /:*", at(state));
      expect((await store.load("日本 /:*"))?.state).toBe(state);
    });

    it("serves gates of two processes without losing an update", async () => {
      const store = make();
      const count = {
        initial: "a",
        context: { n: 0 },
        states: { a: { on: { INC: { assign: (c: { n: number }) => ({ n: c.n + 1 }) } } } },
      };
      const inc = bindState(
        { name: "inc", description: "Counts.", handler: () => ({ content: [] }) },
        "a",
        "INC",
      );
      const gates = [0, 1].map(() => createStateGate<{ n: number }>(count, { store, tools: [inc] }));
      const ctx = { sessionId: "s" };
      const results = await Promise.all(
        Array.from({ length: 30 }, (_, i) => gates[i % 2]?.call("inc", {}, ctx)),
      );
      const done = results.filter((result) => result?.isError !== true).length;
      expect(done).toBeGreaterThan(0);
      expect((await gates[0]?.getSnapshot(ctx))?.context).toEqual({ n: done });
    });
  });
}

describeStateStore("memory", () => createMemoryStateStore());

let client: Redis;
beforeAll(async () => {
  client = new Redis(await redisUrl());
});
afterAll(async () => {
  await client.quit();
});
describeStateStore("redis", () => createRedisStateStore({ client, prefix: `test:${randomUUID()}` }));

describe("state store: redis", () => {
  it("deletes a workflow nobody touched for as long as it was told", async () => {
    const prefix = `test:${randomUUID()}`;
    const store = createRedisStateStore({ client, prefix, ttlMs: 60_000 });
    await store.save("h", { state: "a", updatedAt: "2026-01-01T00:00:00.000Z" });
    const left = await client.pttl(`${prefix}:h`);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });
});
