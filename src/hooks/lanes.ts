/** Counts the running jobs of each lane; those that find theirs full wait here for a place, or step back. */
export interface Lanes<T> {
  /** Takes a place in the lane. False: it is full, and nothing was taken. */
  enter(lane: string, id: string): boolean;
  /**
   * Waits for a place in a full lane, in the order of coming. Resolves to true when it was given one, to false when
   * everybody was sent away. `undefined`: as many wait as may, over all lanes.
   */
  wait(lane: string): Promise<boolean> | undefined;
  /** Gives the place to whoever waits longest, else back. */
  leave(lane: string): void;
  /** Ends all waiting. */
  sendAway(): void;
  /** Remembers a job that could not even wait. Bounded: beyond a thousand a lane, later ones are not remembered. */
  stepBack(lane: string, id: string, job: T): void;
  /** The job that stepped back longest ago, if the lane has room for it, to run or to wait; it is forgotten here. */
  next(lane: string): T | undefined;
}

const MAX_REMEMBERED = 1000;

export function createLanes<T>(cap: number, mostWaiting = 0): Lanes<T> {
  const running = new Map<string, number>();
  const waiting = new Map<string, ((taken: boolean) => void)[]>();
  const steppedBack = new Map<string, Map<string, T>>();
  let waiters = 0;

  const isFull = (lane: string) => (running.get(lane) ?? 0) >= cap;

  function forget(lane: string, id: string): void {
    const jobs = steppedBack.get(lane);
    if (jobs?.delete(id) && jobs.size === 0) steppedBack.delete(lane);
  }

  function nextWaiting(lane: string): ((taken: boolean) => void) | undefined {
    const queue = waiting.get(lane);
    const first = queue?.shift();
    if (queue?.length === 0) waiting.delete(lane);
    if (first !== undefined) waiters -= 1;
    return first;
  }

  return {
    enter(lane, id) {
      if (isFull(lane)) return false;
      running.set(lane, (running.get(lane) ?? 0) + 1);
      forget(lane, id);
      return true;
    },
    wait(lane) {
      if (waiters >= mostWaiting) return undefined;
      waiters += 1;
      return new Promise((resolve) => {
        const queue = waiting.get(lane) ?? [];
        waiting.set(lane, queue);
        queue.push(resolve);
      });
    },
    leave(lane) {
      const heir = nextWaiting(lane);
      if (heir !== undefined) return heir(true);
      const count = (running.get(lane) ?? 1) - 1;
      if (count === 0) running.delete(lane);
      else running.set(lane, count);
    },
    sendAway() {
      for (const queue of waiting.values()) for (const end of queue) end(false);
      waiting.clear();
      waiters = 0;
    },
    stepBack(lane, id, job) {
      const jobs = steppedBack.get(lane) ?? new Map<string, T>();
      steppedBack.set(lane, jobs);
      if (jobs.has(id) || jobs.size < MAX_REMEMBERED) jobs.set(id, job);
    },
    next(lane) {
      const [first] = steppedBack.get(lane) ?? [];
      if (first === undefined || (isFull(lane) && waiters >= mostWaiting)) return undefined;
      forget(lane, first[0]);
      return first[1];
    },
  };
}
