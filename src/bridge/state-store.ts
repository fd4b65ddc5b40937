import { BoardwalkError } from "../errors.js";
import { requirePositive } from "./limits.js";

/** Where one workflow stands, as it is kept. */
export interface FsmStateSnapshot {
  /** A state's name, or where that does not say it all, the whole position as JSON. */
  readonly state: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** A call under way in some process; kept only by stores that compare and set. */
  readonly claim?: { readonly by: string; readonly until: string };
}

/**
 * Keeps workflows between requests. `load` and `save` are all that is needed. Where several processes share a store,
 * it needs `compareAndSet` too, or two calls at once may both act and one of their updates is lost.
 */
export interface FsmStateStore {
  /** What was last saved under this handle. */
  load(handle: string): Promise<FsmStateSnapshot | undefined>;
  /** Keeps it under this handle, whatever was there. */
  save(handle: string, snapshot: FsmStateSnapshot): Promise<void>;
  /** Saves `next` only if what is kept equals `expected` (`undefined`: nothing is kept). @returns whether it did. */
  compareAndSet?(
    handle: string,
    expected: FsmStateSnapshot | undefined,
    next: FsmStateSnapshot,
  ): Promise<boolean>;
}

/** What a `Date` can hold, on either side of 1970. */
const MOST_MS = 8.64e15;

/**
 * What a store returned, as a snapshot. Written by hand: it runs on every call.
 * @throws BoardwalkError `internal` when it is none: acting from a guess would be worse.
 */
export function parseStateSnapshot(stored: unknown): FsmStateSnapshot | undefined {
  if (stored === undefined || stored === null) return undefined;
  const { state, updatedAt, claim } = stored as Partial<Record<keyof FsmStateSnapshot, unknown>>;
  if (typeof state === "string" && isClaim(claim)) {
    if (typeof updatedAt === "string") return stored as FsmStateSnapshot;
    // Milliseconds are what older stores kept.
    if (typeof updatedAt === "number" && Math.abs(updatedAt) <= MOST_MS)
      return { state, updatedAt: new Date(updatedAt).toISOString() };
  }
  throw new BoardwalkError(
    "internal",
    "What is kept of this workflow cannot be read. Please start a new one.",
  );
}

function isClaim(claim: unknown): boolean {
  if (claim === undefined) return true;
  const { by, until } = (claim ?? {}) as { by?: unknown; until?: unknown };
  return typeof by === "string" && typeof until === "string";
}

export function sameSnapshot(a: FsmStateSnapshot | undefined, b: FsmStateSnapshot | undefined): boolean {
  return a?.state === b?.state && a?.updatedAt === b?.updatedAt && a?.claim?.by === b?.claim?.by;
}

/** Stands for a workflow that was dropped: older than any time limit, so that it reads as expired and not as new. */
const DROPPED: FsmStateSnapshot = Object.freeze({ state: "", updatedAt: new Date(0).toISOString() });

export interface MemoryStateStoreOptions {
  /** Workflows kept; beyond it those untouched longest are dropped. @default 100_000 */
  readonly max?: number;
}

/**
 * Workflows in this process's memory. A dropped workflow is remembered as dropped (for ten times `max` of them),
 * so that whoever comes back to it is told, and does not find it at its start.
 */
export function createMemoryStateStore({
  max = 100_000,
}: MemoryStateStoreOptions = {}): Required<FsmStateStore> {
  requirePositive({ max });
  // Two generations instead of a list in order of use: re-ordering on every save costs more than the save.
  const half = Math.max(1, Math.floor(max / 2));
  let young = new Map<string, FsmStateSnapshot>();
  let old = new Map<string, FsmStateSnapshot>();
  const dropped = new Set<string>();

  function find(handle: string): FsmStateSnapshot | undefined {
    return young.get(handle) ?? old.get(handle) ?? (dropped.has(handle) ? DROPPED : undefined);
  }

  function keep(handle: string, snapshot: FsmStateSnapshot): void {
    if (!young.has(handle) && young.size >= half) age();
    young.set(handle, snapshot);
    if (dropped.size > 0) dropped.delete(handle);
  }

  function age(): void {
    for (const handle of old.keys()) if (!young.has(handle)) dropped.add(handle);
    old = young;
    young = new Map();
    for (const handle of dropped) {
      if (dropped.size <= max * 10) break;
      dropped.delete(handle);
    }
  }

  return {
    async load(handle) {
      return find(handle);
    },
    async save(handle, snapshot) {
      keep(handle, snapshot);
    },
    async compareAndSet(handle, expected, next) {
      const current = find(handle);
      if (current !== expected && !sameSnapshot(current, expected)) return false;
      keep(handle, next);
      return true;
    },
  };
}
