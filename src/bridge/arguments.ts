import type { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { safeParse } from "../parse.js";

const parsed = new WeakSet<object>();

/** Marks arguments that the server has parsed already: parsing twice would run a schema's transforms twice. */
export function markParsed<T extends object>(args: T): T {
  parsed.add(args);
  return args;
}

/** @throws BoardwalkError `invalid` saying which argument and why. */
export function parseArguments(schema: z.ZodObject, args: Record<string, unknown>): Record<string, unknown> {
  if (args !== undefined && parsed.has(args)) return args;
  const result = safeParse(schema, args ?? {});
  if (result.success) return result.data;
  const faults = result.error.issues.map(
    ({ path, message }) => `${path.join(".") || "arguments"}: ${message}`,
  );
  throw new BoardwalkError("invalid", `These arguments cannot be used. ${faults.join("; ")}.`);
}
