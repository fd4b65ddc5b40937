import { z } from "zod";
import type { Connector, Move, Ticket } from "../board/connector.js";
import { withLease, withoutLease } from "../board/lease.js";
import { BoardwalkError } from "../errors.js";
import { type Job, type JobContext, jobData, TryAgain } from "../hooks/hooks.js";
import { actorRecord, settledMove } from "../store/records.js";
import type { ActorRecord, PendingMove, TenantStore } from "../store/store.js";
import { type Ending, noteWrite, settle } from "./actor.js";
import type { OpenBoard } from "./boards.js";
import { choose } from "./choose.js";
import { closedByTeam } from "./decide.js";
import { endingOf } from "./endings.js";
import { syncJobFor } from "./jobs.js";
import { tellNews, workflowOf } from "./look.js";
import type { WorkerDeps } from "./worker-deps.js";
import type { Workflow } from "./workflow.js";

/** The worker's half of a move: act on the board, settle the record, report what is true. */

export const moveJob = z.object({
  tenant: z.string(),
  ticket: z.string(),
  moveId: z.string(),
  /** Where the ticket was when the job was put. Absent from jobs of earlier versions. */
  connection: z.string().optional(),
});

/** What a move job answers: the record as settled. Everything spoken is made from it. */
export const moveReply = z.object({ settled: settledMove.optional(), record: actorRecord });
export type MoveReply = z.infer<typeof moveReply>;

/** A write whose fate is unknown is looked after this often before we say that it did not happen. */
const TRIES = 6;
const RETRY_MS = [250, 500, 1_000, 2_000, 5_000];
/** A longer wait than this is the speaker's to sit out, not the job's. */
const LONGEST_WAIT_MS = 15_000;

/**
 * Does the pending move and settles it. May be run again at any point, by anyone: a move settled already answers its
 * ending, a write that landed is not made twice.
 */
export async function performMove(deps: WorkerDeps, data: unknown, context: JobContext): Promise<MoveReply> {
  const { tenant, ticket, moveId, connection } = jobData(moveJob, data);
  const store = deps.store.tenant(tenant);
  // Who takes over, or tries again, does not go by what was known when the move was asked for.
  const isFirst = context.attempt === 1 && context.takenOver !== true;
  const intended = isFirst ? deps.recent?.intended(store, ticket, moveId) : undefined;
  const [record, { byId: workflows }, board] = await Promise.all([
    intended?.record ?? store.getActor(ticket),
    deps.workflows.of(store, intended?.read.workflowRevision),
    // Why it does not open is told when it is tried again, as part of the move.
    connection === undefined
      ? undefined
      : deps.boards.open(store, connection, intended?.read.connectionsSince).catch(() => undefined),
  ]);
  if (record === undefined) throw new BoardwalkError("not_found_or_hidden", "We no longer know this ticket.");
  if (record.pending?.moveId !== moveId) return await replyAgain(store, record, moveId);
  const { pending } = record;
  const wrote = (pending.writes ?? 0) > 0;
  // Whoever had this job may be alive after all, with a write in hand that may still go out.
  const leaseLeftMs = context.takenOver === true ? leaseLeft(deps, pending) : 0;
  if (leaseLeftMs > 0) throw new TryAgain(leaseLeftMs);
  const work: Try = { record, pending, workflows, signal: context.signal, wrote };
  if (connection === record.ticket.connection && board !== undefined) work.board = board;
  const end = await tryMove(deps, store, work, context.attempt);
  const workflow = await workflowAfter(deps, store, work, end.seen);
  const at = deps.now();
  const ended = { ...end, ...(workflow === undefined ? {} : { workflow }), at };
  const { record: settled, byUs } = await settle(store, ticket, moveId, ended, work.noted ?? record);
  deps.recent?.keep(store, settled);
  if (end.seen !== undefined && workflow?.status(end.seen.status) === undefined) {
    await deps.jobs.put(refreshJob(store, work));
  }
  if (byUs && settled.lastMove !== undefined)
    deps.moved?.(settled.lastMove, ticket, at.getTime() - Date.parse(pending.since));
  // Put here as well as by the waiting caller: the debt is paid whether or not anyone still waits.
  await tellNews(deps, store, record, settled);
  return replyOf(settled, moveId);
}

const LEASE_MS = 5_000;

function leaseLeft({ leaseMs = LEASE_MS, now }: WorkerDeps, { wroteAt }: PendingMove): number {
  return wroteAt === undefined ? 0 : Date.parse(wroteAt) + leaseMs - now().getTime();
}

/** The workflow to settle by. Someone waits for this, so a pull that others have begun is not waited for. */
async function workflowAfter(
  deps: WorkerDeps,
  store: TenantStore,
  { record, workflows, signal }: Try,
  seen: Ticket | undefined,
): Promise<Workflow | undefined> {
  const known = workflows.get(seen?.workflow ?? record.ticket.workflow);
  if (seen === undefined || known?.status(seen.status) !== undefined) return known;
  return await workflowOf(deps, store, record.ticket.connection, seen, signal).catch(() => known);
}

function replyOf(record: ActorRecord, moveId: string): MoveReply {
  return record.lastMove?.moveId === moveId ? { settled: record.lastMove, record } : { record };
}

/** Of a move that was settled before this run: by us, before we died, or by whoever took it for dead. */
async function replyAgain(store: TenantStore, record: ActorRecord, moveId: string): Promise<MoveReply> {
  const ended = await endingOf(store, record, moveId);
  return ended === undefined ? { record } : { settled: ended, record };
}

interface Attempt {
  readonly seen?: Ticket;
  readonly ending: Ending;
}

/** What one try is about, and whether it has sent a write whose fate may be unknown. */
interface Try {
  readonly record: ActorRecord;
  readonly pending: PendingMove;
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly signal: AbortSignal;
  wrote: boolean;
  /** The record with the note of that write. */
  noted?: ActorRecord;
  /** Opened already, while the record was read. */
  board?: OpenBoard;
}

/** One try; trouble that may pass is tried again, trouble that does not is an ending. */
async function tryMove(deps: WorkerDeps, store: TenantStore, work: Try, attempt: number): Promise<Attempt> {
  try {
    const board = work.board ?? (await deps.boards.open(store, work.record.ticket.connection));
    return await act(deps, store, board, work);
  } catch (thrown) {
    if (thrown instanceof TryAgain) throw thrown;
    const error = BoardwalkError.from(thrown);
    // The board no longer knows what we named: its workflow is pulled anew, and the next try goes by that.
    if (error.code === "stale_workflow") await deps.jobs.put(refreshJob(store, work));
    const delayMs = error.retryAfterMs ?? RETRY_MS[Math.min(attempt, RETRY_MS.length) - 1] ?? 0;
    const mayPass = error.retryable || error.code === "internal";
    if (mayPass && attempt < TRIES && delayMs <= LONGEST_WAIT_MS)
      throw new TryAgain(delayMs, { cause: thrown });
    return { ending: failure(error, work) };
  }
}

function refreshJob(store: TenantStore, { record, pending }: Try): Job {
  return syncJobFor(store.id, record.ticket.connection, `stale-${pending.moveId}`);
}

/** After a write that may have landed, "it failed" would be a guess. */
function failure(error: BoardwalkError, { wrote, pending }: Try): Ending {
  // A limit says that this write was not made; of an earlier one it says nothing.
  const earlier = (pending.writes ?? 0) > 0;
  const unknown = earlier || (wrote && error.code !== "rate_limited");
  return { outcome: unknown ? "unknown" : "refused", code: error.code, message: error.message };
}

/** Read, check, write, re-read. */
async function act(deps: WorkerDeps, store: TenantStore, board: OpenBoard, work: Try): Promise<Attempt> {
  const { leaseMs = LEASE_MS } = deps;
  const { record, pending, signal } = work;
  const first = await readWithMoves(board.connector, record, signal);
  if (first === undefined) return { ending: hidden(board.name) };
  const read = knowsLess(work, first) ? ((await readAnew(board.connector, record, signal)) ?? first) : first;
  const { ticket: seen, moves } = read;
  const stop = reasonToStop(seen, pending) ?? teamStop(work, seen);
  if (stop !== undefined) return { seen, ending: stop };
  const chosen = choose(seen, moves, pending);
  if ("ending" in chosen) return { seen, ending: chosen.ending };
  const wish = { ...pending, fields: chosen.fields };
  return await withLease(leaseMs, async () => {
    const noted = await noteWrite(store, record.ticket.id, pending, seen, deps.now(), record);
    if (noted === undefined) throw new TryAgain(leaseMs);
    work.noted = noted;
    deps.recent?.keep(store, noted);
    work.wrote = true;
    return await write(board.connector, seen, chosen.move, wish, signal);
  });
}

/** A rule of the team's own holds for where the ticket truly is, which the speaker may not have known. */
function teamStop({ workflows, pending }: Try, seen: Ticket): Ending | undefined {
  const workflow = workflows.get(seen.workflow);
  const why = workflow === undefined ? undefined : closedByTeam(workflow, seen.status, pending.to);
  return why === undefined ? undefined : { outcome: "refused", code: "no_such_move", message: why };
}

/** On a board without rules every status can be reached: one that cannot is newer than what the connector last read. */
function knowsLess({ workflows, pending }: Try, { ticket, moves }: Reading): boolean {
  const workflow = workflows.get(ticket.workflow);
  const target = workflow?.status(pending.to);
  if (workflow?.graph.edges !== "implied" || target === undefined || target.retired) return false;
  return ticket.status !== pending.to && !ticket.archived && moves.every(({ to }) => to !== pending.to);
}

/** Another process may have learnt of the board's change: this one's connector learns of it by pulling. */
async function readAnew(
  connector: Connector,
  record: ActorRecord,
  signal: AbortSignal,
): Promise<Reading | undefined> {
  await connector.pullWorkflows(signal);
  return await readWithMoves(connector, record, signal);
}

interface Reading {
  readonly ticket: Ticket;
  readonly moves: readonly Move[];
}

async function readWithMoves(
  connector: Connector,
  record: ActorRecord,
  signal: AbortSignal,
): Promise<Reading | undefined> {
  if (connector.readWithMoves) return await connector.readWithMoves(record.ticket.id, signal);
  const ticket = await connector.readTicket(record.ticket.id, signal);
  return ticket && { ticket, moves: await connector.openMoves(ticket, signal) };
}

/** What ends the move before a write, by the ticket as the board now shows it. */
function reasonToStop(seen: Ticket, pending: PendingMove): Ending | undefined {
  const wrote = (pending.writes ?? 0) > 0;
  if (seen.status === pending.to) return { outcome: "confirmed", ...(wrote ? {} : { already: true }) };
  if (seen.archived)
    return {
      outcome: "refused",
      code: "archived",
      message: "It is archived. Restore it on the board first.",
    };
  if (seen.immovable !== undefined) return { outcome: "refused", code: "forbidden", message: seen.immovable };
  // Our write may have landed and been followed by another, back to where it was too; it is not made twice.
  if (wrote && isChanged(seen, pending)) return { outcome: "conflict", code: "conflict" };
  if (pending.heardStatus !== undefined && pending.heardStatus !== seen.status)
    return { outcome: "conflict", code: "conflict" };
  return undefined;
}

/** Has anything become of the ticket since our write was sent? */
function isChanged(seen: Ticket, { wroteOver, from }: PendingMove): boolean {
  // Noted by a version that did not keep what it wrote over.
  if (wroteOver === undefined) return seen.status !== from;
  return seen.status !== wroteOver.status || seen.updatedAt !== wroteOver.updatedAt;
}

/** A write that was answered, with yes or no, is reported as the re-read says; one that was not is left to the next try, which reads first. */
async function write(
  connector: Connector,
  seen: Ticket,
  move: Move,
  pending: PendingMove,
  signal: AbortSignal,
): Promise<Attempt> {
  const { fields, comment } = pending;
  const input = {
    ...(fields === undefined ? {} : { fields }),
    ...(comment === undefined ? {} : { comment }),
  };
  try {
    const after = await connector.move(seen, move, input, signal);
    if (after.status === pending.to)
      return { seen: after, ending: { outcome: "confirmed", from: seen.status, ...remarkOf(after) } };
    if (after.status === seen.status)
      return { seen: after, ending: { outcome: "conflict", code: "conflict" } };
    return {
      seen: after,
      ending: { outcome: "confirmed", from: seen.status, movedOn: true, ...remarkOf(after) },
    };
  } catch (thrown) {
    const error = BoardwalkError.from(thrown);
    if (error.retryable || error.code === "internal") throw error;
    const now = await withoutLease(() => connector.readTicket(seen.id, signal));
    // An earlier write of ours may have landed after we looked, and that is why this one was refused.
    const stop = now === undefined || now.status === seen.status ? undefined : reasonToStop(now, pending);
    return { seen: now ?? seen, ending: stop ?? refusal(error) };
  }
}

function refusal({ code, message, data }: BoardwalkError): Ending {
  if (code === "needs_fields") return { outcome: "question", code, message, data: { ...data } };
  return { outcome: "refused", code, message };
}

/** What the board did not do beside the move, such as its comment: said with it. */
function remarkOf({ remark }: Ticket): Pick<Ending, "message"> {
  return remark === undefined ? {} : { message: remark };
}

function hidden(board: string): Ending {
  return {
    outcome: "refused",
    code: "not_found_or_hidden",
    message: `${board} does not have it, or does not show it to this account.`,
  };
}
