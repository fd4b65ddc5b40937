import { z } from "zod";
import { decodeContent, encodeContent } from "./format.js";
import {
  type ActorRecord,
  actorRecord,
  type DocumentKind,
  type HistoryEvent,
  historyEvent,
  parseRecord,
  type SettledMove,
  unreadable,
} from "./records.js";
import { actorFrom, actorRow, historyFrom, historyRow } from "./rows.js";
import type { AuditEvent, TenantInfo, Versioned } from "./store.js";

/**
 * How records look at rest, in every store: `<version> <content without the version>`, the content as format.ts has it.
 * The version stands first so that a compare-and-set reads it without decoding the rest.
 */

/** At most this many events are kept of one ticket; older ones are forgotten. */
export const HISTORY_LIMIT = 200;
/** At most this many audit events are kept of one tenant; older ones are forgotten. */
export const AUDIT_LIMIT = 100_000;

/** An actor at rest, without its version, and without its last confirmed move where that is its last move. */
export function encodeActor(record: ActorRecord): string {
  const { lastConfirmed, lastMove } = record;
  const twice = isConfirmed(lastMove) && lastMove.moveId === lastConfirmed?.moveId;
  return encodeContent("ticket", actorRow(twice ? { ...record, lastConfirmed: undefined } : record));
}

/** Whether the board has made this move, rather than found it made. */
function isConfirmed(move: SettledMove | undefined): move is SettledMove {
  return move?.outcome === "confirmed" && move.already !== true;
}

/** @throws BoardwalkError `internal` naming the record when it cannot be read. */
export function decodeActor(stored: string, id: string): ActorRecord {
  const space = stored.indexOf(" ");
  const body = actorFrom(decodeContent("ticket", id, stored.slice(space + 1)));
  const version = Number(stored.slice(0, space));
  const record = parseRecord(actorRecord, { ...body, version }, "ticket", id);
  if (record.lastConfirmed !== undefined || !isConfirmed(record.lastMove)) return record;
  return { ...record, lastConfirmed: record.lastMove };
}

export function decodeDocument(kind: DocumentKind, id: string, stored: string): Versioned {
  const space = stored.indexOf(" ");
  const version = Number(stored.slice(0, space));
  if (!Number.isSafeInteger(version)) throw unreadable(kind, id, ["version: not a number"]);
  return { version, value: decodeContent(kind, id, stored.slice(space + 1)) };
}

export function encodeHistory(event: HistoryEvent): string {
  return encodeContent("history", historyRow(event));
}

export function decodeHistory(json: string, id: string): HistoryEvent {
  return parseRecord(historyEvent, historyFrom(decodeContent("history", id, json)), "history", id);
}

const auditEvent = z.object({
  at: z.string(),
  action: z.string(),
  by: z
    .object({
      person: z.string(),
      client: z.string().exactOptional(),
      tool: z.string().exactOptional(),
    })
    .exactOptional(),
  ticket: z.string().exactOptional(),
  from: z.string().exactOptional(),
  to: z.string().exactOptional(),
  outcome: z.string().exactOptional(),
  detail: z.record(z.string(), z.unknown()).exactOptional(),
}) satisfies z.ZodType<AuditEvent>;

export function decodeAudit(json: string, id: string): AuditEvent {
  return parseRecord(auditEvent, decodeContent("audit", id, json), "audit", id);
}

const tenantInfo = z.object({ id: z.string(), name: z.string(), createdAt: z.string() });

export function decodeTenant(json: string, id: string): TenantInfo {
  return parseRecord(tenantInfo, decodeContent("tenant", id, json), "tenant", id);
}

/** By code units, so that every store lists in one order. */
export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
