import type { ActorRecord, SettledMove } from "../store/store.js";
import type { Conversation } from "./tickets.js";

/**
 * A host that missed an answer asks again, and cannot say that it does. Where hosts are known to, the same wish of the
 * same person soon after is the same move: its answer is told again, and nothing is done.
 */

const SAME_WISH_MS = 60_000;

/** The move that this wish repeats; nothing when it is a wish of its own. */
export function repeatOf(
  talk: Pick<Conversation, "repeats" | "speaker">,
  record: ActorRecord,
  to: string,
  now: Date,
): SettledMove | undefined {
  const last = ownLatest(talk, record, now);
  return last?.to === to ? last : undefined;
}

/** The undoing that another "undo" repeats: else a lost answer would have it undone in turn. */
export function repeatOfUndo(
  talk: Pick<Conversation, "repeats" | "speaker">,
  record: ActorRecord,
  now: Date,
): SettledMove | undefined {
  const last = ownLatest(talk, record, now);
  return last !== undefined && last.by.tool !== undefined && last.by.tool === talk.speaker.tool
    ? last
    : undefined;
}

/** This person's move just now, when nothing has happened to the ticket since. */
function ownLatest(
  { repeats, speaker }: Pick<Conversation, "repeats" | "speaker">,
  { pending, lastMove: last, ticket, entry }: ActorRecord,
  now: Date,
): SettledMove | undefined {
  if (repeats !== "retries" || pending !== undefined || last?.outcome !== "confirmed") return undefined;
  const untouched = ticket.status === last.to && (last.entry === undefined || last.entry === entry);
  const own = last.by.person === speaker.person;
  return own && untouched && now.getTime() - Date.parse(last.at) <= SAME_WISH_MS ? last : undefined;
}
