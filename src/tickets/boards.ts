import type { Connector } from "../board/connector.js";
import type { TenantStore } from "../store/store.js";

/** How a hook that was run ended. Reasons are sentences a person can hear. */
export type HookResult =
  | { readonly state: "done"; readonly result: Readonly<Record<string, unknown>> }
  /** Cannot be done yet; worth another try when something changes. */
  | { readonly state: "waiting"; readonly reason: string }
  | { readonly state: "failed"; readonly reason: string };

export interface HookInput {
  readonly ticket: {
    readonly key?: string;
    readonly formerKeys?: readonly string[];
    readonly title: string;
    readonly branches?: readonly string[];
  };
  readonly statusName: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

export type HookRun = (input: HookInput, signal: AbortSignal) => Promise<HookResult>;

/** A connection, opened: its board and what its hooks run. */
export interface OpenBoard {
  /** How the board is called in a sentence: "Jira". */
  readonly name: string;
  readonly connector: Connector;
  readonly hooks: Readonly<Record<string, HookRun>>;
}

export interface Boards {
  /**
   * The connection as it is no longer ago than this call; or than the moment `since`, as `performance.now()` tells it.
   * @throws BoardwalkError `not_found_or_hidden` when the tenant has no such connection.
   */
  open(tenant: TenantStore, connection: string, since?: number): Promise<OpenBoard>;
}
