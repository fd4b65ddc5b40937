import type { RequestListener } from "node:http";
import express, { type Express, type Router } from "express";
import helmet from "helmet";
import { BoardwalkError } from "../errors.js";
import type { Hooks } from "../hooks/hooks.js";
import type { Recency } from "../tickets/recency.js";
import { createAdminApi } from "./admin.js";
import { operatorsOnly, requireCaller } from "./admin-caller.js";
import type { AdminDeps } from "./admin-deps.js";
import { addDocs, type Docs } from "./docs.js";
import type { Leaving } from "./leaving.js";
import { createMcpRoutes, type McpEndpoint } from "./mcp-routes.js";
import { addHealthRoute, addMetricsRoute, type Metrics } from "./metrics.js";
import type { Oauth } from "./oauth.js";
import type { Addresses } from "./oauth-resources.js";
import { addOpenapiRoute } from "./openapi.js";
import { addPage, type Page } from "./page.js";
import { notFound, problemHandler, type Report, refuseDepth } from "./problems.js";
import type { Routes } from "./routes.js";
import { createWebhookRoutes, type WebhookRoutesDeps } from "./webhooks.js";

export interface HttpDeps extends AdminDeps, WebhookRoutesDeps {
  readonly hooks: Hooks;
  readonly jobs: Hooks;
  readonly mcp: McpEndpoint;
  readonly version: string;
  readonly oauth: Oauth;
  readonly addresses: Addresses;
  readonly recency: Recency;
  readonly page: Page;
  readonly docs: Docs;
  readonly leaving: Pick<Leaving, "asked" | "begun">;
  /** Left out where they are served at an address of their own. */
  readonly metrics?: Metrics;
  /** Routes beside the service's own, at /demo. */
  readonly routes?: (router: Routes) => void;
  readonly report: Report;
}

/** All that is served over HTTP: agents' calls and boards' deliveries by the shortest way, everything else by Express. */
export function createHttp(deps: HttpDeps): RequestListener {
  const mcp = createMcpRoutes(deps);
  const webhooks = createWebhookRoutes(deps);
  const app = createExpress(deps);
  return (request, response) => {
    // The next request on this connection is another process's.
    if (deps.leaving.begun) response.shouldKeepAlive = false;
    if (!mcp(request, response) && !webhooks(request, response)) app(request, response);
  };
}

function createExpress(deps: HttpDeps): Express {
  const app = express().disable("x-powered-by").disable("etag");
  deps.oauth.addRoutes(app);
  app.use(helmet());
  addHealthRoutes(app, deps);
  if (deps.metrics !== undefined) addMetricsRoute(app, deps.metrics);
  app.use("/api/v1", createAdminApi({ ...deps, demo: deps.routes !== undefined }));
  addOpenapiRoute(app, deps.version);
  if (deps.routes !== undefined) app.use("/demo", forOperators(deps, deps.routes));
  addPage(app, deps.page);
  addDocs(app, deps.docs);
  app.use(notFound);
  app.use(problemHandler(deps.report));
  return app;
}

function forOperators(deps: HttpDeps, add: (router: Router) => void): Router {
  const router = express.Router();
  router.use(requireCaller(deps));
  router.use(operatorsOnly);
  router.use(express.json({ limit: "100kb" }));
  router.use(refuseDepth);
  add(router);
  return router;
}

function addHealthRoutes(app: Express, deps: HttpDeps): void {
  addHealthRoute(app, deps.version);
  app.get("/readyz", async (_request, response) => {
    deps.leaving.asked();
    const leaving = deps.leaving.begun;
    const store = await deps.store.ping().then(
      () => "ok",
      (error: unknown) => BoardwalkError.from(error).message,
    );
    const counts = await deps.hooks.counts().catch(() => undefined);
    const workers = counts?.workers ?? 0;
    const ready = store === "ok" && workers > 0 && !leaving;
    response
      .status(ready ? 200 : 503)
      .json({ ready, leaving, store, workers, waiting: counts?.waiting ?? 0, running: counts?.running ?? 0 });
  });
}
