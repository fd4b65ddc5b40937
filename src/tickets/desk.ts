import { BoardwalkError } from "../errors.js";
import { along } from "../hooks/hooks.js";
import type { MoveDeps } from "./asking.js";
import { rememberHeard } from "./heard.js";
import { move } from "./moves.js";
import { checkProgress, undo } from "./progress.js";
import { createReads } from "./reads.js";
import { speechFor, speechSettingOf } from "./settings.js";
import type { MoveShape } from "./shapes.js";
import type { Conversation, Tickets } from "./tickets.js";
import { faultOf } from "./wrong-arguments.js";

/** The one desk at which every endpoint asks: tools, resources, the admin API and the command line alike. */
export function createTickets(deps: MoveDeps): Tickets {
  const reads = createReads(deps.views);
  const depsFor = ({ trail }: Conversation): MoveDeps => ({ ...deps, jobs: along(deps.jobs, trail) });
  return {
    find: inOwnWords(reads.find),
    read: inOwnWords(reads.read),
    listMoves: inOwnWords(reads.listMoves),
    describeBoard: inOwnWords(reads.describeBoard),
    workflows: reads.workflows,
    inWordsOf: translated,
    move: inOwnWords(async (talk, args) => {
      const answer = await move(depsFor(talk), talk, args);
      rememberMove(talk, answer);
      return answer;
    }),
    undo: inOwnWords(async (talk, args) => {
      const answer = await undo(depsFor(talk), talk, args);
      rememberMove(talk, answer);
      return answer;
    }),
    checkProgress: inOwnWords(async (talk, args) => {
      const answer = await checkProgress(depsFor(talk), talk, args);
      if (answer.ticket !== undefined) rememberHeard(talk, { tickets: [answer.ticket] });
      return answer;
    }),
  };
}

function rememberMove(talk: Conversation, answer: MoveShape): void {
  const { ticket, outcome, question } = answer;
  const moved = ticket !== undefined && (outcome === "confirmed" || outcome === "accepted");
  const offered = question?.about === "ticket" ? question.options.map((option) => option.id) : undefined;
  rememberHeard(talk, {
    tickets: ticket === undefined ? [] : [ticket],
    ...(moved ? { moved: ticket.id } : {}),
    ...(offered === undefined ? {} : { offered }),
  });
}

/** What goes wrong is told in the language of the talk too. */
function inOwnWords<A, R>(work: (talk: Conversation, args: A) => Promise<R>) {
  return async (talk: Conversation, args: A): Promise<R> => {
    try {
      return await work(talk, args);
    } catch (thrown) {
      throw await translated(talk, BoardwalkError.from(thrown));
    }
  };
}

async function translated(talk: Conversation, error: BoardwalkError): Promise<BoardwalkError> {
  // With the store away the tenant's language is unknown, and the message stays as it is.
  const setting = await speechSettingOf(talk.tenant).catch(() => ({}));
  const speech = speechFor(talk, setting);
  if (speech.locale === "en") return error;
  const { code, cause, retryAfterMs, data } = error;
  const fault = faultOf(error);
  const said = fault === undefined ? speech.because(undefined, code) : speech.wrongArguments(fault);
  return new BoardwalkError(code, said, {
    cause,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(data === undefined ? {} : { data }),
  });
}
