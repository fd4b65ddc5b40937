import { type Job as BullJob, type ConnectionOptions, DelayedError, Worker } from "bullmq";
import { z } from "zod";
import { safeParse } from "../parse.js";
import { type BullmqSettings, openConsumer } from "./bullmq-connection.js";
import type { Job, JobReply } from "./hooks.js";
import { createLanes, type Lanes } from "./lanes.js";
import { createRunner, endsWithin, type Handlers, internalReply, type Runner } from "./run-job.js";

/** What is kept in a job. It counts its own tries, since BullMQ's count also grows when a job steps back. */
export const payloadSchema = z.object({
  lane: z.string(),
  data: z.record(z.string(), z.unknown()),
  attempt: z.number().int().min(1),
  /** Set in a schedule's tick: the id under which the work itself is put. */
  puts: z.string().optional(),
  /** The address of whoever put it and may wait for its reply. Absent from jobs of earlier versions. */
  asker: z.string().exactOptional(),
  trail: z
    .object({ request: z.string().exactOptional(), parent: z.string().exactOptional() })
    .exactOptional(),
});
export type Payload = z.infer<typeof payloadSchema>;

/** A job that could not wait for its lane comes back by itself after these, should nobody fetch it sooner. */
const STEP_BACK_MS = { first: 250, most: 15_000 };
/** How many more jobs may be fetched than are being done. */
const FETCHED_AHEAD = 32;
/** How many times a freed place is offered: those who stepped back may be with another worker by now. */
const OFFERS = 3;
/** Aborted handlers get this long to let go before the worker leaves without them. */
const LAST_WORDS_MS = 1_000;
/** How long the last replies may take to be written. */
const FLUSH_MS = 3_000;
/** How soon a worker that lost Redis tries again. */
const RETRY_MS = 500;
/** Far beyond any: a job that was interrupted often is still to be done, never to be given up. */
const MAX_STALLED = 1_000_000;

/** What a worker needs of the process it is in. */
export interface WorkerSide {
  /** Puts the run that a schedule's tick asks for. */
  put(run: Job): Promise<void>;
  /** Told of each job done here, and by whom it was put. */
  finished(id: string, reply: JobReply, asker: string | undefined): void;
}

/** Begins to do jobs. @returns what finishes the running ones and stops; asked twice, it drains once. */
export function startWorker(
  settings: BullmqSettings,
  handlers: Handlers,
  { put, finished }: WorkerSide,
): () => Promise<void> {
  const { onError, drainGraceMs } = settings;
  const runner = createRunner(handlers, onError);
  const { laneCap: cap, concurrency } = settings;
  // As many may wait here as may run: a burst is done without each of its jobs being put off and fetched again.
  const lanes = createLanes<BullJob>({ cap, places: concurrency, mostWaiting: concurrency });
  const inTurn = createTurns();
  const room = createRoom(concurrency, () => {
    worker.concurrency = room.jobs();
  });
  let draining: Promise<void> | undefined;

  async function work(job: BullJob, token = ""): Promise<JobReply> {
    const parsed = safeParse(payloadSchema, job.data);
    const fetchedAt = performance.now();
    if (!parsed.success || job.id === undefined) {
      const { id = "" } = job;
      onError(new Error(`job ${id} cannot be read`, { cause: parsed.error }), { id });
      return internalReply();
    }
    // Fetched in the moment the drain began: the next worker's.
    if (draining) return later(job, token, 0);
    const { lane, data, puts } = parsed.data;
    if (puts !== undefined) {
      await put({ id: puts, name: job.name, data, lane });
      return { ok: true, result: undefined };
    }
    if (!lanes.enter(lane, job.id)) {
      const place = lanes.wait(lane);
      if (place === undefined) {
        const rounds = lanes.stepBack(lane, job.id, job) / cap;
        const delayMs = stepBackMs(job.attemptsStarted - parsed.data.attempt, rounds);
        return await inTurn(() => later(job, token, delayMs));
      }
      if (!(await room.waiting(place))) return later(job, token, 0);
    }
    try {
      if (performance.now() - fetchedAt > settings.lockMs / 2) await requireLock(job, token, settings.lockMs);
      const reply = await perform(runner, job, parsed.data, token);
      // What it says is in the store by now: whoever waits need not wait for the queue's own books as well.
      finished(job.id, reply, parsed.data.asker);
      return reply;
    } finally {
      lanes.leave(lane);
      void offerPlace(lanes, lane, () => worker.isPaused());
    }
  }

  const redis = openConsumer(settings);
  const worker = new Worker(
    settings.queue,
    (job: BullJob, token?: string) => room.working(work(job, token)),
    {
      connection: redis as ConnectionOptions,
      prefix: settings.prefix,
      concurrency: room.jobs(),
      lockDuration: settings.lockMs,
      stalledInterval: settings.stalledCheckMs,
      maxStalledCount: MAX_STALLED,
      runRetryDelay: RETRY_MS,
    },
  );
  worker.on("error", onError);
  worker.on("failed", (job, error) => tellGivenUp(job, error, onError, finished));

  async function drain(): Promise<void> {
    lanes.sendAway();
    const paused = worker.pause();
    if (!(await endsWithin(runner.idle(), drainGraceMs))) {
      runner.interrupt();
      await endsWithin(runner.idle(), LAST_WORDS_MS);
    }
    await endsWithin(paused, FLUSH_MS);
    // By force: all that could be written is, and a Redis that is gone would be waited for without end.
    await worker.close(true);
    redis.disconnect();
  }

  return () => {
    draining ??= drain();
    return draining;
  };
}

/** Of what the queue itself gave up, which is a fault in the queue. */
function tellGivenUp(
  job: BullJob | undefined,
  error: Error,
  onError: BullmqSettings["onError"],
  finished: WorkerSide["finished"],
): void {
  if (job === undefined) return;
  const { id = "", data } = job;
  onError(new Error(`the queue gave up job ${id}: ${error.message}`), { id });
  finished(id, internalReply(), safeParse(payloadSchema, data).data?.asker);
}

async function perform(runner: Runner, job: BullJob, payload: Payload, token: string): Promise<JobReply> {
  const { data, lane, trail, attempt } = payload;
  const run = { id: job.id ?? "", name: job.name, data, lane, ...(trail === undefined ? {} : { trail }) };
  const outcome = await runner.run(run, attempt, job.stalledCounter > 0);
  if (outcome.kind === "reply") return outcome.reply;
  if (outcome.kind === "again") {
    await job.updateData({ ...payload, attempt: attempt + 1 } satisfies Payload);
  }
  // Interrupted: given back at once, so that another worker need not wait for our lock to end.
  return later(job, token, outcome.kind === "again" ? outcome.delayMs : 0);
}

/** There is room again: fetch one that stepped back, rather than let it wait its delay out. */
async function offerPlace(lanes: Lanes<BullJob>, lane: string, isPaused: () => boolean): Promise<void> {
  for (let offer = 0; offer < OFFERS && !isPaused(); offer++) {
    const job = lanes.next(lane);
    if (!job) return;
    const taken = await job.promote().then(
      () => true,
      () => false,
    );
    if (taken) return;
  }
}

/** A process that stood still while its job waited may have lost it to another, who is at work on it. */
async function requireLock(job: BullJob, token: string, lockMs: number): Promise<void> {
  if ((await job.extendLock(token, lockMs)) !== 1) throw new Error("this job was lost to another worker");
}

/** Puts the job off, which counts neither as done nor as a try. */
async function later(job: BullJob, token: string, delayMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + delayMs, token);
  throw new DelayedError();
}

/**
 * How many jobs BullMQ may have. It begins none of those it fetches until it has them all: with room for a hundred, the
 * first of a hundred would wait for a hundred fetches. So there is room for just some more than are being done.
 */
function createRoom(concurrency: number, changed: () => void) {
  const counts = { working: 0, waiting: 0 };

  async function count<T>(what: keyof typeof counts, work: Promise<T>): Promise<T> {
    counts[what] += 1;
    changed();
    try {
      return await work;
    } finally {
      counts[what] -= 1;
      changed();
    }
  }

  return {
    jobs: () => Math.min(concurrency + counts.waiting, counts.working + FETCHED_AHEAD),
    /** Counts a job until it is done. */
    working: <T>(work: Promise<T>) => count("working", work),
    /** Who waits for its lane takes no room from the jobs of other lanes. */
    waiting: <T>(work: Promise<T>) => count("waiting", work),
  };
}

/**
 * Runs pieces of work one after the other. Jobs that find no place go back so: a thousand at a time would hold up, in the
 * midst of their work, the jobs that have one.
 */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}

/**
 * Grows with each time it stepped back, and with how often the whole lane must be filled before it is its turn;
 * scattered, so that a thousand do not all come back at once.
 */
function stepBackMs(times: number, rounds: number): number {
  const first = STEP_BACK_MS.first * Math.max(1, rounds);
  const longest = Math.min(first * 2 ** Math.max(0, times - 1), STEP_BACK_MS.most);
  return longest * (0.5 + Math.random());
}
