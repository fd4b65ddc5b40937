import type { Router } from "express";
import type { AdminDeps, TenantOf } from "./admin-deps.js";

/** The tools as each kind of client sees them. */

export function addToolRoutes(router: Router, { tools }: Pick<AdminDeps, "tools">, tenantOf: TenantOf): void {
  router.get("/tenants/:tenant/tools", async (request, response) => {
    response.json({ surfaces: await tools.shown(await tenantOf(request)) });
  });
}
