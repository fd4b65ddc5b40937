import { z } from "zod";

/** A JSON Schema of an object, as MCP wants tools to carry one: never a union at the top. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly [keyword: string]: unknown;
}

interface PropertySchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly [keyword: string]: unknown;
}

/**
 * The JSON Schema of what `schema` accepts. Keys beyond those named stay allowed unless the schema is strict, so that
 * a result may gain keys without breaking a client that cached its schema.
 */
export function objectSchema(schema: z.ZodType): ObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    reused: "inline",
    // JSON knows no names but strings, and some hosts refuse a schema with a keyword they do not know.
    override: ({ jsonSchema }) => void delete jsonSchema.propertyNames,
  });
  if (json.type !== "object" || json.properties === undefined) {
    throw new TypeError("A tool's schema has to be that of an object.");
  }
  return deepFreeze(json) as ObjectSchema;
}

/**
 * The same promise one level deep: true of every value that `schema` is true of. Forty tools that each repeat the
 * nested shapes would be most of a tool list.
 */
export function shallowSchema(schema: ObjectSchema): ObjectSchema {
  const properties: Record<string, PropertySchema> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    properties[name] = {
      ...(property.type === undefined ? {} : { type: property.type }),
      ...(property.enum === undefined ? {} : { enum: property.enum }),
    };
  }
  return deepFreeze({
    type: "object",
    properties,
    ...(schema.required === undefined ? {} : { required: schema.required }),
  });
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
