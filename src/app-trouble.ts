import { BoardwalkError } from "./errors.js";
import type { Trail } from "./hooks/hooks.js";
import type { RootLog } from "./log.js";
import { fieldsOfTrail } from "./telemetry/scope.js";

/** What the log is told of trouble: where and of what kind, never in words that may be a ticket's. */

/**
 * Only what is our fault or another system's trouble; a caller's mistake is the caller's to know. Without a trail it is
 * of no request: news between processes, and what is done beside the work.
 */
export function reportTo(log: RootLog, thrown: unknown, trail?: Trail): void {
  const error = BoardwalkError.from(thrown);
  if (error.code !== "internal" && !error.retryable) return;
  const facts = { code: error.code, cause: nameOf(error.cause), at: stackOf(error.cause ?? error) };
  if (trail === undefined) log.error(facts, "something beside the requests failed");
  else log.error({ ...fieldsOfTrail(trail), ...facts }, "a request failed");
}

export function nameOf(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined;
}

/** Where it happened, without the message: that may quote a ticket. */
export function stackOf(error: unknown): string[] | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.stack
    ?.split("\n")
    .filter((line) => line.startsWith("    at "))
    .slice(0, 6);
}
