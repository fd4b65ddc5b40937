import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { type JobContext, jobData, TryAgain } from "../hooks/hooks.js";
import { actorRecord } from "../store/records.js";
import type { ActorRecord, OwedHook, TenantStore } from "../store/store.js";
import { isDebt, settleHook } from "./actor.js";
import type { HookInput, HookResult } from "./boards.js";
import type { WorkerDeps } from "./worker-deps.js";

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
  const { tenant, ticket, ...debt } = jobData(hookJob, data);
  const store = deps.store.tenant(tenant);
  const record = await store.getActor(ticket);
  const owed = record?.hooks.find((hook) => isDebt(hook, debt));
  if (record === undefined) throw new BoardwalkError("not_found_or_hidden", "We no longer know this ticket.");
  if (owed === undefined || owed.state === "done" || owed.state === "failed") return { record };
  const result = await tryHook(deps, store, record, owed, context);
  const settled = await settleHook(store, ticket, debt, debtAfter(owed, result, deps.now()), deps.now());
  deps.changed?.(tenant, settled);
  return { record: settled };
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
