import { TryAgain } from "../hooks/hooks.js";
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
  for (const { outcome, at, by, from, to, message, already, ...event } of items) {
    if (event.moveId !== moveId || by === undefined || from === undefined || to === undefined) continue;
    const ended = moveOutcome.safeParse(outcome);
    if (!ended.success) continue;
    return {
      moveId,
      outcome: ended.data,
      at,
      by,
      from,
      to,
      ...(message === undefined ? {} : { message }),
      ...(already ? { already } : {}),
    };
  }
  return undefined;
}

/** Longer than it takes to write a line, and short enough to wait for when its writer has died. */
const AUDITING_MS = 5_000;
const LOOK_AGAIN_MS = 1_000;

/**
 * Writes the move's line into the audit log, once however many workers have come to its end.
 * @returns whether it was us who wrote it.
 * @throws TryAgain while someone else is about to write it.
 */
export async function auditOnce(store: TenantStore, ticket: string, move: SettledMove): Promise<boolean> {
  if (await isAudited(store, move)) return false;
  if (!(await store.claim(`audit/${move.moveId}`, AUDITING_MS))) throw new TryAgain(LOOK_AGAIN_MS);
  await auditMove(store, ticket, move);
  return true;
}

/** As {@link auditOnce}, for whoever has settled the move just now and need not look. */
export async function auditSettled(store: TenantStore, ticket: string, move: SettledMove): Promise<boolean> {
  if (!(await store.claim(`audit/${move.moveId}`, AUDITING_MS))) return await auditOnce(store, ticket, move);
  await auditMove(store, ticket, move);
  return true;
}

async function isAudited(store: TenantStore, { moveId }: SettledMove): Promise<boolean> {
  const { items } = await store.auditPage({ limit: RECENT_AUDIT });
  return items.some(({ detail }) => detail?.moveId === moveId);
}

async function auditMove(store: TenantStore, ticket: string, move: SettledMove): Promise<void> {
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
