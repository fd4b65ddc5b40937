/** Counts the running jobs of each lane; those that find no place in theirs wait here for one, or step back. */
export interface Lanes<T> {
  /** Takes a place in the lane. False: there is none for it, and nothing was taken. */
  enter(lane: string, id: string): boolean;
  /**
   * Waits for a place in a full lane, in the order of coming. Resolves to true when it was given one, to false when
   * everybody was sent away. `undefined`: as many wait as may, or it is
   * the lane's group that has no more places.
   */
  wait(lane: string): Promise<boolean> | undefined;
  /** Gives the place to whoever waits longest, else back. */
  leave(lane: string): void;
  /** Ends all waiting. */
  sendAway(): void;
  /**
   * Remembers a job that could not even wait. Bounded: beyond a thousand a lane, later ones are not remembered.
   * @returns how many of the lane are remembered.
   */
  stepBack(lane: string, id: string, job: T): number;
  /**
   * The job that stepped back longest ago in the lane, or else in another, if there is room for it, to run or to wait;
   * it is forgotten here.
   */
  next(lane: string): T | undefined;
}

export interface LaneLimits {
  /** Jobs of one lane. */
  readonly cap: number;
  /** Jobs of all lanes. @default any number */
  readonly places?: number;
  /** Jobs that wait for a place, over all lanes. @default 0 */
  readonly mostWaiting?: number;
}

const MAX_REMEMBERED = 1000;
/** A group may have this many places for each one that is free. */
const PLACES_FOR_A_FREE_ONE = 2;

/**
 * A lane's group is what stands before its first slash: a tenant's connections, each with its jobs, hooks and syncs.
 * The fuller it gets, the less of the rest may one group take, so that some is left for whoever comes next, however
 * many lanes the others fill.
 */
export function createLanes<T>(limits: LaneLimits): Lanes<T> {
  const { cap, places = Number.POSITIVE_INFINITY, mostWaiting = 0 } = limits;
  const running = new Map<string, number>();
  const inGroup = new Map<string, number>();
  const waiting = new Map<string, ((taken: boolean) => void)[]>();
  const steppedBack = new Map<string, Map<string, T>>();
  let taken = 0;
  let waiters = 0;

  const isFull = (lane: string) => (running.get(lane) ?? 0) >= cap;

  function hasRoom(lane: string): boolean {
    const share = PLACES_FOR_A_FREE_ONE * (places - taken);
    return !isFull(lane) && (inGroup.get(groupOf(lane)) ?? 0) < share;
  }

  /** Only for what its own lane will give: who lacks its group's share may be called by nobody. */
  const mayWait = (lane: string) => isFull(lane) && waiters < mostWaiting;

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
      if (!hasRoom(lane)) return false;
      add(running, lane, 1);
      add(inGroup, groupOf(lane), 1);
      taken += 1;
      forget(lane, id);
      return true;
    },
    wait(lane) {
      if (!mayWait(lane)) return undefined;
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
      add(running, lane, -1);
      add(inGroup, groupOf(lane), -1);
      taken -= 1;
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
      return jobs.size;
    },
    next(lane) {
      for (const each of [lane, ...steppedBack.keys()]) {
        const [first] = steppedBack.get(each) ?? [];
        if (first === undefined || !(hasRoom(each) || mayWait(each))) continue;
        forget(each, first[0]);
        return first[1];
      }
      return undefined;
    },
  };
}

function groupOf(lane: string): string {
  const slash = lane.indexOf("/");
  return slash < 0 ? lane : lane.slice(0, slash);
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
