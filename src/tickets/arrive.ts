import type { Ticket } from "../board/connector.js";
import { entryHooks } from "../machine/index.js";
import type { ActorRecord, OwedHook, TicketRecord } from "../store/store.js";
import type { Workflow } from "./workflow.js";

/** What a sight of a ticket makes of its record. Pure: nothing is read and nothing is written here. */

/** What is known about a sight, beside the ticket itself. */
export interface Sighting {
  /** The workflow the ticket is in now; `undefined` when none of the tenant's is. */
  readonly workflow?: Workflow | undefined;
  readonly at: Date;
  /** Who moved it, as its board calls them, where that is known. */
  readonly by?: string | undefined;
  /** Whether that was us. Told by the account or by the move we know of, never by how soon it came. */
  readonly ours?: boolean | undefined;
}

/** A ticket met for the first time: it owes nothing, since nobody has moved it before our eyes. */
export function newActor(seen: Ticket, connection: string): ActorRecord {
  return { version: 0, ticket: { ...ticketFields(seen), connection }, context: {}, entry: 0, hooks: [] };
}

/** The record with the board's news in it; the same object when there is none. */
export function arrive(record: ActorRecord, seen: Ticket, about: Sighting): ActorRecord {
  // Reads race: an answer that was on its way while a newer one was kept is history.
  if (seen.updatedAt < record.ticket.updatedAt) return record;
  const ticket = ticketNow(record.ticket, seen, about.workflow);
  if (seen.status === record.ticket.status)
    return sameTicket(ticket, record.ticket) ? record : { ...record, ticket };
  const entry = record.entry + 1;
  const { bouncing: _bouncing, flips: _flips, ...rest } = record;
  const rhythm = rhythmOf(record, seen.status, about);
  const owed = owedBy(about.workflow, seen.status, entry, about.at);
  const hooks = rhythm.bouncing === undefined ? owed : owed.map(stopped);
  // What waited for something to happen in the old status is void; what is merely not done yet is still owed.
  const kept = record.hooks.filter((hook) => hook.state === "owed");
  return { ...rest, ...rhythm, ticket, entry, hooks: [...kept, ...hooks] };
}

/** The record of a ticket that its board no longer shows: kept, since it may come back, but not to be moved. */
export function leave(record: ActorRecord): ActorRecord {
  if (record.ticket.detached) return record;
  const hooks = record.hooks.filter((hook) => hook.state !== "waiting");
  return { ...record, ticket: { ...record.ticket, detached: true }, hooks };
}

/** Whether the ticket has come to another board or workflow. */
export function isRehomed(before: ActorRecord, after: ActorRecord): boolean {
  return before.ticket.workflow !== after.ticket.workflow;
}

/** So many former keys are remembered: more than any ticket gets by honest means. */
const MOST_KEYS = 20;

function ticketNow(before: TicketRecord, seen: Ticket, workflow: Workflow | undefined): TicketRecord {
  const keys = [...(before.formerKeys ?? []), ...(before.key === undefined ? [] : [before.key])];
  const formerKeys = [...new Set([...keys, ...(seen.formerKeys ?? [])])]
    .filter((key) => key !== seen.key)
    .slice(-MOST_KEYS);
  // Nobody has connected the board it went to.
  const detached = workflow === undefined && (before.workflow !== seen.workflow || before.detached === true);
  return {
    ...ticketFields(seen),
    ...(formerKeys.length === 0 ? {} : { formerKeys }),
    connection: workflow?.connection ?? before.connection,
    ...(detached ? { detached } : {}),
  };
}

/** A ticket that is moved by others more often than this in so short a time is being fought over. */
const MOST_FLIPS = 3;
const FLIP_WINDOW_MS = 5 * 60_000;

/** Whether it goes to and fro. A ticket that walks on through its columns, however fast, does not. */
function rhythmOf(
  record: ActorRecord,
  to: string,
  { at, ours }: Sighting,
): Pick<ActorRecord, "flips" | "bouncing"> {
  const since = at.getTime() - FLIP_WINDOW_MS;
  const recent = (record.flips ?? []).filter((flip) => Date.parse(flip.at) > since);
  const flips = ours ? recent : [...recent, { at: at.toISOString(), from: record.ticket.status }];
  if (flips.length === 0) return {};
  const returns = flips.length > MOST_FLIPS && flips.some((flip) => flip.from === to);
  const bouncing = returns ? (record.bouncing ?? at.toISOString()) : undefined;
  return { flips: flips.slice(-2 * MOST_FLIPS), ...(bouncing === undefined ? {} : { bouncing }) };
}

const STOPPED =
  "It is being moved back and forth, so nothing was started for it. Replay it once it has come to rest.";

function stopped(hook: OwedHook): OwedHook {
  return { ...hook, state: "failed", reason: STOPPED };
}

function owedBy(workflow: Workflow | undefined, status: string, entry: number, at: Date): OwedHook[] {
  const since = at.toISOString();
  return entryHooks(workflow?.machine.states[status]?.onEnter).flatMap((hook) => {
    if (typeof hook === "function") return [];
    const withOptions = hook.with === undefined ? {} : { with: { ...hook.with } };
    return [{ hook: hook.run, entry, status, ...withOptions, state: "owed" as const, since, attempt: 1 }];
  });
}

function ticketFields(seen: Ticket): Omit<TicketRecord, "connection"> {
  // A remark is about one move, not about the ticket.
  const { formerKeys, branches, ref, remark: _remark, ...rest } = seen;
  return {
    ...rest,
    ...(formerKeys === undefined ? {} : { formerKeys: [...formerKeys] }),
    ...(branches === undefined ? {} : { branches: [...branches] }),
    ...(ref === undefined ? {} : { ref: { ...ref } }),
  };
}

function sameTicket(a: TicketRecord, b: TicketRecord): boolean {
  const order = (ticket: TicketRecord) =>
    JSON.stringify(Object.entries(ticket).sort(([x], [y]) => (x < y ? -1 : 1)));
  return order(a) === order(b);
}
