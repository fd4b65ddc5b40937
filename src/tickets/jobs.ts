import { type Hooks, type Job, jobId } from "../hooks/hooks.js";
import type { ActorRecord, OwedHook } from "../store/store.js";

/** The jobs a ticket can owe. Their ids say whose work it is, so that asking twice is asking once. */

/** What the ticket side needs of the queue. */
export type TicketJobs = Pick<Hooks, "ask" | "put">;

export function moveJobFor(tenant: string, record: ActorRecord, moveId: string): Job {
  const { id: ticket, connection } = record.ticket;
  return {
    id: jobId("move", tenant, ticket, moveId),
    name: "move",
    data: { tenant, ticket, moveId, connection },
    lane: `${tenant}/${connection}`,
  };
}

export function hookJobFor(tenant: string, record: ActorRecord, owed: OwedHook): Job {
  const { id: ticket, connection } = record.ticket;
  const { hook, entry, attempt } = owed;
  return {
    // The attempt is part of it: a hook tried again is new work, and would else be told its old reply.
    id: jobId("hook", tenant, ticket, entry, hook, attempt),
    name: "hook",
    data: { tenant, ticket, entry, hook },
    lane: `${tenant}/${connection}/hooks`,
  };
}

export function observeJobFor(
  tenant: string,
  connection: string,
  ticket: string,
  cause: string,
  by?: string,
): Job {
  return {
    id: jobId("observe", tenant, ticket, cause),
    name: "observe",
    data: { tenant, connection, ticket, ...(by === undefined ? {} : { by }) },
    lane: `${tenant}/${connection}`,
  };
}

/**
 * How much a sync reads. `poll`: tickets changed since the last time, and workflows when their time has come;
 * `fresh`: workflows too; `full`: everything, so that what has left the board is noticed.
 */
export type SyncReach = "poll" | "fresh" | "full";

/** `cause` makes it new work: the same cause asked twice is one sync. */
export function syncJobFor(
  tenant: string,
  connection: string,
  cause: string,
  reach: SyncReach = "fresh",
): Job {
  return {
    id: jobId("sync", tenant, connection, cause),
    name: "sync",
    data: { tenant, connection, reach },
    lane: `${tenant}/${connection}/sync`,
  };
}

/** Everything this record owes now: its pending move and its hooks, waiting ones when their time has come. */
export function jobsOwed(tenant: string, record: ActorRecord, at?: Date): Job[] {
  const jobs = record.pending === undefined ? [] : [moveJobFor(tenant, record, record.pending.moveId)];
  for (const owed of record.hooks) {
    const due = owed.state === "owed" || (owed.state === "waiting" && at !== undefined && isDue(owed, at));
    if (due) jobs.push(hookJobFor(tenant, record, owed));
  }
  return jobs;
}

function isDue(owed: OwedHook, at: Date): boolean {
  return owed.retryAt === undefined || Date.parse(owed.retryAt) <= at.getTime();
}
