import { errorFromAnswer, errorFromTransport, transportCode } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";
import { parseJson, safeParse } from "../../src/parse.js";
import { JiraRefusal } from "./client.js";
import { refusalShape } from "./shapes.js";

/** What a failed request means. */

/** An answer that was no success, in Jira's own words. */
export interface Refusal {
  readonly status: number;
  readonly messages: readonly string[];
  /** By field id. */
  readonly fields: Readonly<Record<string, string>>;
}

export function statusOf(thrown: unknown): number | undefined {
  return thrown instanceof JiraRefusal ? thrown.reply.status : undefined;
}

/** Any failure of a request as a BoardwalkError. `explain` may know better than the status alone. */
export function errorFrom(
  thrown: unknown,
  signal: AbortSignal,
  explain?: (refusal: Refusal) => BoardwalkError | undefined,
): BoardwalkError {
  if (thrown instanceof BoardwalkError) return thrown;
  if (!(thrown instanceof JiraRefusal)) return errorFromTransport("Jira", wireFailure(thrown), signal);
  const { status, header } = thrown.reply;
  // Not the refusal itself: it holds the ticket's text.
  const cause = new Error(thrown.message);
  const refusal = refusalFrom(thrown);
  const explained = explain?.(refusal);
  if (explained !== undefined) return explained;
  if (status < 500 && isAboutArchive(refusal)) return archived();
  const text = [...refusal.messages, ...Object.values(refusal.fields)].join(" ");
  const error = errorFromAnswer("Jira", { status, header, ...(text === "" ? {} : { text }) }, cause);
  const reason = header("ratelimit-reason");
  if (error.code !== "rate_limited" || reason === undefined) return error;
  const only = onlyOf(reason);
  return new BoardwalkError("rate_limited", error.message, {
    cause,
    data: { reason, ...(only === undefined ? {} : { only }) },
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  });
}

/** Its kind and code; its words may repeat an address. */
function wireFailure(thrown: unknown): Error {
  const name = thrown instanceof Error ? thrown.name : "Error";
  const code = transportCode(thrown);
  return Object.assign(new Error(`Jira did not answer: ${code ?? name}`), { name, code });
}

/** Jira limits writes to one ticket, bursts on one endpoint, and what a whole app may ask for. */
function onlyOf(reason: string): "ticket" | "call" | undefined {
  if (/per-issue/i.test(reason)) return "ticket";
  return /burst/i.test(reason) ? "call" : undefined;
}

export function isAboutArchive(refusal: Refusal): boolean {
  return [...refusal.messages, ...Object.values(refusal.fields)].some((text) => /\barchived\b/i.test(text));
}

export function archived(): BoardwalkError {
  return new BoardwalkError("archived", "That ticket is archived in Jira, so it cannot be changed there.");
}

function refusalFrom({ reply: { status, body: text } }: JiraRefusal): Refusal {
  const body = safeParse(refusalShape, parseJson(text));
  return {
    status,
    messages: body.success ? (body.data.errorMessages ?? []) : [],
    fields: body.success ? (body.data.errors ?? {}) : {},
  };
}
