/** OpenAPI 3.0's dialect of JSON Schema, turned into the real one. */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A request may not carry what is read-only, a response not what is write-only. */
export type Mode = "request" | "response";

/** Values under these are data, not schemas: a property called `nullable` in an example means nothing. */
const DATA = new Set(["example", "examples", "default", "enum", "const"]);

/** The whole document, with every schema in it as plain JSON Schema for traffic in this direction. */
export function forMode(document: JsonObject, mode: Mode): JsonObject {
  return convert(document, mode) as JsonObject;
}

function convert(value: Json, mode: Mode): Json {
  if (Array.isArray(value)) return value.map((item: Json) => convert(item, mode));
  if (typeof value !== "object" || value === null) return value;
  const source = value as JsonObject;
  const forbidden = mode === "request" ? "readOnly" : "writeOnly";
  if (source[forbidden] === true) return false;
  const entries = Object.entries(source)
    .filter(([key, inner]) => key !== "nullable" || typeof inner !== "boolean")
    .map(([key, inner]) => [key, DATA.has(key) ? inner : convert(inner, mode)] as const);
  const schema = withoutForbidden(Object.fromEntries(entries));
  return source.nullable === true ? { anyOf: [schema, { type: "null" }] } : schema;
}

/** What may not be there cannot be required. */
function withoutForbidden(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!Array.isArray(required) || typeof properties !== "object" || properties === null) return schema;
  const possible = required.filter((name) => (properties as JsonObject)[String(name)] !== false);
  return { ...schema, required: possible };
}
