import { randomBytes } from "node:crypto";
import { BoardwalkError } from "../errors.js";
import type { ActorRecord, PendingMove } from "../store/store.js";
import { intend, type Wish } from "./actor.js";
import { acceptedAnswer, ends, settledAnswer } from "./answers.js";
import { decide, knowsAllEdges, openStatuses } from "./decide.js";
import { endingOf } from "./endings.js";
import { openFacts, ticketFacts } from "./facts.js";
import { heardStatus, talkedOf } from "./heard.js";
import { hookJobFor, moveJobFor, observeJobFor, type TicketJobs } from "./jobs.js";
import { moveReply } from "./perform.js";
import { hookReply } from "./perform-hook.js";
import { askWhich } from "./reads.js";
import { type Resolved, resolveTicket } from "./resolve.js";
import type { MoveShape } from "./shapes.js";
import { say } from "./speech.js";
import { resolveStatus, type StatusFound } from "./statuses.js";
import type { Conversation, MoveArguments } from "./tickets.js";
import type { TenantView, Views } from "./view.js";
import { plainWords } from "./words.js";
import type { Workflow } from "./workflow.js";

/** A move from words to a spoken answer: resolve, decide, intend, ask, and say what became true. */

export interface MoveDeps {
  readonly views: Views;
  readonly jobs: TicketJobs;
  now(): Date;
}

/** One move, from what was said to what can be said of it. */
export async function move(deps: MoveDeps, talk: Conversation, args: MoveArguments): Promise<MoveShape> {
  const deadline = deps.now().getTime() + talk.budgetMs;
  const view = await deps.views.fresh(talk.tenant);
  const resolved = resolveTicket(view, args.ticket, await talkedOf(talk, args.ticket));
  if (resolved.kind !== "one") {
    return whichTicket(view, resolved);
  }
  const record = resolved.value;
  const workflow = view.workflowOf(record);
  if (workflow === undefined)
    throw new BoardwalkError(
      "stale_workflow",
      "The workflow of this ticket is not imported yet. Please try again in a moment.",
    );
  const ended = args.moveId === undefined ? undefined : await endingOf(talk.tenant, record, args.moveId);
  if (ended !== undefined) return settledAnswer(record, view, ended, ended.to, talk);
  const target = resolveTarget(workflow, record, args, talk);
  if ("answer" in target) return target.answer;
  const heard = await heardFor(talk, workflow, record, args.from);
  if (heard !== undefined && "answer" in heard) return heard.answer;
  const current = await confirmClosed(deps, talk, workflow, record, target.to, deadline);
  if ("answer" in current) return current.answer;
  const wish = wishOf(deps, talk, args, target, heard?.status);
  return await carryOut(deps, talk, current.record, workflow, wish, deadline);
}

interface Target {
  readonly to: string;
  readonly via?: string;
}

type OrAnswer<T> = T | { readonly answer: MoveShape };

/** The status that was named: by id, by words, or by the name of an edge. */
function resolveTarget(
  workflow: Workflow,
  record: ActorRecord,
  args: MoveArguments,
  talk: Conversation,
): OrAnswer<Target> {
  const ticket = ticketFacts(record, workflow);
  if (args.workflow !== undefined && args.workflow !== workflow.graph.id) {
    const openMoves = openFacts(record, workflow, talk);
    const spoken = say.refused(
      ticket,
      `It belongs to another board. ${openMoves.length === 0 ? "" : "Please choose one of its own moves."}`,
    );
    return { answer: { outcome: "refused", code: "no_such_move", ticket, openMoves, spoken } };
  }
  const resolved = onlyOpen(workflow, record, resolveStatus(workflow, args.to));
  if (resolved.kind === "one") return { to: resolved.value.id };
  const edge = edgeNamed(workflow, record, args.to);
  if (edge !== undefined) return edge;
  const openMoves = openFacts(record, workflow, talk);
  if (resolved.kind === "none") {
    return {
      answer: {
        outcome: "refused",
        code: "no_such_move",
        ticket,
        openMoves,
        spoken: say.noStatus(ticket, args.to, openMoves),
      },
    };
  }
  const options = resolved.values.slice(0, 3).map((status) => ({ id: status.id, label: status.name }));
  const spoken = say.whichStatus(
    resolved.values.map((status) => status.name),
    resolved.values.length,
  );
  return {
    answer: { outcome: "question", ticket, question: { about: "status", options }, openMoves, spoken },
  };
}

/** A column, or a common word, that stands for several statuses means the one of them that is open, if only one is. */
function onlyOpen(workflow: Workflow, record: ActorRecord, found: StatusFound): StatusFound {
  if (found.kind !== "many" || found.by === "name") return found;
  const open = openStatuses(workflow, record).map(({ status }) => status.id);
  const [only, ...others] = found.values.filter((status) => open.includes(status.id));
  return only === undefined || others.length > 0 ? found : { kind: "one", value: only, by: "column" };
}

/** `Start work`: the edge itself was named, not where it leads. */
function edgeNamed(workflow: Workflow, record: ActorRecord, words: string): Target | undefined {
  const wanted = plainWords(words);
  const edges = workflow.graph.moves.filter(
    (edge) => edge.from === record.ticket.status || edge.from === "*",
  );
  const byId = edges.find((edge) => edge.id === words.trim());
  const named =
    byId === undefined
      ? edges.filter((edge) => wanted !== "" && plainWords(edge.name ?? "") === wanted)
      : [byId];
  const [only] = named;
  return named.length === 1 && only !== undefined ? { to: only.to, via: only.id } : undefined;
}

/** The status the speaker believes the ticket is in, and an answer when she named one that does not exist. */
async function heardFor(
  talk: Conversation,
  workflow: Workflow,
  record: ActorRecord,
  from: string | undefined,
): Promise<OrAnswer<{ readonly status: string }> | undefined> {
  if (from === undefined) {
    const status = await heardStatus(talk, record.ticket.id);
    return status === undefined ? undefined : { status };
  }
  const resolved = resolveStatus(workflow, from);
  if (resolved.kind === "one") return { status: resolved.value.id };
  if (resolved.kind === "many" && resolved.values.some((status) => status.id === record.ticket.status))
    return undefined;
  const ticket = ticketFacts(record, workflow);
  return { answer: { outcome: "conflict", code: "conflict", ticket, spoken: say.conflict(ticket, from) } };
}

/**
 * A move that our snapshot forbids is refused only after a fresh look at the ticket: it may have been moved a moment
 * ago. Where the graph does not know all edges, the board itself is asked, by trying.
 */
async function confirmClosed(
  deps: MoveDeps,
  talk: Conversation,
  workflow: Workflow,
  record: ActorRecord,
  to: string,
  deadline: number,
): Promise<OrAnswer<{ readonly record: ActorRecord }>> {
  if (decide(workflow, record, to).kind !== "refused" || !knowsAllEdges(workflow)) return { record };
  const job = observeJobFor(talk.tenant.id, record.ticket.connection, record.ticket.id, newId());
  await deps.jobs.ask(job, deadline - deps.now().getTime());
  const now = (await talk.tenant.getActor(record.ticket.id)) ?? record;
  const decision = decide(workflow, now, to);
  if (decision.kind !== "refused") return { record: now };
  const ticket = ticketFacts(now, workflow);
  const openMoves = openFacts(now, workflow, talk);
  const target = workflow.status(to)?.name ?? to;
  const spoken = say.closed(ticket, target, openMoves, decision.why);
  return {
    answer: {
      outcome: "refused",
      code: "no_such_move",
      ticket,
      ...ends(workflow, now.ticket.status, to),
      openMoves,
      spoken,
    },
  };
}

function wishOf(
  deps: MoveDeps,
  talk: Conversation,
  args: MoveArguments,
  target: Target,
  heard: string | undefined,
): Wish {
  return {
    moveId: args.moveId ?? newId(),
    ...target,
    by: talk.speaker,
    ...(args.fields === undefined ? {} : { fields: args.fields }),
    ...(args.comment === undefined ? {} : { comment: args.comment }),
    ...(heard === undefined ? {} : { heardStatus: heard }),
    at: deps.now(),
  };
}

function newId(): string {
  return randomBytes(12).toString("hex");
}

async function carryOut(
  deps: MoveDeps,
  talk: Conversation,
  record: ActorRecord,
  workflow: Workflow,
  wish: Wish,
  deadline: number,
): Promise<MoveShape> {
  const intent = await intend(talk.tenant, record.ticket.id, wish);
  if (intent.kind === "ended") {
    const { settled } = intent;
    return settledAnswer(intent.record, await deps.views.fresh(talk.tenant), settled, settled.to, talk);
  }
  const { pending } = intent;
  if (intent.kind === "busy") {
    const ticket = ticketFacts(intent.record, workflow);
    const spoken = say.busy(ticket, workflow.status(pending.to)?.name ?? pending.to);
    return { outcome: "conflict", code: "busy", ticket, moveId: pending.moveId, spoken };
  }
  return await awaitMove(deps, talk, intent.record, workflow, pending, deadline);
}

/** Waits for the move's job within the budget, then for the hooks it brought. */
async function awaitMove(
  deps: MoveDeps,
  talk: Conversation,
  record: ActorRecord,
  workflow: Workflow,
  pending: PendingMove,
  deadline: number,
): Promise<MoveShape> {
  const left = () => Math.max(0, deadline - deps.now().getTime());
  const reply = await deps.jobs.ask(moveJobFor(talk.tenant.id, record, pending.moveId), left());
  if (reply === undefined) return acceptedAnswer(record, workflow, pending);
  if (!reply.ok) throw new BoardwalkError(reply.code, reply.message);
  const { settled, record: after } = moveReply.parse(reply.result);
  if (settled === undefined) return acceptedAnswer(record, workflow, pending);
  const paid = settled.outcome === "confirmed" ? await awaitHooks(deps, talk, after, left) : after;
  return settledAnswer(paid, await deps.views.fresh(talk.tenant), settled, pending.to, talk);
}

async function awaitHooks(
  deps: MoveDeps,
  talk: Conversation,
  record: ActorRecord,
  left: () => number,
): Promise<ActorRecord> {
  let latest = record;
  for (const owed of record.hooks.filter((hook) => hook.state === "owed" && hook.entry === record.entry)) {
    const reply = await deps.jobs.ask(hookJobFor(talk.tenant.id, record, owed), left());
    if (reply?.ok) latest = hookReply.parse(reply.result).record;
  }
  return latest;
}

/** The answer to a reference that fits several tickets, or none. */
export function whichTicket(
  view: TenantView,
  resolved: Exclude<Resolved<ActorRecord>, { kind: "one" }>,
): MoveShape {
  const { question, spoken } = askWhich(view, resolved);
  if (question === undefined) return { outcome: "refused", code: "not_found_or_hidden", spoken };
  return { outcome: "question", question, spoken };
}
