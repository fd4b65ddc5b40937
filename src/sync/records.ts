import { z } from "zod";
import type { TenantStore } from "../store/store.js";

/** What the store keeps of a connection, and what a connection's settings hold beside the board's own. */

const text = z.string();

const vcsSettings = z.object({
  provider: z.literal("github"),
  repo: text,
  base: text.optional(),
  apiUrl: text.optional(),
  draftFallback: z.enum(["none", "ready"]).default("none"),
  emptyCommit: z.boolean().default(false),
});
export type VcsSettings = z.infer<typeof vcsSettings>;

const hookRule = z.object({
  on: z.literal("enter"),
  /** A status id, or its exact name. */
  status: text.min(1),
  run: z.enum(["draft-pull-request"]),
});
export type HookRule = z.infer<typeof hookRule>;

/** The part of a connection's settings that is the same for every board. */
export const sharedSettings = z.object({
  vcs: vcsSettings.optional(),
  hooks: z.array(hookRule).max(50).default([]),
  /**
   * The team's own rules on a board that has none: from each status (id or exact name) where a ticket may go next.
   * A status that is not named here keeps the board's freedom.
   */
  allowedMoves: z.record(text, z.array(text).max(100)).optional(),
});
export type SharedSettings = z.infer<typeof sharedSettings>;

/** The part of a connection's credentials that is not the board's. */
export const sharedCredentials = z.object({ vcs: z.object({ token: text.min(1) }).optional() });

export const newConnection = z.object({
  id: text.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must be 1 to 40 of a-z, 0-9 and -, not beginning with -"),
  provider: text,
  settings: z.record(text, z.unknown()),
  credentials: z.record(text, z.unknown()),
});
export type NewConnection = z.infer<typeof newConnection>;

const problem = z.object({ code: text, message: text, fix: text });

export const healthRecord = z.object({
  state: z.enum(["ok", "degraded", "reconnect"]),
  problems: z.array(problem),
});
export type Health = z.infer<typeof healthRecord>;

export const webhookRecord = z.object({
  url: text,
  state: z.enum(["active", "absent", "expired", "failing"]),
  by: z.enum(["boardwalk", "hand"]),
  expiresAt: text.optional(),
  lastDeliveryAt: text.optional(),
});

export const connectionRecord = z.object({
  id: text,
  provider: text,
  settings: z.record(text, z.unknown()),
  /** Opened only with the sealer; see seal.ts. */
  sealed: text,
  createdAt: text,
  health: healthRecord,
  imported: z.object({ workflows: z.number(), tickets: z.number(), at: text }).optional(),
  /** While a reading of its tickets is under way: how many it has read so far. */
  progress: z.object({ read: z.number(), at: text }).optional(),
  /** When it was last asked what these credentials can do. */
  probedAt: text.optional(),
  /** When its workflows were last pulled. */
  workflowsAt: text.optional(),
  /** When all of its tickets were last read, and those looked for that were not among them. */
  fullAt: text.optional(),
  /** Where the next reading of changed tickets begins. */
  since: text.optional(),
  /** The path under which its board's deliveries arrive. */
  webhookToken: text.optional(),
  webhook: webhookRecord.optional(),
  /** When its webhook was last seen to. */
  webhookAt: text.optional(),
  /** Tickets for which nothing is started any more, since they were moved back and forth. */
  bounces: z.array(z.object({ ticket: text, at: text })).optional(),
});
export type ConnectionRecord = z.infer<typeof connectionRecord>;

/** The kept records of a tenant's connections. */
export interface ConnectionRecords {
  get(tenant: TenantStore, id: string): Promise<ConnectionRecord>;
  /** Applies a change to the kept record; again when someone saved first. */
  update(
    tenant: TenantStore,
    id: string,
    change: (record: ConnectionRecord) => ConnectionRecord,
  ): Promise<ConnectionRecord>;
}

const edge = z.object({
  /** A status id, or `*` for any. */
  from: text,
  to: text,
  name: text.optional(),
});

export const changeRecord = z.object({
  workflow: text,
  /**
   * `reissued`: the board gave a status of the same name a new id; `before` and `after` are the ids. `vanished`: the
   * whole workflow is gone. `renamed` without a status: the workflow itself.
   */
  kind: z.enum([
    "created",
    "added",
    "renamed",
    "recategorised",
    "reordered",
    "removed",
    "restored",
    "reissued",
    "edges",
    "vanished",
  ]),
  status: text.optional(),
  before: text.optional(),
  after: text.optional(),
  /** Of `edges`: the ways that came and went, a hundred of each at most. */
  moves: z.object({ added: z.array(edge), removed: z.array(edge) }).optional(),
  at: text,
});
export type Change = z.infer<typeof changeRecord>;
