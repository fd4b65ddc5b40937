import { createHash } from "node:crypto";
import { siteOf } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";

/**
 * Every id that enters a URL path or a JQL text passes here first. The client library pastes path parameters in
 * unencoded, so `AB-1/../../myself?x=` would reach another endpoint: what does not match is refused, never cleaned up.
 */

const NUMERIC = /^[0-9]{1,19}$/;
const PROJECT = /^(?:[A-Z][A-Z0-9_]{0,254}|[0-9]{1,19})$/;
const TICKET = /^jira\.([0-9a-f]{8})\.([0-9]{1,19})$/;
/** Written into ids of ours, which must stay safe in job ids, URLs and Redis keys. */
const STABLE = /^[A-Za-z0-9_-]{1,64}$/;

export const PROJECT_PATTERN = PROJECT;

/** A number in a string, as Jira's ids of issues, transitions, statuses and projects are. */
export function numericId(value: string, what: string): string {
  if (!NUMERIC.test(value)) throw new BoardwalkError("invalid", `That is not a Jira ${what}.`);
  return value;
}

export function projectKeyOrId(value: string): string {
  if (!PROJECT.test(value)) throw new BoardwalkError("invalid", "That is not a Jira project key.");
  return value;
}

/** The site part of every id: of the host, or of the cloud id where one gateway host serves every site. */
export function jiraSite(baseUrl: string): string {
  const gateway = /^https:\/\/api\.atlassian\.com\/ex\/jira\/([A-Za-z0-9-]+)\/?$/.exec(baseUrl);
  return gateway === null ? siteOf(baseUrl) : siteOf(`https://${gateway[1]}.ex.jira`);
}

export function ticketId(site: string, issueId: string): string {
  return `jira.${site}.${numericId(issueId, "issue id")}`;
}

/** The numeric issue id in one of our ticket ids. @throws BoardwalkError `invalid` for any other text or site. */
export function issueIdOf(site: string, id: string): string {
  const parts = TICKET.exec(id);
  if (parts === null || parts[1] !== site || parts[2] === undefined) {
    throw new BoardwalkError("invalid", "That is not the id of a ticket on this Jira site.");
  }
  return parts[2];
}

export function workflowId(site: string, projectId: string, stable: string): string {
  const part = STABLE.test(stable) ? stable : createHash("sha256").update(stable).digest("hex").slice(0, 16);
  return `jira.${site}.${numericId(projectId, "project id")}.${part}`;
}
