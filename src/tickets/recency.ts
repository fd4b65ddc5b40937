import type { Store } from "../store/store.js";

/**
 * How old what was read may be and still be answered from: as old as the latest change that we heard of, and never
 * older than {@link MOST_MS}, should the store's word have been lost. Nobody has to ask the store in between.
 */
export interface Recency {
  /** What was read of the tenant at this moment or later, as `performance.now()` tells it, is good. */
  ofTenant(id: string): number;
  /** The same of handles, such as tokens. */
  ofHandles(): number;
  close(): Promise<void>;
}

/** What a lost word can cost: a ticket shown where it was, a token that still opens. */
export const MOST_MS = 250;
const MOST_KEPT = 1_000;

export async function createRecency(store: Pick<Store, "watch" | "returned">): Promise<Recency> {
  let backAt = Number.NEGATIVE_INFINITY;
  const changedAt = new Map<string | undefined, number>();
  const stop = await store.watch((tenant) => {
    const now = performance.now();
    changedAt.set(tenant, now);
    if (changedAt.size > MOST_KEPT) forgetBefore(changedAt, now - MOST_MS);
  });
  const stopWaiting = store.returned(() => {
    backAt = performance.now();
  });
  const since = (tenant: string | undefined) =>
    Math.max(performance.now() - MOST_MS, backAt, changedAt.get(tenant) ?? Number.NEGATIVE_INFINITY);
  return {
    ofTenant: since,
    ofHandles: () => since(undefined),
    async close() {
      stopWaiting();
      await stop();
    },
  };
}

function forgetBefore(changedAt: Map<string | undefined, number>, moment: number): void {
  for (const [tenant, at] of changedAt) if (at < moment) changedAt.delete(tenant);
}
