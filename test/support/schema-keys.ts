import { z } from "zod";

/** The names of what a schema reads, at every level of it: what is made of them comes further than the first check. */
export function keysOf(schema: z.ZodType): readonly string[] {
  const names = new Set<string>();
  collect(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }), names);
  return [...names];
}

function collect(schema: unknown, names: Set<string>): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties") for (const name of Object.keys(value as object)) names.add(name);
    collect(value, names);
  }
}
