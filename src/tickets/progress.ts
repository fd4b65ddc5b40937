import type { ActorRecord, PendingMove, SettledMove } from "../store/store.js";
import { acceptedAnswer, settledAnswer } from "./answers.js";
import type { MoveDeps } from "./asking.js";
import { endingOf } from "./endings.js";
import { hookFacts, ticketFacts } from "./facts.js";
import { talkedOf } from "./heard.js";
import { moveTicket, whichTicket } from "./moves.js";
import { repeatOfUndo } from "./repeat.js";
import { resolveTicket } from "./resolve.js";
import { speechFor } from "./settings.js";
import type { MoveShape } from "./shapes.js";
import type { Conversation } from "./tickets.js";
import type { TenantView } from "./view.js";

/** What became of a move, and taking one back. */

/** How the move under way, or the last one, went. */
export async function checkProgress(
  deps: MoveDeps,
  talk: Conversation,
  args: { readonly ticket?: string; readonly moveId?: string },
): Promise<MoveShape> {
  const view = await deps.views.fresh(talk.tenant);
  const record =
    args.ticket === undefined
      ? lastAskedBy(view, talk.speaker.person, args.moveId)
      : resolveTicket(view, args.ticket, await talkedOf(talk, args.ticket));
  if (record.kind !== "one") {
    const say = speechFor(talk, view.speech);
    if (args.ticket === undefined)
      return { outcome: "refused", code: "not_found_or_hidden", spoken: say.nothingPending() };
    return whichTicket(view, record, say);
  }
  return await progressOf(view, record.value, talk, args.moveId);
}

async function progressOf(
  view: TenantView,
  record: ActorRecord,
  talk: Conversation,
  moveId: string | undefined,
): Promise<MoveShape> {
  const workflow = view.workflowOf(record);
  const say = speechFor(talk, view.speech);
  const { pending, lastMove } = record;
  if (
    pending !== undefined &&
    workflow !== undefined &&
    (moveId === undefined || moveId === pending.moveId)
  ) {
    return acceptedAnswer(record, workflow, pending, say);
  }
  // Asked by its id, a move is told of also when the ticket has been moved again since.
  const ended = moveId === undefined ? lastMove : await endingOf(talk.tenant, record, moveId);
  if (ended !== undefined) return settledAnswer(record, view, ended, ended.to, talk);
  const ticket = ticketFacts(record, workflow);
  return { outcome: "refused", code: "not_found_or_hidden", ticket, spoken: say.nothingPending(ticket) };
}

type Found =
  | { readonly kind: "one"; readonly value: ActorRecord; readonly heard?: true }
  | { readonly kind: "none"; readonly near: [] };

/** The ticket with the latest of the moves that `movesOf` picks from a record. */
function latestMoved(
  view: TenantView,
  movesOf: (record: ActorRecord) => readonly (PendingMove | SettledMove | undefined)[],
): Found {
  let latest: { record: ActorRecord; at: string } | undefined;
  for (const record of view.actors.values()) {
    for (const move of movesOf(record)) {
      if (move === undefined) continue;
      const at = "since" in move ? move.since : move.at;
      if (latest === undefined || at > latest.at) latest = { record, at };
    }
  }
  return latest === undefined ? { kind: "none", near: [] } : { kind: "one", value: latest.record };
}

/** The ticket whose move this person asked for last. */
function lastAskedBy(view: TenantView, person: string, moveId: string | undefined): Found {
  return latestMoved(view, ({ pending, lastMove }) =>
    [pending, lastMove].filter(
      (move) => move?.by.person === person && (moveId === undefined || move.moveId === moveId),
    ),
  );
}

/** Reverses this person's last confirmed move, if the board still allows it and nobody acted since. */
export async function undo(
  deps: MoveDeps,
  talk: Conversation,
  args: { readonly ticket?: string; readonly token?: string },
): Promise<MoveShape> {
  const view = await deps.views.fresh(talk.tenant);
  const resolved =
    args.ticket === undefined
      ? latestMoved(view, ({ lastConfirmed }) =>
          [lastConfirmed].filter((move) => move?.by.person === talk.speaker.person),
        )
      : resolveTicket(view, args.ticket, await talkedOf(talk, args.ticket));
  const say = speechFor(talk, view.speech);
  if (resolved.kind !== "one") {
    if (args.ticket === undefined)
      return { outcome: "refused", code: "not_found_or_hidden", spoken: say.nothingToUndo() };
    return whichTicket(view, resolved, say);
  }
  const record = resolved.value;
  const repeated = repeatOfUndo(talk, record, deps.now());
  if (repeated !== undefined) return settledAnswer(record, view, repeated, repeated.to, talk);
  const ticket = ticketFacts(record, view.workflowOf(record));
  const last = record.lastConfirmed;
  if (last?.by.person !== talk.speaker.person) {
    return { outcome: "refused", code: "no_such_move", ticket, spoken: say.nothingToUndo(ticket) };
  }
  if (last.entry !== record.entry || last.to !== record.ticket.status) {
    return { outcome: "conflict", code: "conflict", ticket, spoken: say.undoTooLate(ticket) };
  }
  const answer = await moveTicket(
    deps,
    talk,
    view,
    { record, heard: resolved.heard === true },
    { to: last.from, from: last.to, ...(args.token === undefined ? {} : { token: args.token }) },
  );
  const left = hookFacts(record, last.entry).filter((hook) => hook.state === "done");
  return answer.outcome === "confirmed" && left.length > 0
    ? { ...answer, spoken: say.join(answer.spoken, say.notUndone(left)) }
    : answer;
}
