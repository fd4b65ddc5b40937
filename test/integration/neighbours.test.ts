import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { neighbours } from "../../bench/neighbours.js";
import { type RedisServer, startRedis } from "../support/redis.js";

/** A tenant whose board hangs is its own trouble. */

vi.setConfig({ testTimeout: 400_000 });

/** Best of three: a machine that does other work besides may slow one turn and not the other; a neighbour slows each. */
const ENOUGH = 2;

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());

it("a board that hangs with 1,000 moves queued slows another tenant's moves to less than twice", async () => {
  const ratios: number[] = [];
  const good = () => ratios.filter((ratio) => ratio < 2).length;
  for await (const { alone, beside } of neighbours(redis.url, { queued: 1_000, moves: 400 })) {
    ratios.push(beside / alone);
    if (good() === ENOUGH || ratios.length - good() === ENOUGH) break;
  }
  expect(good(), `p99 beside it over p99 alone: ${ratios.join(", ")}`).toBe(ENOUGH);
});
