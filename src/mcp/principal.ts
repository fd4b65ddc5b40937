import type { Speaker, TenantStore } from "../store/store.js";

/**
 * Which tools an endpoint shows. `generated`: one tool per destination; `compact`: the core with one move tool;
 * `frozen`: the core alone, the same for everyone, for hosts that cache tools when they are deployed.
 */
export type Surface = "generated" | "compact" | "frozen";

/** Who has been let in. Authentication happens before this module and is none of its business. */
export interface Principal {
  /** Absent for a service that may see what tools there are but belongs to nobody. */
  readonly tenant?: TenantStore;
  readonly speaker: Speaker;
  readonly scopes: readonly string[];
}
