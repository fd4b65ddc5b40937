import { BoardwalkError } from "../errors.js";
import {
  type Hooks,
  type Job,
  type JobContext,
  type JobHandler,
  type ReportedJob,
  TryAgain,
} from "../hooks/hooks.js";
import type { Log } from "../log.js";
import type { SettledMove } from "../store/store.js";
import { type CallEnding, fieldsOfTrail, type OutgoingCall, type Scope, scope, within } from "./scope.js";
import { type Span, type Tracing, traced } from "./tracing.js";

/** The queue, seen: a line for each run of a job, and spans from whoever put it to whoever does it. */

export interface Seen {
  readonly log: Log;
  readonly tracing?: Tracing | undefined;
}

export function observeHooks(hooks: Hooks, seen: Seen): Hooks {
  return {
    ...hooks,
    ask: (job, timeoutMs) => sent(seen, job, (followed) => hooks.ask(followed, timeoutMs)),
    put: (job) => sent(seen, job, (followed) => hooks.put(followed)),
    serve: (handlers) =>
      hooks.serve(
        Object.fromEntries(
          Object.entries(handlers).map(([name, handler]) => [name, observed(seen, handler)]),
        ),
      ),
  };
}

/** What is put while a job runs follows that job's trail; what nobody asked for has none, and is no trace. */
async function sent<T>({ tracing }: Seen, job: Job, send: (job: Job) => Promise<T>): Promise<T> {
  const trail = job.trail ?? scope()?.trail;
  if (trail === undefined) return await send(job);
  if (tracing === undefined || trail.parent === undefined) return await send({ ...job, trail });
  const { parent } = trail;
  const start = { name: `send ${job.name}`, kind: "producer", parent, facts: factsOf("send", job) } as const;
  return await traced(tracing, start, (span) =>
    send({ ...job, trail: { ...trail, parent: span.traceparent } }),
  );
}

function observed(seen: Seen, handler: JobHandler): JobHandler {
  return async (data, context) => {
    const { job } = context;
    if (job === undefined) return await handler(data, context);
    const span = spanOf(seen, job, context);
    const fields = fieldsOfJob({ ...job, data }, span);
    return await within(scopeOf(seen, job, fields, span), () => run(seen.log, handler, data, context, span));
  };
}

type Running = NonNullable<JobContext["job"]>;

function spanOf({ tracing }: Seen, job: Running, { attempt }: JobContext): Span | undefined {
  const parent = job.trail?.parent;
  if (tracing === undefined || parent === undefined) return undefined;
  const facts = { ...factsOf("process", job), "boardwalk.job.attempt": attempt };
  return tracing.start({ name: `process ${job.name}`, kind: "consumer", parent, facts });
}

function factsOf(operation: "send" | "process", { id, name }: Running) {
  return {
    "messaging.system": "bullmq",
    "messaging.operation.name": operation,
    "messaging.operation.type": operation,
    "messaging.destination.name": name,
    "messaging.message.id": id,
  };
}

/** By what a log line is found that is about this job. */
export function fieldsOfJob({ id, trail, data = {} }: ReportedJob, span?: Span): Scope["fields"] {
  return {
    ...fieldsOfTrail(trail),
    ...idIn(data, "tenant", "tenant_id"),
    ...idIn(data, "moveId", "move_id"),
    job_id: id,
    ...(span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }),
  };
}

function idIn(data: Job["data"], name: string, field: string): Scope["fields"] {
  return typeof data[name] === "string" ? { [field]: data[name] } : {};
}

function scopeOf(seen: Seen, job: Running, fields: Scope["fields"], span: Span | undefined): Scope {
  const { trail } = job;
  const followed = trail && { ...trail, ...(span === undefined ? {} : { parent: span.traceparent }) };
  const inner: Scope = {
    ...(followed === undefined ? {} : { trail: followed }),
    fields,
    calling: (call) => {
      const began = performance.now();
      const calling = callSpan(seen, span, call);
      return (ending) => {
        const facts = "status" in ending ? { "http.response.status_code": ending.status } : {};
        calling?.tell(facts);
        calling?.end(failureOf(ending));
        const { method, host } = call;
        // Heard of from Node's own sockets, which know nothing of whose request it was.
        within(inner, () =>
          seen.log.debug({ event: "call", method, host, ...ending, duration_ms: since(began) }, "called out"),
        );
      };
    },
  };
  return inner;
}

function callSpan({ tracing }: Seen, span: Span | undefined, call: OutgoingCall): Span | undefined {
  if (span === undefined) return undefined;
  const { method, scheme, host, port } = call;
  return tracing?.start({
    name: method,
    kind: "client",
    parent: span.traceparent,
    facts: {
      "http.request.method": method,
      "url.scheme": scheme,
      "server.address": host,
      "server.port": port,
    },
  });
}

function failureOf(ending: CallEnding): string | undefined {
  if ("error" in ending) return ending.error;
  return ending.status >= 400 ? String(ending.status) : undefined;
}

async function run(
  log: Log,
  handler: JobHandler,
  data: Job["data"],
  context: JobContext,
  span: Span | undefined,
): Promise<unknown> {
  const began = performance.now();
  let outcome = "ok";
  try {
    return await handler(data, context);
  } catch (error) {
    outcome = outcomeOf(error, context);
    throw error;
  } finally {
    const failed = outcome !== "ok" && outcome !== "again" && outcome !== "interrupted";
    span?.tell({ "boardwalk.job.outcome": outcome });
    span?.end(failed ? outcome : undefined);
    const { name, lane, trail } = context.job ?? {};
    const line = {
      event: "job",
      job: name,
      lane,
      outcome,
      attempt: context.attempt,
      duration_ms: since(began),
    };
    if (failed) log.warn(line, "job failed");
    else if (outcome === "ok" && trail === undefined) log.debug(line, "job done");
    else log.info(line, outcome === "ok" ? "job done" : "job put off");
  }
}

function outcomeOf(error: unknown, { signal }: JobContext): string {
  if (error instanceof TryAgain) return "again";
  return signal.aborted ? "interrupted" : BoardwalkError.from(error).code;
}

/** A move that is over, as a line: ids only, and the people and words of it are in the audit log. */
export function moveLine(
  { moveId, outcome, code, already, from, to }: SettledMove,
  ticket: string,
  tookMs: number,
) {
  return {
    event: "move",
    move_id: moveId,
    ticket,
    from,
    to,
    outcome,
    ...(code === undefined ? {} : { code }),
    ...(already ? { already } : {}),
    duration_ms: tookMs,
  };
}

/** In whole microseconds, as milliseconds. */
export function since(began: number): number {
  return Math.round((performance.now() - began) * 1_000) / 1_000;
}
