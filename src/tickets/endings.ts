import { moveOutcome } from "../store/records.js";
import type { ActorRecord, AuditEvent, SettledMove, TenantStore } from "../store/store.js";

/** What became of a move, asked by its id: after a crash, or by someone who says the same thing again. */

/** All that a ticket's history keeps. */
const HISTORY = 200;
/** A move whose audit may be missing ended a moment ago, so it would be among these. */
const RECENT_AUDIT = 500;

/** How the move ended. `undefined`: not yet, or too long ago to be in the ticket's history. */
export async function endingOf(
  store: TenantStore,
  record: ActorRecord,
  moveId: string,
): Promise<SettledMove | undefined> {
  if (record.lastMove?.moveId === moveId) return record.lastMove;
  // The record knows its last move only; another may have been made since.
  const { items } = await store.history(record.ticket.id, { limit: HISTORY });
  for (const { outcome, at, by, from, to, message, ...event } of items) {
    if (event.moveId !== moveId || by === undefined || from === undefined || to === undefined) continue;
    const ended = moveOutcome.safeParse(outcome);
    if (!ended.success) continue;
    return { moveId, outcome: ended.data, at, by, from, to, ...(message === undefined ? {} : { message }) };
  }
  return undefined;
}

export async function auditMove(store: TenantStore, ticket: string, move: SettledMove): Promise<void> {
  await store.audit({
    at: move.at,
    action: "move",
    by: move.by as NonNullable<AuditEvent["by"]>,
    ticket,
    from: move.from,
    to: move.to,
    outcome: move.outcome,
    detail: { moveId: move.moveId },
  });
}

/** For whoever takes over from a worker that died: settling and auditing are two steps. */
export async function auditMoveIfMissing(
  store: TenantStore,
  ticket: string,
  move: SettledMove,
): Promise<void> {
  const { items } = await store.auditPage({ limit: RECENT_AUDIT });
  if (items.some(({ detail }) => detail?.moveId === move.moveId)) return;
  await auditMove(store, ticket, move);
}
