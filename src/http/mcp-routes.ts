import type { IncomingMessage, ServerResponse } from "node:http";
import { BoardwalkError } from "../errors.js";
import type { Trail } from "../hooks/hooks.js";
import type { Store, TenantStore } from "../store/store.js";
import type { Recency } from "../tickets/recency.js";
import { type CallerOf, createCallers } from "./auth.js";
import { isExpired, type Knocks, tooOften } from "./knocks.js";
import type { Bearer, Oauth } from "./oauth.js";
import {
  type Addresses,
  metadataUrl,
  type Resource,
  resourceAt,
  SERVICE_SCOPE,
  USER_SCOPES,
} from "./oauth-resources.js";
import { type Report, sendProblem } from "./problems.js";
import { trailOf } from "./requests.js";
import { bearerOf, isOurs } from "./tokens.js";

/** The MCP endpoints: who is let in at which address, and how the others are turned away. */

/** Who an MCP request comes from. */
export interface McpPrincipal {
  /** Absent for a service that may see what tools there are but belongs to nobody. */
  readonly tenant?: TenantStore;
  readonly speaker: { readonly person: string; readonly client?: string };
  readonly scopes: readonly string[];
  /** An app's token: its scopes are all that it may do. */
  readonly delegated?: boolean;
}

/** The MCP endpoint, as this server needs it. */
export interface McpEndpoint {
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    principal: McpPrincipal,
    options?: {
      readonly surface?: "generated" | "frozen";
      readonly trail?: Trail | undefined;
      lacks?(scope: string): void;
    },
  ): Promise<void>;
  /** What is wrong with the request's Origin or Host, if anything; asked before its token is. */
  guard(request: IncomingMessage): { readonly status: number; readonly message: string } | undefined;
}

export interface McpRoutesDeps {
  readonly store: Store;
  readonly mcp: McpEndpoint;
  readonly oauth: Pick<Oauth, "bearerOf">;
  readonly addresses: Addresses;
  readonly recency: Recency;
  readonly knocks: Knocks;
  readonly report: Report;
}

/** Serves a request when it is for an MCP address, and says so; any other is left as it is. */
export type McpRoutes = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Plain functions of Node's server: a read costs less than Express's way to it. */
export function createMcpRoutes(given: McpRoutesDeps): McpRoutes {
  const deps = { ...given, callerOf: createCallers(given.store, given.recency) };
  return (request, response) => {
    const resource = resourceAt(pathOf(request.url ?? "/"), deps.addresses);
    if (resource === undefined) return false;
    answer(deps, resource, request, response).catch((thrown: unknown) => {
      const error = BoardwalkError.from(thrown);
      deps.report(error, trailOf(request));
      if (response.headersSent) response.destroy();
      else sendProblem(response, error);
    });
    return true;
  };
}

/** Without the query, and the slash that some clients put at the end. */
function pathOf(url: string): string {
  // A proxy may ask by the whole address.
  if (!url.startsWith("/")) return URL.canParse(url) ? pathOf(new URL(url).pathname) : url;
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

interface Deps extends McpRoutesDeps {
  readonly callerOf: CallerOf;
}

async function answer(
  deps: Deps,
  resource: Resource,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refused = deps.mcp.guard(request);
  if (refused !== undefined) return sendProblem(response, new BoardwalkError("forbidden", refused.message));
  const token = bearerOf(request.headers.authorization);
  const principal = await principalOf(deps, resource, token).catch((error: unknown) =>
    BoardwalkError.from(error),
  );
  if (principal instanceof BoardwalkError) {
    if (principal.code !== "unauthorized") throw principal;
    challenge(deps, resource, response, token === undefined ? undefined : "invalid_token");
    return sendProblem(
      response,
      token === undefined ? principal : await slowed(deps, resource, request, principal),
    );
  }
  const elsewhere = whyNotHere(resource, principal);
  if (elsewhere !== undefined) {
    await noteStray(resource, principal).catch((error: unknown) =>
      deps.report(BoardwalkError.from(error), trailOf(request)),
    );
    return sendProblem(response, new BoardwalkError("forbidden", elsewhere));
  }
  await deps.mcp.handle(request, response, principal, {
    surface: resource.surface,
    trail: trailOf(request),
    lacks: (scope) => challenge(deps, resource, response, "insufficient_scope", scope),
  });
}

/** Counts a wrong token. An expired one is to be renewed at once, and is no guess. */
async function slowed(
  { knocks }: Deps,
  { tenant }: Resource,
  request: IncomingMessage,
  refusal: BoardwalkError,
): Promise<BoardwalkError> {
  if (isExpired(refusal)) return refusal;
  const waitMs = await knocks.wrong("mcp", request, tenant);
  return waitMs > 0 ? tooOften(waitMs) : refusal;
}

/** A client at the wrong door tries again and again. */
const NOTE_STRAYS_EVERY_MS = 60_000;

/** Into the caller's own audit log: nobody else learns that she was there. */
async function noteStray({ path }: Resource, { tenant, speaker }: McpPrincipal): Promise<void> {
  if (tenant === undefined) return;
  if (!(await tenant.claim(`stray/${speaker.person}`, NOTE_STRAYS_EVERY_MS))) return;
  await tenant.audit({
    at: new Date().toISOString(),
    action: "stray",
    by: speaker,
    outcome: "forbidden",
    detail: { address: path },
  });
}

/** @throws BoardwalkError `unauthorized` for a missing, wrong, expired or revoked token, or one for another address. */
async function principalOf(
  { store, oauth, callerOf }: Deps,
  resource: Resource,
  token: string | undefined,
): Promise<McpPrincipal> {
  if (token !== undefined && !isOurs(token)) {
    const bearer = await oauth.bearerOf(token, resource.url);
    if (bearer !== undefined) return principalOfBearer(store, bearer);
  }
  const { tenant, token: record } = await callerOf(token);
  const who = { speaker: { person: record.name }, scopes: record.scopes };
  return record.scopes.includes(SERVICE_SCOPE) ? who : { tenant, ...who };
}

function principalOfBearer(store: Store, { person, scopes }: Bearer): McpPrincipal {
  if (person === undefined) return { speaker: { person: "service" }, scopes };
  const { tenant, name, client } = person;
  return {
    tenant: store.tenant(tenant),
    speaker: { person: name, ...(client === "" ? {} : { client }) },
    scopes,
    delegated: true,
  };
}

function whyNotHere(resource: Resource, { tenant }: McpPrincipal): string | undefined {
  if (tenant === undefined && resource.surface !== "frozen") {
    return "A service's token is good for the address of Alexa only. Please use a person's token here.";
  }
  if (resource.tenant !== undefined && resource.tenant !== tenant?.id) {
    return "This token belongs to another tenant. Use the address that came with it.";
  }
  return undefined;
}

/** Says where a token is to be had. Not to Alexa, which refuses a server that says so in this header. */
function challenge(
  { addresses }: McpRoutesDeps,
  resource: Resource,
  response: ServerResponse,
  error: "invalid_token" | "insufficient_scope" | undefined,
  scope: string = USER_SCOPES.join(" "),
): void {
  if (resource.surface === "frozen") return;
  const facts = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    `resource_metadata="${metadataUrl(resource, addresses)}"`,
    `scope="${scope}"`,
  ];
  response.setHeader("www-authenticate", `Bearer ${facts.join(", ")}`);
}
