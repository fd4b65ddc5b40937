import { openOauthRecords } from "./app-oauth.js";
import { nameOf, stackOf } from "./app-trouble.js";
import type { Budgets, Turns } from "./board/connector.js";
import { createTurns } from "./board/turns.js";
import type { Config } from "./config.js";
import { createBullmqHooks } from "./hooks/bullmq.js";
import type { Hooks, ReportedJob } from "./hooks/hooks.js";
import { createInlineHooks } from "./hooks/inline.js";
import type { OauthRecords } from "./http/oauth-records.js";
import type { RootLog } from "./log.js";
import { openRedis } from "./redis/open.js";
import { redisErrorCode, redisUnusable } from "./redis/trouble.js";
import { startOwnRedis } from "./redis-server.js";
import { createMemoryStore } from "./store/memory.js";
import { createBudgets } from "./store/redis/budgets.js";
import { createHold } from "./store/redis/turns.js";
import { createRedisStore } from "./store/redis.js";
import type { Store } from "./store/store.js";
import { fieldsOfJob } from "./telemetry/jobs.js";

/** What state is kept in. */
export type Keeps = "redis" | "own-redis" | "memory";

export interface State {
  readonly keeps: Keeps;
  readonly store: Store;
  readonly hooks: Hooks;
  readonly budgets: Budgets;
  readonly turns: Turns;
  readonly oauth: OauthRecords;
}

/** Where things are kept by these settings; a Redis of our own is started where none is named. */
export async function openState(
  config: Config,
  options: { readonly inMemory?: boolean },
  log: RootLog,
  closers: (() => Promise<void>)[],
): Promise<State> {
  const own =
    config.redisUrl === undefined && !options.inMemory
      ? await startOwnRedis({ dir: config.dir, log })
      : undefined;
  if (own !== undefined) closers.push(() => own.close());
  const url = config.redisUrl ?? own?.url;
  const oauth = openOauthRecords(url);
  closers.push(() => oauth.close());
  const seldom = createSeldom();
  const onError = (error: unknown, job?: ReportedJob) => {
    // Each of several clients tries again many times a second, and each try fails alike.
    if (job === undefined && !seldom(redisErrorCode(error) ?? nameOf(error) ?? "")) return;
    const about = job === undefined ? {} : fieldsOfJob(job);
    const facts = { cause: nameOf(error), code: redisErrorCode(error), at: stackOf(error) };
    log.warn({ ...about, ...facts }, "trouble in the job queue");
  };
  if (url === undefined) {
    const state: State = {
      keeps: "memory",
      store: createMemoryStore({ auditLimit: config.auditKeep }),
      hooks: createInlineHooks({ laneCap: config.laneCap, concurrency: config.workerConcurrency, onError }),
      budgets: createBudgets(),
      turns: createTurns(),
      oauth,
    };
    closers.push(
      () => state.store.close(),
      () => state.hooks.close(),
    );
    return state;
  }
  const store = createRedisStore({ client: url, auditLimit: config.auditKeep });
  closers.push(() => store.close());
  const hooks = createBullmqHooks({
    connection: url,
    concurrency: config.workerConcurrency,
    laneCap: config.laneCap,
    lockMs: config.jobLockMs,
    stalledCheckMs: Math.ceil(config.jobLockMs / 2),
    onError,
  });
  closers.push(() => hooks.close());
  const counter = openRedis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 1_000,
    socketTimeout: 2_000,
  });
  let trouble: unknown;
  counter.on("error", (error: Error) => {
    trouble = error;
    onError(error);
  });
  closers.push(async () => counter.disconnect());
  await store.ping().catch((error: unknown) => {
    throw redisUnusable(trouble ?? error);
  });
  return {
    keeps: own === undefined ? "redis" : "own-redis",
    store,
    hooks,
    budgets: createBudgets(counter),
    turns: createTurns(createHold(counter)),
    oauth,
  };
}

const SELDOM_MS = 5_000;

/** Whether it is time to say such a thing again. */
function createSeldom(): (what: string) => boolean {
  const saidAt = new Map<string, number>();
  return (what) => {
    const now = performance.now();
    if (now - (saidAt.get(what) ?? Number.NEGATIVE_INFINITY) < SELDOM_MS) return false;
    saidAt.set(what, now);
    return true;
  };
}

/** In the opposite order of opening, so that nothing is used after it is gone. */
export async function closeAll(closers: (() => Promise<void>)[], log: RootLog): Promise<void> {
  for (const closer of closers.splice(0).reverse()) {
    await closer().catch((error: unknown) =>
      log.error({ cause: nameOf(error) }, "a part did not close in good order"),
    );
  }
}
