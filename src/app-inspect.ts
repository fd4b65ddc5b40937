import type { App } from "./app.js";
import { openReach, wire } from "./app-parts.js";
import { closeAll, openState } from "./app-state.js";
import type { Problem, Reach } from "./board/connector.js";
import type { Config } from "./config.js";
import { createLog } from "./log.js";
import { openRedis } from "./redis/open.js";
import { redisTrouble, SET_REDIS_URL } from "./redis/trouble.js";
import { parseRecord } from "./store/records.js";
import { type Shapes, type Tally, tallyRecords } from "./store/redis/unreadable.js";
import { checkRedisClock, checkRedisSettings } from "./store/redis.js";
import { connectionRecord } from "./sync/records.js";
import { workflowFrom } from "./tickets/workflow.js";
import { VERSION } from "./version.js";

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

/** What of all that is kept cannot be read, by kind; where it lies, and nothing of what is in it. */
export async function inspectRecords(redisUrl: string): Promise<{ problems: Problem[]; note: string }> {
  const client = openRedis(redisUrl);
  client.on("error", () => {});
  try {
    const tallies = [...(await tallyRecords(client, SHAPES))];
    const seen = tallies.reduce((sum, [, tally]) => sum + tally.seen, 0);
    return { problems: tallies.flatMap(unreadableProblems), note: `${seen} records read` };
  } finally {
    client.disconnect();
  }
}

const SHAPES: Shapes = {
  workflow: (value, id) => workflowFrom({ id, value }),
  connection: (value, id) => parseRecord(connectionRecord, value, "connection", id),
};

function unreadableProblems([kind, { seen, corrupt, newer }]: readonly [string, Tally]): Problem[] {
  const problems: Problem[] = [];
  if (newer.size > 0) {
    problems.push({
      code: "records_newer",
      message: `${newer.size} of ${seen} ${kind} records were written by a newer Boardwalk than this one (${VERSION}).`,
      fix: "Run that newer release everywhere, or restore the backup that was taken before it.",
    });
  }
  if (corrupt.size > 0) {
    const [first = ""] = corrupt;
    problems.push({
      code: "records_unreadable",
      message: `${corrupt.size} of ${seen} ${kind} records cannot be read, the first of them at ${first}.`,
      fix:
        "Restore a backup; or delete what lies there from Redis, and have it made anew: tickets and workflows with " +
        "`boardwalk import`, a connection by connecting its board, tokens and people by giving new ones.",
    });
  }
  return problems;
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
