import type { Hooks, Job, JobHandler, JobReply } from "../../src/hooks/hooks.js";
import { createRunner, type Outcome } from "../../src/hooks/run-job.js";
import { createWaiters } from "../../src/hooks/waiters.js";
import { actAs, type Fate } from "./fate.js";

/**
 * A queue that outlives the simulated processes which share it, and that does at once what BullMQ does in time: a dead
 * worker's jobs are given to another, and what the dead one says of them later is not heard.
 */

export interface JobLine {
  /** The queue as this process uses it: what it puts and completes are its steps. */
  hooksOf(fate: Fate): Hooks;
  /** Gives this process's jobs to others. */
  lose(fate: Fate): void;
  /** How many jobs this process has begun and not ended, lost ones too. */
  runsOf(fate: Fate): number;
}

interface Entry {
  readonly job: Job;
  attempt: number;
  takenOver: boolean;
  state: "waiting" | "running" | "done";
  /** Grows with each run: whoever had an earlier one has lost it. */
  run: number;
  by?: Fate;
  reply?: JobReply;
}

interface Worker {
  readonly fate: Fate;
  readonly runner: ReturnType<typeof createRunner>;
}

export function createJobLine(): JobLine {
  const entries = new Map<string, Entry>();
  const workers: Worker[] = [];
  const waiters = createWaiters();
  const runs = new Map<Fate, number>();
  const count = (fate: Fate, more: number) => runs.set(fate, (runs.get(fate) ?? 0) + more);

  function add(job: Job): void {
    if (entries.has(job.id)) return;
    entries.set(job.id, { job, attempt: 1, takenOver: false, state: "waiting", run: 0 });
    hand();
  }

  function hand(): void {
    const [worker] = workers;
    if (worker === undefined) return;
    for (const entry of entries.values()) if (entry.state === "waiting") void run(worker, entry);
  }

  async function run({ fate, runner }: Worker, entry: Entry): Promise<void> {
    Object.assign(entry, { state: "running", by: fate, run: entry.run + 1 });
    const mine = entry.run;
    const job = structuredClone(entry.job);
    count(fate, 1);
    const outcome = await actAs(fate, () => runner.run(job, entry.attempt, entry.takenOver));
    await fate.step(`jobs: ${outcome.kind} ${job.name}`, async () => {
      if (entry.run === mine) settle(entry, outcome);
    });
    count(fate, -1);
  }

  function settle(entry: Entry, outcome: Outcome): void {
    if (outcome.kind === "reply") {
      Object.assign(entry, { state: "done", reply: outcome.reply });
      waiters.settle(entry.job.id, outcome.reply);
      return;
    }
    const wait = outcome.kind === "again" ? outcome.delayMs : 0;
    entry.attempt += outcome.kind === "again" ? 1 : 0;
    setTimeout(() => {
      entry.state = "waiting";
      hand();
    }, wait);
  }

  return {
    runsOf: (fate) => runs.get(fate) ?? 0,
    lose(fate) {
      const at = workers.findIndex((worker) => worker.fate === fate);
      if (at >= 0) workers.splice(at, 1);
      for (const entry of entries.values())
        if (entry.state === "running" && entry.by === fate)
          Object.assign(entry, { state: "waiting", takenOver: true, run: entry.run + 1 });
      hand();
    },
    hooksOf: (fate) => ({
      async ask(job, timeoutMs) {
        const waiter = waiters.open(job.id, timeoutMs);
        await fate.step(`jobs: add ${job.name}`, async () => add(job));
        const { reply } = entries.get(job.id) ?? {};
        if (reply !== undefined) waiters.settle(job.id, reply);
        const heard = await waiter.reply;
        await fate.goesOn();
        return heard;
      },
      put: (job) => fate.step(`jobs: add ${job.name}`, async () => add(job)),
      schedule: async () => {},
      async serve(handlers: Readonly<Record<string, JobHandler>>) {
        workers.push({ fate, runner: createRunner(handlers, () => {}) });
        hand();
        return async () => {};
      },
      counts: async () => ({ waiting: 0, running: 0, workers: workers.length }),
      close: async () => {},
    }),
  };
}
