import type { Request, Router } from "express";
import type { TenantStore } from "../store/store.js";
import { tellWorkflows } from "../sync/news.js";
import {
  budgetsSetting,
  budgetsSettingOf,
  catalogueChoice,
  catalogueChoiceOf,
  speechSetting,
  speechSettingOf,
} from "../tickets/settings.js";
import type { AdminDeps, TenantOf } from "./admin-deps.js";
import { parseBody } from "./problems.js";

/** What a tenant has chosen about its tools and its talks, and how much it may use. */

export const mcpBody = catalogueChoice.strict();
export const speechBody = speechSetting.strict();

export function addSettingRoutes(
  router: Router,
  { store, now }: Pick<AdminDeps, "store" | "now">,
  tenantOf: TenantOf,
): void {
  async function choose(request: Request, name: "mcp" | "speech" | "budgets", value: object) {
    const tenant = await tenantOf(request);
    const kept = await tenant.getDocument("setting", name);
    await tenant.saveDocument("setting", name, { version: kept?.version ?? 0, value });
    await tenant.audit({ at: now().toISOString(), action: "setting", detail: { setting: name, ...value } });
    // Every process makes the tenant's tools anew, and every client is told to look at them again.
    await tellWorkflows(store, tenant.id, []);
    return await settingsOf(tenant);
  }
  router.get("/tenants/:tenant/settings", async (request, response) => {
    response.json(await settingsOf(await tenantOf(request)));
  });
  router.put("/tenants/:tenant/settings/mcp", async (request, response) => {
    response.json(await choose(request, "mcp", parseBody(mcpBody, request.body)));
  });
  router.put("/tenants/:tenant/settings/speech", async (request, response) => {
    response.json(await choose(request, "speech", parseBody(speechBody, request.body)));
  });
  router.put("/tenants/:tenant/settings/budgets", async (request, response) => {
    response.json(await choose(request, "budgets", parseBody(budgetsSetting, request.body)));
  });
}

async function settingsOf(tenant: TenantStore) {
  return {
    mcp: await catalogueChoiceOf(tenant),
    speech: await speechSettingOf(tenant),
    budgets: await budgetsSettingOf(tenant),
  };
}
