import type { Request } from "express";
import { z } from "zod";
import type { Hooks } from "../hooks/hooks.js";
import type { Store, TenantStore } from "../store/store.js";
import type { Connections } from "../sync/connections.js";
import type { Previews } from "../sync/previews.js";
import type { TenantBudgets } from "../tickets/budgets.js";
import type { Tickets } from "../tickets/tickets.js";
import type { Views } from "../tickets/view.js";
import type { Knocks } from "./knocks.js";
import type { Live } from "./live.js";
import type { Members } from "./members.js";
import type { PageSessions } from "./page-sessions.js";
import type { ToolLists } from "./tool-lists.js";

/** What the routes of the admin API share. */

export interface AdminDeps {
  readonly store: Store;
  readonly hooks: Pick<Hooks, "ask" | "put">;
  readonly connections: Connections;
  readonly previews: Previews;
  readonly tickets: Tickets;
  readonly views: Views;
  readonly tools: ToolLists;
  readonly members: Members;
  readonly sessions: PageSessions;
  readonly knocks: Knocks;
  readonly live: Live;
  readonly budgets: Pick<TenantBudgets, "takeStream">;
  readonly adminToken: string;
  /** There are routes of the demo's own, at /demo. */
  readonly demo?: boolean;
  readonly replyBudgetMs: number;
  now(): Date;
}

/** The tenant a path names, when the caller may see it. @throws BoardwalkError `not_found_or_hidden` */
export type TenantOf = (request: Request) => Promise<TenantStore>;

export const pageQuery = z.object({
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});
