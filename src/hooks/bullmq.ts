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
import { createReplies } from "./bullmq-replies.js";
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

/** So many of a lane go together before it is the others' turn, and whoever has fewer is never behind more of them. */
const TURN = 8;
/** How often it is seen whether a waiter should look for itself: a reply that was published may have been lost. */
const RECHECK_MS = 250;
/** So many are looked for at a time: a thousand who wait for a board that hangs must not hold up those who do not. */
const LOOKS_AT_ONCE = 50;

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
        finished: producer.finished,
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
  /** A job of whoever has this address was done here. */
  finished(id: string, reply: JobReply, address: string | undefined): void;
}

function createProducer(settings: BullmqSettings, redis: RedisClient, queue: Queue): Producer {
  const waiters = createWaiters();
  const connected = createReadiness(redis);
  const backlog = createBacklog();
  const replies = createReplies({
    ...{ settings, redis, connected, heard },
    unheard: () => void lookFor(waiters.due(Number.POSITIVE_INFINITY)).catch(settings.onError),
  });
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

  /** The first few of each lane at once, then the next few of each, so that nobody waits behind another's thousand. */
  function addInTurn(job: Job, options: JobsOptions = JOB_OPTIONS): Promise<void> {
    const priority = Math.floor(backlog.add(job.lane, job.id) / TURN);
    return addJob(queue, job, replies.address, priority === 0 ? options : { ...options, priority });
  }

  async function ask(job: Job, timeoutMs: number): Promise<JobReply | undefined> {
    const checked = checkJob(job);
    const waiter = waiters.open(job.id, timeoutMs);
    try {
      await send(async () => {
        await replies.ensure();
        // Side by side, one round trip: it either was finished before we looked, or finishes where we hear it.
        const look = job.isNew === true ? undefined : finishedReply(queue, redis, job.id);
        const [, reply] = await Promise.all([addInTurn(checked), look]);
        waiter.begun();
        if (reply && reply !== "gone") heard(job.id, reply);
      });
    } catch (error) {
      waiter.drop();
      throw error;
    }
    return waiter.reply;
  }

  async function recheck(): Promise<void> {
    if (redis.status !== "ready") return;
    await lookFor(waiters.due(Date.now(), LOOKS_AT_ONCE));
  }

  async function lookFor(ids: readonly string[]): Promise<void> {
    const look = async (id: string) => {
      const reply = await finishedReply(queue, redis, id);
      if (reply === "gone") waiters.release(id);
      else if (reply) heard(id, reply);
    };
    await Promise.all(ids.map(look));
  }

  function heard(id: string, reply: JobReply): void {
    backlog.done(id);
    waiters.settle(id, reply);
  }

  function finished(id: string, reply: JobReply, address: string | undefined): void {
    heard(id, reply);
    if (address === undefined || address === replies.address) return;
    // Should it be lost, it is looked for.
    replies.publish(address, id, reply).catch(settings.onError);
  }

  async function close(): Promise<void> {
    isClosed = true;
    clearInterval(rechecking);
    waiters.releaseAll();
    await replies.close();
  }

  return {
    send,
    ask,
    async put(job, options) {
      const checked = checkJob(job);
      await send(() => addInTurn(checked, options));
    },
    finished,
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

async function addJob(queue: Queue, job: Job, asker: string, options: JobsOptions): Promise<void> {
  const { id, name, data, lane, trail } = job;
  const payload: Payload = { lane, data, attempt: 1, asker, ...(trail === undefined ? {} : { trail }) };
  await queue.add(name, payload, { jobId: id, ...options });
}

/** The reply of a job that is finished already, whoever did it and whenever; or that there is no such job, or no more. */
async function finishedReply(
  queue: Queue,
  redis: RedisClient,
  id: string,
): Promise<JobReply | "gone" | undefined> {
  const [name, finishedOn, failedReason, reply] = await redis.hmget(queue.toKey(id), ...REPLY_FIELDS);
  if (!name) return "gone";
  if (!finishedOn) return undefined;
  if (!failedReason) return parseReply(parseJson(reply ?? "null"));
  // Else it could never be put again.
  await queue.remove(id);
  return internalReply();
}

/** Of a job as BullMQ keeps it. Asked for by name, since most jobs looked for are not done and have much else to read. */
const REPLY_FIELDS = ["name", "finishedOn", "failedReason", "returnvalue"] as const;

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
