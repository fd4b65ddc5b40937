import type { IncomingMessage, ServerResponse } from "node:http";
import type { Express, Request, Response } from "express";
import { BoardwalkError } from "../errors.js";
import type { Store, TenantStore } from "../store/store.js";
import { callerOf } from "./auth.js";
import { sendProblem } from "./problems.js";
import { bearerOf } from "./tokens.js";

/** The MCP endpoints: who is let in at which address, and how the others are turned away. */

/** Who an MCP request comes from. */
export interface McpPrincipal {
  /** Absent for a service that may see what tools there are but belongs to nobody. */
  readonly tenant?: TenantStore;
  readonly speaker: { readonly person: string; readonly client?: string };
  readonly scopes: readonly string[];
}

/** The MCP endpoint, as this server needs it. */
export interface McpEndpoint {
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    principal: McpPrincipal,
    options?: { readonly surface?: "generated" | "frozen" },
  ): Promise<void>;
  /** What is wrong with the request's Origin or Host, if anything; asked before its token is. */
  guard(request: IncomingMessage): { readonly status: number; readonly message: string } | undefined;
}

export interface McpRoutesDeps {
  readonly store: Store;
  readonly mcp: McpEndpoint;
  /** Where clients reach this service, without a slash at the end. */
  publicUrl(): string;
}

/** One address under which MCP is served. */
interface Address {
  readonly path: string;
  readonly surface: "generated" | "frozen";
  /** The only tenant served here. */
  readonly tenant?: string;
}

/** A token with this scope belongs to a service: it may see what tools there are, and nothing of anybody. */
export const SERVICE_SCOPE = "mcp:service";
const USER_SCOPES = "mcp:tools mcp:resources";

export function addMcpRoutes(app: Express, deps: McpRoutesDeps): void {
  const serve = (address: Address, request: Request, response: Response) =>
    answer(deps, address, request, response);
  app.all("/mcp", (request, response) => serve({ path: "/mcp", surface: "generated" }, request, response));
  app.all("/t/:tenant/mcp", (request, response) => {
    const tenant = String(request.params.tenant);
    const path = `/t/${encodeURIComponent(tenant)}/mcp`;
    return serve({ path, surface: "generated", tenant }, request, response);
  });
  app.all("/alexa/mcp", (request, response) =>
    serve({ path: "/alexa/mcp", surface: "frozen" }, request, response),
  );
}

async function answer(
  deps: McpRoutesDeps,
  address: Address,
  request: Request,
  response: Response,
): Promise<void> {
  const refused = deps.mcp.guard(request);
  if (refused !== undefined) return sendProblem(response, new BoardwalkError("forbidden", refused.message));
  const principal = await principalOf(deps, request).catch((error: unknown) => BoardwalkError.from(error));
  if (principal instanceof BoardwalkError) {
    if (principal.code === "unauthorized") challenge(deps, address, request, response);
    return sendProblem(response, principal);
  }
  const elsewhere = whyNotHere(address, principal);
  if (elsewhere !== undefined) return sendProblem(response, new BoardwalkError("forbidden", elsewhere));
  await deps.mcp.handle(request, response, principal, { surface: address.surface });
}

async function principalOf({ store }: McpRoutesDeps, request: Request): Promise<McpPrincipal> {
  const { tenant, token } = await callerOf(store, request);
  const who = { speaker: { person: token.name }, scopes: token.scopes };
  return token.scopes.includes(SERVICE_SCOPE) ? who : { tenant, ...who };
}

function whyNotHere(address: Address, { tenant }: McpPrincipal): string | undefined {
  if (tenant === undefined && address.surface !== "frozen") {
    return "A service's token is good for the address of Alexa only. Please use a person's token here.";
  }
  if (address.tenant !== undefined && address.tenant !== tenant?.id) {
    return "This token belongs to another tenant. Use the address that came with it.";
  }
  return undefined;
}

/** Says where a token is to be had. Not to Alexa, which refuses a server that says so in this header. */
function challenge(
  deps: McpRoutesDeps,
  { path, surface }: Address,
  request: Request,
  response: Response,
): void {
  if (surface === "frozen") return;
  const given = bearerOf(request.headers.authorization) !== undefined;
  response.setHeader(
    "www-authenticate",
    `Bearer ${given ? 'error="invalid_token", ' : ""}` +
      `resource_metadata="${deps.publicUrl()}/.well-known/oauth-protected-resource${path}", scope="${USER_SCOPES}"`,
  );
}
