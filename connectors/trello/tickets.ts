import type { Connector, Ticket } from "../../src/board/connector.js";
import { rereading } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";
import { transportError } from "./answers.js";
import { type TrelloApi, unlessHidden } from "./api.js";
import type { BoardKeeper } from "./board.js";
import { boardCards, listCards, readCard, unshownChanges } from "./cards.js";
import { cardIdOf } from "./keys.js";
import { isTicket, mapMoves, mapTicket } from "./map.js";
import { makeMove } from "./move.js";
import type { TrelloCard, TrelloList } from "./shapes.js";

export interface TicketParts {
  readonly api: TrelloApi;
  readonly site: string;
  readonly board: BoardKeeper;
}

type TicketCalls = Required<
  Pick<Connector, "pullTickets" | "readTicket" | "openMoves" | "readWithMoves" | "move">
>;

/** Tickets and their moves. */
export function createTicketCalls(parts: TicketParts): TicketCalls {
  const { api, site, board } = parts;

  async function readTicket(id: string, signal: AbortSignal): Promise<Ticket | undefined> {
    const card = await unlessHidden(readCard(api, cardIdOf(site, id), signal));
    return card && isTicket(card) ? mapTicket(card, card.list.closed, site) : undefined;
  }

  async function readWithMoves(id: string, signal: AbortSignal) {
    const ticket = await readTicket(id, signal);
    if (ticket === undefined) return undefined;
    const boardId = await board.id(signal);
    // A card that went to another board is another connection's to move.
    if (ticket.ref?.board !== boardId) return { ticket, moves: [] };
    return { ticket, moves: mapMoves(ticket, await listsWith(board, boardId, ticket.status, signal)) };
  }

  return {
    pullTickets: (since, signal) => pullTickets(parts, since, signal),
    readTicket,
    readWithMoves,
    async openMoves(ticket, signal) {
      const read = await readWithMoves(ticket.id, signal);
      if (read === undefined) throw hidden();
      return read.moves;
    },
    async move(ticket, move, input, signal) {
      const cardId = cardIdOf(site, ticket.id);
      const remark = await makeMove({ api, board }, cardId, move, input, signal);
      const card = await rereading("Trello", () => readCard(api, cardId, signal));
      return {
        ...mapTicket(card, card.list.closed, site),
        ...(remark === undefined ? {} : { remark }),
      };
    },
  };
}

/** A card in a list we do not know: the lists are older than the card's place. */
async function listsWith(
  board: BoardKeeper,
  boardId: string,
  listId: string,
  signal: AbortSignal,
): Promise<readonly TrelloList[]> {
  const lists = await board.lists(boardId, signal);
  return lists.some((list) => list.id === listId) ? lists : board.freshLists(boardId, signal);
}

/**
 * Trello lists cards by age, not by change, so all are read and those that did not change are left out. Beside the
 * cards' own times counts what no card tells of itself: that its list was archived, brought back or came here, or that it left.
 */
async function* pullTickets(
  parts: TicketParts,
  since: Date | undefined,
  signal: AbortSignal,
): AsyncGenerator<Ticket, void, undefined> {
  const { api, site, board } = parts;
  const boardId = await board.id(signal);
  const unshown = since === undefined ? NOTHING : await readUnshown(parts, boardId, since, signal);
  const cards = boardCards(api, boardId, signal);
  const [lists, first] = await Promise.all([board.freshLists(boardId, signal), cards.next()]);
  const closed = new Set(lists.filter((list) => list.closed).map((list) => list.id));
  for (let next = first; !next.done; next = await cards.next()) {
    const card = next.value;
    if (!isTicket(card)) continue;
    const ticket = mapTicket(card, closed.has(card.idList), site);
    const changed = since === undefined || ticket.updatedAt >= since.toISOString();
    if (!changed && !unshown.lists.has(card.idList)) continue;
    if (signal.aborted) throw transportError(signal.reason, "GET /boards/{id}/cards/all", signal);
    yield ticket;
  }
  yield* departed(parts, boardId, unshown, signal);
}

interface Unshown {
  /** Archived, brought back, or come from another board. */
  readonly lists: ReadonlySet<string>;
  readonly movedLists: ReadonlySet<string>;
  readonly cards: ReadonlySet<string>;
}

const NOTHING: Unshown = { lists: new Set(), movedLists: new Set(), cards: new Set() };

async function readUnshown(
  { api }: TicketParts,
  boardId: string,
  since: Date,
  signal: AbortSignal,
): Promise<Unshown> {
  const found = { lists: new Set<string>(), movedLists: new Set<string>(), cards: new Set<string>() };
  for await (const { type, data } of unshownChanges(api, boardId, since, signal)) {
    if (type === "moveCardFromBoard" && data.card?.id !== undefined) found.cards.add(data.card.id);
    if (type === "moveListFromBoard" && data.list?.id !== undefined) found.movedLists.add(data.list.id);
    if (/^(?:updateList|moveListToBoard)$/.test(type) && data.list?.id !== undefined)
      found.lists.add(data.list.id);
  }
  return found;
}

/** Cards that are on another board now, as far as this account may see them there. */
async function* departed(
  { api, site }: TicketParts,
  boardId: string,
  unshown: Unshown,
  signal: AbortSignal,
): AsyncGenerator<Ticket, void, undefined> {
  const elsewhere = (card: TrelloCard) => isTicket(card) && card.idBoard !== boardId;
  for (const id of unshown.movedLists) {
    for (const card of await listCards(api, id, signal))
      if (elsewhere(card)) yield mapTicket(card, false, site);
  }
  for (const id of unshown.cards) {
    const card = await unlessHidden(readCard(api, id, signal));
    if (card !== undefined && elsewhere(card)) yield mapTicket(card, card.list.closed, site);
  }
}

function hidden(): BoardwalkError {
  return new BoardwalkError(
    "not_found_or_hidden",
    "Trello does not have that card, or does not show it to this account.",
  );
}
