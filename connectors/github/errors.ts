import { errorFromAnswer, errorFromTransport, parseRetryAfter } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";

/** How GitHub is called in a sentence. */
export const BOARD = "GitHub";

/** GitHub says "wait" without saying how long only for its secondary limits; it then wants at least this. */
const SECONDARY_WAIT_SECONDS = 60;

/** What octokit throws, as far as we read it: without `response` nothing was answered. */
interface OctokitFailure {
  readonly status: number;
  readonly response?: { readonly headers: Readonly<Record<string, unknown>>; readonly data: unknown };
  readonly request?: { readonly method?: string; readonly url?: string };
}

/**
 * Any failure of a request through octokit as a BoardwalkError. The library's own error is not kept as the cause: it
 * holds what was sent, and so the ticket's text.
 */
export function errorFromOctokit(error: unknown, caller: AbortSignal): BoardwalkError {
  if (!isOctokitFailure(error) || error.response === undefined) {
    return errorFromTransport(BOARD, causeOf(error), caller);
  }
  const { status, response } = error;
  const cause = redacted(error);
  answers.set(cause, { status, body: response.data });
  // Asking for an installation token: the App was removed, or its key was.
  if (error.request?.url?.endsWith("/access_tokens") && (status === 404 || status === 403)) {
    return new BoardwalkError(
      "auth_expired",
      "The GitHub App is no longer installed, or suspended. Please install it again.",
      { cause },
    );
  }
  const said = wordsOf(response.data).join(" ");
  const header = (name: string) => headerOf(response.headers, name);
  const wait = status === 403 || status === 429 ? waitSeconds(header, said) : undefined;
  return errorFromAnswer(
    BOARD,
    {
      status,
      header: (name) => (name === "retry-after" && wait !== undefined ? String(wait) : header(name)),
      ...(said === "" ? {} : { text: said }),
    },
    cause,
  );
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Beside the causes and not in them, because GitHub's answers quote what people wrote. */
const answers = new WeakMap<object, Answer>();

function redacted({ status, request }: OctokitFailure): Error {
  const path = request?.url === undefined ? "GitHub" : new URL(request.url).pathname;
  return new Error(`${request?.method ?? "request"} ${path}: ${status}`);
}

/** GitHub's own words: the message above, and the message of each fault below it. Empty for a page of HTML. */
export function wordsOf(body: unknown): readonly string[] {
  if (typeof body !== "object" || body === null) return [];
  const words: string[] = [];
  if ("message" in body && typeof body.message === "string") words.push(body.message);
  for (const fault of faultsOf(body)) {
    if (fault.message !== undefined) words.push(fault.message);
  }
  return words;
}

export interface Fault {
  readonly field?: string;
  readonly code?: string;
  readonly message?: string;
}

/** The `errors[]` of a 422. Some of GitHub's are plain strings. */
export function faultsOf(body: unknown): readonly Fault[] {
  if (typeof body !== "object" || body === null || !("errors" in body) || !Array.isArray(body.errors))
    return [];
  return body.errors.map((fault: unknown) => {
    if (typeof fault === "string") return { message: fault };
    if (typeof fault !== "object" || fault === null) return {};
    return {
      ...("field" in fault && typeof fault.field === "string" ? { field: fault.field } : {}),
      ...("code" in fault && typeof fault.code === "string" ? { code: fault.code } : {}),
      ...("message" in fault && typeof fault.message === "string" ? { message: fault.message } : {}),
    };
  });
}

/** How long GitHub wants us to wait; `undefined` when a refusal is not about waiting. */
export function waitSeconds(
  header: (name: string) => string | undefined,
  said: string,
  now = Date.now(),
): number | undefined {
  const retryAfterMs = parseRetryAfter(header("retry-after"), now);
  if (retryAfterMs !== undefined) return retryAfterMs / 1000;
  if (header("x-ratelimit-remaining") === "0") {
    const reset = Number(header("x-ratelimit-reset") ?? Number.NaN);
    return Number.isFinite(reset) ? Math.max(1, Math.ceil(reset - now / 1000)) : SECONDARY_WAIT_SECONDS;
  }
  return /secondary rate limit|abuse detection|API rate limit exceeded/i.test(said)
    ? SECONDARY_WAIT_SECONDS
    : undefined;
}

/** Status and body of a refusal that the caller wants to read itself. */
export function answerIn(error: unknown): Answer | undefined {
  const cause = error instanceof BoardwalkError ? error.cause : undefined;
  return cause instanceof Error ? answers.get(cause) : undefined;
}

function headerOf(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = headers[name];
  return value === undefined ? undefined : String(value);
}

function isOctokitFailure(error: unknown): error is Error & OctokitFailure {
  return error instanceof Error && error.name === "HttpError" && "status" in error;
}

/** Octokit wraps what `fetch` threw; the cause tells a time-out from a refused connection. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
