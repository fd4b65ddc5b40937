import { siteOf } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";

/**
 * Every id that enters a request passes here first. Linear's are UUIDs; asked for a state by its name it answers
 * "stateId must be a UUID", so what is none is refused before it is sent.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TICKET = /^linear\.([0-9a-f]{8})\.([0-9a-f-]{36})$/;

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

export function uuid(value: string, what: string): string {
  if (!isUuid(value)) throw new BoardwalkError("invalid", `That is not the id of a Linear ${what}.`);
  return value;
}

/** The site part of every id. Linear has one host for all workspaces; its UUIDs tell them apart. */
export function linearSite(apiUrl: string): string {
  return siteOf(apiUrl);
}

export function ticketId(site: string, issueId: string): string {
  return `linear.${site}.${uuid(issueId, "issue")}`;
}

/** The issue's UUID in one of our ticket ids. @throws BoardwalkError `invalid` for any other text or site. */
export function issueIdOf(site: string, id: string): string {
  const parts = TICKET.exec(id);
  if (parts === null || parts[1] !== site || parts[2] === undefined) {
    throw new BoardwalkError("invalid", "That is not the id of a ticket in this Linear workspace.");
  }
  return uuid(parts[2], "issue");
}

export function workflowId(site: string, teamId: string): string {
  return `linear.${site}.${uuid(teamId, "team")}`;
}
