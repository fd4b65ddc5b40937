import type { Move, MoveInput } from "../../src/board/connector.js";
import { BoardwalkError } from "../../src/errors.js";
import type { FieldSpec } from "../../src/machine/index.js";
import { adfFromText } from "./adf.js";
import type { TransitionInput } from "./api.js";

/** Plain values as the shapes Jira wants in a transition. Pure; throws `needs_fields` for a value that cannot be one. */

const FIELD_ID = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const ACCOUNT_ID = /^[A-Za-z0-9:_-]{1,128}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export function transitionInput(move: Move, input: MoveInput): TransitionInput {
  const specs = new Map(move.fields.map((field) => [field.id, field]));
  const fields: Record<string, unknown> = {};
  let comment = input.comment;
  for (const [id, value] of Object.entries(input.fields ?? {})) {
    if (value === undefined || value === null) continue;
    if (!FIELD_ID.test(id)) throw new BoardwalkError("invalid", "That is not the id of a Jira field.");
    if (id === "comment") comment = [comment, text(commentSpec(specs), value)].filter(Boolean).join("\n\n");
    else fields[id] = jiraValue(specs.get(id) ?? undeclared(id), value);
  }
  const travels = comment !== undefined && comment.trim() !== "" && move.takesComment === true;
  return { fields, update: travels ? { comment: [{ add: { body: adfFromText(comment ?? "") } }] } : {} };
}

function commentSpec(specs: ReadonlyMap<string, FieldSpec>): FieldSpec {
  return specs.get("comment") ?? { id: "comment", name: "Comment", type: "rich_text", required: false };
}

/** A screen may ask for more than it declares: what only a validator wants is sent in its usual shape. */
function undeclared(id: string): FieldSpec {
  return {
    id,
    name: id,
    type: id === "resolution" || id === "priority" ? "option" : "text",
    required: false,
  };
}

function jiraValue(spec: FieldSpec, value: unknown): unknown {
  if (spec.type === "unsupported") {
    throw bad(spec, `${spec.name} can only be filled in on Jira itself. Please make this move there.`);
  }
  if (spec.multiple === true) return many(spec, value).map((item) => single(spec, item));
  if (Array.isArray(value)) {
    if (value.length !== 1) throw bad(spec, `${spec.name} takes exactly one value.`);
    return single(spec, value[0]);
  }
  return single(spec, value);
}

function many(spec: FieldSpec, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  // Spoken lists come as one text; an option's own label may hold a comma, so it is tried whole first.
  if (typeof value !== "string" || (spec.allowed ?? []).some((option) => isOption(option, value)))
    return [value];
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function single(spec: FieldSpec, value: unknown): unknown {
  switch (spec.type) {
    case "option":
      return option(spec, text(spec, value));
    case "rich_text":
      return adfFromText(text(spec, value));
    case "number":
      return number(spec, value);
    case "date":
      return date(spec, text(spec, value));
    case "user":
      return user(spec, text(spec, value));
    default:
      return text(spec, value);
  }
}

function text(spec: FieldSpec, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw bad(spec, `${spec.name} must be plain text.`);
}

function option(spec: FieldSpec, wanted: string): { id: string } | { name: string } {
  if (spec.allowed === undefined) return { name: wanted };
  const found =
    spec.allowed.find((candidate) => candidate.id === wanted) ??
    spec.allowed.find((candidate) => isOption(candidate, wanted));
  if (found !== undefined) return { id: found.id };
  const choices = spec.allowed.slice(0, 3).map((candidate) => candidate.label.trim());
  const rest = spec.allowed.length - choices.length;
  throw bad(spec, `${spec.name} can be ${choices.join(", ")}${rest > 0 ? ` or one of ${rest} more` : ""}.`);
}

function isOption(candidate: { readonly id: string; readonly label: string }, wanted: string): boolean {
  return candidate.id === wanted || plain(candidate.label) === plain(wanted);
}

function plain(label: string): string {
  return label.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
}

function number(spec: FieldSpec, value: unknown): number {
  const parsed = typeof value === "number" ? value : Number(text(spec, value).trim() || Number.NaN);
  if (!Number.isFinite(parsed)) throw bad(spec, `${spec.name} must be a number.`);
  return parsed;
}

function date(spec: FieldSpec, value: string): string {
  if (!DATE.test(value) || Number.isNaN(Date.parse(value))) {
    throw bad(spec, `${spec.name} must be a date such as 2026-03-31.`);
  }
  return value;
}

function user(spec: FieldSpec, value: string): { accountId: string } {
  if (!ACCOUNT_ID.test(value)) throw bad(spec, `${spec.name} must be the id of a Jira account.`);
  return { accountId: value };
}

function bad(spec: FieldSpec, message: string): BoardwalkError {
  return new BoardwalkError("needs_fields", message, {
    data: { fields: [{ id: spec.id, name: spec.name, message }] },
  });
}
