/** How many jobs each lane has outstanding, of those that this process has put: who has many gets behind who has few. */
export interface Backlog {
  /** Counts the job. @returns how many of its lane were outstanding before it. */
  add(lane: string, id: string): number;
  done(id: string): void;
}

/** What was not heard of for this long is not waited for: its end may have been told while nobody listened. */
const FORGET_MS = 60_000;
const MAX_KEPT = 50_000;

export function createBacklog(now: () => number = Date.now): Backlog {
  /** Oldest first. */
  const jobs = new Map<string, { readonly lane: string; readonly at: number }>();
  const lanes = new Map<string, number>();

  function done(id: string): void {
    const job = jobs.get(id);
    if (job === undefined) return;
    jobs.delete(id);
    const left = (lanes.get(job.lane) ?? 1) - 1;
    if (left === 0) lanes.delete(job.lane);
    else lanes.set(job.lane, left);
  }

  function forgetOld(): void {
    for (const [id, { at }] of jobs) {
      if (jobs.size <= MAX_KEPT && now() - at < FORGET_MS) return;
      done(id);
    }
  }

  return {
    add(lane, id) {
      forgetOld();
      const outstanding = lanes.get(lane) ?? 0;
      if (jobs.has(id)) return outstanding;
      jobs.set(id, { lane, at: now() });
      lanes.set(lane, outstanding + 1);
      return outstanding;
    },
    done,
  };
}
