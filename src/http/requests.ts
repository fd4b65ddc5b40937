import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { along, type Hooks, type Trail } from "../hooks/hooks.js";
import type { Log } from "../log.js";
import type { Span, Tracing } from "../telemetry/tracing.js";

/** Every request gets an id, and one line in the log when it is over. This is on the way of all reads: it stays small. */

export interface RequestsSeen {
  readonly log: Log;
  readonly tracing?: Tracing | undefined;
}

const trails = new WeakMap<IncomingMessage, Trail>();

/** By what the request, and all that it brings about, is known. */
export function trailOf(request: IncomingMessage): Trail | undefined {
  return trails.get(request);
}

/** The queue, in which whatever is put is known by this request. */
export function jobsOf(jobs: Pick<Hooks, "ask" | "put">, request: IncomingMessage) {
  return along(jobs, trailOf(request));
}

/** The same, for a conversation. */
export function trailed(request: IncomingMessage): { readonly trail?: Trail } {
  const trail = trailOf(request);
  return trail === undefined ? {} : { trail };
}

/** An id that a caller may choose: nothing that could forge a line, or fill one. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

export function observeRequests(listener: RequestListener, { log, tracing }: RequestsSeen): RequestListener {
  return (request, response) => {
    const began = performance.now();
    const given = request.headers["x-request-id"];
    const id = typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
    const span = tracing && startSpan(tracing, request);
    trails.set(request, span === undefined ? { request: id } : { request: id, parent: span.traceparent });
    response.setHeader("x-request-id", id);
    response.once("close", () => {
      const route = routeOf(request);
      logLine(log, { request, response, route, id, began, span });
      if (span !== undefined) endSpan(span, request, response, route);
    });
    listener(request, response);
  };
}

interface Over {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: string;
  readonly id: string;
  readonly began: number;
  readonly span: Span | undefined;
}

/** Asked so often, by machines, that only those that fail are worth a line of the usual log. */
const OFTEN: ReadonlySet<string> = new Set([
  ...["/mcp", "/t/:tenant/mcp", "/alexa/mcp"],
  ...["/healthz", "/readyz", "/metrics"],
]);

function logLine(log: Log, { request, response, route, id, began, span }: Over): void {
  const { statusCode: status } = response;
  const level = status >= 500 ? "warn" : status < 400 && OFTEN.has(route) ? "debug" : "info";
  if (!log.enabled(level)) return;
  log[level](
    {
      event: "request",
      request_id: id,
      ...(span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }),
      method: request.method,
      route,
      status,
      ...(response.writableFinished ? {} : { aborted: true }),
      duration_ms: Math.round((performance.now() - began) * 1_000) / 1_000,
    },
    "request",
  );
}

/** What Express leaves on the request that it has routed. */
interface Routed extends IncomingMessage {
  readonly originalUrl?: string;
  readonly baseUrl?: string;
  readonly route?: { readonly path?: unknown };
}

/** A webhook's address: whose board it is of, and its secret. */
export const WEBHOOK_PATH = /^\/webhooks\/([^/?]+)\/([^/?]+)\/?(?:\?|$)/;

/**
 * The pattern that the address fitted, never the address: that may hold a webhook's secret or what somebody searches.
 * `other` where none did.
 */
export function routeOf(request: Routed): string {
  const { url = "" } = request;
  const mcp = /^(?:\/mcp|\/alexa\/mcp|(\/t\/[^/?]+\/mcp))\/?(?:\?|$)/.exec(url);
  if (mcp !== null) return mcp[1] === undefined ? mcp[0].replace(/[/?]+$/, "") : "/t/:tenant/mcp";
  if (WEBHOOK_PATH.test(url)) return "/webhooks/:provider/:token";
  const { baseUrl, route } = request;
  if (typeof route?.path !== "string") return "other";
  return `${baseUrl || mountOf(request, route.path)}${route.path}`;
}

const MOUNTS: ReadonlySet<string> = new Set(["/api/v1"]);

/** Express has forgotten it once a route has failed: what stands before as many parts as the pattern has. */
function mountOf({ originalUrl = "" }: Routed, path: string): string {
  const parts = originalUrl.replace(/\/*(\?.*)?$/, "").split("/");
  const mount = parts.slice(0, parts.length - path.split("/").length + 1).join("/");
  return MOUNTS.has(mount) ? mount : "";
}

function startSpan(tracing: Tracing, request: IncomingMessage): Span {
  const { traceparent } = request.headers;
  return tracing.start({
    name: request.method ?? "GET",
    kind: "server",
    parent: typeof traceparent === "string" ? traceparent : undefined,
    facts: { "http.request.method": request.method, "url.scheme": "http" },
  });
}

function endSpan(span: Span, { method }: IncomingMessage, response: ServerResponse, route: string): void {
  const { statusCode: status } = response;
  span.rename(`${method} ${route}`);
  span.tell({ "http.route": route, "http.response.status_code": status });
  span.end(status >= 500 ? String(status) : response.writableFinished ? undefined : "aborted");
}
