import { z } from "zod";
import { BoardwalkError, ERROR_CODES } from "../errors.js";
import { safeParse } from "../parse.js";
import {
  type Job,
  type JobContext,
  type JobHandler,
  type JobReply,
  type ReportedJob,
  TryAgain,
} from "./hooks.js";

/** What every implementation of the port does alike: checks a job, runs its handler, reads its reply. */

export type Handlers = Readonly<Record<string, JobHandler>>;

/** How one run ended. `again`: not done, wants another try. `interrupted`: stopped by us, nobody's fault. */
export type Outcome =
  | { readonly kind: "reply"; readonly reply: JobReply }
  | { readonly kind: "again"; readonly delayMs: number }
  | { readonly kind: "interrupted" };

/** Told of what nobody waits for: lost connections, and the true cause behind an `internal` reply. For the log. */
export type ReportError = (error: unknown, job?: ReportedJob) => void;

export interface Runner {
  run(job: Job, attempt: number, takenOver?: boolean): Promise<Outcome>;
  /** Resolves when the jobs that run now have ended. */
  idle(): Promise<unknown>;
  /** Aborts the signal of every running job, and lets no further one begin. */
  interrupt(): void;
}

export function createRunner(handlers: Handlers, report: ReportError): Runner {
  // One controller a job: a shared signal would gather the listeners of all of them.
  const running = new Map<AbortController, Promise<Outcome>>();
  let interrupted = false;

  async function perform(handler: JobHandler, data: Job["data"], context: JobContext): Promise<Outcome> {
    const reportIt = (error: unknown) => report(error, { id: "", ...context.job, data });
    try {
      const result = await handler(data, context);
      return { kind: "reply", reply: plainReply({ ok: true, result }, reportIt) };
    } catch (error) {
      if (error instanceof TryAgain) return { kind: "again", delayMs: Math.max(0, error.delayMs) };
      if (context.signal.aborted) return { kind: "interrupted" };
      return { kind: "reply", reply: failureReply(error, reportIt) };
    }
  }

  return {
    async run({ data, ...job }, attempt, takenOver = false) {
      const { name } = job;
      if (interrupted) return { kind: "interrupted" };
      const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
      if (!handler) {
        report(new Error(`no handler does jobs named ${JSON.stringify(name)}`), { ...job, data });
        return { kind: "reply", reply: internalReply() };
      }
      const controller = new AbortController();
      const work = perform(handler, data, { signal: controller.signal, attempt, takenOver, job });
      running.set(controller, work);
      return work.finally(() => running.delete(controller));
    },
    idle: () => Promise.all(running.values()),
    interrupt() {
      interrupted = true;
      for (const controller of running.keys()) controller.abort(new Error("this process is stopping"));
    },
  };
}

function failureReply(error: unknown, report: (error: unknown) => void): JobReply {
  const failure = BoardwalkError.from(error);
  if (failure.code === "internal") report(error);
  return plainReply(
    {
      ok: false,
      code: failure.code,
      message: failure.message,
      ...(failure.data === undefined ? {} : { data: failure.data }),
      ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
    },
    report,
  );
}

/** The reply as any other process would read it; one that cannot be written down is our fault, hence `internal`. */
function plainReply(reply: JobReply, report: (error: unknown) => void): JobReply {
  try {
    return parseReply(JSON.parse(JSON.stringify(reply)));
  } catch (error) {
    report(error);
    return internalReply();
  }
}

export function internalReply(): JobReply {
  const { code, message } = BoardwalkError.from(undefined);
  return { ok: false, code, message };
}

const replySchema = z.discriminatedUnion("ok", [
  // Optional: JSON has no word for a handler that returned nothing.
  z.object({ ok: z.literal(true), result: z.unknown().optional() }),
  z.object({
    ok: z.literal(false),
    code: z.enum(ERROR_CODES),
    message: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
    retryAfterMs: z.number().optional(),
  }),
]);

/** A reply as it came back from the queue. What is not one is answered as `internal`: it must not be believed. */
export function parseReply(value: unknown): JobReply {
  const parsed = safeParse(replySchema, value);
  if (!parsed.success) return internalReply();
  const reply = parsed.data;
  if (reply.ok) return { ok: true, result: reply.result };
  return {
    ok: false,
    code: reply.code,
    message: reply.message,
    ...(reply.data === undefined ? {} : { data: reply.data }),
    ...(reply.retryAfterMs === undefined ? {} : { retryAfterMs: reply.retryAfterMs }),
  };
}

/**
 * The job, with its data as another process would read it.
 * @throws BoardwalkError `invalid` for an id that a queue cannot hold, or data that is not JSON.
 */
export function checkJob(job: Job): Job {
  if (job.id === "" || job.id.includes(":") || /^-?\d+$/.test(job.id)) {
    throw new BoardwalkError("invalid", "A job id may not be empty, nor a number, nor hold a colon.");
  }
  return { ...job, data: plainData(job.data) };
}

const dataShape = z.record(z.string(), z.unknown());

function plainData(data: Job["data"]): Job["data"] {
  try {
    return dataShape.parse(JSON.parse(JSON.stringify(data)));
  } catch (error) {
    throw new BoardwalkError("invalid", "A job's data must be plain JSON.", { cause: error });
  }
}

/** @throws BoardwalkError `invalid` unless it is a whole number of milliseconds, at least one. */
export function checkInterval(everyMs: number): number {
  if (Number.isSafeInteger(everyMs) && everyMs >= 1) return everyMs;
  throw new BoardwalkError("invalid", "A schedule needs a whole number of milliseconds, at least one.");
}

/** @throws BoardwalkError `invalid` unless it is a positive whole number. */
export function checkCount(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new BoardwalkError("invalid", `${name} must be a whole number, at least one.`);
}

/** Resolves to true when `work` ended within `ms`, else to false; never rejects because of the time. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
