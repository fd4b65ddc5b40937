import type { Parts } from "./app-parts.js";
import type { State } from "./app-state.js";
import { reportTo } from "./app-trouble.js";
import type { Config } from "./config.js";
import type { RootLog } from "./log.js";
import { createSyncHandlers, type SyncWorkerDeps } from "./sync/handlers.js";
import { noteBounce } from "./sync/health.js";
import { refreshWorkflows } from "./sync/import.js";
import { createTicketNews, tellWorkflows } from "./sync/news.js";
import { watchCalls } from "./telemetry/calls.js";
import { moveLine } from "./telemetry/jobs.js";
import { createTicketHandlers } from "./tickets/handlers.js";
import type { WorkerDeps } from "./tickets/worker-deps.js";

/** The half that does the jobs. */

/** @returns what finishes the work in hand and takes no more */
export async function startWorker(
  config: Config,
  state: State,
  parts: Parts,
  log: RootLog,
): Promise<() => Promise<void>> {
  const { store, hooks } = state;
  const { connections, workflows, recent, now } = parts;
  const onError = (error: unknown) => reportTo(log, error);
  const news = createTicketNews(store, { onError });
  const worker: WorkerDeps = {
    store,
    boards: connections,
    workflows,
    jobs: hooks,
    recent,
    now,
    refresh: (tenant, connection, signal) => refreshWorkflows(sync, tenant, connection, signal),
    moved(move, ticket, tookMs) {
      parts.metrics.moved(move, ticket, tookMs);
      log.info(moveLine(move, ticket, tookMs), "move settled");
    },
    // A lock is renewed when half of it has passed, so what is left of it is half or more.
    leaseMs: Math.floor(config.jobLockMs / 2),
    mostTickets: async (tenant) => (await parts.tenantBudgets.limitsFor(tenant)).tickets,
    changed: (tenant, record) => news.changed(tenant, record),
    bounced: (tenant, record) => noteBounce(connections, tenant, record),
  };
  const sync: SyncWorkerDeps = {
    store,
    connections,
    workflows,
    jobs: hooks,
    worker,
    now,
    pollMs: config.ticketPollMs,
    workflowPollMs: config.workflowPollMs,
    workflowsChanged: (tenant, changed) => tellWorkflows(store, tenant, changed),
    publicUrl: parts.publicUrl,
  };
  const unwatch = log.enabled("debug") || config.otelEndpoint !== undefined ? watchCalls() : () => {};
  const stop = await hooks.serve({ ...createTicketHandlers(worker), ...createSyncHandlers(sync) });
  await hooks.schedule({ id: "sweep", name: "sweep", data: {}, lane: "house" }, config.sweepMs);
  await hooks.schedule({ id: "poll", name: "poll", data: {}, lane: "house" }, config.ticketPollMs);
  return async () => {
    await stop();
    unwatch();
    await news.close();
  };
}
