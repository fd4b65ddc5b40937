/** How a web process goes without anybody being turned away: it says so before it stops answering. */
export interface Leaving {
  /** Whether nothing more should be sent here. */
  readonly begun: boolean;
  /** Notes that somebody goes by `/readyz`. */
  asked(): void;
  /**
   * From now on `/readyz` says no. Resolves when whoever goes by it has had the time to notice: at once where nobody
   * does, as without a load balancer.
   */
  begin(): Promise<void>;
}

/** Longer than a load balancer takes between two looks, and than the 5 s for which clients may keep a silent connection. */
const NOTICE_MS = 6_000;
/** Who has not asked for so long does not go by it. */
const ASKS_WITHIN_MS = 60_000;

export function createLeaving(): Leaving {
  let askedAt = Number.NEGATIVE_INFINITY;
  let begun = false;
  return {
    get begun() {
      return begun;
    },
    asked() {
      askedAt = performance.now();
    },
    async begin() {
      begun = true;
      if (performance.now() - askedAt > ASKS_WITHIN_MS) return;
      await new Promise<void>((resolve) => setTimeout(resolve, NOTICE_MS));
    },
  };
}
