import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { type JobContext, TryAgain } from "../hooks/hooks.js";
import { actorRecord } from "../store/records.js";
import type { ActorRecord, OwedHook, TenantStore } from "../store/store.js";
import { isDebt, observe, settleHook } from "./actor.js";
import type { HookInput, HookResult } from "./boards.js";
import { jobsOwed, syncJobFor } from "./jobs.js";
import type { WorkerDeps } from "./perform.js";

export const hookJob = z.object({
  tenant: z.string(),
  ticket: z.string(),
  entry: z.number().int(),
  hook: z.string(),
});
export const hookReply = z.object({ record: actorRecord });

/** How long a hook waits for what it lacks before it is given up. */
const PATIENCE_MS = 7 * 24 * 3_600_000;
/** Trouble reaching the other side is met at once, this often; after that it becomes a wait. */
const TRIES = 5;
const RETRY_MS = [500, 1_000, 2_000, 5_000];

/** Pays one debt of a ticket: runs the hook unless it was run, and strikes it. */
export async function performHook(
  deps: WorkerDeps,
  data: unknown,
  context: JobContext,
): Promise<{ record: ActorRecord }> {
  const { tenant, ticket, ...debt } = hookJob.parse(data);
  const store = deps.store.tenant(tenant);
  const record = await store.getActor(ticket);
  const owed = record?.hooks.find((hook) => isDebt(hook, debt));
  if (record === undefined) throw new BoardwalkError("not_found_or_hidden", "We no longer know this ticket.");
  if (owed === undefined || owed.state === "done" || owed.state === "failed") return { record };
  const result = await tryHook(deps, store, record, owed, context);
  return { record: await settleHook(store, ticket, debt, debtAfter(owed, result, deps.now()), deps.now()) };
}

async function tryHook(
  deps: WorkerDeps,
  store: TenantStore,
  record: ActorRecord,
  owed: OwedHook,
  context: JobContext,
): Promise<HookResult> {
  try {
    const board = await deps.boards.open(store, record.ticket.connection);
    const run = board.hooks[owed.hook];
    if (run === undefined)
      return { state: "failed", reason: `This connection has no "${owed.hook}" set up any more.` };
    const workflow = (await deps.workflows.of(store)).byId.get(record.ticket.workflow);
    return await run(inputOf(record, owed, workflow?.status(owed.status)?.name), context.signal);
  } catch (thrown) {
    const error = BoardwalkError.from(thrown);
    const mayPass = error.retryable || error.code === "internal";
    if (!mayPass) return { state: "failed", reason: error.message };
    const delayMs = error.retryAfterMs ?? RETRY_MS[Math.min(context.attempt, RETRY_MS.length) - 1] ?? 0;
    if (context.attempt < TRIES && delayMs < 30_000) throw new TryAgain(delayMs, { cause: thrown });
    return { state: "waiting", reason: error.message };
  }
}

function inputOf(record: ActorRecord, owed: OwedHook, statusName: string | undefined): HookInput {
  const { key, formerKeys, title, branches } = record.ticket;
  return {
    ticket: {
      title,
      ...(key === undefined ? {} : { key }),
      ...(formerKeys === undefined ? {} : { formerKeys }),
      ...(branches === undefined ? {} : { branches }),
    },
    statusName: statusName ?? "its new status",
    ...(owed.with === undefined ? {} : { with: owed.with }),
  };
}

function debtAfter(
  owed: OwedHook,
  result: HookResult,
  at: Date,
): Pick<OwedHook, "state" | "reason" | "result" | "retryAt"> {
  if (result.state === "done") return { state: "done", result: { ...result.result } };
  if (result.state === "failed") return { state: "failed", reason: result.reason };
  const waitedMs = at.getTime() - Date.parse(owed.since);
  if (waitedMs > PATIENCE_MS) return { state: "failed", reason: result.reason };
  return {
    state: "waiting",
    reason: result.reason,
    retryAt: new Date(at.getTime() + nextLookMs(owed.attempt)).toISOString(),
  };
}

/** A slow poll that begins quickly: a branch is often pushed minutes after the ticket was moved. */
function nextLookMs(attempt: number): number {
  return Math.min(60_000 * 2 ** (attempt - 1), 3_600_000);
}

export const observeJob = z.object({ tenant: z.string(), connection: z.string(), ticket: z.string() });

/** Reads one ticket from its board and takes in what is new; what that owes is put at once. */
export async function performObserve(
  deps: WorkerDeps,
  data: unknown,
  context: JobContext,
): Promise<{ record?: ActorRecord }> {
  const { tenant, connection, ticket } = observeJob.parse(data);
  const store = deps.store.tenant(tenant);
  const board = await deps.boards.open(store, connection);
  const seen = await board.connector.readTicket(ticket, context.signal);
  if (seen === undefined) return {};
  const workflow = (await deps.workflows.of(store)).byId.get(seen.workflow);
  if (workflow?.status(seen.status) === undefined) {
    // Its workflow has changed. One pull for all the tickets that show so within a minute.
    const minute = Math.floor(deps.now().getTime() / 60_000);
    await deps.jobs.put(syncJobFor(tenant, connection, `unknown-${seen.status}-${minute}`));
  }
  const about = { connection, ...(workflow === undefined ? {} : { workflow }), at: deps.now() };
  const record = await observe(store, seen, about);
  for (const job of jobsOwed(tenant, record)) await deps.jobs.put(job);
  return { record };
}
