/** Counts the running jobs of each lane, and remembers which jobs stepped back because theirs was full. */
export interface Lanes<T> {
  /** Takes a place in the lane. False: it is full, and nothing was taken. */
  enter(lane: string, id: string): boolean;
  leave(lane: string): void;
  /** Remembers a job that found its lane full. Bounded: beyond a thousand a lane, later ones are not remembered. */
  stepBack(lane: string, id: string, job: T): void;
  /** The job that stepped back longest ago, if the lane has room for it; it is forgotten here. */
  next(lane: string): T | undefined;
}

const MAX_REMEMBERED = 1000;

export function createLanes<T>(cap: number): Lanes<T> {
  const running = new Map<string, number>();
  const steppedBack = new Map<string, Map<string, T>>();

  const isFull = (lane: string) => (running.get(lane) ?? 0) >= cap;

  function forget(lane: string, id: string): void {
    const jobs = steppedBack.get(lane);
    if (jobs?.delete(id) && jobs.size === 0) steppedBack.delete(lane);
  }

  return {
    enter(lane, id) {
      if (isFull(lane)) return false;
      running.set(lane, (running.get(lane) ?? 0) + 1);
      forget(lane, id);
      return true;
    },
    leave(lane) {
      const count = (running.get(lane) ?? 1) - 1;
      if (count === 0) running.delete(lane);
      else running.set(lane, count);
    },
    stepBack(lane, id, job) {
      const jobs = steppedBack.get(lane) ?? new Map<string, T>();
      steppedBack.set(lane, jobs);
      if (jobs.has(id) || jobs.size < MAX_REMEMBERED) jobs.set(id, job);
    },
    next(lane) {
      const [first] = steppedBack.get(lane) ?? [];
      if (first === undefined || isFull(lane)) return undefined;
      forget(lane, first[0]);
      return first[1];
    },
  };
}
