import { safeParse } from "../parse.js";
import { moveOutcome } from "../store/records.js";
import type { ActorRecord, SettledMove, TenantStore } from "../store/store.js";

/** What became of a move, asked by its id: after a crash, or by someone who says the same thing again. */

/** All that a ticket's history keeps. */
const HISTORY = 200;

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
    const ended = safeParse(moveOutcome, outcome);
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
