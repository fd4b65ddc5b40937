import { z } from "zod";
import type { Connector, Ticket } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import { type JobContext, jobData, TryAgain } from "../hooks/hooks.js";
import type { ActorRecord, TenantStore } from "../store/store.js";
import { observeSince, saveUnlessRaced } from "./actor.js";
import { leave } from "./arrive.js";
import { roomForTickets } from "./budgets.js";
import { jobsOwed, syncJobFor } from "./jobs.js";
import type { WorkerDeps } from "./worker-deps.js";
import type { Workflow } from "./workflow.js";

/** Looks at a ticket on its board and takes in what is new: what webhooks, polls and repairs end in. */

export const observeJob = z.object({
  tenant: z.string(),
  connection: z.string(),
  ticket: z.string(),
  /** Who moved it, as the board's delivery said. */
  by: z.string().optional(),
});

/** More races than this mean that something is wrong, not that someone was quicker. */
const LOOKS = 10;
const TRIES = 6;
const RETRY_MS = [500, 1_000, 2_000, 5_000, 10_000];

/** The job of a look. What may pass is tried again; after that the next reconcile heals it. */
export async function performObserve(
  deps: WorkerDeps,
  data: unknown,
  context: JobContext,
): Promise<{ record?: ActorRecord }> {
  const { tenant, ...about } = jobData(observeJob, data);
  const store = deps.store.tenant(tenant);
  // From here on a delivery may bring news that this look misses, so the next one is worth a look of its own.
  await store.forget(lookKey(about.ticket));
  try {
    const record = await look(deps, store, about, context.signal);
    return record === undefined ? {} : { record };
  } catch (thrown) {
    if (thrown instanceof TryAgain) throw thrown;
    const error = BoardwalkError.from(thrown);
    if (!error.retryable || context.attempt >= TRIES) throw error;
    throw new TryAgain(error.retryAfterMs ?? RETRY_MS[context.attempt - 1] ?? 0, { cause: thrown });
  }
}

/** What is claimed while a look at this ticket is waiting to begin. */
export function lookKey(ticket: string): string {
  return `look/${ticket}`;
}

export interface WhereToLook {
  readonly connection: string;
  readonly ticket: string;
  readonly by?: string | undefined;
}

/**
 * Reads one ticket and keeps what is new; what that owes is put at once. Two looks at a time end with the later one.
 * @returns its record; `undefined` when neither we nor the board know it, or the tenant has no room for another.
 * @throws TryAgain while another process is pulling the workflow that this ticket needs.
 */
export async function look(
  deps: WorkerDeps,
  store: TenantStore,
  where: WhereToLook,
  signal: AbortSignal,
): Promise<ActorRecord | undefined> {
  for (let again = 0; again < LOOKS; again++) {
    const [{ connector }, before] = await Promise.all([
      deps.boards.open(store, where.connection),
      store.getActor(where.ticket),
    ]);
    const seen = await connector.readTicket(where.ticket, signal);
    if (seen === undefined && before === undefined) return undefined;
    if (before === undefined && (await roomForTickets(deps, store)) === 0) return undefined;
    const after =
      seen === undefined
        ? await noteGone(deps, store, before)
        : await noteSeen(
            deps,
            store,
            { before, seen, where, by: await moverOf(connector, where, signal) },
            signal,
          );
    if (after === undefined) continue;
    await tellNews(deps, store, before, after);
    return after;
  }
  throw new BoardwalkError("busy", "Too many people are changing this ticket at once. Please try again.");
}

interface Mover {
  readonly by?: string;
  readonly ours?: boolean;
}

/** Whether it was us is asked only when a name is known. */
async function moverOf(connector: Connector, { by }: WhereToLook, signal: AbortSignal): Promise<Mover> {
  if (by === undefined) return {};
  const us = await connector.account?.(signal);
  // Not us by name may still be us by another login of ours: then the move we know of tells.
  return by === us ? { by, ours: true } : { by };
}

async function noteSeen(
  deps: WorkerDeps,
  store: TenantStore,
  found: {
    readonly before: ActorRecord | undefined;
    readonly seen: Ticket;
    readonly where: WhereToLook;
    readonly by: Mover;
  },
  signal: AbortSignal,
): Promise<ActorRecord | undefined> {
  const { before, seen, where, by } = found;
  const workflow = await workflowOf(deps, store, where.connection, seen, signal);
  return await observeSince(store, before, seen, {
    ...by,
    connection: where.connection,
    workflow,
    at: deps.now(),
  });
}

async function noteGone(
  deps: WorkerDeps,
  store: TenantStore,
  before: ActorRecord | undefined,
): Promise<ActorRecord | undefined> {
  if (before === undefined) return undefined;
  const record = leave(before);
  if (record === before) return before;
  const history = [{ at: deps.now().toISOString(), kind: "observed" as const, outcome: "left" }];
  return await saveUnlessRaced(store, { record, history });
}

/** Sees to what follows from news: debts are paid, listeners are told, a ticket that goes to and fro is reported. */
export async function tellNews(
  deps: Pick<WorkerDeps, "jobs" | "changed" | "bounced">,
  store: TenantStore,
  before: ActorRecord | undefined,
  after: ActorRecord,
): Promise<void> {
  for (const job of jobsOwed(store.id, after)) await deps.jobs.put(job);
  if (before?.version === after.version) return;
  deps.changed?.(store.id, after);
  if (after.bouncing !== undefined && before?.bouncing === undefined) await deps.bounced?.(store, after);
}

/** So long one fresh pull answers for everybody who meets the same unknown status. */
const FRESH_MS = 60_000;
const LOOK_AGAIN_MS = 300;

/**
 * The workflow of a ticket, pulled anew first when it does not know the ticket's status: taken in without its status
 * a ticket would owe none of its hooks.
 * @throws TryAgain while another process pulls it.
 */
export async function workflowOf(
  deps: WorkerDeps,
  store: TenantStore,
  connection: string,
  seen: Pick<Ticket, "workflow" | "status">,
  signal: AbortSignal,
): Promise<Workflow | undefined> {
  const kept = async () => (await deps.workflows.of(store)).byId.get(seen.workflow);
  const known = await kept();
  if (known?.status(seen.status) !== undefined) return known;
  if (deps.refresh === undefined) {
    const minute = Math.floor(deps.now().getTime() / FRESH_MS);
    await deps.jobs.put(syncJobFor(store.id, connection, `unknown-${seen.status}-${minute}`));
    return known;
  }
  const key = `fresh/${connection}/${seen.workflow}/${seen.status}`;
  if (!(await store.claim(key, FRESH_MS))) {
    if ((await store.recall(key)) !== true) throw new TryAgain(LOOK_AGAIN_MS);
    return await kept();
  }
  try {
    await deps.refresh(store, connection, signal);
    await store.remember(key, true, FRESH_MS);
  } catch (error) {
    await store.forget(key);
    throw error;
  }
  return await kept();
}
