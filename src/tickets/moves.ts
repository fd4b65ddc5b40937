import { randomUUID } from "node:crypto";
import { BoardwalkError } from "../errors.js";
import { jobResult } from "../hooks/hooks.js";
import type { ActorRecord, PendingMove } from "../store/store.js";
import { intend, type Wish } from "./actor.js";
import { acceptedAnswer, ends, settledAnswer } from "./answers.js";
import {
  agreedTo,
  type Course,
  confirmFirst,
  isDone,
  type MoveDeps,
  wantsYes,
  withAgreed,
  withToken,
} from "./asking.js";
import { decide, knowsAllEdges, pathTo } from "./decide.js";
import { endingOf } from "./endings.js";
import { openFacts, ticketFacts } from "./facts.js";
import { talkedOf } from "./heard.js";
import { hookJobFor, moveJobFor, observeJobFor } from "./jobs.js";
import { moveReply } from "./perform.js";
import { hookReply } from "./perform-hook.js";
import { askWhich } from "./reads.js";
import { repeatOf } from "./repeat.js";
import { type Resolved, resolveTicket } from "./resolve.js";
import { speechFor } from "./settings.js";
import type { MoveShape } from "./shapes.js";
import type { Speech } from "./speech.js";
import { heardFor, type OrAnswer, type Target } from "./target.js";
import type { Conversation, MoveArguments } from "./tickets.js";
import { findTarget } from "./unheard.js";
import type { TenantView } from "./view.js";

/** A move from words to a spoken answer: resolve, decide, intend, ask, and say what became true. */

/** One move, from what was said to what can be said of it. */
export async function move(deps: MoveDeps, talk: Conversation, args: MoveArguments): Promise<MoveShape> {
  const view = await deps.views.told(talk.tenant);
  const resolved = resolveTicket(view, args.ticket, await talkedOf(talk, args.ticket));
  if (resolved.kind !== "one") return whichTicket(view, resolved, speechFor(talk, view.speech));
  return await moveTicket(deps, talk, view, { record: resolved.value, heard: resolved.heard === true }, args);
}

/** The move of a ticket that is known. `heard`: it was known only by its sound. */
export async function moveTicket(
  deps: MoveDeps,
  talk: Conversation,
  known: TenantView,
  { record, heard }: { readonly record: ActorRecord; readonly heard: boolean },
  args: Omit<MoveArguments, "ticket">,
): Promise<MoveShape> {
  const ended = args.moveId === undefined ? undefined : await endingOf(talk.tenant, record, args.moveId);
  if (ended !== undefined) return settledAnswer(record, known, ended, ended.to, talk);
  const deadline = deps.now().getTime() + talk.budgetMs;
  const say = speechFor(talk, known.speech);
  const { view, workflow, target } = await findTarget(deps, talk, known, record, args, say);
  if ("answer" in target) return target.answer;
  const repeated = repeatOf(talk, record, target.to, deps.now());
  if (repeated !== undefined) return settledAnswer(record, view, repeated, target.to, talk);
  const course: Course = { deps, talk, view, say, workflow, deadline };
  return await moveTo(course, record, { ...target, ...(heard ? { heard } : {}) }, args);
}

/** Asks what has to be asked before the move, then makes it. */
async function moveTo(
  course: Course,
  record: ActorRecord,
  target: Target,
  args: Omit<MoveArguments, "ticket">,
): Promise<MoveShape> {
  const { deps, talk, say, workflow } = course;
  const agreed = await agreedTo(course, record, target.to, args.token);
  if (agreed === "not") {
    const ticket = ticketFacts(record, workflow);
    return { outcome: "refused", code: "conflict", ticket, spoken: say.notConfirmed() };
  }
  const from = args.from ?? agreed?.from;
  const heard = await heardFor(talk, workflow, record, from, say);
  if (heard !== undefined && "answer" in heard) return heard.answer;
  const current = await confirmClosed(course, record, target.to);
  if ("answer" in current) return current.answer;
  const asks = agreed === undefined && wantsYes(course, target);
  // Where we think that it is there already nothing is asked, so nothing may be written if we are wrong.
  const stands = asks ? target.to : heard?.status;
  const wish = wishOf(deps, talk, withAgreed(args, agreed), { via: agreed?.via, ...target }, stands);
  if (asks && !isDone(current.record, target.to))
    return await confirmFirst(course, current.record, wish, target.heard === true);
  const answer = await carryOut(course, current.record, wish);
  return await withToken(course, answer, current.record, wish);
}

/**
 * A move that our snapshot forbids is refused only after a fresh look at the ticket: it may have been moved a moment
 * ago. Where the graph does not know all edges, the board itself is asked, by trying.
 */
async function confirmClosed(
  { deps, talk, workflow, deadline, say }: Course,
  record: ActorRecord,
  to: string,
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
  const path = pathTo(workflow, now, to)?.map(({ name }) => name);
  const spoken = say.closed({ ticket, to: target }, openMoves, { why: decision.why, path });
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
  args: Omit<MoveArguments, "ticket">,
  { to, via }: { readonly to: string; readonly via?: string | undefined },
  heard: string | undefined,
): Wish {
  return {
    moveId: args.moveId ?? newId(),
    to,
    ...(via === undefined ? {} : { via }),
    by: talk.speaker,
    ...(args.fields === undefined ? {} : { fields: args.fields }),
    ...(args.comment === undefined ? {} : { comment: args.comment }),
    ...(heard === undefined ? {} : { heardStatus: heard }),
    at: deps.now(),
  };
}

function newId(): string {
  // Made of random bytes that are fetched many at a time.
  return randomUUID().replaceAll("-", "");
}

async function carryOut(course: Course, record: ActorRecord, wish: Wish): Promise<MoveShape> {
  const { deps, talk, view, workflow, say } = course;
  const intent = await intend(talk.tenant, record.ticket.id, wish, record);
  deps.recent?.keep(talk.tenant, intent.record, view);
  if (intent.kind === "ended") {
    const { settled } = intent;
    return settledAnswer(intent.record, await deps.views.fresh(talk.tenant), settled, settled.to, talk);
  }
  const { pending } = intent;
  if (intent.kind === "busy") {
    const ticket = ticketFacts(intent.record, workflow);
    const spoken = say.busy({ ticket, to: workflow.status(pending.to)?.name ?? pending.to });
    return { outcome: "conflict", code: "busy", ticket, moveId: pending.moveId, spoken };
  }
  return await awaitMove(course, intent.record, pending, intent.kind === "intended");
}

/** Waits for the move's job within the budget, then for the hooks it brought. */
async function awaitMove(
  { deps, talk, view, workflow, say, deadline }: Course,
  record: ActorRecord,
  pending: PendingMove,
  isNew: boolean,
): Promise<MoveShape> {
  const left = () => Math.max(0, deadline - deps.now().getTime());
  const job = { ...moveJobFor(talk.tenant.id, record, pending.moveId), isNew };
  const reply = await deps.jobs.ask(job, left());
  if (reply === undefined) return acceptedAnswer(record, workflow, pending, say);
  if (!reply.ok) throw new BoardwalkError(reply.code, reply.message);
  const { settled, record: after } = jobResult(moveReply, reply.result);
  if (settled === undefined) return acceptedAnswer(record, workflow, pending, say);
  const paid = settled.outcome === "confirmed" ? await awaitHooks(deps, talk, after, left) : after;
  // Unless it led to what this view knows nothing of, there is nothing newer to say it with.
  const known = settled.outcome === "confirmed" && view.workflowOf(paid)?.status(settled.to) !== undefined;
  const told = known ? view : await deps.views.fresh(talk.tenant);
  return settledAnswer(paid, told, settled, pending.to, talk);
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
    if (reply?.ok) latest = jobResult(hookReply, reply.result).record;
  }
  return latest;
}

/** The answer to a reference that fits several tickets, or none. */
export function whichTicket(
  view: TenantView,
  resolved: Exclude<Resolved<ActorRecord>, { kind: "one" }>,
  say: Speech,
): MoveShape {
  const { question, spoken } = askWhich(view, resolved, say);
  if (question === undefined) return { outcome: "refused", code: "not_found_or_hidden", spoken };
  return { outcome: "question", question, spoken };
}
