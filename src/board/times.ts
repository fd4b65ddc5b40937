import { z } from "zod";

/** Times as boards tell them. What is none makes a `Date` that throws when it is written down, and sorts before or after everything. */

const MOST_MS = 8.64e15;

/** Milliseconds since 1970, within what a `Date` can hold. */
export const epochMs = z.number().min(-MOST_MS).max(MOST_MS);

/** `undefined` for what is no time. */
export function dateIn(text: string): Date | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A time in any form that JavaScript reads, such as Jira's `2026-11-29T10:15:00.000+0100`, as ISO 8601 in UTC. */
export const isoTime = z.string().transform((text, context) => {
  const date = dateIn(text);
  if (date !== undefined) return date.toISOString();
  context.addIssue({ code: "custom", message: "not a time" });
  return z.NEVER;
});
