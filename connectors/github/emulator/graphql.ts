import type { Request, Response } from "express";
import type { DocumentNode, GraphQLError, GraphQLSchema } from "graphql";
import { z } from "zod";
import { GithubFault, HeavyQuery } from "./paging.js";

/** GitHub's GraphQL endpoint, executed against GitHub's published schema. */

const requestBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

type Graphql = typeof import("graphql");

interface Engine {
  readonly graphql: Graphql;
  readonly schema: GraphQLSchema;
}

// The schema is large and the same for every emulator of a process, so it is read once and only when asked for.
let engine: Promise<Engine> | undefined;

async function loadEngine(): Promise<Engine> {
  const [graphql, { schema }] = await Promise.all([import("graphql"), import("@octokit/graphql-schema")]);
  const built = graphql.buildSchema(schema.idl, {
    assumeValid: true,
    assumeValidSDL: true,
    noLocation: true,
  });
  return { graphql, schema: built };
}

export function createGraphqlRoute(rootValue: object) {
  const documents = new Map<string, DocumentNode | readonly GraphQLError[]>();
  return async (request: Request, response: Response): Promise<void> => {
    const body = requestBody.safeParse(request.body);
    if (!body.success) return void response.status(400).json({ message: "Problems parsing JSON" });
    engine ??= loadEngine();
    const { graphql, schema } = await engine;
    const { query, variables, operationName } = body.data;
    const known = documents.get(query) ?? prepare(graphql, schema, query);
    documents.set(query, known);
    if (!("kind" in known)) return void response.json({ errors: known.map(faultBody) });
    const result = await graphql.execute({
      schema,
      document: known,
      rootValue,
      variableValues: variables ?? {},
      operationName: operationName ?? null,
    });
    if (result.errors?.some(({ originalError }) => originalError instanceof HeavyQuery)) {
      return void response
        .status(502)
        .type("html")
        .send("<html><body><h1>502 Bad Gateway</h1></body></html>");
    }
    const errors = result.errors?.map(faultBody);
    response.json({
      ...(result.data === undefined ? {} : { data: result.data }),
      ...(errors ? { errors } : {}),
    });
  };
}

function prepare(
  graphql: Graphql,
  schema: GraphQLSchema,
  query: string,
): DocumentNode | readonly GraphQLError[] {
  try {
    const document = graphql.parse(query);
    const errors = graphql.validate(schema, document);
    return errors.length > 0 ? errors : document;
  } catch (error) {
    if (error instanceof graphql.GraphQLError) return [error];
    throw error;
  }
}

/** GitHub puts an error's type beside its message, not under `extensions`. */
function faultBody(error: GraphQLError): object {
  const { originalError } = error;
  const type = originalError instanceof GithubFault ? { type: originalError.type } : {};
  const path = error.path === undefined ? {} : { path: error.path };
  return { ...type, ...path, locations: error.locations ?? [], message: error.message };
}
