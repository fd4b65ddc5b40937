import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { errorMonitor } from "node:events";
import type { ClientRequest, IncomingMessage } from "node:http";
import { type CallEnding, type OutgoingCall, scope } from "./scope.js";

/**
 * Requests to boards and repositories, seen where Node itself sends them: their client libraries differ, and some of
 * them send again by themselves. Of the address only scheme and host are told: paths hold branch names, and queries
 * hold what people search for.
 */

type Ended = (ending: CallEnding) => void;
const underWay = new WeakMap<object, Ended>();
let watchers = 0;

/** From now on every scope is told of its requests. @returns what ends it. */
export function watchCalls(): () => void {
  if (watchers++ === 0) for (const [channel, listener] of CHANNELS) subscribe(channel, listener);
  return () => {
    if (--watchers === 0) for (const [channel, listener] of CHANNELS) unsubscribe(channel, listener);
  };
}

function begin(request: object, call: () => OutgoingCall): void {
  const calling = scope()?.calling;
  if (calling !== undefined) underWay.set(request, calling(call()));
}

/** Once: what goes wrong after the status has come is a reply that broke off, and is told by whoever reads it. */
function end(request: object, ending: CallEnding): void {
  const ended = underWay.get(request);
  underWay.delete(request);
  ended?.(ending);
}

/** Of `fetch`; shapes by undici's documentation of its diagnostics channels. */
interface UndiciRequest {
  readonly origin: string;
  readonly method: string;
}

function fetchBegins(message: unknown): void {
  const { request } = message as { request: UndiciRequest };
  begin(request, () => callOf(request.method, new URL(request.origin)));
}

function fetchAnswered(message: unknown): void {
  const { request, response } = message as { request: UndiciRequest; response: { statusCode: number } };
  end(request, { status: response.statusCode });
}

function fetchFailed(message: unknown): void {
  const { request, error } = message as { request: UndiciRequest; error: unknown };
  end(request, { error: kindOf(error) });
}

function httpBegins(message: unknown): void {
  const { request } = message as { request: ClientRequest };
  begin(request, () => callOf(request.method, new URL(`${request.protocol}//${hostOf(request)}`)));
  // Node 20 tells of failures on a channel of no promise; this event is one, and handles nothing.
  if (underWay.has(request)) request.once(errorMonitor, (error) => end(request, { error: kindOf(error) }));
}

function httpAnswered(message: unknown): void {
  const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
  end(request, { status: response.statusCode ?? 0 });
}

const CHANNELS = [
  ["undici:request:create", fetchBegins],
  ["undici:request:headers", fetchAnswered],
  ["undici:request:error", fetchFailed],
  ["http.client.request.start", httpBegins],
  ["http.client.response.finish", httpAnswered],
] as const;

function callOf(method: string, { protocol, hostname, port }: URL): OutgoingCall {
  const scheme = protocol.replace(":", "");
  return {
    method,
    scheme,
    host: hostname,
    port: port === "" ? (scheme === "https" ? 443 : 80) : Number(port),
  };
}

/** Its `Host` header: the request itself does not say its port. */
function hostOf(request: ClientRequest): string {
  const host = request.getHeader("host");
  return typeof host === "string" ? host : request.host;
}

/** `ECONNREFUSED`, `AbortError`; never a message. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
