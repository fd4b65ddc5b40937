/**
 * One error class and one table of codes for the whole project.
 * `message` is written to be spoken or read by a person; `cause` goes to the log only.
 */

interface CodeFacts {
  /** HTTP status of a problem reply that carries this code. */
  readonly status: number;
  /** Whether the same request may succeed later without being changed. */
  readonly retryable: boolean;
}

const CODES = {
  invalid: { status: 400, retryable: false },
  unauthorized: { status: 401, retryable: false },
  forbidden: { status: 403, retryable: false },
  not_found_or_hidden: { status: 404, retryable: false },
  conflict: { status: 409, retryable: false },
  no_such_move: { status: 422, retryable: false },
  needs_fields: { status: 422, retryable: false },
  stale_workflow: { status: 409, retryable: true },
  archived: { status: 422, retryable: false },
  rate_limited: { status: 429, retryable: true },
  auth_expired: { status: 424, retryable: false },
  busy: { status: 503, retryable: true },
  hook_failed: { status: 502, retryable: true },
  unavailable: { status: 502, retryable: true },
  timeout: { status: 504, retryable: true },
  internal: { status: 500, retryable: false },
} as const satisfies Record<string, CodeFacts>;

/**
 * Names what went wrong, for programs; see the table in this file for its HTTP status and whether a retry
 * may help.
 */
export type ErrorCode = keyof typeof CODES;

/** Every error code. */
export const ERROR_CODES = Object.keys(CODES) as readonly ErrorCode[];

/** What an error may carry beside its code and sentence. */
export interface BoardwalkErrorOptions {
  readonly cause?: unknown;
  /** How long to wait before trying again, when the other side said so. */
  readonly retryAfterMs?: number;
  /** Facts a program can act on: field names, open moves, the fix. Never secrets. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Every error that leaves this library: a code from one table, and a sentence for a person. `cause` is for
 * the log only.
 */
export class BoardwalkError extends Error {
  override readonly name = "BoardwalkError";
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: BoardwalkErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.data = options.data;
  }

  get status(): number {
    return CODES[this.code].status;
  }

  get retryable(): boolean {
    return CODES[this.code].retryable;
  }

  /** Any thrown value as a BoardwalkError. What is not ours becomes `internal`, its text kept in `cause` only. */
  static from(error: unknown): BoardwalkError {
    if (error instanceof BoardwalkError) return error;
    return new BoardwalkError("internal", "Something went wrong on our side. Please try again.", {
      cause: error,
    });
  }
}
