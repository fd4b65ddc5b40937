import type { Move, MoveInput, Ticket } from "../../src/board/connector.js";
import { BoardwalkError } from "../../src/errors.js";
import { adfFromText } from "./adf.js";
import { archived, isAboutArchive, type Refusal } from "./answers.js";
import type { JiraApi } from "./api.js";
import { transitionInput } from "./values.js";

/** The write of a move: one transition, sent once, and a comment apart where the transition's screen has none. */

/**
 * Resolves when Jira accepted the transition, with what went wrong beside it, as a sentence.
 * @throws BoardwalkError `no_such_move`, `needs_fields`, `archived`; `timeout` or `unavailable` when nobody can tell yet.
 */
export async function makeMove(
  api: JiraApi,
  issueId: string,
  move: Move,
  input: MoveInput,
  signal: AbortSignal,
): Promise<string | undefined> {
  const body = transitionInput(move, input);
  let unclear: Refusal | undefined;
  const explain = (refusal: Refusal) => {
    const error = explainRefusal(refusal, move, body.fields);
    if (error === undefined && refusal.status === 400) unclear = refusal;
    return error;
  };
  try {
    await api.transition(issueId, move.id, body, { signal, explain });
  } catch (thrown) {
    if (unclear === undefined) throw thrown;
    throw await explainByReading(api, issueId, move, unclear, signal);
  }
  const comment = input.comment?.trim() ?? "";
  if (comment === "" || "comment" in body.update) return undefined;
  return addComment(api, issueId, comment, signal);
}

/** The move has happened by now, so a comment that fails is told, not thrown. */
async function addComment(api: JiraApi, issueId: string, comment: string, signal: AbortSignal) {
  try {
    await api.comment(issueId, adfFromText(comment), signal);
    return undefined;
  } catch (thrown) {
    return `The comment could not be added. ${BoardwalkError.from(thrown).message}`;
  }
}

function explainRefusal(
  refusal: Refusal,
  move: Move,
  sent: Readonly<Record<string, unknown>>,
): BoardwalkError | undefined {
  if (refusal.status >= 400 && refusal.status < 500 && isAboutArchive(refusal)) return archived();
  if (refusal.status === 413) {
    return new BoardwalkError("invalid", "That is more text than Jira accepts. Please say it shorter.");
  }
  if (refusal.status !== 400 && refusal.status !== 422) return undefined;
  if (isNoSuchMove(refusal)) return noSuchMove(move);
  const names = new Map(move.fields.map((field) => [field.id, field.name]));
  const fields = Object.entries(refusal.fields).map(([id, message]) => {
    const name = names.get(id);
    return { id, ...(name === undefined ? {} : { name }), message };
  });
  if (fields.length === 0) return undefined;
  const unasked = fields.find((field) => field.id in sent && !names.has(field.id));
  if (unasked !== undefined)
    return new BoardwalkError("invalid", `Jira did not take a field: ${unasked.message}`);
  return needsFields(fields, refusal);
}

function isNoSuchMove(refusal: Refusal): boolean {
  return refusal.messages.some(
    (text) => /transition id .* is not valid/i.test(text) || /not valid for the current state/i.test(text),
  );
}

/** Refusals are in the account's language: where the words say nothing to us, the open moves tell. */
async function explainByReading(
  api: JiraApi,
  issueId: string,
  move: Move,
  refusal: Refusal,
  signal: AbortSignal,
): Promise<BoardwalkError> {
  try {
    const { transitions } = await api.transitions(issueId, signal);
    if (!transitions.some((transition) => transition.id === move.id)) return noSuchMove(move);
  } catch (thrown) {
    return BoardwalkError.from(thrown);
  }
  return needsFields([], refusal);
}

function noSuchMove(move: Move): BoardwalkError {
  const name = move.name === undefined ? "that move" : `"${move.name.trim()}"`;
  return new BoardwalkError(
    "no_such_move",
    `Jira does not offer ${name} for this ticket now. It may have moved meanwhile. Please look again.`,
  );
}

function needsFields(
  fields: readonly { readonly id: string; readonly name?: string; readonly message: string }[],
  refusal: Refusal,
): BoardwalkError {
  const said = [...fields.map((field) => field.message), ...refusal.messages].join(" ").slice(0, 300);
  const message =
    said === "" ? "Jira wants more for this move than it says. Please make it there." : `Jira said: ${said}`;
  return new BoardwalkError("needs_fields", message, { data: { fields } });
}

/** A ticket with a remark on what went wrong beside its move. */
export function withRemark(ticket: Ticket, remark: string | undefined): Ticket {
  return remark === undefined ? ticket : { ...ticket, remark };
}
