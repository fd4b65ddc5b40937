import { BoardwalkError } from "../errors.js";
import type { Hooks, Job, JobReply } from "./hooks.js";
import { createLanes } from "./lanes.js";
import {
  checkCount,
  checkInterval,
  checkJob,
  createRunner,
  endsWithin,
  type Handlers,
  type Outcome,
  type ReportError,
} from "./run-job.js";
import { createWaiters } from "./waiters.js";

export interface InlineHooksOptions {
  /** Jobs one `serve` runs at once. @default 64 */
  readonly concurrency?: number;
  /** Jobs of one lane one `serve` runs at once. @default 8 */
  readonly laneCap?: number;
  /** How long a finished job answers with its reply. @default 3600000, an hour */
  readonly keepFinishedMs?: number;
  /** How long a drain lets running jobs work before it aborts them. @default 25000 */
  readonly drainGraceMs?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Told of the causes behind `internal` replies. */
  readonly onError?: ReportError;
}

interface Entry {
  readonly job: Job;
  /** A run of a schedule: its reply is not kept, since the next run has the same id. */
  readonly isRun: boolean;
  attempt: number;
  timer?: NodeJS.Timeout;
}

/** Aborted handlers get this long to let go before the drain leaves without them. */
const LAST_WORDS_MS = 1_000;

/** Hooks in memory: for tests, a first look and library use. What is not done when the process ends is lost. */
export function createInlineHooks(options: InlineHooksOptions = {}): Hooks {
  const settings = readSettings(options);
  const waiters = createWaiters();
  const finished = createFinished(settings);
  const unfinished = new Map<string, Entry>();
  const line = createLine();
  const servers = new Set<Server>();
  const schedules = createSchedules((job) => add(job, true));
  let isClosed = false;

  function add(job: Job, isRun = false): void {
    if (isClosed) throw new BoardwalkError("unavailable", "This process is stopping. Please try again.");
    if (unfinished.has(job.id) || finished.replyOf(job.id)) return;
    const entry = { job, isRun, attempt: 1 };
    unfinished.set(job.id, entry);
    makeReady(entry);
  }

  function makeReady(entry: Entry): void {
    line.push(entry);
    for (const server of servers) server.fill();
  }

  function settle(entry: Entry, outcome: Outcome): void {
    const { id } = entry.job;
    if (outcome.kind === "interrupted") {
      makeReady(entry);
    } else if (outcome.kind === "again") {
      entry.attempt += 1;
      entry.timer = setTimeout(() => makeReady(entry), outcome.delayMs).unref();
    } else {
      unfinished.delete(id);
      if (!entry.isRun) finished.keep(id, outcome.reply);
      waiters.settle(id, outcome.reply);
    }
  }

  async function serve(handlers: Handlers): Promise<() => Promise<void>> {
    const server = createServer({ settings, handlers, line, settle });
    servers.add(server);
    server.fill();
    return () => {
      servers.delete(server);
      return server.drain();
    };
  }

  async function close(): Promise<void> {
    isClosed = true;
    schedules.clear();
    const draining = [...servers].map((server) => server.drain());
    servers.clear();
    await Promise.all(draining);
    for (const { timer } of unfinished.values()) clearTimeout(timer);
    waiters.releaseAll();
  }

  return {
    async ask(job, timeoutMs) {
      add(checkJob(job));
      return finished.replyOf(job.id) ?? waiters.open(job.id, timeoutMs).reply;
    },
    put: async (job) => add(checkJob(job)),
    schedule: async (job, everyMs) => schedules.set(checkJob(job), checkInterval(everyMs)),
    serve,
    async counts() {
      const running = [...servers].reduce((sum, server) => sum + server.running, 0);
      return { waiting: Math.max(0, unfinished.size - running), running, workers: servers.size };
    },
    close,
  };
}

type Settings = Required<InlineHooksOptions>;

function readSettings(options: InlineHooksOptions): Settings {
  return {
    keepFinishedMs: 3_600_000,
    drainGraceMs: 25_000,
    now: Date.now,
    onError: () => {},
    ...options,
    concurrency: checkCount("concurrency", options.concurrency ?? 64),
    laneCap: checkCount("laneCap", options.laneCap ?? 8),
  };
}

/** Jobs that may run now, first come first served within each lane. */
function createLine() {
  const lanes = new Map<string, Entry[]>();

  return {
    push(entry: Entry): void {
      const entries = lanes.get(entry.job.lane) ?? [];
      lanes.set(entry.job.lane, entries);
      entries.push(entry);
    },
    /** Hands out entries for as long as `take` takes them; a lane it takes nothing of is passed by. */
    offer(take: (entry: Entry) => boolean): void {
      for (const [lane, entries] of [...lanes]) {
        // To the end of the row: where there is no room for all lanes, the others come first next time.
        lanes.delete(lane);
        const refused = entries.findIndex((entry) => !take(entry));
        if (refused >= 0) lanes.set(lane, entries.slice(refused));
      }
    },
  };
}

interface Server {
  readonly running: number;
  /** Starts whatever there is room for. */
  fill(): void;
  drain(): Promise<void>;
}

interface ServerParts {
  readonly settings: Settings;
  readonly handlers: Handlers;
  readonly line: ReturnType<typeof createLine>;
  readonly settle: (entry: Entry, outcome: Outcome) => void;
}

function createServer({ settings, handlers, line, settle }: ServerParts): Server {
  const runner = createRunner(handlers, settings.onError);
  const lanes = createLanes<Entry>({ cap: settings.laneCap, places: settings.concurrency });
  const running = new Set<Promise<void>>();
  let draining: Promise<void> | undefined;

  function take(entry: Entry): boolean {
    const { id, data, lane } = entry.job;
    if (running.size >= settings.concurrency || !lanes.enter(lane, id)) return false;
    // Begun a moment later: a handler that puts jobs itself must not do so while the line is being handed out.
    const work = Promise.resolve()
      .then(() => runner.run({ ...entry.job, data: structuredClone(data) }, entry.attempt))
      .then((outcome) => {
        running.delete(work);
        lanes.leave(lane);
        settle(entry, outcome);
        fill();
      });
    running.add(work);
    return true;
  }

  function fill(): void {
    if (!draining) line.offer(take);
  }

  async function drain(): Promise<void> {
    const idle = Promise.all(running);
    if (await endsWithin(idle, settings.drainGraceMs)) return;
    runner.interrupt();
    await endsWithin(idle, LAST_WORDS_MS);
  }

  return {
    get running() {
      return running.size;
    },
    fill,
    drain() {
      draining ??= drain();
      return draining;
    },
  };
}

/** The replies of finished jobs, oldest first. */
function createFinished({ keepFinishedMs, now }: Settings) {
  const replies = new Map<string, { readonly reply: JobReply; readonly at: number }>();

  return {
    keep(id: string, reply: JobReply): void {
      replies.set(id, { reply, at: now() });
    },
    replyOf(id: string): JobReply | undefined {
      for (const [old, { at }] of replies) {
        if (now() - at < keepFinishedMs) break;
        replies.delete(old);
      }
      return replies.get(id)?.reply;
    },
  };
}

function createSchedules(put: (job: Job) => void) {
  const timers = new Map<string, NodeJS.Timeout>();

  return {
    set(job: Job, everyMs: number): void {
      clearInterval(timers.get(job.id));
      timers.set(job.id, setInterval(put, everyMs, job).unref());
      put(job);
    },
    clear(): void {
      for (const timer of timers.values()) clearInterval(timer);
    },
  };
}
