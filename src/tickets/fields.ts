import type { FieldSpec } from "../machine/index.js";
import { textOf } from "../parse.js";
import { plainWords } from "./words.js";

export interface FilledFields {
  /** By field id, in plain values: an option by its id. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Required fields without a usable value. */
  readonly missing: readonly FieldSpec[];
}

/** Matches what a person said (`resolution: won't do`) to a move's fields, by id or by name, and options by their labels. */
export function fillFields(
  specs: readonly FieldSpec[],
  said: Readonly<Record<string, unknown>>,
): FilledFields {
  const values: Record<string, unknown> = {};
  const missing: FieldSpec[] = [];
  for (const spec of specs) {
    const value = valueFor(spec, saidOf(spec, said));
    if (value !== undefined) values[spec.id] = value;
    else if (spec.required) missing.push(spec);
  }
  return { values, missing };
}

function saidOf(spec: FieldSpec, said: Readonly<Record<string, unknown>>): unknown {
  if (Object.hasOwn(said, spec.id)) return said[spec.id];
  const name = plainWords(spec.name);
  const key = Object.keys(said).find((candidate) => plainWords(candidate) === name);
  return key === undefined ? undefined : said[key];
}

function valueFor(spec: FieldSpec, said: unknown): unknown {
  if (said === undefined || said === null || said === "" || spec.type === "unsupported") return undefined;
  if (spec.allowed === undefined) return said;
  const wanted = Array.isArray(said) ? said : [said];
  const ids = wanted.map((one) => optionId(spec.allowed ?? [], one));
  if (ids.some((id) => id === undefined)) return undefined;
  return spec.multiple ? ids : ids[0];
}

function optionId(allowed: NonNullable<FieldSpec["allowed"]>, said: unknown): string | undefined {
  const words = typeof said === "object" && said !== null && "id" in said ? textOf(said.id) : textOf(said);
  const byId = allowed.find((option) => option.id === words);
  return (byId ?? allowed.find((option) => plainWords(option.label) === plainWords(words)))?.id;
}
