import { z } from "zod";
import type { BoardwalkError } from "../errors.js";
import { ARGUMENT_NAMES, type ArgumentFault, type ArgumentName } from "../tickets/sentences/sentences.js";
import { wrongArguments } from "../tickets/wrong-arguments.js";

/** What a tool takes. How each is called in speech is written in `tickets/sentences/`. */

const words = (max: number, description: string) => z.string().trim().min(1).max(max).describe(description);

const ARGUMENTS = {
  ticket: words(500, "The ticket: its key, its id, or words from its title."),
  to: words(200, "The status to move it to, in the speaker's own words."),
  from: words(200, "The status the speaker believes it is in. Leave it out when nobody said."),
  fields: z
    .record(z.string().min(1).max(200), z.unknown())
    .describe("Values for fields that the move asks for: field name to value."),
  comment: words(5000, "A comment to leave on the ticket with the move."),
  token: words(500, "The token of the question that this call answers."),
  query: words(500, "Words to look for in titles, or a ticket's key."),
  status: words(200, "Only tickets in this status, in the speaker's own words."),
  board: words(200, "Only this board or workflow, by name."),
  cursor: words(2000, "Where to go on: `next` of the answer before."),
  moveId: words(200, "The id of a move that an earlier answer gave."),
} as const satisfies Record<ArgumentName, z.ZodType>;

/** The schema of a tool that must have `required` and may have `optional`, and takes nothing else. */
export function argumentsOf(
  required: readonly ArgumentName[],
  optional: readonly ArgumentName[],
): z.ZodType<Partial<Record<ArgumentName, unknown>>> {
  const shape: Record<string, z.ZodType> = {};
  for (const name of required) shape[name] = ARGUMENTS[name];
  for (const name of optional) shape[name] = ARGUMENTS[name].optional();
  return z.strictObject(shape) as z.ZodType<Partial<Record<ArgumentName, unknown>>>;
}

/** The first thing wrong with the arguments, as an error that can be said in any language. */
export function wrongArgumentsOf(error: z.ZodError, given: unknown): BoardwalkError {
  return wrongArguments(faultIn(error, given));
}

function faultIn({ issues: [issue] }: z.ZodError, given: unknown): ArgumentFault {
  if (issue?.code === "unrecognized_keys") return { kind: "unknown", names: issue.keys };
  const name = ARGUMENT_NAMES.find((known) => known === issue?.path[0]);
  if (name === undefined) return { kind: "unnamed" };
  if (!hasValue(given, name)) return { kind: "missing", name };
  return { kind: issue?.code === "too_big" ? "long" : "wrong", name };
}

function hasValue(given: unknown, name: string): boolean {
  return typeof given === "object" && given !== null && Object.hasOwn(given, name);
}
