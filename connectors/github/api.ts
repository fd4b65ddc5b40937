import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import { z } from "zod";
import type { ConnectorKit } from "../../src/board/connector.js";
import { budgetKey } from "../../src/board/etiquette.js";
import {
  bounded,
  errorFromShape,
  errorFromTransport,
  REQUEST_TIMEOUT_MS,
  retryRead,
  through,
  withTimeout,
} from "../../src/board/http.js";
import { createTurns } from "../../src/board/turns.js";
import { BoardwalkError } from "../../src/errors.js";
import { safeParse } from "../../src/parse.js";
import { BOARD, errorFromOctokit } from "./errors.js";
import { accountOf, type GithubCredentials } from "./settings.js";

/** GitHub asks for a second between writes; an Enterprise Server has no such limit unless it is turned on. */
const WRITE_SPACING_MS = 1_000;
const MAX_REDIRECTS = 3;

export interface GithubApiOptions {
  /** Time between two writes. By default what GitHub asks for. */
  readonly mutationSpacingMs?: number;
  readonly timeoutMs?: number;
}

export type Params = Readonly<Record<string, unknown>>;

/** Every request to GitHub goes through here: timed, errors read, replies parsed, reads retried, writes sent once. */
export interface GithubApi {
  /** `route` as octokit writes it: `GET /repos/{owner}/{repo}`. Retried when the failure may pass. */
  read<T>(route: string, params: Params, schema: z.ZodType<T>, signal: AbortSignal): Promise<T>;
  /** Every item of a paged listing, to its end. */
  pages<T>(
    route: string,
    params: Params,
    schema: z.ZodType<readonly T[]>,
    signal: AbortSignal,
  ): AsyncIterable<T>;
  /** Sent once and never again: a write that landed may still have failed to say so. One at a time for an account. */
  write<T>(route: string, params: Params, schema: z.ZodType<T>, signal: AbortSignal): Promise<T>;
  /**
   * Sends a GraphQL request; `read` makes the answer of its whole reply, `data` and `errors`, or throws. A query is
   * tried up to `attempts` times when its failure may pass, a mutation once; mutations wait their turn.
   */
  graphql<T>(request: GraphqlRequest, read: ReadReply<T>, signal: AbortSignal): Promise<T>;
}

export interface GraphqlRequest {
  readonly kind: "query" | "mutation";
  readonly query: string;
  readonly variables: Params;
  readonly attempts?: number;
}

export type ReadReply<T> = (body: unknown, header: (name: string) => string | undefined) => T;

interface Reply<T> {
  readonly data: T;
  readonly headers: Readonly<Record<string, unknown>>;
}

export function createGithubApi(
  baseUrl: string,
  credentials: GithubCredentials,
  kit: Pick<ConnectorKit, "checkUrl" | "reach" | "turns">,
  options: GithubApiOptions = {},
): GithubApi {
  const { timeoutMs = REQUEST_TIMEOUT_MS } = options;
  const octokit = createOctokit(baseUrl, credentials, sameOriginFetch(timeoutMs, through(kit)));
  const spacingMs = options.mutationSpacingMs ?? (isGithubCom(baseUrl) ? WRITE_SPACING_MS : 0);
  // Without a limit there is nobody to share it with.
  const turns = spacingMs > 0 ? (kit.turns ?? createTurns()) : createTurns();
  const turn = { key: budgetKey("github-writes", accountOf(credentials)), spacingMs };
  const graphqlUrl = `${baseUrl.replace(/\/api\/v3$/, "/api")}/graphql`;

  async function once<T>(
    route: string,
    params: Params,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<Reply<T>> {
    await kit.checkUrl(baseUrl);
    const timed = withTimeout(signal, timeoutMs);
    let reply: { data: unknown; headers: Record<string, unknown> };
    try {
      timed.throwIfAborted();
      reply = await octokit.request(route, { ...params, request: { signal: timed } });
    } catch (error) {
      throw errorFromOctokit(error, signal);
    }
    const parsed = safeParse(schema, reply.data);
    if (parsed.success) return { data: parsed.data, headers: reply.headers };
    // Octokit swallows a body that broke off; an abort while reading it looks like a wrong shape.
    throw timed.aborted
      ? errorFromTransport(BOARD, timed.reason, signal)
      : errorFromShape(BOARD, parsed.error);
  }

  const again = <T>(route: string, params: Params, schema: z.ZodType<T>, signal: AbortSignal) =>
    retryRead(() => once(route, params, schema, signal), signal);

  return {
    read: async (route, params, schema, signal) => (await again(route, params, schema, signal)).data,
    async *pages(route, params, schema, signal) {
      let next: string | undefined = route;
      for (let query: Params = { ...params, per_page: 100 }; next !== undefined; query = {}) {
        const reply: Reply<z.infer<typeof schema>> = await again(next, query, schema, signal);
        yield* reply.data;
        const url = nextPage(reply.headers.link);
        if (url !== undefined && new URL(url).origin !== new URL(baseUrl).origin) throw errorFromShape(BOARD);
        next = url === undefined ? undefined : `GET ${url}`;
      }
    },
    write: async (route, params, schema, signal) =>
      (await turns.take(turn, () => once(route, params, schema, signal), signal)).data,
    graphql({ kind, query, variables, attempts }, read, signal) {
      const send = async () => {
        const reply = await once(`POST ${graphqlUrl}`, { query, variables }, z.looseObject({}), signal);
        return read(reply.data, (name) => textOf(reply.headers[name]));
      };
      if (kind === "mutation") return turns.take(turn, send, signal);
      return retryRead(send, signal, attempts === undefined ? {} : { attempts });
    },
  };
}

function createOctokit(
  baseUrl: string,
  credentials: GithubCredentials,
  fetch: typeof globalThis.fetch,
): Octokit {
  const quiet = () => {};
  // Octokit logs URLs and deprecations to the console by default.
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const request = { fetch, log };
  const common = { baseUrl, userAgent: "boardwalk", log, request };
  if ("token" in credentials) return new Octokit({ ...common, auth: credentials.token });
  const { appId, privateKey, installationId } = credentials;
  return new Octokit({ ...common, authStrategy: createAppAuth, auth: { appId, privateKey, installationId } });
}

/**
 * `fetch` that follows a redirect (a renamed repository) only within the host that was allowed, so that a reply
 * cannot send our credentials or our requests elsewhere, and that gives up in time whoever forgot to say so.
 */
function sameOriginFetch(timeoutMs: number, way: Pick<RequestInit, "dispatcher">): typeof fetch {
  return async (input, init = {}) => {
    let url = new URL(String(input));
    const signal = init.signal ?? AbortSignal.timeout(timeoutMs);
    for (let hop = 0; ; hop++) {
      const response = await fetch(url, { ...init, ...way, signal, redirect: "manual" });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null) return bounded(response);
      const next = new URL(location, url);
      const sameRequest = response.status >= 307 || (init.method ?? "GET") === "GET";
      if (next.origin !== url.origin || !sameRequest || hop >= MAX_REDIRECTS) {
        throw new BoardwalkError("unavailable", "GitHub sent us to another address, which we do not follow.");
      }
      url = next;
    }
  };
}

function textOf(header: unknown): string | undefined {
  return header === undefined ? undefined : String(header);
}

function nextPage(link: unknown): string | undefined {
  return typeof link === "string" ? /<([^<>]+)>;\s*rel="next"/.exec(link)?.[1] : undefined;
}

export function isGithubCom(baseUrl: string): boolean {
  return /(^|\.)(github\.com|ghe\.com)$/.test(new URL(baseUrl).hostname);
}
