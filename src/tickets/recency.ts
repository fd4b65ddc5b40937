import type { Store } from "../store/store.js";
import { setNewest } from "./newest.js";

/**
 * How old what was read may be and still be answered from: as old as the latest change that we heard of, and never
 * older than {@link MOST_MS}, should the store's word have been lost. Nobody has to ask the store in between.
 */
export interface Recency {
  /**
   * What was read of the tenant at this moment or later, as `performance.now()` tells it, is good. To who knows all
   * changes of its tickets up to the revision `known`, those are no news.
   */
  ofTenant(id: string, known?: number): number;
  /** The same of the tenant's connections, which change seldom. */
  ofConnections(id: string): number;
  /** The same of handles, such as tokens. */
  ofHandles(): number;
  close(): Promise<void>;
}

/** What a lost word can cost: a ticket shown where it was, a token that still opens. */
export const MOST_MS = 250;
const MOST_KEPT = 1_000;

export async function createRecency(store: Pick<Store, "watch" | "returned">): Promise<Recency> {
  let backAt = Number.NEGATIVE_INFINITY;
  const tickets = createMoments();
  const others = createMoments();
  const connections = createMoments();
  const stop = await store.watch((tenant, kind, revision) => {
    if (kind === "actors") return tickets.note(tenant, revision);
    others.note(tenant);
    // Earlier releases do not tell which.
    if (kind === undefined || kind === "connection") connections.note(tenant);
  });
  const stopWaiting = store.returned(() => {
    backAt = performance.now();
  });
  const since = (...moments: readonly number[]) => Math.max(performance.now() - MOST_MS, backAt, ...moments);
  return {
    ofTenant: (id, known = -1) => since(others.of(id), tickets.of(id, known)),
    ofConnections: (id) => since(connections.of(id)),
    ofHandles: () => since(others.of(undefined)),
    async close() {
      stopWaiting();
      await stop();
    },
  };
}

interface Moments {
  note(tenant: string | undefined, revision?: number): void;
  /** Of what came after the revision `known`. */
  of(tenant: string | undefined, known?: number): number;
}

/** When something last happened to a tenant, for as long as that matters. */
function createMoments(): Moments {
  const latest = new Map<string | undefined, { readonly at: number; readonly revision: number }>();
  return {
    note(tenant, revision = Number.POSITIVE_INFINITY) {
      const now = performance.now();
      latest.set(tenant, { at: now, revision });
      if (latest.size <= MOST_KEPT) return;
      for (const [other, { at }] of latest) if (at < now - MOST_MS) latest.delete(other);
    },
    of(tenant, known = -1) {
      const { at, revision } = latest.get(tenant) ?? {};
      return at === undefined || revision === undefined || revision <= known ? Number.NEGATIVE_INFINITY : at;
    },
  };
}

/** Asks `look`, unless what it said for this key is still good. */
export type Believed<T> = (key: string, look: () => Promise<T>) => Promise<T>;

/** What was looked up longest ago goes first. */
const MOST_BELIEVED = 10_000;

/**
 * Looks things up again and again: what one look said is good for as long as `since` says. A look that failed or found
 * nothing is not kept: there may be something in a moment, and strangers would fill the place.
 */
export function createBelieved<T>(since: () => number): Believed<T> {
  const looked = new Map<string, { readonly at: number; readonly answer: Promise<T> }>();
  return async (key, look) => {
    const known = looked.get(key);
    if (known !== undefined && known.at >= since()) return await known.answer;
    const made = { at: performance.now(), answer: look() };
    setNewest(looked, key, made, MOST_BELIEVED);
    const drop = () => looked.get(key) === made && looked.delete(key);
    made.answer.then((answer) => answer === undefined && drop(), drop);
    return await made.answer;
  };
}
