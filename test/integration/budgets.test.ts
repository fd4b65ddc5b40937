import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trello } from "../../connectors/trello/index.js";
import { createEtiquette } from "../../src/board/etiquette.js";
import { createBudgets } from "../../src/store/redis/budgets.js";
import { redisUrl, startRedis } from "../support/redis.js";

/** Two connections to Redis stand for two processes. */
let one: Redis;
let two: Redis;
beforeAll(async () => {
  const url = await redisUrl();
  one = new Redis(url);
  two = new Redis(url);
});
afterAll(async () => {
  await Promise.all([one.quit(), two.quit()]);
});

describe("budgets in Redis", () => {
  it("are one budget for two processes: not one request more, however they race", async () => {
    const budget = { key: randomUUID(), requests: 50, perMs: 30_000 };
    const processes = [createBudgets(one), createBudgets(two)];
    const takes = Array.from({ length: 120 }, (_, index) => processes[index % 2]?.take(budget));
    const waits = await Promise.all(takes);
    expect(waits.filter((ms) => ms === 0)).toHaveLength(50);
    for (const ms of waits) expect(ms).toBeLessThanOrEqual(30_000);
  });

  it("come back when their time is over", async () => {
    const budget = { key: randomUUID(), requests: 1, perMs: 1_000 };
    const [first, second] = [createBudgets(one), createBudgets(two)];
    expect(await first.take(budget)).toBe(0);
    const waitMs = await second.take(budget);
    expect(waitMs).toBeGreaterThan(0);
    expect(await codeOfPass(budget)).toBe("ok");
  });

  it("hold Trello's key over tenants and processes", async () => {
    const apiKey = randomUUID();
    const settings = trello.settings.parse({ board: "65b0f0000000000000000001" });
    const passed: number[] = [];
    for (const [index, redis] of [one, two, one, two].entries()) {
      const credentials = trello.credentials.parse({ apiKey, token: `token-${index}` });
      const budgets = trello.budgets?.(settings, credentials) ?? [];
      const etiquette = createEtiquette("Trello", budgets, createBudgets(redis));
      const answers = await Promise.allSettled(Array.from({ length: 110 }, () => etiquette.pass()));
      passed.push(answers.filter(({ status }) => status === "fulfilled").length);
    }
    expect(passed).toEqual([100, 100, 100, 0]);
  });

  it("tell Redis nothing of whose they are", async () => {
    const token = `canary-${randomUUID()}`;
    const settings = trello.settings.parse({ board: "65b0f0000000000000000001" });
    const budgets = trello.budgets?.(settings, trello.credentials.parse({ apiKey: "app-key", token })) ?? [];
    await createEtiquette("Trello", budgets, createBudgets(one)).pass();
    const keys = await one.keys("bw-budget:*");
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.join()).not.toContain(token);
  });

  it("stand in nobody's way when Redis is gone", async () => {
    const server = await startRedis();
    const client = new Redis(server.url, { maxRetriesPerRequest: 0, enableOfflineQueue: false });
    client.on("error", () => undefined);
    await client.ping().catch(() => undefined);
    await server.stop();
    expect(await createBudgets(client).take({ key: "k", requests: 1, perMs: 1_000 })).toBe(0);
    client.disconnect();
  });
});

/** A wait as short as that is sat out. */
async function codeOfPass(budget: { key: string; requests: number; perMs: number }): Promise<string> {
  await createEtiquette("Trello", [budget], createBudgets(one)).pass();
  return "ok";
}
