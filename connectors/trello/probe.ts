import { z } from "zod";
import type { ConnectorKit, Problem } from "../../src/board/connector.js";
import { problemOf } from "../../src/board/probe.js";
import type { TrelloApi } from "./api.js";
import type { TrelloCredentials } from "./auth.js";
import type { BoardKeeper } from "./board.js";
import { membershipShape, type TrelloBoard, type TrelloToken, tokenShape } from "./shapes.js";

/** What this token can and cannot do, each lack with what to do about it. */

export interface ProbeParts {
  readonly api: TrelloApi;
  readonly board: BoardKeeper;
  readonly credentials: TrelloCredentials;
  readonly kit: Pick<ConnectorKit, "now">;
}

const DAY_MS = 24 * 3_600_000;
const EXPIRES_SOON_MS = 7 * DAY_MS;
const NEW_TOKEN =
  "Make a new token for this app in Trello, with read and write and no expiry, and reconnect.";

export async function probeTrello(parts: ProbeParts, signal: AbortSignal): Promise<readonly Problem[]> {
  const { api, board, credentials, kit } = parts;
  const token = await problemOf(
    () => readToken(api, credentials.token, signal),
    {
      auth_expired: { message: "Trello does not accept this key and token.", fix: NEW_TOKEN },
    },
    FIX,
  );
  if ("problem" in token) return [token.problem];
  const about = await problemOf(
    () => board.read(signal),
    {
      not_found_or_hidden: {
        message: "Trello does not have that board, or does not show it to this account.",
        fix: "Check the board's short link, and add this account to the board's members.",
      },
    },
    FIX,
  );
  if ("problem" in about) return [...tokenProblems(token.value, kit.now()), about.problem];
  const member = await problemOf(() => isObserver(api, about.value, token.value.idMember, signal), {}, FIX);
  return [
    ...tokenProblems(token.value, kit.now()),
    ...boardProblems(about.value),
    ...("problem" in member ? [member.problem] : member.value ? [OBSERVER] : []),
    ...(credentials.secret === undefined ? [POLLED] : []),
  ];
}

/** The one resource that tells a token's scopes, and it has the token in its path: see `errorFrom` for what is kept. */
function readToken(api: TrelloApi, token: string, signal: AbortSignal): Promise<TrelloToken> {
  return api.read({ path: "/tokens/{token}", params: { token }, reply: tokenShape }, signal);
}

const POLLED: Problem = {
  code: "no_secret",
  message: "Without the app's secret Trello's messages cannot be believed, so this board is only polled.",
  fix: "Give the secret shown beside the API key on Trello's app page, and changes will show at once.",
};

const OBSERVER: Problem = {
  code: "forbidden",
  message: "This account may only look at the board, so it cannot move its cards.",
  fix: "Make it a normal member of the board in Trello.",
};

export function tokenProblems(token: TrelloToken, now: Date): readonly Problem[] {
  const problems: Problem[] = [];
  const ofBoards = token.permissions.filter(({ modelType }) => modelType.toLowerCase() === "board");
  if (!ofBoards.some(({ write }) => write)) {
    problems.push({
      code: "forbidden",
      message: "This token may read Trello and not write, so no card can be moved with it.",
      fix: NEW_TOKEN,
    });
  }
  const leftMs = Date.parse(token.dateExpires ?? "") - now.getTime();
  if (leftMs < EXPIRES_SOON_MS) {
    const days = Math.max(1, Math.ceil(leftMs / DAY_MS));
    problems.push({
      code: "expires_soon",
      message: `This token expires ${days === 1 ? "within a day" : `in ${days} days`}, and its webhooks with it.`,
      fix: NEW_TOKEN,
    });
  }
  return problems;
}

function boardProblems(board: TrelloBoard): readonly Problem[] {
  if (!board.closed) return [];
  return [
    {
      code: "archived",
      message: "The board is closed in Trello, so nothing on it can be moved.",
      fix: "Reopen the board in Trello, or connect another one.",
    },
  ];
}

/** A member of the workspace or an admin of it need not be a member of the board, so only a plain observer is told. */
async function isObserver(
  api: TrelloApi,
  board: TrelloBoard,
  idMember: string,
  signal: AbortSignal,
): Promise<boolean> {
  const call = {
    path: "/boards/{id}/memberships",
    params: { id: board.id },
    reply: z.array(membershipShape),
  };
  const memberships = await api.read(call, signal);
  return memberships.some((each) => each.idMember === idMember && each.memberType === "observer");
}

/** For what has no sentence of its own. */
const FIX = "Check the connection's settings and that Trello can be reached, then try again.";
