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
  /** An app's token, which a person granted: its scopes are all that it may do. */
  readonly delegated?: boolean;
}

/** What a client calls itself, as it may stand in an audit log; it is the client's word and proves nothing. */
export function nameOfClient(info: unknown): string | undefined {
  const name = (info as { name?: unknown } | undefined | null)?.name;
  if (typeof name !== "string") return undefined;
  return (
    name
      .replace(/\p{C}+/gu, " ")
      .trim()
      .slice(0, 100) || undefined
  );
}
