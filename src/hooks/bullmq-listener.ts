import { type ConnectionOptions, QueueEvents } from "bullmq";
import type { RedisClient } from "../redis/open.js";
import type { Backlog } from "./backlog.js";
import { type BullmqSettings, openConsumer } from "./bullmq-connection.js";
import { endsWithin, internalReply, parseReply } from "./run-job.js";
import type { Waiters } from "./waiters.js";

const CLOSE_MS = 1_000;

/** Hears of finished jobs, whichever process did them, and tells those who wait in this one. */
export interface Listener {
  /** From when it resolves, no job that finishes goes unheard. */
  ensure(): Promise<void>;
  close(): Promise<void>;
}

export interface ListenerParts {
  readonly settings: BullmqSettings;
  readonly redis: RedisClient;
  readonly eventsKey: string;
  readonly waiters: Waiters;
  readonly backlog: Backlog;
  readonly connected: () => Promise<void>;
}

export function createListener(parts: ListenerParts): Listener {
  const { redis, eventsKey, connected } = parts;
  let events: QueueEvents | undefined;
  let listening: Promise<void> | undefined;
  let isClosed = false;

  async function listen(): Promise<void> {
    await connected();
    // From a known event on: BullMQ's own start, "whatever is new", forgets what falls between two reads.
    const [last] = await redis.xrevrange(eventsKey, "+", "-", "COUNT", 1);
    if (!isClosed) events = openEvents(parts, last?.[0] ?? "0-0");
  }

  async function ensure(): Promise<void> {
    listening ??= listen().catch((error: unknown) => {
      listening = undefined;
      throw error;
    });
    await listening;
  }

  // Early, so that the first to ask need not wait for it; a failure is met again, and told, when somebody asks.
  void ensure().catch(() => {});

  return {
    ensure,
    async close() {
      isClosed = true;
      await listening?.catch(() => {});
      // It waits for its connection to end, which one that is just being made anew never does; there is nothing to lose.
      if (events !== undefined) await endsWithin(events.close().catch(parts.settings.onError), CLOSE_MS);
    },
  };
}

function openEvents({ settings, waiters, backlog }: ListenerParts, lastEventId: string): QueueEvents {
  const { queue, prefix, onError } = settings;
  // BullMQ blocks none of its callers' connections but makes one of its own like it, at once.
  const like = openConsumer(settings);
  const events = new QueueEvents(queue, { connection: like as ConnectionOptions, prefix, lastEventId });
  like.disconnect();
  events.on("error", onError);
  events.on("completed", ({ jobId, returnvalue }) => {
    backlog.done(jobId);
    if (waiters.has(jobId)) waiters.settle(jobId, parseReply(returnvalue));
  });
  events.on("failed", ({ jobId, failedReason }) => {
    backlog.done(jobId);
    onError(new Error(`the queue gave up job ${jobId}: ${failedReason}`), { id: jobId });
    waiters.settle(jobId, internalReply());
  });
  return events;
}
