import type { Ticket, TicketId } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import type {
  ActorRecord,
  AuditEvent,
  HistoryEvent,
  MoveOutcome,
  OwedHook,
  PendingMove,
  SettledMove,
  TenantStore,
} from "../store/store.js";
import { arrive, isRehomed, newActor, type Sighting } from "./arrive.js";
import type { Workflow } from "./workflow.js";

export { newActor } from "./arrive.js";

/**
 * The durable shell of a ticket's machine: every change is one compare-and-set on its record, decided by a pure
 * function of the record as it then stood. See DESIGN "A ticket moves: the protocol".
 */

/** More races than this on one record at once mean that something is wrong, not that someone was quicker. */
const RACES = 25;

interface Change {
  readonly record: ActorRecord;
  readonly history?: readonly HistoryEvent[];
  readonly audit?: AuditEvent;
  /** Of no interest to anybody but whoever takes the work over. */
  readonly quiet?: boolean;
}

/**
 * Applies `change` to the record as it stands, again when someone saved first. No change (`undefined`): nothing is
 * written. `known`, the record as the caller has it, saves reading it; it may be old.
 */
export async function update(
  store: TenantStore,
  id: TicketId,
  change: (record: ActorRecord) => Change | undefined,
  known?: ActorRecord,
): Promise<ActorRecord> {
  let guess = known;
  for (let race = 0; race < RACES; race++) {
    const record = guess ?? (await store.getActor(id));
    if (record === undefined)
      throw new BoardwalkError("not_found_or_hidden", "We no longer know this ticket.");
    const changed = change(record);
    // Only a save shows that what was known is still so.
    if (changed === undefined && guess === undefined) return record;
    guess = undefined;
    if (changed === undefined) continue;
    try {
      const { history, audit, quiet = false } = changed;
      return await store.saveActor(changed.record, history, audit, { quiet });
    } catch (error) {
      if (BoardwalkError.from(error).code !== "conflict") throw error;
    }
  }
  throw new BoardwalkError("busy", "Too many people are changing this ticket at once. Please try again.");
}

/** What a speaker wants, once it is known which ticket and which status she means. */
export interface Wish {
  readonly moveId: string;
  readonly to: string;
  readonly via?: string;
  readonly by: PendingMove["by"];
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly comment?: string;
  readonly heardStatus?: string;
  readonly at: Date;
}

export type Intent =
  | { readonly kind: "intended" | "joined"; readonly pending: PendingMove; readonly record: ActorRecord }
  /** Someone else's move to another status is under way. */
  | { readonly kind: "busy"; readonly pending: PendingMove; readonly record: ActorRecord }
  /** This very wish was carried out since its speaker looked. */
  | { readonly kind: "ended"; readonly settled: SettledMove; readonly record: ActorRecord };

/** Writes the wish on the actor, or joins the same wish already there. */
export async function intend(
  store: TenantStore,
  id: TicketId,
  wish: Wish,
  known?: ActorRecord,
): Promise<Intent> {
  const write = (before: ActorRecord): Change | undefined => {
    // A wish that has ended would be pending for ever: its job is done, and the same id is never run again.
    if (before.pending !== undefined || before.lastMove?.moveId === wish.moveId) return undefined;
    const since = wish.at.toISOString();
    const pending = pendingOf(wish, before.ticket.status, since);
    const asked: HistoryEvent = {
      at: since,
      kind: "asked",
      by: wish.by,
      from: pending.from,
      to: wish.to,
      moveId: wish.moveId,
    };
    return { record: { ...before, pending }, history: [asked] };
  };
  const record = await update(store, id, write, known);
  const { pending, lastMove } = record;
  if (lastMove?.moveId === wish.moveId) return { kind: "ended", settled: lastMove, record };
  if (pending === undefined) throw new BoardwalkError("internal", "An intended move was not kept.");
  if (pending.moveId === wish.moveId) return { kind: "intended", pending, record };
  return { kind: pending.to === wish.to ? "joined" : "busy", pending, record };
}

function pendingOf(wish: Wish, from: string, since: string): PendingMove {
  return {
    moveId: wish.moveId,
    to: wish.to,
    ...(wish.via === undefined ? {} : { via: wish.via }),
    by: wish.by,
    ...(wish.fields === undefined ? {} : { fields: { ...wish.fields } }),
    ...(wish.comment === undefined ? {} : { comment: wish.comment }),
    ...(wish.heardStatus === undefined ? {} : { heardStatus: wish.heardStatus }),
    from,
    since,
  };
}

/**
 * Notes that a write to the board is about to be made over what it showed as `seen`, so that whoever takes over knows
 * that one may have landed, and can tell whether it has.
 * @returns the record with the note; `undefined`, nothing noted, when someone else has noted one since `pending` was read: then it is theirs to make.
 * @throws BoardwalkError `conflict` when the move is settled.
 */
export async function noteWrite(
  store: TenantStore,
  id: TicketId,
  pending: Pick<PendingMove, "moveId" | "writes">,
  seen: Pick<Ticket, "status" | "updatedAt">,
  at: Date,
  known?: ActorRecord,
): Promise<ActorRecord | undefined> {
  const before = pending.writes ?? 0;
  const wroteOver = { status: seen.status, updatedAt: seen.updatedAt };
  let noted = false;
  const note = (record: ActorRecord): Change | undefined => {
    const now = record.pending;
    if (now?.moveId !== pending.moveId) {
      throw new BoardwalkError("conflict", "This move was settled by someone else meanwhile.");
    }
    noted = (now.writes ?? 0) === before;
    if (!noted) return undefined;
    const wrote = { writes: before + 1, wroteAt: at.toISOString(), wroteOver };
    return { record: { ...record, pending: { ...now, ...wrote } }, quiet: true };
  };
  const record = await update(store, id, note, known);
  return noted ? record : undefined;
}

/** How a move ended. */
export interface Ending {
  readonly outcome: MoveOutcome;
  /** Where the board showed it before the write, when our opinion may have been older. */
  readonly from?: string;
  readonly already?: boolean;
  readonly movedOn?: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Ends a pending move: the ticket is where the board says, the wish is cleared, the hooks of a new status are owed, and
 * the audit log has its line. A move that was settled already keeps its first ending, and its one line.
 * @returns the record, and whether it was we who settled it.
 */
export async function settle(
  store: TenantStore,
  id: TicketId,
  moveId: string,
  end: { readonly seen?: Ticket; readonly workflow?: Workflow; readonly ending: Ending; readonly at: Date },
  known?: ActorRecord,
): Promise<{ readonly record: ActorRecord; readonly byUs: boolean }> {
  const ours = end.ending.outcome === "confirmed";
  let byUs = false;
  const close = (record: ActorRecord): Change | undefined => {
    const { pending } = record;
    byUs = pending?.moveId === moveId;
    if (pending === undefined || !byUs) return undefined;
    const arrived = end.seen === undefined ? record : arrive(record, end.seen, { ...end, ours });
    const { pending: _done, ...rest } = arrived;
    const lastMove = settledOf(pending, rest, ownedUp(end.ending, pending), end.at);
    const confirmed = lastMove.outcome === "confirmed" && !lastMove.already;
    const kept = confirmed ? { ...rest, lastConfirmed: lastMove } : rest;
    return { record: { ...kept, lastMove }, history: [historyOf(lastMove)], audit: auditOf(id, lastMove) };
  };
  const record = await update(store, id, close, known);
  return { record, byUs };
}

/** It was there when we looked: by a write of this very move, if another worker has noted one since we read the record. */
function ownedUp({ already, ...ending }: Ending, { writes = 0 }: PendingMove): Ending {
  return already && writes === 0 ? { ...ending, already } : ending;
}

function settledOf(pending: PendingMove, record: ActorRecord, ending: Ending, at: Date): SettledMove {
  return {
    ...ending,
    ...(ending.data === undefined ? {} : { data: { ...ending.data } }),
    moveId: pending.moveId,
    from: ending.from ?? pending.from,
    to: ending.outcome === "confirmed" ? record.ticket.status : pending.to,
    by: pending.by,
    at: at.toISOString(),
    ...(ending.outcome === "confirmed" ? { entry: record.entry } : {}),
  };
}

function historyOf(move: SettledMove): HistoryEvent {
  const kind = move.outcome === "confirmed" ? "moved" : move.outcome === "unknown" ? "unknown" : "refused";
  return {
    at: move.at,
    kind,
    by: move.by,
    from: move.from,
    to: move.to,
    outcome: move.outcome,
    moveId: move.moveId,
    ...(move.message === undefined ? {} : { message: move.message }),
    ...(move.already ? { already: true } : {}),
  };
}

function auditOf(ticket: TicketId, { at, from, to, outcome, moveId, by, already }: SettledMove): AuditEvent {
  const { person, client, tool } = by;
  const who = {
    person,
    ...(client === undefined ? {} : { client }),
    ...(tool === undefined ? {} : { tool }),
  };
  return {
    at,
    action: "move",
    by: who,
    ticket,
    from,
    to,
    outcome,
    detail: { moveId, ...(already ? { already } : {}) },
  };
}

/** What is known about a sight of a ticket, and the connection it was seen through. */
export interface About extends Sighting {
  readonly connection: string;
}

/**
 * News of a ticket, from a listing that is newer than our record. Settled exactly as a move is: a new status is
 * entered once, whoever moved the card. Older news than we have changes nothing.
 */
export async function observe(store: TenantStore, seen: Ticket, about: About): Promise<ActorRecord> {
  const created = await createIfNew(store, seen, about.connection);
  if (created !== undefined) return created;
  return await update(store, seen.id, (record) => newsOf(record, seen, about));
}

/**
 * News of a ticket that was read while its record was `before`. A board's times are too coarse to tell which of two
 * reads was later; the record's version is not.
 * @returns `undefined` when the record has changed since, and then nothing is written: read again.
 */
export async function observeSince(
  store: TenantStore,
  before: ActorRecord | undefined,
  seen: Ticket,
  about: About,
): Promise<ActorRecord | undefined> {
  const news =
    before === undefined ? { record: newActor(seen, about.connection) } : newsOf(before, seen, about);
  return news === undefined ? before : await saveUnlessRaced(store, news);
}

/** Saves the change; `undefined` when someone saved first. */
export async function saveUnlessRaced(store: TenantStore, change: Change): Promise<ActorRecord | undefined> {
  try {
    return await store.saveActor(change.record, change.history);
  } catch (error) {
    if (BoardwalkError.from(error).code !== "conflict") throw error;
    return undefined;
  }
}

function newsOf(record: ActorRecord, seen: Ticket, about: About): Change | undefined {
  const next = arrive(record, seen, { ...about, ours: about.ours ?? isOurWrite(record, seen) });
  if (next === record) return undefined;
  const at = about.at.toISOString();
  const by = about.by === undefined ? {} : { by: { person: about.by } };
  const history: HistoryEvent[] = [];
  if (isRehomed(record, next))
    history.push({ at, kind: "rehomed", from: record.ticket.workflow, to: next.ticket.workflow });
  if (next.entry !== record.entry)
    history.push({ at, kind: "observed", ...by, from: record.ticket.status, to: seen.status });
  return { record: next, history };
}

/** A write of ours has landed, and this is the first to see it. */
function isOurWrite({ pending }: ActorRecord, seen: Ticket): boolean {
  return pending !== undefined && (pending.writes ?? 0) > 0 && seen.status === pending.to;
}

async function createIfNew(
  store: TenantStore,
  seen: Ticket,
  connection: string,
): Promise<ActorRecord | undefined> {
  if ((await store.getActor(seen.id)) !== undefined) return undefined;
  try {
    return await store.saveActor(newActor(seen, connection));
  } catch (error) {
    if (BoardwalkError.from(error).code !== "conflict") throw error;
    return undefined;
  }
}

/** Merges a hook's reply into the actor and strikes the debt, in one step. */
export async function settleHook(
  store: TenantStore,
  id: TicketId,
  debt: Pick<OwedHook, "hook" | "entry">,
  reply: Pick<OwedHook, "state" | "reason" | "result" | "retryAt">,
  at: Date,
): Promise<ActorRecord> {
  return await update(store, id, (record) => {
    const owed = record.hooks.find((hook) => isDebt(hook, debt));
    if (owed === undefined || owed.state === "done") return undefined;
    const { reason: _reason, retryAt: _retryAt, ...rest } = owed;
    const attempt = reply.state === "waiting" ? owed.attempt + 1 : owed.attempt;
    const settled: OwedHook = { ...rest, ...reply, attempt };
    const hooks = record.hooks.map((hook) => (hook === owed ? settled : hook));
    const context =
      reply.result === undefined ? record.context : { ...record.context, [debt.hook]: reply.result };
    const told = reply.state === "waiting" && owed.state === "waiting" && owed.reason === reply.reason;
    return {
      record: { ...record, hooks, context },
      ...(told ? {} : { history: [hookHistory(settled, at)] }),
    };
  });
}

function hookHistory(hook: OwedHook, at: Date): HistoryEvent {
  return {
    at: at.toISOString(),
    kind: "hook",
    hook: hook.hook,
    outcome: hook.state,
    ...(hook.reason === undefined ? {} : { message: hook.reason }),
  };
}

export function isDebt(hook: OwedHook, debt: Pick<OwedHook, "hook" | "entry">): boolean {
  return hook.hook === debt.hook && hook.entry === debt.entry;
}
