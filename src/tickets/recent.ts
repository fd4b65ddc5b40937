import type { ActorRecord, TenantStore } from "../store/store.js";
import { setNewest } from "./newest.js";
import { MOST_MS } from "./recency.js";
import type { Views } from "./view.js";

/**
 * What this process has just had in hand, for its other half: the worker need not read again what the desk has written a
 * moment ago, and the echo of a move need not be looked up. Nothing is decided by it alone: a worker reads the board, and
 * saves by compare-and-set.
 */
export interface Recent {
  /** The record as it was just saved. */
  keep(tenant: TenantStore, record: ActorRecord, read?: ReadWith): void;
  /** The ticket as this process last saved it; others may have saved it since. */
  of(tenant: Tenant, ticket: string): ActorRecord | undefined;
  /** The move's ticket as it was intended here, if that is not long ago. */
  intended(tenant: Tenant, ticket: string, moveId: string): Intended | undefined;
  forget(): void;
}

type Tenant = Pick<TenantStore, "id">;

/** What was known of the tenant's other parts when the ticket was read. */
export interface ReadWith {
  readonly workflowRevision: number;
  readonly connectionsSince: number;
}

export interface Intended {
  readonly record: ActorRecord;
  readonly read: ReadWith;
}

interface Kept {
  readonly record: ActorRecord;
  readonly read?: ReadWith | undefined;
  readonly at: number;
}

/** No more of it: what was read may be a whole view, which would be held for as long as the record. */
function momentOf({ workflowRevision, connectionsSince }: ReadWith): ReadWith {
  return { workflowRevision, connectionsSince };
}

/** Some 2 kB each. */
const MOST_KEPT = 2_000;

/** `views` are told of each save too. */
export function createRecent(views?: Pick<Views, "saved">): Recent {
  const kept = new Map<string, Kept>();
  const keyOf = ({ id }: Tenant, ticket: string) => JSON.stringify([id, ticket]);
  return {
    keep(tenant, record, read) {
      const now = { record, read: read && momentOf(read), at: performance.now() };
      setNewest(kept, keyOf(tenant, record.ticket.id), now, MOST_KEPT);
      views?.saved(tenant, record);
    },
    of: (tenant, ticket) => kept.get(keyOf(tenant, ticket))?.record,
    intended(tenant, ticket, moveId) {
      const { record, read, at } = kept.get(keyOf(tenant, ticket)) ?? {};
      if (record?.pending?.moveId !== moveId || read === undefined || at === undefined) return undefined;
      return performance.now() - at <= MOST_MS ? { record, read } : undefined;
    },
    forget: () => kept.clear(),
  };
}
