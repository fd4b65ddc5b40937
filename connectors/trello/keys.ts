import { siteOf } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";

/** Every id that enters a request passes here first: what is none is refused before it is sent. */

const ID = /^[0-9a-f]{24}$/;
const SHORT_LINK = /^[0-9A-Za-z]{8}$/;
const TICKET = /^trello\.([0-9a-f]{8})\.([0-9a-f]{24})$/;
const ADDRESS = /^https:\/\/trello\.com\/b\/([0-9A-Za-z]{8})(?:[/?#].*)?$/;

export function isTrelloId(value: string): boolean {
  return ID.test(value);
}

export function trelloId(value: string, what: string): string {
  if (!isTrelloId(value)) throw new BoardwalkError("invalid", `That is not the id of a Trello ${what}.`);
  return value;
}

/** The board's id or short link in what a person pasted. */
export function boardInText(text: string): string | undefined {
  const name = ADDRESS.exec(text)?.[1] ?? text;
  return isTrelloId(name) || SHORT_LINK.test(name) ? name : undefined;
}

/** The site part of every id. Trello has one host for all boards; its ids tell them apart. */
export function trelloSite(apiUrl: string): string {
  return siteOf(apiUrl);
}

export function ticketId(site: string, cardId: string): string {
  return `trello.${site}.${trelloId(cardId, "card")}`;
}

/** The card's id in one of our ticket ids. @throws BoardwalkError `invalid` for any other text or site. */
export function cardIdOf(site: string, id: string): string {
  const parts = TICKET.exec(id);
  if (parts === null || parts[1] !== site || parts[2] === undefined) {
    throw new BoardwalkError("invalid", "That is not the id of a Trello card.");
  }
  return parts[2];
}

export function workflowId(site: string, boardId: string): string {
  return `trello.${site}.${trelloId(boardId, "board")}`;
}

/** When it was made: the first four bytes of each of Trello's ids, in seconds. */
export function madeAtSeconds(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16);
}

/** The smallest id that something made in this second can have. */
export function firstIdOfSecond(seconds: number): string {
  return seconds.toString(16).padStart(8, "0").padEnd(24, "0");
}
