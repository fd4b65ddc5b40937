import { z } from "zod";
import type { Move, MoveInput } from "../../src/board/connector.js";
import { BoardwalkError } from "../../src/errors.js";
import { staleWorkflow } from "./answers.js";
import { type TrelloApi, unlessHidden } from "./api.js";
import type { BoardKeeper } from "./board.js";
import { readCard } from "./cards.js";
import { trelloId } from "./keys.js";
import { cardShape, listShape, type TrelloCardWithList, type TrelloList } from "./shapes.js";

/** The write of a move: one update, sent once, and a comment apart, for Trello's has none with it. */

export interface MoveParts {
  readonly api: TrelloApi;
  readonly board: BoardKeeper;
}

/**
 * Resolves when Trello took the update, with what went wrong beside it, as a sentence. Where the card is then, only a
 * read tells: a rule of the board may have taken it further.
 * @throws BoardwalkError `invalid`, `stale_workflow`, `no_such_move`, `archived`; `timeout` or `unavailable` when
 * nobody can tell yet.
 */
export async function makeMove(
  { api, board }: MoveParts,
  cardId: string,
  move: Move,
  input: MoveInput,
  signal: AbortSignal,
): Promise<string | undefined> {
  const idList = trelloId(move.to, "list");
  if (move.id !== idList) throw new BoardwalkError("invalid", "That is not a move of this Trello board.");
  if (Object.keys(input.fields ?? {}).length > 0)
    throw new BoardwalkError("invalid", "Trello takes no fields with a move.");
  const [card, list, boardId] = await Promise.all([
    readCard(api, cardId, signal),
    unlessHidden(readList(api, idList, signal)),
    board.id(signal),
  ]);
  try {
    checkMove(card, list, boardId);
    if (card.idList !== idList) await updateCard(api, cardId, idList, signal);
    return await addComment(api, cardId, input, signal);
  } catch (thrown) {
    if (BoardwalkError.from(thrown).code === "stale_workflow") board.forgetLists();
    throw thrown;
  }
}

function readList(api: TrelloApi, id: string, signal: AbortSignal): Promise<TrelloList> {
  const query = { fields: Object.keys(listShape.shape).join(",") };
  return api.read({ path: "/lists/{id}", params: { id }, query, reply: listShape }, signal);
}

/** Trello itself would take a card to an archived list, and answers a list of another board with a riddle. */
function checkMove(card: TrelloCardWithList, list: TrelloList | undefined, boardId: string): void {
  if (card.idBoard !== boardId) {
    throw new BoardwalkError(
      "no_such_move",
      "That card is on another Trello board now, so it cannot be moved on this one.",
    );
  }
  if (card.closed || card.list.closed) {
    const what = card.closed ? "That card" : "That card's list";
    throw new BoardwalkError("archived", `${what} is archived in Trello, so the card cannot be moved there.`);
  }
  if (list === undefined || list.closed || list.idBoard !== card.idBoard) throw staleWorkflow();
}

/** To the bottom, as a card that joins a queue. Without `idBoard`: a move of ours never leaves the board. */
function updateCard(api: TrelloApi, id: string, idList: string, signal: AbortSignal) {
  const call = { path: "/cards/{id}", params: { id }, query: { idList, pos: "bottom" }, reply: cardShape };
  return api.write("PUT", call, signal);
}

/** The move has happened by now, so a comment that fails is told, not thrown. */
async function addComment(
  api: TrelloApi,
  id: string,
  input: MoveInput,
  signal: AbortSignal,
): Promise<string | undefined> {
  const text = input.comment?.trim() ?? "";
  if (text === "") return undefined;
  const reply = z.object({ id: z.string() });
  try {
    const call = { path: "/cards/{id}/actions/comments", params: { id }, query: { text }, reply };
    await api.write("POST", call, signal);
    return undefined;
  } catch (thrown) {
    return `The comment could not be added. ${BoardwalkError.from(thrown).message}`;
  }
}
