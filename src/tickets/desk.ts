import { rememberHeard } from "./heard.js";
import { type MoveDeps, move } from "./moves.js";
import { checkProgress, undo } from "./progress.js";
import { createReads } from "./reads.js";
import type { MoveShape } from "./shapes.js";
import type { Conversation, Tickets } from "./tickets.js";

/** The one desk at which every endpoint asks: tools, resources, the admin API and the command line alike. */
export function createTickets(deps: MoveDeps): Tickets {
  return {
    ...createReads(deps.views),
    async move(talk, args) {
      const answer = await move(deps, talk, args);
      await rememberMove(talk, answer);
      return answer;
    },
    async undo(talk, args) {
      const answer = await undo(deps, talk, args);
      await rememberMove(talk, answer);
      return answer;
    },
    async checkProgress(talk, args) {
      const answer = await checkProgress(deps, talk, args);
      if (answer.ticket !== undefined) await rememberHeard(talk, { tickets: [answer.ticket] });
      return answer;
    },
  };
}

async function rememberMove(talk: Conversation, answer: MoveShape): Promise<void> {
  const { ticket, outcome, question } = answer;
  const moved = ticket !== undefined && (outcome === "confirmed" || outcome === "accepted");
  const offered = question?.about === "ticket" ? question.options.map((option) => option.id) : undefined;
  await rememberHeard(talk, {
    tickets: ticket === undefined ? [] : [ticket],
    ...(moved ? { moved: ticket.id } : {}),
    ...(offered === undefined ? {} : { offered }),
  });
}
