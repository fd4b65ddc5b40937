import type { Problem, Ticket } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import { type StatusGraph, shortHash } from "../machine/index.js";
import type { TenantStore, Versioned } from "../store/store.js";
import { arrive, newActor, observe } from "../tickets/actor.js";
import type { OpenBoard } from "../tickets/boards.js";
import type { TicketJobs } from "../tickets/jobs.js";
import { jobsOwed } from "../tickets/jobs.js";
import { type WorkflowRecord, workflowRecord } from "../tickets/workflow.js";
import type { Workflows } from "../tickets/workflows.js";
import type { Connections } from "./connections.js";
import { mergeGraph, sameGraph } from "./diff.js";
import { type Change, type ConnectionRecord, type HookRule, sharedSettings } from "./records.js";
import { hooksByStatus, idleHookRules, idleMoveRules, RULE_PROBLEMS, restrictMoves } from "./rules.js";

/** Pulling a board: its workflows first, then every ticket changed since the last time. */

export interface SyncDeps {
  readonly connections: Connections;
  readonly workflows: Workflows;
  readonly jobs: TicketJobs;
  /** How old a workflow may get before a poll pulls it anew, in milliseconds. */
  readonly workflowPollMs: number;
  /** Tells every process that this tenant's workflows are not what they were. */
  workflowsChanged(tenant: string): Promise<void>;
  now(): Date;
}

export interface SyncResult {
  readonly workflows: number;
  readonly tickets: number;
  readonly changes: readonly Change[];
}

/** Clocks differ and boards index late: each reading begins this much before the last one did. */
const OVERLAP_MS = 5 * 60_000;
const BATCH = 500;

/**
 * Brings our picture of one connection up to date. Running it again changes nothing that the board has not changed.
 * A `poll` pulls the workflows only when their time has come; everything else pulls them first.
 */
export async function syncConnection(
  deps: SyncDeps,
  tenant: TenantStore,
  id: string,
  how: { readonly poll: boolean },
  signal: AbortSignal,
): Promise<SyncResult> {
  const startedAt = deps.now();
  const connection = await deps.connections.get(tenant, id);
  const board = await deps.connections.open(tenant, id);
  try {
    const due = !how.poll || workflowsDue(deps, connection, startedAt);
    const changes = due ? await pullWorkflows(deps, tenant, connection, board, signal) : [];
    if (changes.length > 0) await deps.workflowsChanged(tenant.id);
    const tickets = await pullTickets(deps, tenant, connection, board, signal);
    const { byId } = await deps.workflows.of(tenant);
    const graphs = [...byId.values()]
      .filter((workflow) => workflow.connection === id)
      .map(({ graph }) => graph);
    const { hooks, allowedMoves } = sharedSettings.parse(connection.settings);
    const problems = [...idleHookRules(hooks, graphs), ...idleMoveRules(allowedMoves, graphs)];
    await noteImport(
      deps,
      tenant,
      id,
      { pulled: due, workflows: graphs.length, created: tickets.created, problems },
      startedAt,
    );
    return { workflows: graphs.length, tickets: tickets.read, changes };
  } catch (error) {
    await noteTrouble(deps, tenant, id, BoardwalkError.from(error));
    throw error;
  }
}

/** Spread over a tenth of the period, so that two hundred boards are not all asked in the same minute. */
function workflowsDue(deps: SyncDeps, connection: ConnectionRecord, at: Date): boolean {
  if (connection.workflowsAt === undefined) return true;
  const spread = 0.9 + (Number.parseInt(shortHash(connection.sealed), 36) % 100) / 1_000;
  return at.getTime() - Date.parse(connection.workflowsAt) >= deps.workflowPollMs * spread;
}

async function pullWorkflows(
  deps: SyncDeps,
  tenant: TenantStore,
  connection: ConnectionRecord,
  board: OpenBoard,
  signal: AbortSignal,
): Promise<Change[]> {
  const { hooks, allowedMoves } = sharedSettings.parse(connection.settings);
  const changes: Change[] = [];
  for (const graph of await board.connector.pullWorkflows(signal)) {
    const pulled = restrictMoves(graph, allowedMoves);
    changes.push(...(await keepWorkflow(tenant, connection.id, pulled, hooks, deps.now())));
  }
  for (const change of changes) {
    if (change.kind === "created") continue;
    const { at, ...detail } = change;
    await tenant.audit({ at, action: "workflow", detail });
  }
  return changes;
}

/** Saves the graph if it differs from the one kept; two pulls racing end with the later reading. */
async function keepWorkflow(
  tenant: TenantStore,
  connection: string,
  pulled: StatusGraph,
  rules: readonly HookRule[],
  at: Date,
): Promise<Change[]> {
  for (;;) {
    const document = await tenant.getDocument("workflow", pulled.id);
    const kept = document === undefined ? undefined : keptRecord(document);
    const { graph, changes } = mergeGraph(kept?.graph as StatusGraph | undefined, pulled, at);
    const hooks = hooksByStatus(graph, rules);
    const unchanged =
      kept !== undefined &&
      sameGraph(kept.graph as StatusGraph, graph) &&
      JSON.stringify(kept.hooks) === JSON.stringify(hooks);
    if (unchanged) return [];
    const value = { graph, connection, revision: (kept?.revision ?? 0) + 1, hooks };
    try {
      await tenant.saveDocument("workflow", pulled.id, { version: document?.version ?? 0, value });
      return [...changes];
    } catch (error) {
      if (BoardwalkError.from(error).code !== "conflict") throw error;
    }
  }
}

function keptRecord(document: Versioned): WorkflowRecord {
  return workflowRecord.parse(document.value);
}

async function pullTickets(
  deps: SyncDeps,
  tenant: TenantStore,
  connection: ConnectionRecord,
  board: OpenBoard,
  signal: AbortSignal,
): Promise<{ read: number; created: number }> {
  const since = connection.since === undefined ? undefined : new Date(connection.since);
  let batch: Ticket[] = [];
  let read = 0;
  let created = 0;
  for await (const ticket of board.connector.pullTickets(since, signal)) {
    batch.push(ticket);
    read += 1;
    if (batch.length < BATCH) continue;
    created += await takeIn(deps, tenant, connection.id, batch);
    batch = [];
  }
  created += await takeIn(deps, tenant, connection.id, batch);
  return { read, created };
}

/** New tickets in bulk; known ones through the same door as a webhook's. @returns how many were new. */
async function takeIn(
  deps: SyncDeps,
  tenant: TenantStore,
  connection: string,
  tickets: readonly Ticket[],
): Promise<number> {
  if (tickets.length === 0) return 0;
  const known = await tenant.getActors(tickets.map((ticket) => ticket.id));
  const fresh = tickets.filter((_ticket, i) => known[i] === undefined);
  const saved = await tenant.saveActors(fresh.map((ticket) => newActor(ticket, connection)));
  const isNew = new Set(saved.map((record) => record.ticket.id));
  const { byId } = await deps.workflows.of(tenant);
  for (const [i, ticket] of tickets.entries()) {
    const workflow = byId.get(ticket.workflow);
    const about = { connection, ...(workflow === undefined ? {} : { workflow }), at: deps.now() };
    const before = known[i];
    const isNews =
      before === undefined ? !isNew.has(ticket.id) : arrive(before, ticket, workflow, about.at) !== before;
    if (!isNews) continue;
    const record = await observe(tenant, ticket, about);
    for (const job of jobsOwed(tenant.id, record)) await deps.jobs.put(job);
  }
  return saved.length;
}

async function noteImport(
  deps: SyncDeps,
  tenant: TenantStore,
  id: string,
  found: {
    readonly pulled: boolean;
    readonly workflows: number;
    readonly created: number;
    readonly problems: readonly Problem[];
  },
  startedAt: Date,
): Promise<void> {
  await deps.connections.update(tenant, id, (record) => {
    const problems = [...lastingProblems(record), ...found.problems];
    return {
      ...record,
      health: { state: problems.length === 0 ? "ok" : "degraded", problems },
      imported: {
        workflows: found.workflows,
        tickets: (record.imported?.tickets ?? 0) + found.created,
        at: startedAt.toISOString(),
      },
      ...(found.pulled ? { workflowsAt: startedAt.toISOString() } : {}),
      since: new Date(startedAt.getTime() - OVERLAP_MS).toISOString(),
    };
  });
}

const TROUBLE = "sync";

/** Problems that a sync says nothing about. */
function lastingProblems(record: ConnectionRecord): Problem[] {
  const ours: readonly string[] = [TROUBLE, "auth_expired", ...RULE_PROBLEMS];
  return record.health.problems.filter((problem) => !ours.includes(problem.code));
}

async function noteTrouble(
  deps: SyncDeps,
  tenant: TenantStore,
  id: string,
  error: BoardwalkError,
): Promise<void> {
  const lost = error.code === "auth_expired";
  const problem = {
    code: lost ? error.code : TROUBLE,
    message: error.message,
    fix: lost
      ? "Delete this connection and connect it again with fresh credentials."
      : "Nothing to do if it passes; it is tried again by itself.",
  };
  await deps.connections.update(tenant, id, (record) => ({
    ...record,
    health: {
      state: lost ? "reconnect" : "degraded",
      problems: [...lastingProblems(record), problem],
    },
  }));
}
