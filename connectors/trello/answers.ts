import { z } from "zod";
import { errorFromAnswer, errorFromShape, errorFromTransport, transportCode } from "../../src/board/http.js";
import type { BoardReply } from "../../src/board/send.js";
import { BoardwalkError } from "../../src/errors.js";
import { parseJson, safeParse } from "../../src/parse.js";

/** What a failed request means. Trello says most of it in plain text, some in JSON. */

const BOARD = "Trello";
/** The length of its windows: it names no wait. */
const WINDOW_SECONDS = 10;

/** `operation` says what was asked without any value of it: addresses may hold tokens. */
export function errorFrom(answer: BoardReply, method: string, operation: string): BoardwalkError {
  const { status, header } = answer;
  const said = wordsOf(answer);
  const cause = new Error(`${operation}: ${status}`);
  const as = (code: number, text?: string) =>
    errorFromAnswer(BOARD, { status: code, header, ...(text === undefined ? {} : { text }) }, cause);
  if (status === 429) {
    const wait = header("retry-after") ?? String(WINDOW_SECONDS);
    return errorFromAnswer(BOARD, { status, header: () => wait }, cause);
  }
  // The credentials are good; it is this one thing that they may not see, or not change.
  if (status === 401 && /^unauthorized\b.*\bpermission requested$/i.test(said))
    return as(method === "GET" ? 404 : 403);
  if (status === 400 && /^invalid value for idList$/i.test(said)) return staleWorkflow(cause);
  if (status === 400 && /^invalid id$/i.test(said)) return as(404);
  if (status === 404) return as(404);
  return as(status, said);
}

export function staleWorkflow(cause?: unknown): BoardwalkError {
  return new BoardwalkError(
    "stale_workflow",
    "That list is not one of this card's board in Trello now. Please try again.",
    { cause },
  );
}

/** A failure without an answer. The library's own words are not kept: they may repeat an address. */
export function transportError(thrown: unknown, operation: string, signal: AbortSignal): BoardwalkError {
  if (thrown instanceof BoardwalkError) return thrown;
  const name = thrown instanceof Error ? thrown.name : "failed";
  const code = transportCode(thrown);
  const error = Object.assign(new Error(`${operation}: ${name} ${code ?? ""}`.trim()), { name, code });
  return errorFromTransport(BOARD, error, signal);
}

export function shapeError(operation: string, cause?: z.ZodError): BoardwalkError {
  // The paths of what is wrong, never the values: those are people's words.
  const where = cause?.issues.map(({ path, code }) => `${path.join(".")} ${code}`).join(", ") ?? "no JSON";
  return errorFromShape(BOARD, new Error(`${operation}: ${where}`));
}

const errorBody = z.object({ message: z.string().optional(), error: z.string().optional() });

/** Trello's own words, if these are its own: a proxy's page has nothing to say. Addresses in them hold our secrets. */
function wordsOf({ header, body }: BoardReply): string {
  if (/html/i.test(header("content-type") ?? "")) return "";
  const json = safeParse(errorBody, parseJson(body));
  const words = json.success ? (json.data.message ?? json.data.error ?? "") : body;
  return words
    .replace(/https?:\/\/[^\s)]+/gi, "an address")
    .trim()
    .slice(0, 500);
}
