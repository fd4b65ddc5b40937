import type { App } from "./app.js";
import { openReach, wire } from "./app-parts.js";
import { closeAll, openState } from "./app-state.js";
import type { Problem, Reach } from "./board/connector.js";
import type { Config } from "./config.js";
import { createLog } from "./log.js";
import { openRedis } from "./redis/open.js";
import { redisTrouble, SET_REDIS_URL } from "./redis/trouble.js";
import { checkRedisClock, checkRedisSettings } from "./store/redis.js";

/** An installation looked at from outside: nothing is served, and no work is taken. */

/** What is wrong with the Redis of these settings as a place to keep things in. */
export async function inspectRedis(config: Config): Promise<Problem[]> {
  if (config.redisUrl === undefined) {
    const message = "REDIS_URL is not set, so state is kept on this machine only.";
    return [{ code: "redis_unset", message, fix: SET_REDIS_URL }];
  }
  const client = openRedis(config.redisUrl, { maxRetriesPerRequest: 0, enableOfflineQueue: false });
  let trouble: unknown;
  client.on("error", (error: Error) => {
    trouble = error;
  });
  try {
    return [...(await checkRedisSettings(client)), ...(await checkRedisClock(client))];
  } catch (error) {
    return [{ code: "unavailable", ...redisTrouble(trouble ?? error) }];
  } finally {
    client.disconnect();
  }
}

export interface Inspection
  extends Pick<App, "keeps" | "store" | "hooks" | "connections" | "tickets" | "close"> {
  /** What requests to boards go through; absent where any host may be connected to. */
  readonly reach?: Reach;
  /** The addresses (scheme, host and port) that boards were asked at since this was last called. */
  called(): readonly string[];
}

/**
 * What is kept, and the boards behind it.
 * @throws BoardwalkError `unavailable` when Redis does not answer, `invalid` when there are no encryption keys.
 */
export async function openInspection(config: Config): Promise<Inspection> {
  const log = createLog({ level: "silent" });
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeAll(closers, log);
  try {
    const { keeps, store, hooks, ...state } = await openState(config, {}, log, closers);
    const addresses = new Set<string>();
    const called = (url: string) => void addresses.add(new URL(url).origin);
    const reach = openReach(config, closers);
    const seenBy = { log, tracing: undefined };
    const { connections, tickets } = wire(config, { keeps, store, hooks, ...state }, seenBy, {
      reach,
      called,
    });
    return {
      ...{ keeps, store, hooks, connections, tickets, close },
      ...(reach === undefined ? {} : { reach }),
      called() {
        const seen = [...addresses];
        addresses.clear();
        return seen;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
