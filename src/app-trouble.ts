import type { BoardwalkError } from "./errors.js";
import type { RootLog } from "./log.js";

/** What the log is told of trouble: where and of what kind, never in words that may be a ticket's. */

/** Only what is our fault or another system's trouble; a caller's mistake is the caller's to know. */
export function reportTo(log: RootLog, error: BoardwalkError): void {
  if (error.code !== "internal" && !error.retryable) return;
  log.error(
    { code: error.code, cause: nameOf(error.cause), at: stackOf(error.cause ?? error) },
    "a request failed",
  );
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
