import type { Problem } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import { parseRecord } from "../store/records.js";
import type { ActorRecord, TenantStore } from "../store/store.js";
import type { OpenBoard } from "../tickets/boards.js";
import { observeJobFor, type SyncReach } from "../tickets/jobs.js";
import { BOUNCING, bounceProblems, healthWith, NO_ROOM } from "./health.js";
import { lookAt, ownTickets, pullTickets, type Read } from "./pull-tickets.js";
import { isDue, pullWorkflows, strandedStatuses } from "./pull-workflows.js";
import { type Change, type ConnectionRecord, sharedSettings } from "./records.js";
import { idleHookRules, idleMoveRules, RULE_PROBLEMS } from "./rules.js";
import type { SyncDeps } from "./sync-deps.js";

/** Pulling a board: its workflows first, then every ticket changed since the last time. */

export interface SyncResult {
  readonly workflows: number;
  readonly tickets: number;
  readonly changes: readonly Change[];
}

/** Clocks differ and boards index late: each reading begins this much before the last one did. */
const OVERLAP_MS = 5 * 60_000;
const FULL_EVERY_MS = 6 * 3_600_000;
/** How often a long import says how far it is. */
const PROGRESS_EVERY_MS = 1_000;

/** Brings our picture of one connection up to date. Running it again changes nothing that the board has not changed. */
export async function syncConnection(
  deps: SyncDeps,
  tenant: TenantStore,
  id: string,
  reach: SyncReach,
  signal: AbortSignal,
): Promise<SyncResult> {
  const startedAt = deps.now();
  const connection = await deps.connections.get(tenant, id);
  try {
    const board = await deps.connections.open(tenant, id);
    const work = { deps, tenant, connection, board, startedAt, signal };
    return await sync(work, reach);
  } catch (error) {
    await noteTrouble(deps, tenant, id, BoardwalkError.from(error));
    throw error;
  }
}

/** One sync: what it works on, from beginning to end. */
interface Work {
  readonly deps: SyncDeps;
  readonly tenant: TenantStore;
  readonly connection: ConnectionRecord;
  readonly board: OpenBoard;
  readonly startedAt: Date;
  readonly signal: AbortSignal;
}

async function sync(work: Work, reach: SyncReach): Promise<SyncResult> {
  const { deps, tenant, connection, startedAt, signal } = work;
  const full = reach === "full" || fullIsDue(deps, connection, startedAt);
  const changes: Change[] = [];
  let pulled = false;
  const refresh = async () => {
    if (pulled) return;
    pulled = true;
    changes.push(...(await pullWorkflows(deps, tenant, connection, work.board, signal)));
  };
  const { workflowsAt, sealed } = connection;
  if (reach !== "poll" || isDue(workflowsAt, deps.workflowPollMs, sealed, startedAt)) await refresh();
  const tickets = await readTickets(work, full, refresh);
  await heal(work, full, tickets, changes);
  const workflows = await noteImport(work, { full, pulled, tickets });
  return { workflows, tickets: tickets.read, changes };
}

function fullIsDue(deps: SyncDeps, { fullAt, sealed }: ConnectionRecord, at: Date): boolean {
  return isDue(fullAt, deps.fullEveryMs ?? FULL_EVERY_MS, sealed, at);
}

async function readTickets(
  { deps, tenant, connection, board, startedAt, signal }: Work,
  full: boolean,
  refresh: () => Promise<void>,
): Promise<Read> {
  const since = full || connection.since === undefined ? undefined : new Date(connection.since);
  let notedAt = startedAt.getTime();
  const onProgress = async (read: number) => {
    const at = deps.now();
    if (at.getTime() - notedAt < PROGRESS_EVERY_MS) return;
    notedAt = at.getTime();
    const progress = { read, at: at.toISOString() };
    await deps.connections.update(tenant, connection.id, (record) => ({ ...record, progress }));
  };
  return await pullTickets(deps, tenant, connection.id, board, { since, refresh, onProgress }, signal);
}

/** Looks at the tickets that the listing left in doubt: in statuses taken away, shown in two places, or not shown at all. */
async function heal(
  { deps, tenant, connection, startedAt, signal }: Work,
  full: boolean,
  tickets: Read,
  changes: readonly Change[],
): Promise<void> {
  const ids = new Set(tickets.unsure);
  const stranded = strandedStatuses(changes);
  if (full || stranded.size > 0) {
    const wanted = ({ ticket }: ActorRecord) => {
      const statuses = stranded.get(ticket.workflow);
      if (statuses === "all" || statuses?.has(ticket.status)) return true;
      return full && !tickets.ids.has(ticket.id) && !ticket.archived && !ticket.detached;
    };
    // What was listed just now is in doubt only where a status was taken away.
    const mayBe = (id: string) => stranded.size > 0 || !tickets.ids.has(id);
    const doubtful = await ownTickets(tenant, connection.id, wanted, mayBe);
    for (const id of doubtful) ids.add(id);
  }
  const cause = `heal-${startedAt.getTime()}`;
  await lookAt(deps, tenant, { connection: connection.id, cause }, [...ids], signal);
}

/** Pulls a connection's workflows, and has the tickets looked at that stand where no status is any more. */
export async function refreshWorkflows(
  deps: SyncDeps,
  tenant: TenantStore,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const connection = await deps.connections.get(tenant, id);
  const board = await deps.connections.open(tenant, id);
  const at = deps.now();
  const stranded = strandedStatuses(await pullWorkflows(deps, tenant, connection, board, signal));
  if (stranded.size === 0) return;
  const tickets = await ownTickets(tenant, id, ({ ticket }) => {
    const statuses = stranded.get(ticket.workflow);
    return statuses === "all" || statuses?.has(ticket.status) === true;
  });
  for (const ticket of tickets)
    await deps.jobs.put(observeJobFor(tenant.id, id, ticket, `stranded-${at.getTime()}`));
}

/** @returns how many workflows the connection has. */
async function noteImport(
  { deps, tenant, connection: { id }, startedAt }: Work,
  done: { readonly full: boolean; readonly pulled: boolean; readonly tickets: Read },
): Promise<number> {
  const { byId } = await deps.workflows.of(tenant);
  const graphs = [...byId.values()]
    .filter((workflow) => workflow.connection === id)
    .map(({ graph }) => graph)
    .filter((graph) => graph.statuses.some((status) => !status.retired));
  const at = startedAt.toISOString();
  await deps.connections.update(tenant, id, ({ progress: _done, ...record }) => {
    const { hooks, allowedMoves } = parseRecord(sharedSettings, record.settings, "connection", id);
    const problems = [
      ...noRoomProblems(done.tickets.leftOut),
      ...idleHookRules(hooks, graphs),
      ...idleMoveRules(allowedMoves, graphs),
      ...bounceProblems(record, startedAt),
    ];
    const tickets = (record.imported?.tickets ?? 0) + done.tickets.created;
    // A poll shows none of the tickets that found no room before it.
    const noRoom = done.full || done.tickets.leftOut > 0 ? [NO_ROOM] : [];
    return {
      ...record,
      health: healthWith(record, [TROUBLE, LOST, BOUNCING, ...RULE_PROBLEMS, ...noRoom], problems),
      imported: { workflows: graphs.length, tickets, at },
      ...(done.pulled ? { workflowsAt: at } : {}),
      ...(done.full ? { fullAt: at } : {}),
      since: new Date(startedAt.getTime() - OVERLAP_MS).toISOString(),
    };
  });
  return graphs.length;
}

function noRoomProblems(leftOut: number): Problem[] {
  if (leftOut === 0) return [];
  return [
    {
      code: NO_ROOM,
      message: `This team has as many tickets as it may have, so ${leftOut} of this board were left out.`,
      fix: "Connect less of the board, or ask the operator for more (BOARDWALK_TENANT_TICKETS). They are tried again every six hours.",
    },
  ];
}

const TROUBLE = "sync";
const LOST = "auth_expired";

async function noteTrouble(
  deps: SyncDeps,
  tenant: TenantStore,
  id: string,
  error: BoardwalkError,
): Promise<void> {
  const problem: Problem =
    error.code === LOST
      ? {
          code: LOST,
          message: error.message,
          fix: "Delete this connection and connect it again with fresh credentials.",
        }
      : {
          code: TROUBLE,
          message: error.message,
          fix: "Nothing to do if it passes; it is tried again by itself.",
        };
  await deps.connections.update(tenant, id, ({ progress: _ended, ...record }) => ({
    ...record,
    health: healthWith(record, [TROUBLE, LOST], [problem]),
  }));
}
