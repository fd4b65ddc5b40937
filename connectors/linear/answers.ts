import { LinearError } from "@linear/sdk";
import { errorFromAnswer, errorFromShape, errorFromTransport, transportCode } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";
import { safeParse } from "../../src/parse.js";
import { faultShape, type LinearFault } from "./shapes.js";

/** What a failed request means. */

const BOARD = "Linear";

/** A refusal in Linear's own words. */
export interface Refusal {
  readonly status: number;
  readonly faults: readonly LinearFault[];
}

interface Failure extends Refusal {
  readonly header: (name: string) => string | undefined;
}

export interface ErrorContext {
  /** Of the document that was sent. */
  readonly operation: string;
  readonly signal: AbortSignal;
  readonly now: Date;
}

/**
 * Any failure of a request as a BoardwalkError. The library's own error is not kept as the cause: it holds the document
 * with its variables, and so the ticket's text.
 */
export function errorFrom(thrown: unknown, context: ErrorContext): BoardwalkError {
  if (thrown instanceof BoardwalkError) return thrown;
  const failure = failureIn(thrown);
  if (failure === undefined) return transportError(thrown, context);
  const { status, faults, header } = failure;
  const codes = faults.map(({ extensions }) => extensions?.code ?? extensions?.type ?? "unknown").join(", ");
  const cause = new Error(`${context.operation}: ${status}${codes === "" ? "" : ` ${codes}`}`);
  if (isRateLimited(failure)) return rateLimited(header, context.now, cause);
  if (faults.length > 0 && status < 500) return errorFromRefusal(failure, cause);
  // Without `errors` a success is no answer of Linear's: a proxy's page, or a body of another shape.
  if (status < 300) return errorFromShape(BOARD, cause);
  return errorFromAnswer(BOARD, { status, header }, cause);
}

/** Whether the credentials were not accepted. Linear says so with 401 or 400, and has said so with 200. */
export function isUnauthenticated(thrown: unknown): boolean {
  const failure = failureIn(thrown);
  return failure !== undefined && (failure.status === 401 || has(failure, /^authentication[ _]error$/i));
}

export function staleWorkflow(cause?: unknown): BoardwalkError {
  return new BoardwalkError(
    "stale_workflow",
    "That status is not one of this ticket's team in Linear now. Please try again.",
    { cause },
  );
}

/** The first fault decides: Linear sends one. */
function errorFromRefusal(refusal: Refusal, cause: Error): BoardwalkError {
  const said = wordsOf(refusal);
  const answer = (status: number) => errorFromAnswer(BOARD, { status, header: none, text: said }, cause);
  if (has(refusal, /^authentication[ _]error$/i)) return answer(401);
  // A key of a member who may not, and the scopes an app was not given.
  if (has(refusal, /^forbidden$/i) || /\b(?:invalid scope|admin|permission)\b/i.test(said))
    return answer(403);
  if (refusal.faults.some(({ message }) => /discrepancy between issue team and state/i.test(message)))
    return staleWorkflow(cause);
  if (refusal.faults.some(({ message }) => /entity not found/i.test(message))) {
    return errorFromAnswer(BOARD, { status: 404, header: none }, cause);
  }
  if (has(refusal, /^(?:internal[ _]error|internal_server_error|lock[ _]timeout|network[ _]error)$/i))
    return answer(502);
  return answer(400);
}

/** The words meant for people, where there are some; each once. */
function wordsOf({ faults }: Refusal): string {
  const words = faults.map(({ message, extensions }) => extensions?.userPresentableMessage ?? message);
  return [...new Set(words.map((text) => text.trim()))].filter((text) => text !== "").join(" ");
}

function has({ faults }: Refusal, wanted: RegExp): boolean {
  return faults.some(
    ({ extensions }) => wanted.test(extensions?.code ?? "") || wanted.test(extensions?.type ?? ""),
  );
}

/** Over the limit is HTTP 400 on this board. */
function isRateLimited(failure: Failure): boolean {
  return failure.status === 429 || has(failure, /^ratelimited$/i);
}

const LIMITS = ["x-ratelimit-requests", "x-ratelimit-complexity", "x-ratelimit-endpoint-requests"];

/** The wait is in `Retry-After`, or until the reset (epoch milliseconds) of whichever allowance is spent. */
function rateLimited(header: Failure["header"], now: Date, cause: Error): BoardwalkError {
  const waits = LIMITS.filter((name) => header(`${name}-remaining`) === "0")
    .map((name) => Number(header(`${name}-reset`) ?? Number.NaN) - now.getTime())
    .filter((ms) => Number.isFinite(ms) && ms > 0);
  const seconds = waits.length === 0 ? undefined : String(Math.max(1, Math.ceil(Math.max(...waits) / 1000)));
  const retryAfter = header("retry-after") ?? seconds;
  return errorFromAnswer(BOARD, { status: 429, header: () => retryAfter }, cause);
}

function transportError(thrown: unknown, { operation, signal }: ErrorContext): BoardwalkError {
  if (thrown instanceof SyntaxError) return errorFromShape(BOARD, new Error(`${operation}: no JSON`));
  if (!(thrown instanceof Error)) return errorFromTransport(BOARD, new Error(operation), signal);
  const { name } = thrown;
  const code = transportCode(thrown);
  const error = Object.assign(new Error(`${operation}: ${name} ${code ?? "failed"}`), { name, code });
  return errorFromTransport(BOARD, error, signal);
}

/** What Linear answered, if it did. */
function failureIn(thrown: unknown): Failure | undefined {
  if (!(thrown instanceof LinearError)) return undefined;
  const response = thrown.raw?.response;
  const faults = safeParse(faultShape.array(), response?.errors ?? []);
  return {
    status: thrown.status ?? 0,
    faults: faults.success ? faults.data : [],
    header: (name) => response?.headers?.get(name) ?? undefined,
  };
}

const none = () => undefined;
