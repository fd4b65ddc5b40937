import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { type Hooks, type JobHandler, jobData, TryAgain } from "../hooks/hooks.js";
import type { Store, TenantStore } from "../store/store.js";
import { syncJobFor } from "../tickets/jobs.js";
import { type SyncResult, syncConnection } from "./import.js";
import { probeWhenDue } from "./probing.js";
import { changeRecord } from "./records.js";
import type { SyncDeps } from "./sync-deps.js";
import { ensureWebhook } from "./webhooks.js";

/** What a worker does to keep in step with boards, by job name. */

const syncJob = z.object({
  tenant: z.string(),
  connection: z.string(),
  reach: z.enum(["poll", "fresh", "full"]).default("fresh"),
});

export const syncReply = z.object({
  workflows: z.number(),
  tickets: z.number(),
  changes: z.array(changeRecord),
});

export interface SyncWorkerDeps extends SyncDeps {
  readonly store: Store;
  readonly jobs: Pick<Hooks, "ask" | "put">;
  /** How often tickets are polled; also what makes two polls of one period the same job. */
  readonly pollMs: number;
  /** Where boards reach us; without it no webhook is registered. */
  publicUrl(): string | undefined;
}

export function createSyncHandlers(deps: SyncWorkerDeps): Record<string, JobHandler> {
  return {
    async sync(data, context): Promise<SyncResult> {
      const { tenant, connection, reach } = jobData(syncJob, data);
      const store = deps.store.tenant(tenant);
      try {
        const result = await syncConnection(deps, store, connection, reach, context.signal);
        await probeWhenDue(deps, store, connection, reach, context.signal);
        await ensureWebhook(deps, store, connection, { always: reach === "full" }, context.signal);
        return result;
      } catch (thrown) {
        const error = BoardwalkError.from(thrown);
        if (!error.retryable || context.attempt >= 3) throw error;
        throw new TryAgain(error.retryAfterMs ?? 1_000 * context.attempt, { cause: thrown });
      }
    },
    async poll(): Promise<{ put: number }> {
      return { put: await pollAll(deps) };
    },
  };
}

async function pollAll(deps: SyncWorkerDeps): Promise<number> {
  const period = Math.floor(deps.now().getTime() / deps.pollMs);
  let put = 0;
  for (const { id } of await deps.store.listTenants())
    put += await pollTenant(deps, deps.store.tenant(id), period);
  return put;
}

async function pollTenant(deps: SyncWorkerDeps, tenant: TenantStore, period: number): Promise<number> {
  const connections = await deps.connections.list(tenant);
  for (const connection of connections)
    await deps.jobs.put(syncJobFor(tenant.id, connection.id, `poll-${period}`, "poll"));
  return connections.length;
}
