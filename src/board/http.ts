import { createHash } from "node:crypto";
import { BoardwalkError, type ErrorCode } from "../errors.js";
import { whenAborted } from "./abort.js";
import type { ConnectorKit, FetchDispatcher } from "./connector.js";
import { withoutLease } from "./lease.js";
import { privateHost } from "./safe-url.js";

/** What connectors share about HTTP: time-outs, retries of reads, and one reading of what a board's answer means. */

/** Default time for one board request. */
export const REQUEST_TIMEOUT_MS = 10_000;

/** A short stable hash of a URL's host: the `site` in a ticket's id, unchanged by any later connection. */
export function siteOf(baseUrl: string): string {
  const { host } = new URL(baseUrl);
  return createHash("sha256").update(host.toLowerCase()).digest("hex").slice(0, 8);
}

/** The most that is read of one reply: boards send pages, and what never ends would fill our memory. */
export const MAX_REPLY_BYTES = 20_000_000;

/** The response, its body broken off with an error beyond `maxBytes`, counted as unpacked. */
export function bounded(response: Response, maxBytes = MAX_REPLY_BYTES): Response {
  if (response.body === null) return response;
  let read = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      read += chunk.byteLength;
      if (read > maxBytes) controller.error(new Error("The reply is too large."));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), response);
}

/** Aborts when `signal` does or when `timeoutMs` have passed. */
export function withTimeout(signal: AbortSignal, timeoutMs = REQUEST_TIMEOUT_MS): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  // Node collects a time-out that nobody listens to, also when a signal made of it is listened to; then it never comes.
  timeout.addEventListener("abort", () => {});
  return AbortSignal.any([signal, timeout]);
}

/** What `fetch` is told besides, so that it connects to nothing that the host would refuse. */
export function through({ reach }: Pick<ConnectorKit, "reach">): {
  readonly dispatcher?: FetchDispatcher;
} {
  return reach === undefined ? {} : { dispatcher: reach.dispatcher };
}

/** A board's answer that was not a success. */
export interface BoardAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** The board's own words, already taken out of its error body; never a whole page of HTML. */
  readonly text?: string;
}

/** `board` is how the board is called in a sentence: "Jira". */
export function errorFromAnswer(board: string, answer: BoardAnswer, cause?: unknown): BoardwalkError {
  const { status } = answer;
  const said = answer.text ? ` ${board} said: ${sentence(answer.text)}` : "";
  const fail = (code: ErrorCode, message: string, retryAfterMs?: number) =>
    new BoardwalkError(code, message, { cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  const retryAfterMs = parseRetryAfter(answer.header("retry-after"));
  if (status >= 300 && status < 400) {
    return fail(
      "invalid",
      `That ${board} address sends us on to another one. Please give the site's own address, without a path.`,
    );
  }
  if (status === 401)
    return fail("auth_expired", `${board} no longer accepts our credentials. Please reconnect it.`);
  if (status === 429 || (status === 403 && retryAfterMs !== undefined)) {
    return rateLimited(board, retryAfterMs, cause);
  }
  if (status === 403) return fail("forbidden", `${board} does not let this account do that.${said}`);
  if (status === 404 || status === 410) {
    return fail(
      "not_found_or_hidden",
      `${board} does not have that, or does not show it to this account.${said}`,
    );
  }
  if (status === 409)
    return fail("conflict", `${board} says someone else changed it just now. Please look again and retry.`);
  if (status >= 500)
    return fail("unavailable", `${board} is having trouble right now. Please try again in a moment.`);
  return fail("invalid", `${board} did not accept that.${said}`);
}

/** A transport failure (no answer, or half of one) as a BoardwalkError. */
export function errorFromTransport(board: string, error: unknown, caller: AbortSignal): BoardwalkError {
  if (error instanceof BoardwalkError) return error;
  // Of all that is told of a connection that was not made, clients pass on the code.
  if (transportCode(error) === privateHost().code) return privateHost();
  if (caller.aborted)
    return new BoardwalkError("timeout", `The request to ${board} was called off.`, { cause: error });
  if (isTimeout(error)) {
    return new BoardwalkError("timeout", `${board} took too long to answer. Please try again in a moment.`, {
      cause: error,
    });
  }
  return new BoardwalkError("unavailable", `${board} could not be reached. Please try again in a moment.`, {
    cause: error,
  });
}

const TIMEOUTS = new Set([
  ...["TimeoutError", "AbortError", "ECONNABORTED", "ETIMEDOUT", "ERR_CANCELED"],
  ...["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
]);

function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return TIMEOUTS.has(error.name) || TIMEOUTS.has(transportCode(error) ?? "");
}

/** `ECONNREFUSED` and the like: of the error itself, or of the one that `fetch` wraps. */
export function transportCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const failure of [error, error.cause]) {
    if (failure instanceof Error && "code" in failure && typeof failure.code === "string")
      return failure.code;
  }
  return undefined;
}

/** An answer of the right status but the wrong shape: a proxy's HTML page, half a body, an unknown schema. */
export function errorFromShape(board: string, cause?: unknown): BoardwalkError {
  return new BoardwalkError(
    "unavailable",
    `${board} answered with something we cannot read. Please try again in a moment.`,
    { cause },
  );
}

/** No board asks for more; what says so is a slip, and must not silence a connection for years. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** Seconds or an HTTP date, as milliseconds from now, at most a day. `undefined` for what is neither. */
export function parseRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  const text = value?.trim() ?? "";
  if (text === "") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_WAIT_MS, Math.max(0, ms));
}

/** `Date.parse` takes a bare "-5" for a month of the year 2001. */
function dateOf(text: string): number {
  return /^([a-z]{3}|\d{4}-)/i.test(text) ? Date.parse(text) : Number.NaN;
}

/** The board wants to be left alone for a while, said in a person's words. */
export function rateLimited(board: string, retryAfterMs = 60_000, cause?: unknown): BoardwalkError {
  return new BoardwalkError("rate_limited", waitSentence(board, retryAfterMs), { cause, retryAfterMs });
}

/**
 * The read after a write. When the board wants to be left alone just then, the write has landed all the same, and
 * `rate_limited` would tell the caller that nothing was done.
 */
export async function rereading<T>(board: string, read: () => Promise<T>): Promise<T> {
  try {
    return await withoutLease(read);
  } catch (thrown) {
    const { code, retryAfterMs } = BoardwalkError.from(thrown);
    if (code !== "rate_limited") throw thrown;
    const message = `${board} took the move, and then asked us to wait before looking at it.`;
    throw new BoardwalkError("unavailable", message, {
      cause: thrown,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
}

function waitSentence(board: string, retryAfterMs: number | undefined): string {
  const seconds = Math.ceil((retryAfterMs ?? 60_000) / 1000);
  if (seconds <= 1) return `${board} asked us to wait a second. Please try again then.`;
  const minutes = Math.round(seconds / 60);
  const wait = seconds < 50 ? `${seconds} seconds` : minutes <= 1 ? "a minute" : `${minutes} minutes`;
  return `${board} asked us to wait ${wait}. Please try again then.`;
}

/** A board's words as one sentence of at most 200 characters, without markup. */
function sentence(text: string): string {
  const plain = text
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 200);
  return /[.!?]$/.test(plain) ? plain : `${plain}.`;
}

export interface RetryOptions {
  readonly attempts?: number;
  readonly baseDelayMs?: number;
  /** A longer wait than this is not sat out here: the caller hears `rate_limited` instead. */
  readonly maxDelayMs?: number;
}

/** Tries a *read* again, with backoff and jitter, when its failure may pass. Never for writes. */
export async function retryRead<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
  options: RetryOptions = {},
): Promise<T> {
  const { attempts = 3, baseDelayMs = 200, maxDelayMs = 2_000 } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (thrown) {
      const error = BoardwalkError.from(thrown);
      const delayMs = error.retryAfterMs ?? baseDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random());
      if (!error.retryable || attempt >= attempts || signal.aborted || delayMs > maxDelayMs) throw error;
      await pause(delayMs, signal);
    }
  }
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      unheed?.();
      resolve();
    };
    const timer = setTimeout(finish, ms);
    const unheed = signal && whenAborted(signal, finish);
  });
}
