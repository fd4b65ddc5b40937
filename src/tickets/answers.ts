import type { ActorRecord, PendingMove, SettledMove } from "../store/store.js";
import { fieldFacts, hookFacts, liveOpenFacts, openFacts, ticketFacts } from "./facts.js";
import { speechFor } from "./settings.js";
import type { FieldShape, MoveShape, OpenMoveShape, TicketShape } from "./shapes.js";
import type { Speech } from "./speech.js";
import type { Conversation } from "./tickets.js";
import type { TenantView } from "./view.js";
import type { Workflow } from "./workflow.js";

/** A move's standing as an answer: facts and the sentence, made from the record alone. */

export function acceptedAnswer(
  record: ActorRecord,
  workflow: Workflow,
  pending: PendingMove,
  say: Speech,
): MoveShape {
  const ticket = ticketFacts(record, workflow);
  const spoken = say.accepted({ ticket, to: workflow.status(pending.to)?.name ?? pending.to });
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
  const say = speechFor(talk, view.speech);
  const move = { ticket, to: nameOf(wanted) };
  if (settled.outcome === "confirmed") return confirmedAnswer(record, settled, base, workflow, move, say);
  if (settled.outcome === "conflict") {
    const spoken = say.conflict(ticket, move.to);
    return { ...base, ...code, openMoves: openFacts(record, workflow, talk), spoken };
  }
  if (settled.outcome === "unknown") return { ...base, ...code, spoken: say.unknown(move) };
  if (settled.outcome === "question") return { ...base, ...code, ...questionOf(settled, move, say) };
  const live = settled.data?.openTo;
  const openMoves = Array.isArray(live)
    ? liveOpenFacts(live.map(String), workflow, talk)
    : openFacts(record, workflow, talk);
  const spoken =
    settled.message === undefined && settled.code === "no_such_move"
      ? say.closed(move, openMoves)
      : say.refused(ticket, settled.message, settled.code);
  return { ...base, ...code, openMoves, spoken };
}

interface SaidMove {
  readonly ticket: TicketShape;
  /** The name of the status that was asked for. */
  readonly to: string;
}

function confirmedAnswer(
  record: ActorRecord,
  settled: SettledMove,
  base: Omit<MoveShape, "spoken">,
  workflow: Workflow | undefined,
  wanted: SaidMove,
  say: Speech,
): MoveShape {
  const hooks = hookFacts(record, settled.entry);
  const extras = {
    ...(settled.already ? { already: true } : {}),
    ...(settled.movedOn ? { movedOn: true } : {}),
    ...(hooks.length === 0 ? {} : { hooks }),
  };
  const reached = workflow?.status(settled.to);
  const move = { ticket: wanted.ticket, to: reached?.name ?? settled.to };
  if (settled.already) return { ...base, ...extras, spoken: say.already(move, hooks) };
  const spoken = settled.movedOn ? say.movedOn(move, wanted.to, hooks) : say.moved(move, hooks);
  const unseen = reached?.offBoard ? say.offBoard(move.to) : "";
  // What went wrong beside a move that was made, such as its comment.
  const beside = settled.message === undefined ? "" : say.beside(settled.message);
  return { ...base, ...extras, spoken: say.join(spoken, unseen, beside) };
}

/** What must be known before the move can be made: a field's value, or which of several edges. */
function questionOf(
  settled: SettledMove,
  move: SaidMove,
  say: Speech,
): Pick<MoveShape, "question" | "openMoves" | "spoken"> {
  const moves = (settled.data?.moves ?? []) as { id: string; label: string }[];
  if (moves.length > 0) {
    const names = moves.map((option) => option.label);
    return { question: { about: "status", options: moves }, spoken: say.whichMove(move, names) };
  }
  const fields = (settled.data?.fields ?? []) as FieldShape[];
  const [first] = fields;
  if (first === undefined) {
    const spoken = say.refused(move.ticket, settled.message, settled.code);
    return { question: { about: "field", options: [] }, spoken };
  }
  const options = (first.allowed ?? []).map((option) => ({ id: option.id, label: option.label }));
  const open: OpenMoveShape = {
    status: { id: settled.to, name: move.to },
    fields: fields.map((field) => fieldFacts(field as Parameters<typeof fieldFacts>[0])),
  };
  return { question: { about: "field", options }, openMoves: [open], spoken: say.needsField(move, first) };
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
