import type { Connector, ConnectorKit, Ticket } from "../../src/board/connector.js";
import { rereading } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";
import type { JiraApi } from "./api.js";
import { issueIdOf } from "./keys.js";
import { mapMoves, mapTicket } from "./map.js";
import { makeMove, withRemark } from "./move.js";
import type { Routes } from "./routes.js";
import type { JiraIssue, JiraProject } from "./shapes.js";

const PAGE_SIZE = 100;
/** JQL times are whole minutes, the index lags behind writes, and the two clocks differ: ask for this much more. */
const OVERLAP_MINUTES = 5;

export interface TicketParts {
  readonly api: JiraApi;
  readonly site: string;
  readonly routes: Routes;
  readonly kit: ConnectorKit;
  project(signal: AbortSignal): Promise<JiraProject>;
}

type TicketCalls = Required<
  Pick<Connector, "pullTickets" | "readTicket" | "openMoves" | "readWithMoves" | "move">
>;

/** Tickets and their moves. */
export function createTicketCalls(parts: TicketParts): TicketCalls {
  const { api, site, routes, kit } = parts;

  async function ticketFrom(issue: JiraIssue, signal: AbortSignal): Promise<Ticket> {
    const { project, issuetype } = issue.fields;
    return mapTicket(issue, site, await routes.workflowOf(project.id, issuetype.id, signal));
  }

  async function readIssue(issueId: string, signal: AbortSignal, expand?: string) {
    try {
      return await api.issue(issueId, signal, expand);
    } catch (thrown) {
      if (BoardwalkError.from(thrown).code === "not_found_or_hidden") return undefined;
      throw thrown;
    }
  }

  return {
    async *pullTickets(since, signal) {
      const project = await parts.project(signal);
      const jql = pullQuery(project.id, since, kit.now());
      for await (const issue of pages(api, jql, signal)) yield await ticketFrom(issue, signal);
    },
    async readTicket(id, signal) {
      const issue = await readIssue(issueIdOf(site, id), signal);
      return issue && ticketFrom(issue, signal);
    },
    async readWithMoves(id, signal) {
      const issue = await readIssue(issueIdOf(site, id), signal, "transitions,transitions.fields");
      if (issue === undefined) return undefined;
      const ticket = await ticketFrom(issue, signal);
      const moves = mapMoves(issue.transitions ?? []).filter((move) => move.to !== ticket.status);
      return { ticket, moves };
    },
    async openMoves(ticket, signal) {
      const { transitions } = await api.transitions(issueIdOf(site, ticket.id), signal);
      return mapMoves(transitions);
    },
    async move(ticket, move, input, signal) {
      const issueId = issueIdOf(site, ticket.id);
      const remark = await makeMove(api, issueId, move, input, signal);
      // Accepted is not arrived: a rule of the board may have taken it further.
      const after = await rereading("Jira", async () => ticketFrom(await api.issue(issueId, signal), signal));
      return withRemark(after, remark);
    },
  };
}

/** Times are asked for relatively, because JQL reads a date in the account's own time zone. */
export function pullQuery(projectId: string, since: Date | undefined, now: Date): string {
  const minutes =
    since && Math.max(0, Math.ceil((now.getTime() - since.getTime()) / 60_000)) + OVERLAP_MINUTES;
  const changed = minutes === undefined ? "" : ` AND updated >= -${minutes}m`;
  // By key, which does not change while we page: ordered by time, a ticket changed meanwhile would push another
  // over a page's edge.
  return `project = ${projectId}${changed} ORDER BY key ASC`;
}

async function* pages(api: JiraApi, jql: string, signal: AbortSignal): AsyncIterable<JiraIssue> {
  const seen = new Set<string>();
  let token: string | undefined;
  for (;;) {
    const page = await api.search(
      jql,
      { maxResults: PAGE_SIZE, ...(token === undefined ? {} : { token }) },
      signal,
    );
    yield* page.issues ?? [];
    token = page.nextPageToken ?? undefined;
    if (page.isLast === true || token === undefined) return;
    if (seen.has(token)) {
      throw new BoardwalkError(
        "unavailable",
        "Jira's list of tickets goes in circles. Please try again in a moment.",
      );
    }
    seen.add(token);
  }
}
