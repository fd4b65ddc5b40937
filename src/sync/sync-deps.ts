import type { TicketJobs } from "../tickets/jobs.js";
import type { WorkerDeps } from "../tickets/worker-deps.js";
import type { Workflows } from "../tickets/workflows.js";
import type { Connections } from "./connections.js";
import type { ChangedWorkflow } from "./news.js";

/** What pulling a board needs. */
export interface SyncDeps {
  readonly connections: Connections;
  readonly workflows: Workflows;
  readonly jobs: TicketJobs;
  /** For looking at single tickets, as webhooks make us do. */
  readonly worker: WorkerDeps;
  /** How old a workflow may get before a poll pulls it anew, in milliseconds. */
  readonly workflowPollMs: number;
  /** How long tickets that left the board without a word may go unnoticed. @default six hours */
  readonly fullEveryMs?: number;
  /** Tells every process that this tenant's workflows are not what they were. */
  workflowsChanged(tenant: string, workflows: readonly ChangedWorkflow[]): Promise<void>;
  now(): Date;
}
