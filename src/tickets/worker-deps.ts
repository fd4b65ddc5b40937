import type { ActorRecord, SettledMove, Store, TenantStore } from "../store/store.js";
import type { Boards } from "./boards.js";
import type { TicketJobs } from "./jobs.js";
import type { Recent } from "./recent.js";
import type { Workflows } from "./workflows.js";

/** What a worker needs for its part in the protocol of a ticket. */
export interface WorkerDeps {
  readonly store: Store;
  readonly boards: Boards;
  readonly workflows: Workflows;
  readonly jobs: TicketJobs;
  /** Shared with the desk of the same process, where there is one. */
  readonly recent?: Recent;
  /** Pulls the connection's workflows; resolves when they are kept. */
  readonly refresh?: (tenant: TenantStore, connection: string, signal: AbortSignal) => Promise<void>;
  /** Told of every ticket that is not what it was. */
  readonly changed?: (tenant: string, record: ActorRecord) => void;
  /** Told when a ticket is found to be moved back and forth, and nothing is started for it any more. */
  readonly bounced?: (tenant: TenantStore, record: ActorRecord) => Promise<void>;
  /** Told of each move that this process has settled, and how long ago it was asked for. */
  readonly moved?: (move: SettledMove, ticket: string, tookMs: number) => void;
  /** For how long after it was decided a write may still go out. Well below what it takes to lose a job. @default 5000 */
  readonly leaseMs?: number;
  /** How many tickets a tenant may have here. @default any number */
  readonly mostTickets?: (tenant: TenantStore) => Promise<number>;
  now(): Date;
}
