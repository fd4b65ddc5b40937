import type { TicketId } from "../../src/board/connector.js";
import { BoardwalkError } from "../../src/errors.js";
import { NO_STATUS } from "../../src/machine/index.js";

/** GitHub's ids: node ids only, checked before they reach a request. */

/** A project item's node id. */
export function isItemId(id: string): boolean {
  return /^PVTI_[A-Za-z0-9_-]{1,200}$/.test(id);
}

/** Any other node id, old style or new. */
export function isNodeId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,250}={0,2}$/.test(id);
}

/** An option of a single-select field. Our own word for "none of them" is not one. */
export function isOptionId(id: string): boolean {
  return id !== NO_STATUS && /^[A-Za-z0-9_-]{1,64}$/.test(id);
}

export function ticketIdOf(site: string, itemId: string): TicketId {
  return `github.${site}.${itemId}`;
}

/**
 * The item in a ticket's id.
 * @throws BoardwalkError `invalid` for an id of another site, or of no item at all.
 */
export function itemIdOf(site: string, id: TicketId): string {
  const prefix = `github.${site}.`;
  const itemId = id.startsWith(prefix) ? id.slice(prefix.length) : "";
  if (isItemId(itemId)) return itemId;
  throw new BoardwalkError("invalid", "This is not the id of an item on this GitHub.");
}
