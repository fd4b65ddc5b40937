import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import type { Budget, Budgets } from "../../board/connector.js";
import type { RedisClient } from "../../redis/open.js";

/** Budgets counted in Redis, so that all processes share them, or in memory where there is none. */
export function createBudgets(redis?: RedisClient): Budgets {
  const limiters = new Map<string, RateLimiterAbstract>();

  function limiterFor({ requests, perMs }: Budget): RateLimiterAbstract {
    const name = `${requests}/${perMs}`;
    const known = limiters.get(name);
    if (known !== undefined) return known;
    const limits = { points: requests, duration: perMs / 1_000, keyPrefix: `bw-budget:${name}` };
    const limiter =
      redis === undefined
        ? new RateLimiterMemory(limits)
        : // A cluster's client keeps the question until the cluster is back, which is no answer here.
          new RateLimiterRedis({
            storeClient: redis,
            rejectIfRedisNotReady: redis.isCluster,
            // Whoever goes on after that costs no question to Redis until the time is over.
            inMemoryBlockOnConsumed: requests,
            ...limits,
          });
    limiters.set(name, limiter);
    return limiter;
  }

  return {
    async take(budget, requests = 1) {
      try {
        await limiterFor(budget).consume(budget.key, requests);
        return 0;
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return Math.max(1, refused.msBeforeNext);
        // Redis is away: the board's own limit still stands, and every other part will say what is wrong.
        return 0;
      }
    },
  };
}
