import express, { type Router } from "express";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import type { TenantStore } from "../store/store.js";
import { syncReply } from "../sync/handlers.js";
import type { ConnectionRecord } from "../sync/records.js";
import { replay } from "../sync/replay.js";
import { lastDeliveryAt } from "../sync/webhooks.js";
import { syncJobFor } from "../tickets/jobs.js";
import { addAuditRoutes } from "./admin-audit.js";
import type { AdminDeps, TenantOf } from "./admin-deps.js";
import { addSettingRoutes } from "./admin-settings.js";
import { addTalkRoutes } from "./admin-talk.js";
import { addTicketRoutes } from "./admin-tickets.js";
import { addWorkflowRoutes } from "./admin-workflows.js";
import { issueToken, listTokens, requireAdmin, revokeToken } from "./auth.js";
import { addMemberRoutes } from "./members.js";
import { parseBody, refuseDepth } from "./problems.js";

/** The admin API of DESIGN section 9. */

/** How long `sync?wait=true` waits for the import. */
const SYNC_WAIT_MS = 120_000;

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
  router.use(requireAdmin(deps.adminToken));
  router.use(express.json({ limit: "1mb" }));
  router.use(refuseDepth);
  const tenantOf: TenantOf = async (request) => {
    const id = String(request.params.tenant);
    const known = (await deps.store.listTenants()).some((tenant) => tenant.id === id);
    if (!known)
      throw new BoardwalkError(
        "not_found_or_hidden",
        `There is no tenant "${id}". Look at the list of tenants.`,
      );
    return deps.store.tenant(id);
  };
  addTenantRoutes(router, deps, tenantOf);
  addSettingRoutes(router, deps, tenantOf);
  addConnectionRoutes(router, deps, tenantOf);
  addAuditRoutes(router, tenantOf);
  addReplayRoute(router, deps, tenantOf);
  addTicketRoutes(router, deps, tenantOf);
  addTalkRoutes(router, deps, tenantOf);
  router.get("/tenants/:tenant/live", async (request, response) => {
    await deps.live.stream((await tenantOf(request)).id, response);
  });
  addMemberRoutes(router, deps.members, tenantOf);
  addWorkflowRoutes(router, deps, tenantOf);
  return router;
}

function addTenantRoutes(router: Router, deps: AdminDeps, tenantOf: TenantOf): void {
  router.post("/tenants", async (request, response) => {
    const { id, name } = parseBody(newTenant, request.body);
    const tenant = { id, name, createdAt: deps.now().toISOString() };
    await deps.store.createTenant(tenant);
    response.status(201).json(tenant);
  });
  router.get("/tenants", async (_request, response) => {
    response.json({ tenants: await deps.store.listTenants() });
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
    const tenant = await tenantOf(request);
    const jobs = deps.hooks;
    response
      .status(202)
      .json(await replay({ ...deps, jobs }, tenant, ticket === undefined ? {} : { ticket }));
  });
}

function addConnectionRoutes(router: Router, deps: AdminDeps, tenantOf: TenantOf): void {
  router.post("/tenants/:tenant/connections", async (request, response) => {
    const tenant = await tenantOf(request);
    const record = await deps.connections.add(tenant, request.body);
    await deps.hooks.put(syncJobFor(tenant.id, record.id, `first-${record.createdAt}`));
    response.status(201).json(connectionShape(record));
  });
  router.get("/tenants/:tenant/connections", async (request, response) => {
    const tenant = await tenantOf(request);
    const records = await deps.connections.list(tenant);
    response.json({ connections: await Promise.all(records.map((record) => shown(tenant, record))) });
  });
  router.get("/tenants/:tenant/connections/:connection", async (request, response) => {
    const tenant = await tenantOf(request);
    const record = await deps.connections.get(tenant, String(request.params.connection));
    response.json(await shown(tenant, record));
  });
  router.delete("/tenants/:tenant/connections/:connection", async (request, response) => {
    await deps.connections.remove(await tenantOf(request), String(request.params.connection));
    response.status(204).end();
  });
  router.post("/tenants/:tenant/connections/:connection/sync", async (request, response) => {
    const tenant = await tenantOf(request);
    const { id } = await deps.connections.get(tenant, String(request.params.connection));
    const job = syncJobFor(tenant.id, id, `asked-${deps.now().toISOString()}`, "full");
    if (request.query.wait !== "true") {
      await deps.hooks.put(job);
      return void response.status(202).json({ accepted: true });
    }
    const reply = await deps.hooks.ask(job, SYNC_WAIT_MS);
    if (reply === undefined)
      throw new BoardwalkError(
        "timeout",
        "The import is still under way; look at the connection in a while.",
      );
    if (!reply.ok) throw new BoardwalkError(reply.code, reply.message);
    response.json(syncReply.parse(reply.result));
  });
}

async function shown(tenant: TenantStore, record: ConnectionRecord) {
  return connectionShape(record, await lastDeliveryAt(tenant, record.id));
}

function connectionShape(record: ConnectionRecord, deliveredAt?: string) {
  const { id, provider, health, imported, progress, webhook } = record;
  return {
    id,
    provider,
    health,
    ...(imported === undefined ? {} : { imported }),
    ...(progress === undefined ? {} : { progress }),
    ...(webhook === undefined ? {} : { webhook: webhookShape(webhook, deliveredAt) }),
  };
}

function webhookShape(webhook: NonNullable<ConnectionRecord["webhook"]>, deliveredAt: string | undefined) {
  // The path's token is what keeps strangers out, so it is not shown.
  const url = webhook.url.replace(/[^/]+$/, "...");
  return { ...webhook, url, ...(deliveredAt === undefined ? {} : { lastDeliveryAt: deliveredAt }) };
}
