import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { HoldTurn } from "../../board/connector.js";
import type { RedisClient } from "../../redis/open.js";

/** Longer than any one request may take: whoever has had a turn for this long is gone. */
const HOLD_MS = 11_000;
/** So often it is asked whether somebody else's turn is over. */
const LOOK_AGAIN_MS = 150;

/**
 * KEYS[1] the turn. ARGV: who takes it, for how many milliseconds. Returns 0 when it is theirs, else after how many
 * milliseconds it is free at the latest.
 */
const TAKE = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
return math.max(1, redis.call('PTTL', KEYS[1]))
`;

/** KEYS[1] the turn. ARGV: whose it was, for how many milliseconds nobody takes it. Returns 1 when it was theirs. */
const LEAVE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

/** Turns that all processes share. While Redis is away each process takes its own. */
export function createHold(redis: RedisClient): HoldTurn {
  return async ({ key, spacingMs }, signal) => {
    const name = `bw-budget:turn:${key}`;
    const who = randomUUID();
    const ask = async (script: string, ms: number) =>
      redis.status === "ready" ? Number(await redis.eval(script, 1, name, who, ms).catch(() => 0)) : 0;
    for (let waitMs = await ask(TAKE, HOLD_MS); waitMs > 0 && !signal.aborted; ) {
      const pauseMs = Math.min(waitMs, LOOK_AGAIN_MS * (0.5 + Math.random()));
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      waitMs = await ask(TAKE, HOLD_MS);
    }
    return () => void ask(LEAVE, Math.max(1, spacingMs));
  };
}
