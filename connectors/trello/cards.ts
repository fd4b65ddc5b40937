import { z } from "zod";
import { BoardwalkError } from "../../src/errors.js";
import { type TrelloApi, unlessHidden } from "./api.js";
import { firstIdOfSecond, madeAtSeconds } from "./keys.js";
import {
  actionShape,
  CARD_FIELDS,
  cardShape,
  cardWithListShape,
  type TrelloAction,
  type TrelloCard,
  type TrelloCardWithList,
} from "./shapes.js";

/** Reading cards: one, all of a board, and what happened to them. */

/** The most Trello gives at once. */
const PAGE = 1_000;

export function readCard(api: TrelloApi, id: string, signal: AbortSignal): Promise<TrelloCardWithList> {
  const query = { fields: CARD_FIELDS, list: true };
  return api.read({ path: "/cards/{id}", params: { id }, query, reply: cardWithListShape }, signal);
}

/** Every card of a board, archived ones included, the newest first: one request for each thousand. */
export function boardCards(api: TrelloApi, boardId: string, signal: AbortSignal): AsyncGenerator<TrelloCard> {
  const query = { fields: CARD_FIELDS };
  const call = {
    path: "/boards/{id}/cards/all",
    params: { id: boardId },
    query,
    reply: z.array(cardShape),
  };
  return newestFirst((page) => api.read({ ...call, query: { ...query, ...page } }, signal));
}

/** Every card of a list, wherever the list is now; none where it is hidden. */
export async function listCards(
  api: TrelloApi,
  listId: string,
  signal: AbortSignal,
): Promise<readonly TrelloCard[]> {
  const query = { filter: "all", fields: CARD_FIELDS, limit: PAGE };
  const call = { path: "/lists/{id}/cards", params: { id: listId }, query, reply: z.array(cardShape) };
  return (await unlessHidden(api.read(call, signal))) ?? [];
}

/** What happened since then to lists as a whole, and which cards left: nothing of it shows in the cards' own times. */
export function unshownChanges(
  api: TrelloApi,
  boardId: string,
  since: Date,
  signal: AbortSignal,
): AsyncGenerator<TrelloAction> {
  const filter = "updateList:closed,moveListToBoard,moveListFromBoard,moveCardFromBoard";
  const query = { filter, since: since.toISOString(), member: false, memberCreator: false };
  const call = {
    path: "/boards/{id}/actions",
    params: { id: boardId },
    reply: z.array(actionShape),
  };
  return newestFirst((page) => api.read({ ...call, query: { ...query, ...page } }, signal));
}

interface Page {
  readonly limit: number;
  readonly before?: string;
}

/**
 * A page is told by the age of what is on it, to the second: what else was made in the same second as the last of a
 * page would be missed. So each page begins with that whole second again, and what was there is left out.
 */
export async function* newestFirst<T extends { readonly id: string }>(
  read: (page: Page) => Promise<readonly T[]>,
  limit = PAGE,
): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>();
  let before: number | undefined;
  for (;;) {
    const items = await read({
      limit,
      ...(before === undefined ? {} : { before: firstIdOfSecond(before) }),
    });
    const fresh = items.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    yield* fresh;
    if (items.length < limit) return;
    const next = Math.min(...items.map(({ id }) => madeAtSeconds(id))) + 1;
    if (next === before || fresh.length === 0) throw endless();
    before = next;
  }
}

function endless(): BoardwalkError {
  return new BoardwalkError(
    "unavailable",
    "More than a thousand of this board's cards were made in the same second, and Trello does not list them all. Please archive or copy some of them.",
  );
}
