import { z } from "zod";
import { errorFromAnswer, errorFromTransport } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";
import { refusalShape } from "./shapes.js";

/** What a failed request means. */

/** An answer that was no success, in Jira's own words. */
export interface Refusal {
  readonly status: number;
  readonly messages: readonly string[];
  /** By field id. */
  readonly fields: Readonly<Record<string, string>>;
}

/** What the client library throws, as far as we read it: itself an axios error, or wrapped around one. */
const axiosErrorShape = z.object({
  code: z.string().optional(),
  message: z.string().optional(),
  config: z.object({ method: z.string().optional(), url: z.string().optional() }).optional(),
  response: z.object({ status: z.number(), data: z.unknown(), headers: z.unknown() }).optional(),
});
const thrownShape = z.object({ cause: axiosErrorShape });

type AxiosFacts = z.infer<typeof axiosErrorShape>;

export function statusOf(thrown: unknown): number | undefined {
  return factsOf(thrown).response?.status;
}

/**
 * Any failure of a request as a BoardwalkError. `explain` may know better than the status alone.
 * The library's own error is not kept as the cause: it holds the Authorization header and the ticket's text.
 */
export function errorFrom(
  thrown: unknown,
  signal: AbortSignal,
  explain?: (refusal: Refusal) => BoardwalkError | undefined,
): BoardwalkError {
  if (thrown instanceof BoardwalkError) return thrown;
  const facts = factsOf(thrown);
  const cause = redacted(facts);
  // A success that failed: the answer broke off in the middle.
  if (facts.response === undefined || facts.response.status < 300) {
    // Calling off reaches us as whatever the library makes of it; the signal knows.
    return errorFromTransport("Jira", Object.assign(cause, { code: facts.code }), signal);
  }
  const { status, data, headers } = facts.response;
  const header = (name: string) => headerOf(headers, name);
  const refusal = refusalFrom(status, data);
  if (status >= 300 && status < 400) return redirected(cause);
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

function refusalFrom(status: number, data: unknown): Refusal {
  const body = refusalShape.safeParse(data);
  return {
    status,
    messages: body.success ? (body.data.errorMessages ?? []) : [],
    fields: body.success ? (body.data.errors ?? {}) : {},
  };
}

/** Axios keeps headers in a class of its own, by lower-case name. */
function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  const value: unknown = Reflect.get(headers, name);
  return typeof value === "string" ? value : undefined;
}

function factsOf(thrown: unknown): AxiosFacts {
  const wrapped = thrownShape.safeParse(thrown);
  if (wrapped.success) return wrapped.data.cause;
  const bare = axiosErrorShape.safeParse(thrown);
  return bare.success ? bare.data : {};
}

function redacted(facts: AxiosFacts): Error {
  const { method = "request", url = "Jira" } = facts.config ?? {};
  const path = url.split("?")[0];
  return new Error(`${method.toUpperCase()} ${path}: ${facts.response?.status ?? facts.code ?? "failed"}`);
}

function redirected(cause: Error): BoardwalkError {
  return new BoardwalkError(
    "invalid",
    "That Jira address sends us on to another one. Please give the site's own address, without a path.",
    { cause },
  );
}
