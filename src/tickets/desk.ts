import { rememberHeard } from "./heard.js";
import { type MoveDeps, move } from "./moves.js";
import { checkProgress, undo } from "./progress.js";
import { createReads } from "./reads.js";
import type { Tickets } from "./tickets.js";

/** The one desk at which every endpoint asks: tools, resources, the admin API and the command line alike. */
export function createTickets(deps: MoveDeps): Tickets {
  return {
    ...createReads(deps.views),
    async move(talk, args) {
      const answer = await move(deps, talk, args);
      if (answer.ticket !== undefined) await rememberHeard(talk, [answer.ticket]);
      return answer;
    },
    undo: (talk, args) => undo(deps, talk, args),
    checkProgress: (talk, args) => checkProgress(deps, talk, args),
  };
}
