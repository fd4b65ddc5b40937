import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { parseOr } from "../parse.js";

/** The records a store keeps. Parsed on the way out, because what is in Redis may be older than this code. */

/** Kinds of small documents a tenant keeps beside its actors. */
export const DOCUMENT_KINDS = [
  "workflow",
  "connection",
  "token",
  "catalogue",
  "changes",
  "cursor",
  "member",
  "setting",
] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

export type RecordKind =
  | "ticket"
  | "history"
  | "audit"
  | "tenant"
  | "memory"
  | "note"
  | "sign-in"
  | DocumentKind;

const text = z.string();

export const ticketRecord = z.object({
  id: text,
  key: text.optional(),
  formerKeys: z.array(text).optional(),
  title: text,
  connection: text,
  workflow: text,
  status: text,
  updatedAt: text,
  archived: z.boolean().optional(),
  /** Its new home is not connected: known, not movable. */
  detached: z.boolean().optional(),
  /** The board shows it in a status that the workflow does not have, even freshly pulled. */
  unmapped: z.boolean().optional(),
  immovable: text.optional(),
  changedBy: text.optional(),
  branches: z.array(text).optional(),
  ref: z.record(text, text).optional(),
});
export type TicketRecord = z.infer<typeof ticketRecord>;

/** Who asked, and through what; goes to the audit log. */
export const speaker = z.object({
  person: text,
  client: text.optional(),
  tool: text.optional(),
});
export type Speaker = z.infer<typeof speaker>;

export const pendingMove = z.object({
  moveId: text,
  to: text,
  /** One edge among several that lead there, when the speaker chose. */
  via: text.optional(),
  by: speaker,
  fields: z.record(text, z.unknown()).optional(),
  comment: text.optional(),
  /** The status the speaker believed it was in; absent when she cannot have been told wrong. */
  heardStatus: text.optional(),
  /** Where it stood in our opinion when the move was intended. */
  from: text,
  since: text,
  /** Set before each write to the board, so that whoever takes over knows that one may have landed. */
  writes: z.number().int().optional(),
  /** When the last of them was noted. */
  wroteAt: text.optional(),
  /** What the board showed right before it: still the same means that it has not landed. */
  wroteOver: z.object({ status: text, updatedAt: text }).optional(),
});
export type PendingMove = z.infer<typeof pendingMove>;

export const owedHook = z.object({
  hook: text,
  /** The entry that owes it: part of the job's id. */
  entry: z.number().int(),
  status: text,
  with: z.record(text, z.unknown()).optional(),
  state: z.enum(["owed", "waiting", "done", "failed"]),
  since: text,
  /** Next try, ISO 8601. */
  retryAt: text.optional(),
  attempt: z.number().int(),
  reason: text.optional(),
  result: z.record(text, z.unknown()).optional(),
});
export type OwedHook = z.infer<typeof owedHook>;

export const moveOutcome = z.enum(["confirmed", "accepted", "refused", "conflict", "question", "unknown"]);
export type MoveOutcome = z.infer<typeof moveOutcome>;

/** How the last move ended, so that a late or repeated question gets the same answer. */
export const settledMove = z.object({
  moveId: text,
  outcome: moveOutcome,
  to: text,
  from: text,
  by: speaker,
  at: text,
  /** The entry it made, when it made one. */
  entry: z.number().int().optional(),
  already: z.boolean().optional(),
  movedOn: z.boolean().optional(),
  code: text.optional(),
  /** The board's own words, or ours, on why not. */
  message: text.optional(),
  data: z.record(text, z.unknown()).optional(),
});
export type SettledMove = z.infer<typeof settledMove>;

export const actorRecord = z.object({
  /** Compare-and-set counter: 0 has never been saved. */
  version: z.number().int(),
  ticket: ticketRecord,
  context: z.record(text, z.unknown()),
  /** Counts arrivals in a status, whoever moved the card. */
  entry: z.number().int(),
  pending: pendingMove.optional(),
  hooks: z.array(owedHook),
  lastMove: settledMove.optional(),
  /** The last one that the board confirmed: what undo takes back. */
  lastConfirmed: settledMove.optional(),
  /** When others moved it of late, and from where. */
  flips: z.array(z.object({ at: text, from: text })).optional(),
  /** Since when it has been moved back and forth too often, so that nothing is started for it by itself. */
  bouncing: text.optional(),
});
export type ActorRecord = z.infer<typeof actorRecord>;

export const historyEvent = z.object({
  at: text,
  kind: z.enum(["asked", "moved", "observed", "refused", "hook", "created", "rehomed", "unknown"]),
  by: speaker.optional(),
  from: text.optional(),
  to: text.optional(),
  outcome: text.optional(),
  hook: text.optional(),
  message: text.optional(),
  moveId: text.optional(),
  /** A move that found the ticket there: nothing was written. */
  already: z.boolean().optional(),
});
export type HistoryEvent = z.infer<typeof historyEvent>;

/** Has it something pending or owed that someone must still see to? */
export function isUnsettled(record: ActorRecord): boolean {
  return (
    record.pending !== undefined ||
    record.hooks.some((hook) => hook.state === "owed" || hook.state === "waiting")
  );
}

export function unreadable(kind: RecordKind, id: string, faults: readonly string[]): BoardwalkError {
  return new BoardwalkError(
    "internal",
    `Our own ${kind} record "${id}" cannot be read, so nothing was done with it. Please tell whoever runs Boardwalk.`,
    { data: { record: kind, id, faults } },
  );
}

/** @throws BoardwalkError `internal` naming the record when it is not what the schema says. */
export function parseRecord<T>(schema: z.ZodType<T>, value: unknown, kind: RecordKind, id: string): T {
  return parseOr(schema, value, (faults) => unreadable(kind, id, faults));
}
