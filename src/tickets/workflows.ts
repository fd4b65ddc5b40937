import type { TenantStore } from "../store/store.js";
import { setNewest } from "./newest.js";
import { type Workflow, workflowFrom } from "./workflow.js";

export interface TenantWorkflows {
  /** Grows with any change to any of them. */
  readonly revision: number;
  readonly byId: ReadonlyMap<string, Workflow>;
}

export interface Workflows {
  /**
   * The tenant's workflows, no older than this call: made anew only when one of them has changed. Whoever has just
   * read the revision of the kind `workflow` gives it, and nothing is asked twice.
   */
  of(store: TenantStore, revision?: number): Promise<TenantWorkflows>;
  /** All are read anew: a revision may have been undone, and given again to something else. */
  forget(): void;
}

/** Keeps the workflows of the `capacity` tenants last asked for, each with its machine ready. */
export function createWorkflows(capacity = 2_000): Workflows {
  const cache = new Map<string, TenantWorkflows>();
  return {
    async of(store, given) {
      const revision = given ?? (await store.revisions()).workflow;
      const known = cache.get(store.id);
      const current = known?.revision === revision ? known : await load(store, revision);
      setNewest(cache, store.id, current, capacity);
      return current;
    },
    forget: () => cache.clear(),
  };
}

async function load(store: TenantStore, revision: number): Promise<TenantWorkflows> {
  const documents = await store.listDocuments("workflow");
  return { revision, byId: new Map(documents.map((document) => [document.id, workflowFrom(document)])) };
}
