import { BoardwalkError } from "../errors.js";
import { type StatusGraph, shortHash } from "../machine/index.js";
import { parseRecord } from "../store/records.js";
import type { TenantStore } from "../store/store.js";
import type { OpenBoard } from "../tickets/boards.js";
import { type WorkflowRecord, workflowRecord } from "../tickets/workflow.js";
import { noteChanges } from "./changes.js";
import { mergeGraph, retireGraph, sameGraph } from "./diff.js";
import { type Change, type ConnectionRecord, changeRecord, sharedSettings } from "./records.js";
import { hooksByStatus, restrictMoves } from "./rules.js";
import type { SyncDeps } from "./sync-deps.js";

/** Pulling a connection's workflows: what changed is kept, told to every process and written down. */

/** Spread over a tenth of the period, so that two hundred boards are not all asked in the same minute. */
export function isDue(last: string | undefined, everyMs: number, seed: string, at: Date): boolean {
  if (last === undefined) return true;
  const spread = 0.9 + (Number.parseInt(shortHash(seed), 36) % 100) / 1_000;
  return at.getTime() - Date.parse(last) >= everyMs * spread;
}

/** @returns what has changed; also what an earlier pull found and died before it could tell. */
export async function pullWorkflows(
  deps: SyncDeps,
  tenant: TenantStore,
  connection: ConnectionRecord,
  board: OpenBoard,
  signal: AbortSignal,
): Promise<Change[]> {
  const { hooks, allowedMoves } = parseRecord(
    sharedSettings,
    connection.settings,
    "connection",
    connection.id,
  );
  const graphs = await board.connector.pullWorkflows(signal);
  const at = deps.now();
  for (const graph of graphs) {
    const pulled = restrictMoves(graph, allowedMoves);
    await keep(tenant, connection.id, pulled.id, (kept) => {
      const { graph: merged, changes } = mergeGraph(kept?.graph as StatusGraph | undefined, pulled, at);
      return { graph: merged, changes, hooks: hooksByStatus(merged, hooks) };
    });
  }
  // A board without a single workflow is an answer that we do not believe.
  if (graphs.length > 0) await retireMissing(tenant, connection.id, new Set(graphs.map(({ id }) => id)), at);
  return await tellChanges(deps, tenant, connection.id);
}

/** What a pull of these workflows would change; the same reckoning as the pull's own, and nothing kept of it. */
export async function foretoldChanges(
  tenant: TenantStore,
  connection: string,
  pulled: readonly StatusGraph[],
  at: Date,
): Promise<readonly Change[]> {
  const kept = new Map(
    (await ownWorkflows(tenant, connection)).map(({ id, record }) => [id, record.graph as StatusGraph]),
  );
  const ids = new Set(pulled.map(({ id }) => id));
  const missing = pulled.length === 0 ? [] : [...kept.values()].filter(({ id }) => !ids.has(id));
  return [
    ...pulled.flatMap((graph) => mergeGraph(kept.get(graph.id), graph, at).changes),
    ...missing.flatMap((graph) => retireGraph(graph, at).changes),
  ];
}

async function retireMissing(
  tenant: TenantStore,
  connection: string,
  pulled: ReadonlySet<string>,
  at: Date,
): Promise<void> {
  for (const { id, record } of await ownWorkflows(tenant, connection)) {
    if (pulled.has(id)) continue;
    await keep(tenant, connection, id, (kept) => ({
      ...retireGraph((kept ?? record).graph as StatusGraph, at),
      hooks: {},
    }));
  }
}

async function ownWorkflows(
  tenant: TenantStore,
  connection: string,
): Promise<readonly { readonly id: string; readonly version: number; readonly record: WorkflowRecord }[]> {
  return (await tenant.listDocuments("workflow"))
    .map(({ id, version, value }) => ({
      id,
      version,
      record: parseRecord(workflowRecord, value, "workflow", id),
    }))
    .filter(({ record }) => record.connection === connection);
}

interface Next {
  readonly graph: StatusGraph;
  readonly changes: readonly Change[];
  readonly hooks: WorkflowRecord["hooks"];
}

/** Saves the workflow if it differs from the one kept; two pulls racing end with the later reading. */
async function keep(
  tenant: TenantStore,
  connection: string,
  id: string,
  nextOf: (kept: WorkflowRecord | undefined) => Next,
): Promise<void> {
  for (;;) {
    const document = await tenant.getDocument("workflow", id);
    const kept =
      document === undefined ? undefined : parseRecord(workflowRecord, document.value, "workflow", id);
    const { graph, changes, hooks } = nextOf(kept);
    const unchanged =
      kept !== undefined &&
      sameGraph(kept.graph as StatusGraph, graph) &&
      JSON.stringify(kept.hooks) === JSON.stringify(hooks);
    if (unchanged) return;
    // With the graph itself, in one step: whoever dies now leaves it to the next pull to tell.
    const untold = [...(kept?.untold ?? []), ...changes];
    const value = { graph, connection, revision: (kept?.revision ?? 0) + 1, hooks, changed: true, untold };
    try {
      await tenant.saveDocument("workflow", id, { version: document?.version ?? 0, value });
      return;
    } catch (error) {
      if (BoardwalkError.from(error).code !== "conflict") throw error;
    }
  }
}

/** Tells every process, writes down and audits what has not been told yet. Told twice is no harm, not told is. */
async function tellChanges(deps: SyncDeps, tenant: TenantStore, connection: string): Promise<Change[]> {
  const told: Change[] = [];
  const untold = (await ownWorkflows(tenant, connection)).filter(({ record }) => record.changed);
  const changed = untold.map(({ id }) => ({ connection, id }));
  if (changed.length > 0) await deps.workflowsChanged(tenant.id, changed);
  for (const { id, version, record } of untold) {
    const changes = parseRecord(changeRecord.array(), record.untold ?? [], "workflow", id);
    await noteChanges(tenant, id, changes);
    for (const { at, ...detail } of changes) {
      if (detail.kind !== "created") await tenant.audit({ at, action: "workflow", detail });
    }
    told.push(...changes);
    const { untold: _told, changed: _changed, ...value } = record;
    // Someone who pulled meanwhile has more to tell, and will.
    await tenant.saveDocument("workflow", id, { version, value }).catch(ignoreConflict);
  }
  return told;
}

function ignoreConflict(error: unknown): void {
  if (BoardwalkError.from(error).code !== "conflict") throw error;
}

/** The statuses that tickets may still be in although the board has taken them away: their tickets need a look. */
export function strandedStatuses(
  changes: readonly Change[],
): ReadonlyMap<string, ReadonlySet<string> | "all"> {
  const stranded = new Map<string, Set<string> | "all">();
  for (const { workflow, kind, status, before } of changes) {
    if (kind === "vanished") stranded.set(workflow, "all");
    const gone = kind === "removed" ? status : kind === "reissued" ? before : undefined;
    const known = stranded.get(workflow);
    if (gone !== undefined && known !== "all") stranded.set(workflow, (known ?? new Set()).add(gone));
  }
  return stranded;
}
