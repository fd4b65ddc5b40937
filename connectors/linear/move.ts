import type { Move, MoveInput } from "../../src/board/connector.js";
import { BoardwalkError } from "../../src/errors.js";
import { textOf } from "../../src/parse.js";
import type { LinearApi } from "./api.js";
import { COMMENT, ISSUE, MOVE } from "./documents.js";
import { uuid } from "./keys.js";
import { isArchived, PRIORITY } from "./map.js";

/** The write of a move: one update, sent once, and a comment apart, for Linear's has none with it. */

/**
 * Resolves when Linear took the update, with what went wrong beside it, as a sentence. Where the issue is then, only
 * a read tells: a rule of the team may have taken it further.
 * @throws BoardwalkError `invalid`, `needs_fields`, `stale_workflow`, `archived`; `timeout` or `unavailable` when
 * nobody can tell yet.
 */
export async function makeMove(
  api: LinearApi,
  issueId: string,
  move: Move,
  input: MoveInput,
  signal: AbortSignal,
): Promise<string | undefined> {
  const stateId = uuid(move.to, "status");
  if (move.id !== stateId) throw new BoardwalkError("invalid", "That is not a move of this Linear team.");
  const variables = { id: issueId, input: { stateId, ...valuesFrom(move, input.fields ?? {}) } };
  const { issueUpdate } = await api.run(MOVE, variables, signal).catch(async (thrown) => {
    throw await explained(api, issueId, BoardwalkError.from(thrown), signal);
  });
  if (!issueUpdate.success)
    throw new BoardwalkError("unavailable", "Linear did not make the move and did not say why.");
  const comment = input.comment?.trim() ?? "";
  if (comment === "") return undefined;
  // A success that shows it elsewhere: the comment was about a move that did not happen.
  if (issueUpdate.issue?.state.id !== stateId)
    return "The comment was not added, because the ticket did not go where it was sent.";
  return addComment(api, issueId, comment, signal);
}

/** Values of the fields Linear takes with a move. @throws BoardwalkError `needs_fields`, `invalid`. */
function valuesFrom(move: Move, fields: Readonly<Record<string, unknown>>): { readonly priority?: number } {
  const unasked = Object.keys(fields).find((id) => id !== PRIORITY.id);
  if (unasked !== undefined)
    throw new BoardwalkError("invalid", "Linear takes no field but the priority with a move.");
  const given = fields[PRIORITY.id];
  if (given === undefined) {
    const missing = move.fields.filter(({ required }) => required).map(({ id, name }) => ({ id, name }));
    if (missing.length === 0) return {};
    throw new BoardwalkError(
      "needs_fields",
      "This team wants a priority before an issue leaves triage. Please say one: urgent, high, medium or low.",
      { data: { fields: missing } },
    );
  }
  const said = textOf(given).trim().toLowerCase();
  const choice = PRIORITY.allowed?.find(({ id, label }) => id === said || label.toLowerCase() === said);
  if (choice === undefined)
    throw new BoardwalkError("invalid", "Linear's priorities are urgent, high, medium and low.");
  return { priority: Number(choice.id) };
}

/** An archived issue can be read but, to a write, is "not found". */
async function explained(
  api: LinearApi,
  issueId: string,
  error: BoardwalkError,
  signal: AbortSignal,
): Promise<BoardwalkError> {
  if (error.code !== "not_found_or_hidden") return error;
  try {
    const { issue } = await api.run(ISSUE, { id: issueId }, signal);
    if (!isArchived(issue)) return error;
  } catch {
    return error;
  }
  return new BoardwalkError("archived", "That ticket is archived in Linear, so it cannot be changed there.");
}

/** The move has happened by now, so a comment that fails is told, not thrown. */
async function addComment(api: LinearApi, issueId: string, body: string, signal: AbortSignal) {
  try {
    const { commentCreate } = await api.run(COMMENT, { input: { issueId, body } }, signal);
    return commentCreate.success ? undefined : "The comment could not be added.";
  } catch (thrown) {
    return `The comment could not be added. ${BoardwalkError.from(thrown).message}`;
  }
}
