import { type ConnectionOptions, type JobsOptions, Queue } from "bullmq";
import { BoardwalkError } from "../errors.js";
import { parseJson } from "../parse.js";
import type { RedisClient } from "../redis/open.js";
import { createBacklog } from "./backlog.js";
import {
  type BullmqHooksOptions,
  type BullmqSettings,
  createReadiness,
  openProducer,
  readSettings,
} from "./bullmq-connection.js";
import { createListener } from "./bullmq-listener.js";
import { type Payload, startWorker } from "./bullmq-worker.js";
import type { Hooks, Job, JobReply } from "./hooks.js";
import { checkInterval, checkJob, internalReply, parseReply } from "./run-job.js";
import { createWaiters } from "./waiters.js";

export type { BullmqHooksOptions };

/**
 * Kept an hour, so that a process that died while waiting can ask again and hear the reply.
 * Failed jobs only come of faults in the queue itself; kept, they would answer their failure for ever.
 */
const JOB_OPTIONS = { removeOnComplete: { age: 3_600, count: 20_000 }, removeOnFail: true } as const;
/** Not kept: a scheduled run has the same id each time, and is put again once it is gone. */
const RUN_OPTIONS = { removeOnComplete: true, removeOnFail: true } as const;

/** A waiter nobody woke for this long looks for itself: events may be trimmed before a slow process reads them. */
const RECHECK_MS = 2_000;

/** Hooks as BullMQ jobs in Redis: they outlive this process and are done by whichever process serves. */
export function createBullmqHooks(options: BullmqHooksOptions): Hooks {
  const settings = readSettings(options);
  const redis = openProducer(settings);
  const queue = openQueue(settings, redis);
  const producer = createProducer(settings, redis, queue);
  const drains = new Set<() => Promise<void>>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.all([...drains].map((drain) => drain()));
    await producer.close();
    await queue.close();
    await redis.quit().catch(() => redis.disconnect());
  }

  return {
    ask: producer.ask,
    async put(job) {
      await producer.put(job);
    },
    async schedule(job, everyMs) {
      const { id, name, data, lane } = checkJob(job);
      const every = checkInterval(everyMs);
      // The tick does not do the work but puts it, so that a run that takes long is not begun twice.
      const payload: Payload = { lane, data, attempt: 1, puts: id };
      const template = { name, data: payload, opts: RUN_OPTIONS };
      await producer.send(() => queue.upsertJobScheduler(id, { every }, template));
    },
    async serve(handlers) {
      const drain = startWorker(settings, handlers, {
        put: (run) => producer.put(run, RUN_OPTIONS),
        finished: producer.heard,
      });
      drains.add(drain);
      return drain;
    },
    counts: () => producer.send(() => countJobs(queue)),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

interface Producer extends Pick<Hooks, "ask" | "close"> {
  put(job: Job, options?: JobsOptions): Promise<void>;
  /** Runs a command for a caller. It fails fast, and only ever as `unavailable`. */
  send<T>(command: () => Promise<T>): Promise<T>;
  /** Gives the reply to whoever waits for it here. */
  heard(id: string, reply: JobReply): void;
}

function createProducer(settings: BullmqSettings, redis: RedisClient, queue: Queue): Producer {
  const waiters = createWaiters();
  const connected = createReadiness(redis);
  const backlog = createBacklog();
  const eventsKey = queue.toKey("events");
  const listener = createListener({ settings, redis, eventsKey, waiters, backlog, connected });
  const rechecking = setInterval(() => void recheck().catch(settings.onError), RECHECK_MS).unref();
  let isClosed = false;

  async function send<T>(command: () => Promise<T>): Promise<T> {
    if (isClosed) throw new BoardwalkError("unavailable", "This process is stopping. Please try again.");
    try {
      await connected();
      return await command();
    } catch (cause) {
      const message = "The job queue cannot be reached now. Please try again.";
      throw new BoardwalkError("unavailable", message, { cause });
    }
  }

  /** The first of each lane at once, then the next few of each, so that nobody waits behind another's thousand. */
  function addInTurn(job: Job, options: JobsOptions = JOB_OPTIONS): Promise<void> {
    const priority = Math.floor(backlog.add(job.lane, job.id) / settings.laneCap);
    return addJob(queue, job, priority === 0 ? options : { ...options, priority });
  }

  async function ask(job: Job, timeoutMs: number): Promise<JobReply | undefined> {
    const checked = checkJob(job);
    const waiter = waiters.open(job.id, timeoutMs);
    try {
      await send(async () => {
        await listener.ensure();
        // Side by side, one round trip: it either was finished before we looked, or finishes where we hear it.
        const look = job.isNew === true ? undefined : finishedReply(queue, redis, job.id);
        const [, reply] = await Promise.all([addInTurn(checked), look]);
        if (reply) waiters.settle(job.id, reply);
      });
    } catch (error) {
      waiter.drop();
      throw error;
    }
    return waiter.reply;
  }

  async function recheck(): Promise<void> {
    if (redis.status !== "ready") return;
    const ids = waiters.waitedForSince(Date.now() - RECHECK_MS);
    const look = async (id: string) => {
      const reply = await finishedReply(queue, redis, id);
      if (reply) waiters.settle(id, reply);
    };
    await Promise.all(ids.map(look));
  }

  async function close(): Promise<void> {
    isClosed = true;
    clearInterval(rechecking);
    waiters.releaseAll();
    await listener.close();
  }

  return {
    send,
    ask,
    async put(job, options) {
      const checked = checkJob(job);
      await send(() => addInTurn(checked, options));
    },
    heard: waiters.settle,
    close,
  };
}

function openQueue({ queue: name, prefix, onError }: BullmqSettings, redis: RedisClient): Queue {
  const queue = new Queue(name, {
    connection: redis as ConnectionOptions,
    prefix,
    // Each of these would send a command before the connection is up, and fail for good.
    skipVersionCheck: true,
    skipWaitingForReady: true,
    skipMetasUpdate: true,
  });
  queue.on("error", onError);
  return queue;
}

async function addJob(queue: Queue, job: Job, options: JobsOptions): Promise<void> {
  const { id, name, data, lane, trail } = job;
  const payload: Payload = { lane, data, attempt: 1, ...(trail === undefined ? {} : { trail }) };
  await queue.add(name, payload, { jobId: id, ...options });
}

/** The reply of a job that is finished already, whoever did it and whenever. */
async function finishedReply(queue: Queue, redis: RedisClient, id: string): Promise<JobReply | undefined> {
  const [finishedOn, failedReason, reply] = await redis.hmget(queue.toKey(id), ...REPLY_FIELDS);
  if (!finishedOn) return undefined;
  if (!failedReason) return parseReply(parseJson(reply ?? "null"));
  // Else it could never be put again.
  await queue.remove(id);
  return internalReply();
}

/** Of a job as BullMQ keeps it. Asked for by name, since most jobs looked for are not done and have much else to read. */
const REPLY_FIELDS = ["finishedOn", "failedReason", "returnvalue"] as const;

async function countJobs(queue: Queue) {
  const [jobs, schedules, workers] = await Promise.all([
    queue.getJobCounts("waiting", "delayed", "prioritized", "active"),
    queue.getJobSchedulersCount(),
    queue.getWorkersCount(),
  ]);
  const { waiting = 0, delayed = 0, prioritized = 0, active = 0 } = jobs;
  // Each schedule keeps its next run among the delayed: planned, not waiting.
  return { waiting: waiting + prioritized + Math.max(0, delayed - schedules), running: active, workers };
}
