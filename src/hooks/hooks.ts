import type { z } from "zod";
import { BoardwalkError, type ErrorCode } from "../errors.js";
import { parseOr } from "../parse.js";

/**
 * By what ids everything that one request brings about is known again: in each log line, and as one trace. Goes with
 * a job to whoever does it.
 */
export interface Trail {
  readonly request?: string;
  /** Of the span that this is a part of, as a W3C `traceparent`. */
  readonly parent?: string;
}

/** A piece of work owed, with an id that makes it the same work however often it is put. */
export interface Job {
  /** Made of tenant, ticket and what is owed; never an integer, never with a `:`. See `jobId`. */
  readonly id: string;
  /** Which handler does it. */
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  /**
   * Jobs of one lane share a cap of running jobs, so that one slow board holds up nobody else. Lanes that begin alike up
   * to a slash (`acme/eng`, `acme/eng/hooks`) are one group: it gets no more than a share of all places.
   */
  readonly lane: string;
  /** Of whoever put it first. */
  readonly trail?: Trail;
  /** Its id was made a moment ago, so it has not been done before: whoever asks need not look. */
  readonly isNew?: boolean;
}

/** How a job ended. A failure is a value: an error's class would not survive the queue. */
export type JobReply =
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly data?: Readonly<Record<string, unknown>>;
      readonly retryAfterMs?: number;
    };

/** Does jobs of one name. A thrown BoardwalkError becomes a failed reply; `again` asks for another try later. */
export type JobHandler = (data: Readonly<Record<string, unknown>>, context: JobContext) => Promise<unknown>;

export interface JobContext {
  readonly signal: AbortSignal;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Another worker had it and was not heard of for too long; it may be dead, or only slow. */
  readonly takenOver?: boolean;
  readonly job?: Pick<Job, "id" | "name" | "lane" | "trail">;
}

/** Thrown by a handler that could not finish: the same job is run again after `delayMs`, keeping its waiters. */
export class TryAgain extends Error {
  override readonly name = "TryAgain";
  readonly delayMs: number;
  constructor(delayMs: number, options?: { cause?: unknown }) {
    super(`try again in ${delayMs} ms`, options);
    this.delayMs = delayMs;
  }
}

/** What a job is about. @throws BoardwalkError `internal` when it is not what this release puts. */
export function jobData<T>(schema: z.ZodType<T>, data: unknown): T {
  return parseOr(schema, data, (faults) =>
    unlike("A job of ours cannot be read, so it was not done.", faults),
  );
}

/** What came of a job. @throws BoardwalkError `internal` when it is not what this release replies. */
export function jobResult<T>(schema: z.ZodType<T>, result: unknown): T {
  return parseOr(schema, result, (faults) =>
    unlike("We cannot read how that ended. Please look again.", faults),
  );
}

function unlike(message: string, faults: readonly string[]): BoardwalkError {
  return new BoardwalkError("internal", message, { data: { faults } });
}

/** Where owed work is put, waited for and done. */
export interface Hooks {
  /** Puts the job if it is not there yet and waits for its reply. `undefined`: still working when `timeoutMs` had passed. */
  ask(job: Job, timeoutMs: number): Promise<JobReply | undefined>;
  /** Puts the job if it is not there yet, without waiting. */
  put(job: Job): Promise<void>;
  /** Runs `put(job)` every `everyMs`, once however many processes ask; re-asking changes the interval. */
  schedule(job: Job, everyMs: number): Promise<void>;
  /** Begins to do jobs, with these handlers by name. @returns a function that finishes the running ones and stops. */
  serve(handlers: Readonly<Record<string, JobHandler>>): Promise<() => Promise<void>>;
  /** Jobs waiting and running, for health and metrics. */
  counts(): Promise<{ readonly waiting: number; readonly running: number; readonly workers: number }>;
  close(): Promise<void>;
}

/** What trouble is about, where it is about a job. */
export type ReportedJob = Pick<Job, "id"> & Partial<Pick<Job, "data" | "trail">>;

/** The same queue, in which what is put follows this trail. */
export function along(
  jobs: Pick<Hooks, "ask" | "put">,
  trail: Trail | undefined,
): Pick<Hooks, "ask" | "put"> {
  if (trail === undefined) return jobs;
  return {
    ask: (job, timeoutMs) => jobs.ask({ ...job, trail }, timeoutMs),
    put: (job) => jobs.put({ ...job, trail }),
  };
}

/** One id from several parts, each escaped, so that no two lists of parts share an id. */
export function jobId(...parts: readonly (string | number)[]): string {
  return parts.map((part) => String(part).replace(/[^A-Za-z0-9.-]/gu, escapeChar)).join("__");
}

/** `_` is the escape sign, so it is escaped as well; thus `__` only ever joins parts. */
function escapeChar(char: string): string {
  return `_${char.codePointAt(0)?.toString(16) ?? ""}.`;
}
