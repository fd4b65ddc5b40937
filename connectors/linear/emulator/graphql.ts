import type { Request, Response } from "express";
import type { DocumentNode, GraphQLError, GraphQLSchema } from "graphql";
import { z } from "zod";
import { complexityOf, type Measure } from "./complexity.js";
import { LinearFault, tooComplex } from "./faults.js";
import { type Limits, refuse } from "./gate.js";
import { SCHEMA } from "./schema.js";

/** Linear's GraphQL endpoint, executed against our part of its schema. */

const MOST_POINTS = 10_000;
const requestBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

let measure: Promise<Measure> | undefined;

/** Read once a process and only when asked for: outside of emulators nothing needs the library. */
export function loadMeasure(): Promise<Measure> {
  measure ??= import("graphql").then((graphql) => ({ graphql, schema: graphql.buildSchema(SCHEMA) }));
  return measure;
}

export function isMutation(request: Request): boolean {
  return /^\s*mutation\b/.test(queryOf(request));
}

export function operationOf(request: Request): string | undefined {
  return /^\s*(?:query|mutation)\s+(\w+)/.exec(queryOf(request))?.[1];
}

function queryOf(request: Request): string {
  const body: unknown = request.body;
  return typeof body === "object" && body !== null && "query" in body ? String(body.query) : "";
}

type Prepared = { readonly document: DocumentNode } | { readonly errors: readonly GraphQLError[] };

export function createGraphqlRoute(rootValue: object, limits: Limits) {
  const known = new Map<string, Prepared>();
  return async (request: Request, response: Response): Promise<void> => {
    const body = requestBody.safeParse(request.body);
    if (!body.success)
      return void response.status(400).json({ errors: [{ message: "No query was provided." }] });
    const { graphql, schema } = await loadMeasure();
    const { query, variables, operationName } = body.data;
    const prepared = known.get(query) ?? prepare({ graphql, schema }, query);
    known.set(query, prepared);
    if ("errors" in prepared)
      return void response.status(400).json({ errors: prepared.errors.map(invalidQuery) });
    const points = complexityOf({ graphql, schema }, prepared.document, variables ?? {});
    limits.spend(response, points);
    if (points > MOST_POINTS) return refuse(response, tooComplex(points, MOST_POINTS));
    const result = await graphql.execute({
      schema,
      document: prepared.document,
      rootValue,
      contextValue: response.locals.login,
      variableValues: variables ?? {},
      operationName: operationName ?? null,
    });
    response.json({
      ...(result.errors === undefined ? {} : { errors: result.errors.map(faultBody) }),
      data: result.data ?? null,
    });
  };
}

function prepare(
  { graphql, schema }: { readonly graphql: typeof import("graphql"); readonly schema: GraphQLSchema },
  query: string,
): Prepared {
  try {
    const document = graphql.parse(query);
    const errors = graphql.validate(schema, document);
    return errors.length > 0 ? { errors } : { document };
  } catch (error) {
    if (error instanceof graphql.GraphQLError) return { errors: [error] };
    throw error;
  }
}

function invalidQuery(error: GraphQLError): object {
  const extensions = { type: "graphql error", code: "GRAPHQL_VALIDATION_FAILED", userError: true };
  return { message: error.message, locations: error.locations ?? [], extensions };
}

function faultBody({ originalError, message, path, locations }: GraphQLError): object {
  const where = { locations: locations ?? [], ...(path === undefined ? {} : { path }) };
  if (originalError instanceof LinearFault)
    return { message, ...where, extensions: originalError.extensions };
  // A variable of the wrong kind is the client's fault, anything else ours.
  const extensions =
    originalError === undefined || originalError === null
      ? { type: "invalid input", code: "INVALID_INPUT", statusCode: 400, userError: true }
      : { type: "internal error", code: "INTERNAL_SERVER_ERROR", statusCode: 500, userError: false };
  return { message, ...where, extensions };
}
