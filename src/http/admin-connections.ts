import type { Router } from "express";
import { BoardwalkError } from "../errors.js";
import { jobResult } from "../hooks/hooks.js";
import { safeParse } from "../parse.js";
import type { TenantStore } from "../store/store.js";
import { lastDeliveryAt } from "../sync/deliveries.js";
import { syncReply } from "../sync/handlers.js";
import { keptConnection } from "../sync/previews.js";
import type { ConnectionRecord } from "../sync/records.js";
import { syncJobFor } from "../tickets/jobs.js";
import type { AdminDeps, TenantOf } from "./admin-deps.js";
import { workflowShape } from "./admin-workflows.js";
import { jobsOf } from "./requests.js";

/** A tenant's links to its boards. */

/** How long `sync?wait=true` waits for the import. */
const SYNC_WAIT_MS = 120_000;

export function addConnectionReads(router: Router, deps: AdminDeps, tenantOf: TenantOf): void {
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
}

export function addConnectionRoutes(router: Router, deps: AdminDeps, tenantOf: TenantOf): void {
  router.post("/tenants/:tenant/connections/choices", async (request, response) => {
    response.json(await deps.previews.choices(await tenantOf(request), request.body));
  });
  router.post("/tenants/:tenant/connections/preview", async (request, response) => {
    const found = await deps.previews.preview(await tenantOf(request), request.body);
    const { connection = "preview" } = safeParse(keptConnection, request.body).data ?? {};
    const workflows = found.workflows.map((graph) => ({ graph, connection, version: 1 }));
    const tools = deps.tools.preview(workflows);
    response.json({ ...found, workflows: workflows.map(workflowShape), tools });
  });
  router.post("/tenants/:tenant/connections", async (request, response) => {
    const tenant = await tenantOf(request);
    const record = await deps.connections.add(tenant, request.body);
    await jobsOf(deps.hooks, request).put(syncJobFor(tenant.id, record.id, `first-${record.createdAt}`));
    response.status(201).json(connectionShape(record));
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
      await jobsOf(deps.hooks, request).put(job);
      return void response.status(202).json({ accepted: true });
    }
    const reply = await jobsOf(deps.hooks, request).ask(job, SYNC_WAIT_MS);
    if (reply === undefined)
      throw new BoardwalkError(
        "timeout",
        "The import is still under way; look at the connection in a while.",
      );
    if (!reply.ok) throw new BoardwalkError(reply.code, reply.message);
    response.json(jobResult(syncReply, reply.result));
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
