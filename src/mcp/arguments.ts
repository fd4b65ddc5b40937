import { z } from "zod";

/** What a tool takes, each with the words to ask for it: speech names arguments in words, never as identifiers. */

const words = (max: number, description: string) => z.string().trim().min(1).max(max).describe(description);

interface Argument {
  readonly schema: z.ZodType;
  /** As in "I still need to know ...". */
  readonly label: string;
  /** As in "Please give ...". */
  readonly expects: string;
}

const ARGUMENTS = {
  ticket: {
    schema: words(500, "The ticket: its key, its id, or words from its title."),
    label: "which ticket you mean",
    expects: "its key or a few words from its title",
  },
  to: {
    schema: words(200, "The status to move it to, in the speaker's own words."),
    label: "which status it should move to",
    expects: "the name of a status",
  },
  from: {
    schema: words(200, "The status the speaker believes it is in. Leave it out when nobody said."),
    label: "which status you believe it is in",
    expects: "the name of a status",
  },
  fields: {
    schema: z
      .record(z.string().min(1).max(200), z.unknown())
      .describe("Values for fields that the move asks for: field name to value."),
    label: "the values for its fields",
    expects: "each field's name together with its value",
  },
  comment: {
    schema: words(5000, "A comment to leave on the ticket with the move."),
    label: "the comment",
    expects: "a sentence or two",
  },
  token: {
    schema: words(500, "The token of the question that this call answers."),
    label: "the token of the question you are answering",
    expects: "it exactly as the question gave it",
  },
  query: {
    schema: words(500, "Words to look for in titles, or a ticket's key."),
    label: "what to look for",
    expects: "a few words",
  },
  status: {
    schema: words(200, "Only tickets in this status, in the speaker's own words."),
    label: "which status to look in",
    expects: "the name of a status",
  },
  board: {
    schema: words(200, "Only this board or workflow, by name."),
    label: "which board you mean",
    expects: "the name of a board",
  },
  cursor: {
    schema: words(2000, "Where to go on: `next` of the answer before."),
    label: "where to go on",
    expects: "the cursor exactly as the last answer gave it",
  },
  moveId: {
    schema: words(200, "The id of a move that an earlier answer gave."),
    label: "which move you mean",
    expects: "the move's id exactly as an answer gave it",
  },
} as const satisfies Record<string, Argument>;

export type ArgumentName = keyof typeof ARGUMENTS;

/** The schema of a tool that must have `required` and may have `optional`, and takes nothing else. */
export function argumentsOf(
  required: readonly ArgumentName[],
  optional: readonly ArgumentName[],
): z.ZodType<Partial<Record<ArgumentName, unknown>>> {
  const shape: Record<string, z.ZodType> = {};
  for (const name of required) shape[name] = ARGUMENTS[name].schema;
  for (const name of optional) shape[name] = ARGUMENTS[name].schema.optional();
  return z.strictObject(shape) as z.ZodType<Partial<Record<ArgumentName, unknown>>>;
}

/** The first thing wrong with the arguments, as a sentence that says what is expected instead. */
export function explainArguments(error: z.ZodError, given: unknown): string {
  const issue = error.issues[0];
  if (issue === undefined) return "I could not make sense of that. Please ask again.";
  if (issue.code === "unrecognized_keys") {
    return `I do not know what to do with ${listed(issue.keys)}. Please leave it out and ask again.`;
  }
  const name = issue.path[0];
  if (typeof name !== "string" || !Object.hasOwn(ARGUMENTS, name)) {
    return "I could not make sense of that. Please ask again with named values.";
  }
  const argument: Argument = ARGUMENTS[name as ArgumentName];
  if (!hasValue(given, name)) {
    return `I still need to know ${argument.label}. Please give ${argument.expects}.`;
  }
  const size = issue.code === "too_big" ? "is too long" : "is not something I can use";
  return `What you gave for ${argument.label} ${size}. Please give ${argument.expects}.`;
}

function hasValue(given: unknown, name: string): boolean {
  return typeof given === "object" && given !== null && Object.hasOwn(given, name);
}

/** At most three of the caller's own words, each short enough to be heard. */
function listed(keys: readonly string[]): string {
  const heard = keys.slice(0, 3).map((key) =>
    key
      .replace(/[^\p{L}\p{N} -]+/gu, " ")
      .slice(0, 40)
      .trim(),
  );
  return heard.join(" and ");
}
