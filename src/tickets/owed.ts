import { z } from "zod";
import type { ActorRecord, OwedHook, TenantStore } from "../store/store.js";
import { ticketFacts } from "./facts.js";
import { ticketShape } from "./shapes.js";
import type { TenantView, Views } from "./view.js";

/** Work that tickets owe: moves under way, hooks that wait or failed, and what is not started any more. */

const text = z.string();

export const owedShape = z.object({
  ticket: ticketShape,
  /** `stopped`: it was moved back and forth too often, so nothing is started for it by itself. */
  kind: z.enum(["move", "hook", "stopped"]),
  state: z.enum(["under way", "owed", "waiting", "failed", "stopped"]),
  /** Of a hook: which. */
  hook: text.optional(),
  /** Of a move: the status's name. */
  to: text.optional(),
  by: text.optional(),
  since: text,
  attempt: z.number().optional(),
  /** When it is tried again by itself. */
  retryAt: text.optional(),
  /** What went wrong, or what it waits for. */
  reason: text.optional(),
});
export type OwedShape = z.infer<typeof owedShape>;

export const owedAnswer = z.object({
  /** The one that has waited longest comes first; at most 500 of `total`. */
  owed: z.array(owedShape),
  total: z.number(),
});
export type OwedAnswer = z.infer<typeof owedAnswer>;

const MOST = 500;

/** From memory, as all reads are. */
export async function owedOf(views: Views, tenant: TenantStore): Promise<OwedAnswer> {
  const view = await views.fresh(tenant);
  const all = [...view.actors.values()].flatMap((record) => owedBy(record, view));
  all.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
  return { owed: all.slice(0, MOST), total: all.length };
}

function owedBy(record: ActorRecord, view: TenantView): readonly OwedShape[] {
  const hooks = record.hooks.filter((hook) => isOwed(hook, record));
  if (record.pending === undefined && hooks.length === 0 && record.bouncing === undefined) return [];
  const workflow = view.workflowOf(record);
  const ticket = ticketFacts(record, workflow);
  const found: OwedShape[] = [];
  if (record.pending !== undefined) {
    const { to, by, since } = record.pending;
    const name = workflow?.status(to)?.name ?? to;
    found.push({ ticket, kind: "move", state: "under way", to: name, by: by.person, since });
  }
  for (const hook of hooks) found.push({ ticket, ...hookShown(hook) });
  if (record.bouncing !== undefined) {
    const reason = "It was moved back and forth too often, so nothing is started for it by itself.";
    found.push({ ticket, kind: "stopped", state: "stopped", since: record.bouncing, reason });
  }
  return found;
}

/** A failed hook of a status that the ticket has left since is not made up for. */
function isOwed({ state, entry }: OwedHook, record: ActorRecord): boolean {
  return state === "owed" || (state !== "done" && entry === record.entry);
}

function hookShown({ hook, state, since, attempt, retryAt, reason }: OwedHook) {
  return {
    kind: "hook" as const,
    state: state === "done" ? ("owed" as const) : state,
    hook,
    since,
    attempt,
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(reason === undefined ? {} : { reason }),
  };
}
