import type { JobReply } from "./hooks.js";

export interface Waiter {
  /** The reply, or `undefined` when the time was over first. */
  readonly reply: Promise<JobReply | undefined>;
  /** What is waited for has been put: from now on a reply that nobody tells of is worth a look. */
  begun(): void;
  /** Stops waiting; `reply` becomes `undefined`. */
  drop(): void;
}

/** Who waits for which job. One of these serves all callers of a process, however many wait. */
export interface Waiters {
  open(id: string, timeoutMs: number): Waiter;
  /** Gives the reply to everybody who waits for this job. */
  settle(id: string, reply: JobReply): void;
  /**
   * Up to `most` jobs whose reply it is time to look for, `now` being in ms since 1970: each is due again after twice as
   * long.
   */
  due(now: number, most?: number): readonly string[];
  /** Ends the waiting for a job that nobody will do: a Redis that lost it, or gave it up. */
  release(id: string): void;
  /** Ends all waiting without a reply. */
  releaseAll(): void;
}

interface Entry {
  lookAt: number;
  waitMs: number;
  readonly finish: (reply: JobReply | undefined) => void;
}

/** Between one look and the next. */
const LOOK_MS = { first: 250, most: 2_000 };
/** The longest delay a Node timer can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createWaiters(): Waiters {
  const byId = new Map<string, Set<Entry>>();

  function open(id: string, timeoutMs: number): Waiter {
    const { promise, resolve } = deferred<JobReply | undefined>();
    const timer = setTimeout(() => entry.finish(undefined), Math.min(Math.max(timeoutMs, 0), MAX_TIMER_MS));
    const entry: Entry = {
      lookAt: Number.POSITIVE_INFINITY,
      waitMs: LOOK_MS.first,
      finish(reply) {
        clearTimeout(timer);
        forget(id, entry);
        resolve(reply);
      },
    };
    const entries = byId.get(id) ?? new Set();
    byId.set(id, entries.add(entry));
    return {
      reply: promise,
      begun() {
        entry.lookAt = Date.now() + entry.waitMs;
      },
      drop: () => entry.finish(undefined),
    };
  }

  function forget(id: string, entry: Entry): void {
    const entries = byId.get(id);
    if (entries?.delete(entry) && entries.size === 0) byId.delete(id);
  }

  function finishAll(entries: Iterable<Entry>, reply: JobReply | undefined): void {
    for (const entry of [...entries]) entry.finish(reply);
  }

  return {
    open,
    settle: (id, reply) => finishAll(byId.get(id) ?? [], reply),
    due(now, most = Number.POSITIVE_INFINITY) {
      const ids: string[] = [];
      for (const [id, entries] of [...byId]) {
        if (ids.length >= most) break;
        if (!isDue(entries, now)) continue;
        ids.push(id);
        // To the end of the line: however many wait, each has its turn.
        byId.delete(id);
        byId.set(id, entries);
      }
      return ids;
    },
    release: (id) => finishAll(byId.get(id) ?? [], undefined),
    releaseAll() {
      for (const entries of [...byId.values()]) finishAll(entries, undefined);
    },
  };
}

function isDue(entries: Iterable<Entry>, now: number): boolean {
  const due = [...entries].filter(({ lookAt }) => lookAt <= now);
  for (const entry of due) {
    entry.waitMs = Math.min(2 * entry.waitMs, LOOK_MS.most);
    entry.lookAt = Date.now() + entry.waitMs;
  }
  return due.length > 0;
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
