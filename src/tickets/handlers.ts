import { BoardwalkError } from "../errors.js";
import { type JobHandler, TryAgain } from "../hooks/hooks.js";
import type { Store, TenantStore } from "../store/store.js";
import { jobsOwed, type TicketJobs } from "./jobs.js";
import { performObserve } from "./look.js";
import { performMove } from "./perform.js";
import { performHook } from "./perform-hook.js";
import type { WorkerDeps } from "./worker-deps.js";

const LONGEST_RETRY_MS = 30_000;

/** What a worker does for tickets, by job name. */
export function createTicketHandlers(deps: WorkerDeps): Record<string, JobHandler> {
  return {
    move: durable((data, context) => performMove(deps, data, context)),
    hook: durable((data, context) => performHook(deps, data, context)),
    observe: (data, context) => performObserve(deps, data, context),
    sweep: () => sweep(deps.store, deps.jobs, deps.now()),
  };
}

/**
 * A debt on a record must not end as an answered job: answered is done, and the same id is never run again.
 * So trouble of ours (the store away, a bug) is tried again until it has passed.
 */
function durable(handler: JobHandler): JobHandler {
  return async (data, context) => {
    try {
      return await handler(data, context);
    } catch (thrown) {
      if (thrown instanceof TryAgain) throw thrown;
      const error = BoardwalkError.from(thrown);
      if (!error.retryable && error.code !== "internal") throw error;
      throw new TryAgain(Math.min(500 * 2 ** Math.min(context.attempt, 10), LONGEST_RETRY_MS), {
        cause: thrown,
      });
    }
  };
}

/** How many unsettled tickets of one tenant there may be for all of them to have their turn. */
const SWEEP_LIMIT = 10_000;
/** How many of one tenant's a sweep sees to, so that a tenant with a great many does not hold up the others. */
export const SWEEP_BUDGET = 1_000;
/** Where a tenant's last sweep ended is remembered for longer than sweeps are apart. */
const TURN_MS = 24 * 3_600_000;

/** Puts back the jobs of every record with something pending or owed: under the same ids, so a job still there is left alone. */
export async function sweep(store: Store, jobs: TicketJobs, at: Date): Promise<{ readonly put: number }> {
  let put = 0;
  for (const { id } of await store.listTenants()) put += await sweepTenant(store.tenant(id), jobs, at);
  return { put };
}

async function sweepTenant(tenant: TenantStore, jobs: TicketJobs, at: Date): Promise<number> {
  const ids = await nextTurn(tenant, await tenant.unsettled(SWEEP_LIMIT));
  if (ids.length === 0) return 0;
  let put = 0;
  for (const record of await tenant.getActors(ids)) {
    if (record === undefined) continue;
    for (const job of jobsOwed(tenant.id, record, at)) {
      await jobs.put(job);
      put += 1;
    }
  }
  return put;
}

/** By turns: those that stand first because they wait for hours must not keep the others from being looked at. */
async function nextTurn(tenant: TenantStore, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length <= SWEEP_BUDGET) return ids;
  const kept = await tenant.recall("sweep");
  const from = typeof kept === "number" && kept < ids.length ? kept : 0;
  await tenant.remember("sweep", from + SWEEP_BUDGET, TURN_MS);
  return ids.slice(from, from + SWEEP_BUDGET);
}
