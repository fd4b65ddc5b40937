import { BoardwalkError } from "../errors.js";

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
  load(handle: string): Promise<FsmStateSnapshot | undefined>;
  save(handle: string, snapshot: FsmStateSnapshot): Promise<void>;
  /** Saves `next` only if what is kept equals `expected` (`undefined`: nothing is kept). @returns whether it did. */
  compareAndSet?(
    handle: string,
    expected: FsmStateSnapshot | undefined,
    next: FsmStateSnapshot,
  ): Promise<boolean>;
}

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
    if (typeof updatedAt === "number") return { state, updatedAt: new Date(updatedAt).toISOString() };
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
  /** Workflows kept; beyond it the one untouched longest is dropped. @default 100_000 */
  readonly max?: number;
}

/**
 * Workflows in this process's memory. A dropped workflow is remembered as dropped (for ten times `max` of them),
 * so that whoever comes back to it is told, and does not find it at its start.
 */
export function createMemoryStateStore({
  max = 100_000,
}: MemoryStateStoreOptions = {}): Required<FsmStateStore> {
  const kept = new Map<string, FsmStateSnapshot>();
  const dropped = new Set<string>();

  function touch(handle: string, snapshot: FsmStateSnapshot): void {
    kept.delete(handle);
    kept.set(handle, snapshot);
    dropped.delete(handle);
    if (kept.size > max) drop();
  }

  function drop(): void {
    const [oldest] = kept.keys();
    if (oldest === undefined) return;
    kept.delete(oldest);
    dropped.add(oldest);
    const [first] = dropped;
    if (dropped.size > max * 10 && first !== undefined) dropped.delete(first);
  }

  return {
    async load(handle) {
      return kept.get(handle) ?? (dropped.has(handle) ? DROPPED : undefined);
    },
    async save(handle, snapshot) {
      touch(handle, snapshot);
    },
    async compareAndSet(handle, expected, next) {
      const current = kept.get(handle) ?? (dropped.has(handle) ? DROPPED : undefined);
      if (!sameSnapshot(current, expected)) return false;
      touch(handle, next);
      return true;
    },
  };
}
