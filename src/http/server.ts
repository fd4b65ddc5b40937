import type { IncomingMessage, ServerResponse } from "node:http";
import express, { type Express, type Request, type Response } from "express";
import helmet from "helmet";
import { BoardwalkError } from "../errors.js";
import type { Hooks } from "../hooks/hooks.js";
import type { TenantStore } from "../store/store.js";
import type { WebhookDeps } from "../sync/webhooks.js";
import { createAdminApi } from "./admin.js";
import type { AdminDeps } from "./admin-deps.js";
import { callerOf } from "./auth.js";
import { notFound, problemHandler, sendProblem } from "./problems.js";
import { createWebhookRoutes } from "./webhooks.js";

/** Who an MCP request comes from. */
interface McpPrincipal {
  readonly tenant: TenantStore;
  readonly speaker: { readonly person: string };
  readonly scopes: readonly string[];
}

/** The MCP endpoint, as this server needs it. */
export interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, principal: McpPrincipal): Promise<void>;
  /** What is wrong with the request's Origin or Host, if anything; asked before its token is. */
  guard(request: IncomingMessage): { readonly status: number; readonly message: string } | undefined;
}

export interface HttpDeps extends AdminDeps, WebhookDeps {
  readonly hooks: Hooks;
  readonly jobs: Hooks;
  readonly mcp: McpEndpoint;
  readonly version: string;
  report(error: BoardwalkError): void;
}

export function createHttp(deps: HttpDeps): Express {
  const app = express().disable("x-powered-by").disable("etag");
  app.use("/webhooks", createWebhookRoutes(deps));
  addMcpRoutes(app, deps);
  app.use(helmet());
  addHealthRoutes(app, deps);
  app.use("/api/v1", createAdminApi(deps));
  app.use(notFound);
  app.use(problemHandler(deps.report));
  return app;
}

function addMcpRoutes(app: Express, deps: HttpDeps): void {
  const serve = async (request: Request, response: Response, wanted?: string): Promise<void> => {
    const refused = deps.mcp.guard(request);
    if (refused !== undefined) return sendProblem(response, new BoardwalkError("forbidden", refused.message));
    const caller = await callerOf(deps.store, request).catch((error: unknown) => BoardwalkError.from(error));
    if (caller instanceof BoardwalkError) {
      if (caller.code === "unauthorized") response.setHeader("www-authenticate", 'Bearer realm="boardwalk"');
      return sendProblem(response, caller);
    }
    if (wanted !== undefined && wanted !== caller.tenant.id) {
      return sendProblem(
        response,
        new BoardwalkError(
          "forbidden",
          "This token belongs to another tenant. Use the address that came with it.",
        ),
      );
    }
    const { tenant, token } = caller;
    await deps.mcp.handle(request, response, {
      tenant,
      speaker: { person: token.name },
      scopes: token.scopes,
    });
  };
  app.all("/mcp", (request, response) => serve(request, response));
  app.all("/t/:tenant/mcp", (request, response) => serve(request, response, String(request.params.tenant)));
}

function addHealthRoutes(app: Express, deps: HttpDeps): void {
  app.get("/healthz", (_request, response) => {
    response.json({ ok: true, version: deps.version });
  });
  app.get("/readyz", async (_request, response) => {
    const store = await deps.store.ping().then(
      () => "ok",
      (error: unknown) => BoardwalkError.from(error).message,
    );
    const counts = await deps.hooks.counts().catch(() => undefined);
    const workers = counts?.workers ?? 0;
    const ready = store === "ok" && workers > 0;
    response
      .status(ready ? 200 : 503)
      .json({ ready, store, workers, waiting: counts?.waiting ?? 0, running: counts?.running ?? 0 });
  });
}
