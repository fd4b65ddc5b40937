import { type ClientOptions, isCluster, openRedis, type RedisClient } from "../redis/open.js";
import { checkCount, type ReportError } from "./run-job.js";

export interface BullmqHooksOptions {
  /** The URL of a Redis, as REDIS_URL takes it. */
  readonly connection: string;
  /** @default "boardwalk" */
  readonly queue?: string;
  /** Begins every key in Redis; on a cluster in braces, so that all keys of a queue share a slot. @default "bw-jobs" */
  readonly prefix?: string;
  /** Jobs one `serve` runs at once. @default 64 */
  readonly concurrency?: number;
  /** Jobs of one lane one `serve` runs at once. @default 8 */
  readonly laneCap?: number;
  /** A worker that has not been heard of for this long has lost its jobs to others. @default 10000 */
  readonly lockMs?: number;
  /** How often lost jobs are looked for. @default 5000 */
  readonly stalledCheckMs?: number;
  /** How long a drain lets running jobs work before it aborts them. @default 25000 */
  readonly drainGraceMs?: number;
  /** How long Redis may take to answer before it counts as unreachable. @default 3000 */
  readonly commandTimeoutMs?: number;
  /** Told of lost connections and of the causes behind `internal` replies. */
  readonly onError?: ReportError;
}

/** The options with their defaults in. */
export type BullmqSettings = Required<BullmqHooksOptions>;

export function readSettings(options: BullmqHooksOptions): BullmqSettings {
  const { connection, concurrency = 64, laneCap = 8, prefix = "bw-jobs", onError = () => {} } = options;
  return {
    connection,
    queue: options.queue ?? "boardwalk",
    prefix: isCluster(connection) ? `{${prefix}}` : prefix,
    concurrency: checkCount("concurrency", concurrency),
    laneCap: checkCount("laneCap", laneCap),
    lockMs: checkCount("lockMs", options.lockMs ?? 10_000),
    stalledCheckMs: checkCount("stalledCheckMs", options.stalledCheckMs ?? 5_000),
    drainGraceMs: options.drainGraceMs ?? 25_000,
    commandTimeoutMs: checkCount("commandTimeoutMs", options.commandTimeoutMs ?? 3_000),
    onError,
  };
}

const OPTIONS = {
  retryStrategy: (times: number) => Math.min(50 * times, 500) + Math.random() * 50,
  // A primary that became a replica: whoever is primary now is to be found.
  reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
} satisfies ClientOptions;

/** The longest that BullMQ lets a command wait in Redis for a job or an event. */
const BLOCK_MS = 10_000;

/** The connection of those who ask: it never makes them wait for a Redis that is not there. */
export function openProducer({ connection, commandTimeoutMs, onError }: BullmqSettings): RedisClient {
  const redis = openRedis(connection, {
    ...OPTIONS,
    enableOfflineQueue: false,
    // A command under way when the connection breaks fails at once; the caller may put the same job again.
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: commandTimeoutMs,
    // A connection that is silent with a command under way is given up, where TCP would wait a quarter of an hour.
    socketTimeout: 2 * commandTimeoutMs,
  });
  redis.on("error", onError);
  return redis;
}

/** The connection of those who work or listen: it waits for Redis for as long as that takes, as BullMQ asks. */
export function openConsumer({ connection, commandTimeoutMs, onError }: BullmqSettings): RedisClient {
  const redis = openRedis(connection, {
    ...OPTIONS,
    maxRetriesPerRequest: null,
    connectTimeout: commandTimeoutMs,
    socketTimeout: BLOCK_MS + commandTimeoutMs,
  });
  redis.on("error", onError);
  return redis;
}

/** Answers when the connection can be used: at once, after a first connect under way, or with a rejection. */
export function createReadiness(redis: RedisClient): () => Promise<void> {
  let settling: Promise<void> | undefined;

  function whenSettled(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        settling = undefined;
        redis.off("ready", settle).off("close", settle).off("error", settle);
        if (redis.status === "ready") resolve();
        else reject(new Error("Redis cannot be reached"));
      };
      // Sentinels that cannot be reached are told as errors only: there was nothing yet to close.
      redis.on("ready", settle).on("close", settle).on("error", settle);
    });
  }

  return async () => {
    if (redis.status === "ready") return;
    if (redis.status !== "connecting" && redis.status !== "connect") {
      throw new Error(`no connection to Redis: ${redis.status}`);
    }
    settling ??= whenSettled();
    await settling;
  };
}
