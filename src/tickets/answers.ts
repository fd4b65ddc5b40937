import type { ActorRecord, PendingMove, SettledMove } from "../store/store.js";
import { fieldFacts, hookFacts, liveOpenFacts, openFacts, ticketFacts } from "./facts.js";
import type { FieldShape, MoveShape, OpenMoveShape, TicketShape } from "./shapes.js";
import { say } from "./speech.js";
import type { Conversation } from "./tickets.js";
import type { TenantView } from "./view.js";
import type { Workflow } from "./workflow.js";

/** A move's standing as an answer: facts and the sentence, made from the record alone. */

export function acceptedAnswer(record: ActorRecord, workflow: Workflow, pending: PendingMove): MoveShape {
  const ticket = ticketFacts(record, workflow);
  const spoken = say.accepted(ticket, workflow.status(pending.to)?.name ?? pending.to);
  return {
    outcome: "accepted",
    ticket,
    ...ends(workflow, pending.from, pending.to),
    moveId: pending.moveId,
    spoken,
  };
}

/** What is said of a move that has ended, now or later. `wanted` is the status that was asked for. */
export function settledAnswer(
  record: ActorRecord,
  view: TenantView,
  settled: SettledMove,
  wanted: string,
  talk: Conversation,
): MoveShape {
  const workflow = view.workflowOf(record);
  const ticket = ticketFacts(record, workflow);
  const nameOf = (id: string) => workflow?.status(id)?.name ?? id;
  const base = {
    outcome: settled.outcome,
    ticket,
    ...ends(workflow, settled.from, settled.to),
    moveId: settled.moveId,
  };
  const code = settled.code === undefined ? {} : { code: settled.code };
  if (settled.outcome === "confirmed") return confirmedAnswer(record, settled, base, ticket, nameOf, wanted);
  if (settled.outcome === "conflict")
    return {
      ...base,
      ...code,
      openMoves: openFacts(record, workflow, talk),
      spoken: say.conflict(ticket, nameOf(wanted)),
    };
  if (settled.outcome === "unknown") return { ...base, ...code, spoken: say.unknown(ticket, nameOf(wanted)) };
  if (settled.outcome === "question")
    return { ...base, ...code, ...questionOf(settled, ticket, nameOf(wanted)) };
  const live = settled.data?.openTo;
  const openMoves = Array.isArray(live)
    ? liveOpenFacts(live.map(String), workflow, talk)
    : openFacts(record, workflow, talk);
  const spoken =
    settled.message === undefined
      ? say.closed(ticket, nameOf(wanted), openMoves)
      : say.refused(ticket, settled.message);
  return { ...base, ...code, openMoves, spoken };
}

function confirmedAnswer(
  record: ActorRecord,
  settled: SettledMove,
  base: Omit<MoveShape, "spoken">,
  ticket: TicketShape,
  nameOf: (id: string) => string,
  wanted: string,
): MoveShape {
  const hooks = hookFacts(record, settled.entry);
  const extras = {
    ...(settled.already ? { already: true } : {}),
    ...(settled.movedOn ? { movedOn: true } : {}),
    ...(hooks.length === 0 ? {} : { hooks }),
  };
  const to = nameOf(settled.to);
  if (settled.already) return { ...base, ...extras, spoken: say.already(ticket, to, hooks) };
  const spoken = settled.movedOn
    ? say.movedOn(ticket, nameOf(wanted), to, hooks)
    : say.moved(ticket, to, hooks);
  // What went wrong beside a move that was made, such as its comment.
  const remark = settled.message === undefined ? "" : ` ${settled.message}`;
  return { ...base, ...extras, spoken: `${spoken}${remark}` };
}

/** What must be known before the move can be made: a field's value, or which of several edges. */
function questionOf(
  settled: SettledMove,
  ticket: TicketShape,
  to: string,
): Pick<MoveShape, "question" | "openMoves" | "spoken"> {
  const moves = (settled.data?.moves ?? []) as { id: string; label: string }[];
  if (moves.length > 0) {
    const spoken = say.whichMove(
      ticket,
      to,
      moves.map((option) => option.label),
    );
    return { question: { about: "status", options: moves }, spoken };
  }
  const fields = (settled.data?.fields ?? []) as FieldShape[];
  const [first] = fields;
  if (first === undefined)
    return {
      question: { about: "field", options: [] },
      spoken: say.refused(ticket, settled.message ?? "The board wants more than we know."),
    };
  const options = (first.allowed ?? []).map((option) => ({ id: option.id, label: option.label }));
  const open: OpenMoveShape = {
    status: { id: settled.to, name: to },
    fields: fields.map((field) => fieldFacts(field as Parameters<typeof fieldFacts>[0])),
  };
  return {
    question: { about: "field", options },
    openMoves: [open],
    spoken: say.needsField(ticket, to, first, first.type === "unsupported"),
  };
}

/** The two ends of a move, by id and name. */
export function ends(
  workflow: Workflow | undefined,
  from: string,
  to: string,
): Pick<MoveShape, "from" | "to"> {
  const named = (id: string) => ({ id, name: workflow?.status(id)?.name ?? id });
  return { from: named(from), to: named(to) };
}
