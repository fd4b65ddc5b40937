import type { RedisClient } from "../../redis/open.js";

/** As the library's `FsmStateSnapshot`: this layer may not import the bridge. */
interface StateSnapshot {
  readonly state: string;
  readonly updatedAt: string;
  readonly claim?: { readonly by: string; readonly until: string };
}

export interface RedisStateStoreOptions {
  /** A connection that stays the caller's. */
  readonly client: RedisClient;
  /** What every key begins with. @default "bw:gate" */
  readonly prefix?: string;
  /** Milliseconds after which an untouched workflow is deleted; longer than the gate's own `ttlMs`, so that the gate can say it expired. @default 2_592_000_000, 30 days */
  readonly ttlMs?: number;
}

/**
 * KEYS[1] the workflow. ARGV: "any" | "none" | "same", what is expected {state, updatedAt, by}, what to write
 * {state, updatedAt, by, until}, milliseconds to keep it. Returns 1 when written, 0 when something else is kept.
 */
const SET = `
if ARGV[1] ~= 'any' then
  local kept = redis.call('HMGET', KEYS[1], 'state', 'updatedAt', 'by')
  if ARGV[1] == 'none' and kept[1] then return 0 end
  if ARGV[1] == 'same' then
    if not kept[1] then return 0 end
    if kept[1] ~= ARGV[2] or kept[2] ~= ARGV[3] or (kept[3] or '') ~= ARGV[4] then return 0 end
  end
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'state', ARGV[5], 'updatedAt', ARGV[6], 'by', ARGV[7], 'until', ARGV[8])
redis.call('PEXPIRE', KEYS[1], ARGV[9])
return 1
`;

/** Keeps a state gate's workflows in Redis, for several processes at once. Rejects when Redis cannot be reached. */
export function createRedisStateStore({
  client,
  prefix = "bw:gate",
  ttlMs = 2_592_000_000,
}: RedisStateStoreOptions) {
  const keyOf = (handle: string) => `${prefix}:${handle}`;

  function set(
    handle: string,
    mode: "any" | "none" | "same",
    expected: StateSnapshot | undefined,
    next: StateSnapshot,
  ): Promise<unknown> {
    return client.eval(
      SET,
      1,
      keyOf(handle),
      mode,
      ...[expected?.state ?? "", expected?.updatedAt ?? "", expected?.claim?.by ?? ""],
      ...[next.state, next.updatedAt, next.claim?.by ?? "", next.claim?.until ?? ""],
      ttlMs,
    );
  }

  return {
    async load(handle: string): Promise<StateSnapshot | undefined> {
      const { state, updatedAt, by, until } = await client.hgetall(keyOf(handle));
      if (state === undefined || updatedAt === undefined) return undefined;
      return { state, updatedAt, ...(by && until ? { claim: { by, until } } : {}) };
    },
    async save(handle: string, snapshot: StateSnapshot): Promise<void> {
      await set(handle, "any", undefined, snapshot);
    },
    async compareAndSet(
      handle: string,
      expected: StateSnapshot | undefined,
      next: StateSnapshot,
    ): Promise<boolean> {
      return (await set(handle, expected === undefined ? "none" : "same", expected, next)) === 1;
    },
  };
}
