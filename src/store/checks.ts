import { BoardwalkError } from "../errors.js";

/** What every store refuses, in the same words. */

export function lostRace(what: string): BoardwalkError {
  return new BoardwalkError(
    "conflict",
    `Someone else changed ${what} just now. Please look again and retry.`,
  );
}

/** @throws BoardwalkError `invalid` for an id that cannot be told apart from others once written as UTF-8. */
export function requireTenantId(id: string): string {
  if (id !== "" && !/\p{Surrogate}/u.test(id)) return id;
  throw new BoardwalkError("invalid", "A tenant's id must be text, and not empty.");
}

export function requireCursor(cursor: string, pattern: RegExp): string {
  if (pattern.test(cursor)) return cursor;
  throw new BoardwalkError("invalid", "This cursor is not one we gave. Please start again without it.");
}

export function requireLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new BoardwalkError("invalid", "The limit must be a whole number, 1 or more.");
}

/** Whole milliseconds, at least one: a store cannot remember for less. */
export function wholeTtl(ttlMs: number): number {
  if (Number.isFinite(ttlMs)) return Math.max(1, Math.floor(ttlMs));
  throw new BoardwalkError("invalid", "A time to live must be a number of milliseconds.");
}

export function tenantTaken(id: string): BoardwalkError {
  return new BoardwalkError(
    "conflict",
    `There is already a tenant with the id "${id}". Please choose another.`,
  );
}

export function handleTaken(): BoardwalkError {
  return new BoardwalkError("conflict", "This handle already belongs to somebody else.");
}
