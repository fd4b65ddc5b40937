import { z } from "zod";
import { errorFromAnswer, errorFromShape } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";
import { safeParse } from "../../src/parse.js";
import type { GithubApi, Params } from "./api.js";
import { BOARD, waitSeconds } from "./errors.js";

/** GraphQL on GitHub: refusals come as a success with `errors[]`, and data may be there beside them. */

/** A document of ours and what its data looks like. */
export interface GraphqlDocument<T> {
  readonly kind: "query" | "mutation";
  readonly query: string;
  readonly data: z.ZodType<T>;
}

const graphqlFault = z.object({
  type: z.string().optional(),
  message: z.string(),
  path: z.array(z.union([z.string(), z.number()])).nullish(),
});
export type GraphqlFault = z.infer<typeof graphqlFault>;

const envelope = z.object({ data: z.unknown().optional(), errors: z.array(graphqlFault).nullish() });

export interface RunOptions {
  readonly attempts?: number;
}

/** Runs a document and returns its data; every refusal is thrown as what it means. */
export function run<T>(
  api: GithubApi,
  document: GraphqlDocument<T>,
  variables: Params,
  signal: AbortSignal,
  options: RunOptions = {},
): Promise<T> {
  const { kind, query } = document;
  return api.graphql(
    { kind, query, variables, ...options },
    (body, header) => {
      const reply = safeParse(envelope, body);
      if (!reply.success) throw errorFromShape(BOARD, reply.error);
      const { data, errors } = reply.data;
      const grave = (errors ?? []).filter((fault) => kind === "mutation" || !isGap(fault));
      if (grave.length > 0) throw errorFromFaults(grave, header);
      const parsed = safeParse(document.data, data);
      if (parsed.success) return parsed.data;
      // A gap at a place where our document needs a value is a refusal after all.
      throw errors?.length ? errorFromFaults(errors, header) : errorFromShape(BOARD, parsed.error);
    },
    signal,
  );
}

/** A part of a query's data that is null because this account may not see it; the rest stands. */
function isGap({ type, path }: GraphqlFault): boolean {
  if (type === "NOT_FOUND") return true;
  return type === "FORBIDDEN" && (path ?? []).includes("content");
}

/** What a set of GraphQL errors means; of several, the one a person can do most about. */
export function errorFromFaults(
  faults: readonly GraphqlFault[],
  header: (name: string) => string | undefined,
): BoardwalkError {
  const said = faults.map(({ message }) => message).join(" ");
  const has = (type: string) => faults.some((fault) => fault.type === type);
  const cause = new Error(said);
  const wait = waitSeconds(header, said);
  if (has("RATE_LIMITED") || (wait !== undefined && /rate limit/i.test(said))) {
    const answer = { status: 429, header: () => String(wait ?? 60) };
    return errorFromAnswer(BOARD, answer, cause);
  }
  if (/option Id does not belong to the field/i.test(said)) {
    return new BoardwalkError(
      "stale_workflow",
      "The columns of this project have changed. Please try again.",
      {
        cause,
      },
    );
  }
  if (/archived and cannot be updated/i.test(said)) {
    return new BoardwalkError("archived", "It is archived on the board. Restore it there first.", { cause });
  }
  if (has("INSUFFICIENT_SCOPES")) return missingScopes(said, cause);
  if (has("FORBIDDEN")) return errorFromAnswer(BOARD, { status: 403, header: none, text: said }, cause);
  if (has("NOT_FOUND")) return errorFromAnswer(BOARD, { status: 404, header: none }, cause);
  if (
    has("SERVICE_UNAVAILABLE") ||
    has("INTERNAL") ||
    /something went wrong|timedout|time ?out|resource limits/i.test(said)
  ) {
    return errorFromAnswer(BOARD, { status: 502, header: none }, cause);
  }
  return errorFromAnswer(BOARD, { status: 422, header: none, text: said }, cause);
}

const none = () => undefined;

/** GitHub names the scopes it wants: `requires one of the following scopes: ['read:project']`. */
function missingScopes(said: string, cause: Error): BoardwalkError {
  const wanted = /following scopes: \[([^\]]*)\]/.exec(said)?.[1] ?? "";
  const scopes = [...wanted.matchAll(/'([a-z_:]+)'/g)].map((match) => match[1] ?? "");
  const named = scopes.length > 0 ? `the scope ${scopes.join(" or ")}` : "a scope";
  return new BoardwalkError(
    "forbidden",
    `The GitHub token lacks ${named}. Please give it one and reconnect.`,
    {
      cause,
      data: { scopes },
    },
  );
}
