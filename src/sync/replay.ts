import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import type { ActorRecord, HistoryEvent, TenantStore } from "../store/store.js";
import { update } from "../tickets/actor.js";
import { jobsOwed, syncJobFor, type TicketJobs } from "../tickets/jobs.js";
import type { Connections } from "./connections.js";
import { BOUNCING, healthWith } from "./health.js";
import { everyActor } from "./pull-tickets.js";

/** Once more, by the operator's wish: what was refused or failed, or waits, is tried again now. */

export interface ReplayDeps {
  readonly connections: Connections;
  readonly jobs: TicketJobs;
  now(): Date;
}

export const replayReply = z.object({
  /** Hooks of the tickets' present statuses that had failed or were waiting. */
  hooks: z.number(),
  /** Moves that were under way. */
  moves: z.number(),
  /** Connections that are read anew, whole. */
  connections: z.number(),
});
export type ReplayReply = z.infer<typeof replayReply>;

/** @throws BoardwalkError `not_found_or_hidden` when `ticket` names none. */
export async function replay(
  deps: ReplayDeps,
  tenant: TenantStore,
  only: { readonly ticket?: string } = {},
): Promise<ReplayReply> {
  const at = deps.now();
  let [hooks, moves] = [0, 0];
  for await (const record of only.ticket === undefined ? everyActor(tenant) : oneActor(tenant, only.ticket)) {
    if (!canBeReplayed(record)) continue;
    const owing = await owe(tenant, record, at);
    hooks += owing.hooks.filter((hook) => hook.state === "owed").length;
    if (owing.pending !== undefined) moves += 1;
    for (const job of jobsOwed(tenant.id, owing, at)) await deps.jobs.put(job);
  }
  const connections = only.ticket === undefined ? await syncAll(deps, tenant, at) : 0;
  await tenant.audit({ at: at.toISOString(), action: "replay", detail: { hooks, moves, connections } });
  return { hooks, moves, connections };
}

async function* oneActor(tenant: TenantStore, id: string): AsyncIterable<ActorRecord> {
  const record = await tenant.getActor(id);
  if (record === undefined)
    throw new BoardwalkError("not_found_or_hidden", "There is no such ticket. Search for it by its words.");
  yield record;
}

function canBeReplayed(record: ActorRecord): boolean {
  return record.pending !== undefined || record.hooks.some((hook) => isOpen(hook, record));
}

/** What a status owed that the ticket has left since is not made up for. */
function isOpen(hook: ActorRecord["hooks"][number], { entry }: ActorRecord): boolean {
  return hook.state === "owed" || (hook.state !== "done" && hook.entry === entry);
}

/** The record with its failed and waiting hooks owed again, as new work. */
async function owe(tenant: TenantStore, { ticket }: ActorRecord, at: Date): Promise<ActorRecord> {
  return await update(tenant, ticket.id, (record) => {
    const again = record.hooks.filter((hook) => hook.state !== "owed" && isOpen(hook, record));
    if (again.length === 0) return undefined;
    const since = at.toISOString();
    const hooks = record.hooks.map((hook) => {
      if (!again.includes(hook)) return hook;
      const { reason: _reason, retryAt: _retryAt, ...rest } = hook;
      return { ...rest, state: "owed" as const, attempt: hook.attempt + 1, since };
    });
    const history = again.map(
      ({ hook }): HistoryEvent => ({ at: since, kind: "hook", hook, outcome: "owed", message: "Replayed." }),
    );
    // Whoever replays has seen to the quarrel.
    const { flips: _flips, bouncing: _bouncing, ...rest } = record;
    return { record: { ...rest, hooks }, history };
  });
}

async function syncAll(deps: ReplayDeps, tenant: TenantStore, at: Date): Promise<number> {
  const connections = await deps.connections.list(tenant);
  for (const { id } of connections) {
    await deps.connections.update(tenant, id, ({ bounces: _bounces, ...record }) => ({
      ...record,
      health: healthWith(record, [BOUNCING], []),
    }));
    await deps.jobs.put(syncJobFor(tenant.id, id, `replay-${at.getTime()}`, "full"));
  }
  return connections.length;
}
