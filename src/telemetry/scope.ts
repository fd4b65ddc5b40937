import { AsyncLocalStorage } from "node:async_hooks";
import type { Trail } from "../hooks/hooks.js";

/**
 * What a worker is doing now, known wherever that leads without being handed on: in each log line, each job put and
 * each request to a board. Only workers have one: it slows everything that awaits, and requests hand their trail on.
 */
export interface Scope {
  /** Of the jobs that this work puts; absent where nobody asked for it. */
  readonly trail?: Trail;
  /** Said in each log line. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Told of each HTTP request that goes out. @returns what is told how it ended. */
  calling(call: OutgoingCall): (ending: CallEnding) => void;
}

export interface OutgoingCall {
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  readonly port: number | undefined;
}

/** A status, or what kind of failure there was instead of one. */
export type CallEnding = { readonly status: number } | { readonly error: string };

/** By what a log line is found that is about this request, or about what it brought about. */
export function fieldsOfTrail({ request, parent }: Trail = {}): Scope["fields"] {
  return {
    ...(request === undefined ? {} : { request_id: request }),
    // A `traceparent`: version, trace, span, flags.
    ...(parent === undefined ? {} : { trace_id: parent.split("-")[1] }),
  };
}

const scopes = new AsyncLocalStorage<Scope>();

export function scope(): Scope | undefined {
  return scopes.getStore();
}

export function within<T>(inner: Scope, work: () => T): T {
  return scopes.run(inner, work);
}

/** For what outlives the work that began it. */
export function outside<T>(work: () => T): T {
  return scopes.exit(work);
}
