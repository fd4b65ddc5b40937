import type { Connector, Move, Ticket } from "../../src/board/connector.js";
import { rereading } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";
import type { LinearApi } from "./api.js";
import { ISSUE, ISSUE_WITH_STATES, ISSUES, type LinearDocument } from "./documents.js";
import { issueIdOf } from "./keys.js";
import { mapMoves, mapTicket } from "./map.js";
import { makeMove } from "./move.js";
import { allStates, type TeamKeeper } from "./team.js";

export interface TicketParts {
  readonly api: LinearApi;
  readonly site: string;
  readonly team: TeamKeeper;
}

type TicketCalls = Required<
  Pick<Connector, "pullTickets" | "readTicket" | "openMoves" | "readWithMoves" | "move">
>;

/** Tickets and their moves. */
export function createTicketCalls({ api, site, team }: TicketParts): TicketCalls {
  async function readWithMoves(id: string, signal: AbortSignal) {
    const issueId = issueIdOf(site, id);
    const reply = await unlessHidden(api, ISSUE_WITH_STATES, issueId, signal);
    if (reply === undefined) return undefined;
    const { issue } = reply;
    const states = await allStates(api, issue.team.id, issue.team.states, signal);
    return { ticket: mapTicket(issue, site), moves: mapMoves(issue, states) };
  }

  async function readTicket(id: string, signal: AbortSignal): Promise<Ticket | undefined> {
    const reply = await unlessHidden(api, ISSUE, issueIdOf(site, id), signal);
    return reply && mapTicket(reply.issue, site);
  }

  return {
    async *pullTickets(since, signal) {
      const inTeam = { team: { id: { eq: await team.id(signal) } } };
      const filter = since === undefined ? inTeam : { ...inTeam, updatedAt: { gte: since.toISOString() } };
      for await (const issue of api.pages(ISSUES, { filter }, ({ issues }) => issues, signal))
        yield mapTicket(issue, site);
    },
    readTicket,
    readWithMoves,
    async openMoves(ticket, signal): Promise<readonly Move[]> {
      const read = await readWithMoves(ticket.id, signal);
      if (read === undefined) throw hidden();
      return read.moves;
    },
    async move(ticket, move, input, signal) {
      const issueId = issueIdOf(site, ticket.id);
      const remark = await makeMove(api, issueId, move, input, signal);
      const { issue } = await rereading("Linear", () => api.run(ISSUE, { id: issueId }, signal));
      return { ...mapTicket(issue, site), ...(remark === undefined ? {} : { remark }) };
    },
  };
}

async function unlessHidden<T>(
  api: LinearApi,
  document: LinearDocument<T>,
  id: string,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await api.run(document, { id }, signal);
  } catch (thrown) {
    if (BoardwalkError.from(thrown).code === "not_found_or_hidden") return undefined;
    throw thrown;
  }
}

function hidden(): BoardwalkError {
  return new BoardwalkError(
    "not_found_or_hidden",
    "Linear does not have that ticket, or does not show it to this account.",
  );
}
