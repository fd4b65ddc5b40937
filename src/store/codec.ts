import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { type ActorRecord, actorRecord, type HistoryEvent, historyEvent } from "./records.js";
import type { AuditEvent, TenantInfo, Versioned } from "./store.js";

/**
 * How records look at rest, in every store: `<version> <JSON without the version>`.
 * The version stands first so that a compare-and-set reads it without decoding the rest.
 */

/** At most this many events are kept of one ticket; older ones are forgotten. */
export const HISTORY_LIMIT = 200;
/** At most this many audit events are kept of one tenant; older ones are forgotten. */
export const AUDIT_LIMIT = 100_000;

/** An actor at rest, without its version. */
export function encodeActor(record: ActorRecord): string {
  return JSON.stringify({ ...record, version: undefined });
}

/** @throws BoardwalkError `internal` naming the record when it cannot be read. */
export function decodeActor(stored: string, id: string): ActorRecord {
  const space = stored.indexOf(" ");
  const body = parseJson(stored.slice(space + 1), "ticket", id);
  if (typeof body === "object" && body !== null)
    Object.assign(body, { version: Number(stored.slice(0, space)) });
  return parsed(actorRecord, body, "ticket", id);
}

export function decodeDocument(stored: string, id: string): Versioned {
  const space = stored.indexOf(" ");
  const version = Number(stored.slice(0, space));
  if (!Number.isSafeInteger(version)) throw unreadable("document", id, ["version: not a number"]);
  return { version, value: parseJson(stored.slice(space + 1), "document", id) };
}

export function decodeHistory(json: string, id: string): HistoryEvent {
  return parsed(historyEvent, parseJson(json, "history", id), "history", id);
}

/** JSON for any value; what JSON has no word for is kept as `null`. */
export function encodeValue(value: unknown): string {
  return JSON.stringify(value) ?? "null";
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
  return parsed(auditEvent, parseJson(json, "audit", id), "audit", id);
}

const tenantInfo = z.object({ id: z.string(), name: z.string(), createdAt: z.string() });

export function decodeTenant(json: string, id: string): TenantInfo {
  return parsed(tenantInfo, parseJson(json, "tenant", id), "tenant", id);
}

export function parseJson(json: string, kind: string, id: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Not kept as the cause: the parser quotes the text, and ticket text must not reach a log.
    throw unreadable(kind, id, ["not JSON"]);
  }
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, kind: string, id: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw unreadable(
    kind,
    id,
    result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.code}`),
  );
}

function unreadable(kind: string, id: string, faults: readonly string[]): BoardwalkError {
  return new BoardwalkError(
    "internal",
    `Our own ${kind} record "${id}" cannot be read, so nothing was done with it. Please tell whoever runs Boardwalk.`,
    { data: { record: kind, id, faults } },
  );
}

/** By code units, so that every store lists in one order. */
export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
