import { createHash } from "node:crypto";
import { BoardwalkError } from "../errors.js";
import { safeParse } from "../parse.js";
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
  /** All catalogues are made anew, and what clients were shown is remembered only of those tenants that still have some. */
  distrust(isHere: (tenantId: string) => boolean): void;
  /** Whether lists are not what its clients were shown here; also when that is not known. From now on they count as shown. */
  changed(tenantId: string): Promise<boolean>;
}

/** What a tenant's clients were shown, on one surface. */
interface Seen {
  readonly tenant: TenantStore;
  readonly lists: string;
}

interface Made {
  readonly revision: number;
  readonly shown: Promise<Shown>;
}

/** Tenants whose catalogues are kept in memory; the one made longest ago goes first. */
const MAX_KEPT = 2000;
const SURFACES: readonly Surface[] = ["generated", "compact", "frozen"];
/** Whose lists may change. */
const CHANGING: readonly Surface[] = ["generated", "compact"];
const DOCUMENT = "tools";
const SAVE_ATTEMPTS = 5;

export function createCatalogues(options: CataloguesOptions): Catalogues {
  const made = new Map<string, Made>();
  const seen = new Map<string, Seen>();

  async function get(tenant: TenantStore, surface: Surface, since?: number): Promise<Shown> {
    const { revision, workflows } = await options.tickets.workflows(tenant, since);
    const key = keyOf(surface, tenant.id);
    const kept = made.get(key);
    if (kept?.revision === revision) return kept.shown;
    const shown = make(options, tenant, surface, workflows);
    keep(made, key, { revision, shown });
    // A catalogue that could not be made is not kept: the next request tries again.
    shown.catch(() => {
      if (made.get(key)?.shown === shown) made.delete(key);
    });
    return shown;
  }

  /** Whether these are other lists than were seen on the surface before. */
  async function isNews(tenant: TenantStore, surface: Surface): Promise<boolean> {
    const lists = listsOf(await get(tenant, surface));
    const key = keyOf(surface, tenant.id);
    const before = seen.get(key);
    keep(seen, key, { tenant, lists });
    return before?.lists !== lists;
  }

  return {
    async get(tenant, surface, since) {
      if (tenant === undefined) return { catalogue: FROZEN, gating: "explain" };
      const shown = await get(tenant, surface, since);
      const key = keyOf(surface, tenant.id);
      if (!seen.has(key)) keep(seen, key, { tenant, lists: listsOf(shown) });
      return shown;
    },
    forget(tenantId) {
      for (const surface of SURFACES) {
        made.delete(keyOf(surface, tenantId));
        seen.delete(keyOf(surface, tenantId));
      }
    },
    distrust(isHere) {
      made.clear();
      for (const [key, { tenant }] of seen) if (!isHere(tenant.id)) seen.delete(key);
    },
    async changed(tenantId) {
      const known = CHANGING.map((surface) => [surface, seen.get(keyOf(surface, tenantId))] as const);
      const news = await Promise.all(
        known.map(([surface, last]) => last !== undefined && isNews(last.tenant, surface)),
      );
      return news.includes(true) || known.every(([, last]) => last === undefined);
    },
  };
}

function keyOf(surface: Surface, tenantId: string): string {
  return `${surface}:${tenantId}`;
}

/** As the newest; the oldest goes when there are too many. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > MAX_KEPT ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}

/** Stands for all that a client can list. A list that follows the talk goes by the moves as well. */
function listsOf({ catalogue: { tools, workflows }, gating }: Shown): string {
  const boards = workflows.map(({ connection, graph }) =>
    gating === "hide" ? [connection, graph] : [connection, graph.id, graph.name],
  );
  return createHash("sha256")
    .update(JSON.stringify([gating, tools, boards]))
    .digest("base64");
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
  const parsed = safeParse(keptNames, document.value);
  return { version: document.version, kept: parsed.success ? parsed.data : NO_NAMES };
}
