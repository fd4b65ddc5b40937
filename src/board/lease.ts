import { AsyncLocalStorage } from "node:async_hooks";
import { BoardwalkError } from "../errors.js";

/**
 * A write may go out only for a while after it was decided. A process that stood still longer (suspended, swapped out,
 * cut off) has lost its job to another by then, and the write that it still has in hand would come after theirs.
 */

const leases = new AsyncLocalStorage<number | undefined>();

/** Runs `work`; requests to boards that it begins after `ms` are refused by {@link checkLease}. */
export function withLease<T>(ms: number, work: () => Promise<T>): Promise<T> {
  return leases.run(performance.now() + ms, work);
}

/** Runs `work`, which only reads, as no part of the lease: a board that took long over the write is still asked what came of it. */
export function withoutLease<T>(work: () => Promise<T>): Promise<T> {
  return leases.run(undefined, work);
}

/** Right before a request goes out. @throws BoardwalkError `busy` when the time for it is over. */
export function checkLease(): void {
  const until = leases.getStore();
  if (until === undefined || performance.now() <= until) return;
  throw new BoardwalkError("busy", "This took too long to begin, so it was not begun. Please try again.");
}
