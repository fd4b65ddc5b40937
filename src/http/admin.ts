import express, { type Request, type Router } from "express";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import type { TenantInfo } from "../store/store.js";
import { replay } from "../sync/replay.js";
import { owedOf } from "../tickets/owed.js";
import { addAuditRoutes } from "./admin-audit.js";
import { callerOf, operatorsOnly, requireCaller, requireOperator, whoCalls } from "./admin-caller.js";
import { addConnectionReads, addConnectionRoutes } from "./admin-connections.js";
import type { AdminDeps, TenantOf } from "./admin-deps.js";
import { addSessionRoutes, addSignInRoute } from "./admin-session.js";
import { addSettingRoutes } from "./admin-settings.js";
import { addTalkRoutes } from "./admin-talk.js";
import { addTicketRoutes } from "./admin-tickets.js";
import { addToolRoutes } from "./admin-tools.js";
import { addWorkflowRoutes } from "./admin-workflows.js";
import { issueToken, listTokens, revokeToken } from "./auth.js";
import { addMemberRoutes } from "./members.js";
import { parseBody, refuseDepth } from "./problems.js";
import { jobsOf } from "./requests.js";

/** The admin API of DESIGN section 9. */

export const newTenant = z.object({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must be 1 to 40 of a-z, 0-9 and -, not beginning with -"),
  name: z.string().min(1).max(200),
});
export const newToken = z.object({
  name: z.string().min(1).max(200),
  scopes: z.array(z.string().min(1).max(100)).max(20).optional(),
});

export function createAdminApi(deps: AdminDeps): Router {
  const router = express.Router();
  addSignInRoute(router, deps);
  router.use(requireCaller(deps));
  router.use(express.json({ limit: "1mb" }));
  router.use(refuseDepth);
  const tenantOf: TenantOf = async (request) => {
    const id = String(request.params.tenant);
    const known = (await tenantsOf(deps, request)).some((tenant) => tenant.id === id);
    if (!known)
      throw new BoardwalkError(
        "not_found_or_hidden",
        `There is no tenant "${id}". Look at the list of tenants.`,
      );
    return deps.store.tenant(id);
  };
  addSessionRoutes(router, deps);
  addEverybodysRoutes(router, deps, tenantOf);
  router.use(operatorsOnly);
  addTenantRoutes(router, deps, tenantOf);
  addSettingRoutes(router, deps, tenantOf);
  addConnectionRoutes(router, deps, tenantOf);
  addAuditRoutes(router, deps, tenantOf);
  addMemberRoutes(router, deps.members, tenantOf);
  return router;
}

/** All of them for the operator, her own for a person. */
async function tenantsOf({ store }: AdminDeps, request: Request): Promise<readonly TenantInfo[]> {
  const caller = callerOf(request);
  const all = await store.listTenants();
  return caller.kind === "operator" ? all : all.filter(({ id }) => id === caller.who.tenant);
}

/** What a person may do with her own tenant, and the operator with any. */
function addEverybodysRoutes(router: Router, deps: AdminDeps, tenantOf: TenantOf): void {
  router.get("/tenants", async (request, response) => {
    response.json({ tenants: await tenantsOf(deps, request) });
  });
  addTicketRoutes(router, deps, tenantOf);
  addTalkRoutes(router, deps, tenantOf);
  addWorkflowRoutes(router, deps, tenantOf);
  addToolRoutes(router, deps, tenantOf);
  addReplayRoute(router, deps, tenantOf);
  router.get("/tenants/:tenant/owed", async (request, response) => {
    response.json(await owedOf(deps.views, await tenantOf(request)));
  });
  addConnectionReads(router, deps, tenantOf);
  router.get("/tenants/:tenant/live", async (request, response) => {
    const tenant = await tenantOf(request);
    // The operator may look on however much the team listens itself, and takes no place of its own.
    const release = await deps.budgets.takeStream(callerOf(request).kind === "operator" ? undefined : tenant);
    const mayStay = async () => (await whoCalls(deps, request)) !== undefined;
    await deps.live.stream(tenant.id, response, mayStay).finally(release);
  });
}

function addTenantRoutes(router: Router, deps: AdminDeps, tenantOf: TenantOf): void {
  router.post("/tenants", async (request, response) => {
    const { id, name } = parseBody(newTenant, request.body);
    const tenant = { id, name, createdAt: deps.now().toISOString() };
    await deps.store.createTenant(tenant);
    response.status(201).json(tenant);
  });
  router.post("/tenants/:tenant/tokens", async (request, response) => {
    const wanted = parseBody(newToken, request.body);
    const tenant = await tenantOf(request);
    const { name, scopes } = wanted;
    response
      .status(201)
      .json(await issueToken(tenant, { name, ...(scopes === undefined ? {} : { scopes }) }, deps.now()));
  });
  router.get("/tenants/:tenant/tokens", async (request, response) => {
    response.json({ tokens: await listTokens(await tenantOf(request)) });
  });
  router.delete("/tenants/:tenant/tokens/:id", async (request, response) => {
    await revokeToken(await tenantOf(request), String(request.params.id));
    response.status(204).end();
  });
}

export const replayBody = z.object({ ticket: z.string().min(1).max(300).optional() });

function addReplayRoute(router: Router, deps: AdminDeps, tenantOf: TenantOf): void {
  router.post("/tenants/:tenant/replay", async (request, response) => {
    const { ticket } = parseBody(replayBody, request.body ?? {});
    if (ticket === undefined) requireOperator(request);
    const tenant = await tenantOf(request);
    const jobs = jobsOf(deps.hooks, request);
    response
      .status(202)
      .json(await replay({ ...deps, jobs }, tenant, ticket === undefined ? {} : { ticket }));
  });
}
