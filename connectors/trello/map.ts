import type { Move, Ticket } from "../../src/board/connector.js";
import { dateIn } from "../../src/board/times.js";
import { inOrder } from "./graph.js";
import { madeAtSeconds, ticketId, workflowId } from "./keys.js";
import type { TrelloCard, TrelloList } from "./shapes.js";

/** Trello's shapes as ours. Pure. */

const ARCHIVED = "It is archived in Trello, so it cannot be moved there.";
const LIST_ARCHIVED = "Its list is archived in Trello, so it cannot be moved there.";

/**
 * A card as a ticket. Its key is `card-12`, by the number Trello shows on it: "card 12" is what people say, and a
 * branch may be called that, which `#12` may not.
 */
export function mapTicket(card: TrelloCard, listClosed: boolean, site: string): Ticket {
  const archived = card.closed || listClosed;
  return {
    id: ticketId(site, card.id),
    key: `card-${card.idShort}`,
    title: card.name,
    workflow: workflowId(site, card.idBoard),
    status: card.idList,
    updatedAt: updatedAt(card),
    ...(archived ? { archived, immovable: card.closed ? ARCHIVED : LIST_ARCHIVED } : {}),
    ref: { board: card.idBoard },
  };
}

/** Separators, mirrors of cards on other boards and bare links stand among the cards and are none. */
export function isTicket({ cardRole }: Pick<TrelloCard, "cardRole">): boolean {
  return !cardRole;
}

function updatedAt({ id, dateLastActivity }: TrelloCard): string {
  const told = dateIn(dateLastActivity ?? "");
  return (told ?? new Date(madeAtSeconds(id) * 1000)).toISOString();
}

/** Moves open to a card among the lists of its board: to each other one that is not archived. */
export function mapMoves(ticket: Pick<Ticket, "status" | "archived">, lists: readonly TrelloList[]): Move[] {
  if (ticket.archived) return [];
  return inOrder(lists)
    .filter((list) => !list.closed && list.id !== ticket.status)
    .map(({ id, name }) => ({ id, to: id, name, fields: [] }));
}
