import type { Budgets } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import type { TenantStore } from "../store/store.js";
import { setNewest } from "./newest.js";
import { budgetsSettingOf } from "./settings.js";
import type { WorkerDeps } from "./worker-deps.js";

/** How much of the service one tenant may use, so that enough is left for the others. Each process counts for itself. */

export interface Limits {
  /** Requests over MCP, whatever they ask for. */
  readonly callsPerMinute: number;
  /** Sessions of clients of 2025 that are in use. */
  readonly sessions: number;
  /** Streams of news that clients and pages hold open. */
  readonly streams: number;
  /** Tickets kept, whatever their status. */
  readonly tickets: number;
}

/** A refusal changes nothing, and is `rate_limited` with a sentence and the time to come back. */
export interface TenantBudgets {
  /** A change of the tenant's setting holds within half a minute. */
  limitsFor(tenant: TenantStore | undefined): Promise<Limits>;
  /** @throws BoardwalkError `rate_limited` */
  takeCalls(tenant: TenantStore | undefined, calls: number): Promise<void>;
  /** @returns what gives the stream's place back. @throws BoardwalkError `rate_limited` */
  takeStream(tenant: TenantStore | undefined): Promise<() => void>;
}

export interface TenantBudgetsOptions {
  readonly limits: Limits;
  /** Of this process alone: a count shared by all would cost each call a round trip. */
  readonly counts: Budgets;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

const MINUTE_MS = 60_000;
const REREAD_MS = 30_000;
const MAX_KEPT = 2_000;
/** A place comes free when somebody leaves, which nobody can foretell. */
const PLACE_RETRY_MS = 30_000;
/** Whoever belongs to no tenant shares one budget. */
const NOBODY = "";

export function createTenantBudgets({ limits, counts, now = Date.now }: TenantBudgetsOptions): TenantBudgets {
  const kept = new Map<string, { readonly at: number; readonly limits: Promise<Limits> }>();
  const streams = new Map<string, number>();

  function limitsOf(tenant: TenantStore): Promise<Limits> {
    const known = kept.get(tenant.id);
    if (known !== undefined && now() - known.at < REREAD_MS) return known.limits;
    const read = budgetsSettingOf(tenant).then((own) => ({ ...limits, ...own }));
    // Not known now is not known for good; until then the service's own hold.
    const safe = read.catch(() => limits);
    setNewest(kept, tenant.id, { at: now(), limits: safe }, MAX_KEPT);
    return safe;
  }

  const limitsFor = async (tenant: TenantStore | undefined) =>
    tenant === undefined ? limits : await limitsOf(tenant);

  return {
    limitsFor,
    async takeCalls(tenant, calls) {
      const { callsPerMinute } = await limitsFor(tenant);
      const budget = { key: tenant?.id ?? NOBODY, requests: callsPerMinute, perMs: MINUTE_MS };
      const waitMs = await counts.take(budget, calls);
      if (waitMs > 0) throw tooManyCalls(callsPerMinute, waitMs);
    },
    async takeStream(tenant) {
      const max = (await limitsFor(tenant)).streams;
      const id = tenant?.id ?? NOBODY;
      const open = streams.get(id) ?? 0;
      if (open >= max) throw noPlace("listening streams", max, tenant);
      streams.set(id, open + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (streams.get(id) ?? 1) - 1;
        if (left === 0) streams.delete(id);
        else streams.set(id, left);
      };
    },
  };
}

/** How many tickets more may be taken in. Two who ask at once may both be told of the same room. */
export async function roomForTickets(
  { mostTickets }: Pick<WorkerDeps, "mostTickets">,
  tenant: TenantStore,
): Promise<number> {
  if (mostTickets === undefined) return Number.POSITIVE_INFINITY;
  const [most, kept] = await Promise.all([mostTickets(tenant), tenant.countActors()]);
  return Math.max(0, most - kept);
}

function tooManyCalls(max: number, waitMs: number): BoardwalkError {
  const seconds = Math.ceil(waitMs / 1_000);
  const message = `Your team has asked for more than ${max} things within a minute. Please try again in ${seconds} seconds.`;
  return new BoardwalkError("rate_limited", message, { retryAfterMs: waitMs });
}

/** The refusal of one more of what a tenant may have `max` of at once. */
export function noPlace(what: string, max: number, tenant: TenantStore | undefined): BoardwalkError {
  const seconds = PLACE_RETRY_MS / 1_000;
  const taken =
    tenant === undefined
      ? `${max} ${what} that are no team's are open, which is all there may be.`
      : `Your team has ${max} ${what} open, which is all it may have.`;
  const message = `${taken} Please close one, or try again in ${seconds} seconds.`;
  return new BoardwalkError("rate_limited", message, { retryAfterMs: PLACE_RETRY_MS });
}
