import { BoardwalkError } from "../errors.js";
import type { TenantStore } from "../store/store.js";
import { catalogueChoiceOf } from "../tickets/settings.js";
import type { KeptWorkflow, Tickets } from "../tickets/tickets.js";
import { type Catalogue, coreCatalogue, FROZEN, generatedCatalogue } from "./catalogue.js";
import type { Surface } from "./principal.js";
import { type KeptNames, keptNames, NO_NAMES } from "./tool-names.js";

/** A catalogue and how a session's list of it follows the talk. */
export interface Shown {
  readonly catalogue: Catalogue;
  readonly gating: "explain" | "hide";
}

export interface CataloguesOptions {
  readonly tickets: Tickets;
  readonly now: () => Date;
  readonly maxTools?: number;
}

/** Each tenant's catalogues, made again only when its workflows have changed, or its setting and `forget` was called. */
export interface Catalogues {
  /** No older than this call, or as of the moment `since` or later. */
  get(tenant: TenantStore | undefined, surface: Surface, since?: number): Promise<Shown>;
  forget(tenantId: string): void;
}

interface Made {
  readonly revision: number;
  readonly shown: Promise<Shown>;
}

/** Tenants whose catalogues are kept in memory; the one made longest ago goes first. */
const MAX_KEPT = 2000;
const SURFACES: readonly Surface[] = ["generated", "compact", "frozen"];
const DOCUMENT = "tools";
const SAVE_ATTEMPTS = 5;

export function createCatalogues(options: CataloguesOptions): Catalogues {
  const made = new Map<string, Made>();
  return {
    async get(tenant, surface, since) {
      if (tenant === undefined) return { catalogue: FROZEN, gating: "explain" };
      const { revision, workflows } = await options.tickets.workflows(tenant, since);
      const key = `${surface}:${tenant.id}`;
      const kept = made.get(key);
      if (kept?.revision === revision) return kept.shown;
      const shown = make(options, tenant, surface, workflows);
      made.delete(key);
      made.set(key, { revision, shown });
      // A catalogue that could not be made is not kept: the next request tries again.
      shown.catch(() => {
        if (made.get(key)?.shown === shown) made.delete(key);
      });
      if (made.size > MAX_KEPT) made.delete(made.keys().next().value ?? key);
      return shown;
    },
    forget(tenantId) {
      for (const surface of SURFACES) made.delete(`${surface}:${tenantId}`);
    },
  };
}

async function make(
  options: CataloguesOptions,
  tenant: TenantStore,
  surface: Surface,
  workflows: readonly KeptWorkflow[],
): Promise<Shown> {
  if (surface === "frozen") return { catalogue: { ...FROZEN, workflows }, gating: "explain" };
  const { tools, gating = "explain", maxTools = options.maxTools } = await catalogueChoiceOf(tenant);
  const compact = surface === "compact" || tools === "compact";
  const limits = { ...options, ...(maxTools === undefined ? {} : { maxTools }) };
  return {
    catalogue: compact
      ? coreCatalogue(workflows)
      : await generate(limits, tenant, workflows, gating === "hide"),
    gating,
  };
}

async function generate(
  options: CataloguesOptions,
  tenant: TenantStore,
  workflows: readonly KeptWorkflow[],
  follows: boolean,
): Promise<Catalogue> {
  for (let attempt = 1; ; attempt++) {
    const { version, kept } = await load(tenant);
    const result = generatedCatalogue({
      workflows,
      kept,
      now: options.now,
      follows,
      ...(options.maxTools === undefined ? {} : { maxTools: options.maxTools }),
    });
    if (JSON.stringify(result.kept) === JSON.stringify(kept)) return result.catalogue;
    try {
      await tenant.saveDocument("catalogue", DOCUMENT, { version, value: result.kept });
      return result.catalogue;
    } catch (error) {
      // Another process named the same change first: its names are the ones to use.
      if (BoardwalkError.from(error).code !== "conflict" || attempt === SAVE_ATTEMPTS) throw error;
    }
  }
}

async function load(tenant: TenantStore): Promise<{ readonly version: number; readonly kept: KeptNames }> {
  const document = await tenant.getDocument("catalogue", DOCUMENT);
  if (document === undefined) return { version: 0, kept: NO_NAMES };
  const parsed = keptNames.safeParse(document.value);
  return { version: document.version, kept: parsed.success ? parsed.data : NO_NAMES };
}
