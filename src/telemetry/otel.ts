import { setTimeout } from "node:timers/promises";
import {
  type Context,
  context,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { outside } from "./scope.js";
import type { Facts, Span, SpanStart, Tracing } from "./tracing.js";

/** Spans by OpenTelemetry, sent to a collector as OTLP over HTTP. Loaded only where a collector is set. */

export interface OtelOptions {
  /** The collector's address, without `/v1/traces`. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly version: string;
  readonly role: string;
}

/** A collector that does not answer may lose the last spans, and never holds up the end of a process. */
const LAST_WORDS_MS = 3_000;

const KINDS: Readonly<Record<SpanStart["kind"], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** Nothing of it is global, so that two services in one process keep their traces apart. */
export function createOtel({ endpoint, serviceName, version, role }: OtelOptions): Tracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": serviceName,
      "service.version": version,
      "boardwalk.role": role,
    }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }) }),
    ],
  });
  const tracer = provider.getTracer("boardwalk", version);
  return {
    start: (span) => startSpan(tracer, span),
    close: () => Promise.race([provider.shutdown(), setTimeout(LAST_WORDS_MS, undefined, { ref: false })]),
  };
}

function startSpan(tracer: Tracer, { name, kind, parent, facts = {} }: SpanStart): Span {
  const span = tracer.startSpan(
    name,
    { kind: KINDS[kind], attributes: attributesOf(facts) },
    contextOf(parent),
  );
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceId,
    spanId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    rename: (to) => void span.updateName(to),
    tell: (more) => void span.setAttributes(attributesOf(more)),
    end: (error) => endSpan(span, error),
  };
}

function endSpan(span: OtelSpan, error: string | undefined): void {
  if (error !== undefined)
    span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR, message: error });
  // The batch that this begins to wait for is sent from a timer, which would send it in the name of our work.
  outside(() => span.end());
}

function contextOf(parent: string | undefined): Context {
  const known = parent === undefined ? null : parseTraceParent(parent);
  return known === null
    ? context.active()
    : trace.setSpanContext(context.active(), { ...known, isRemote: true });
}

function attributesOf(facts: Facts): Record<string, string | number | boolean> {
  const told = Object.entries(facts).filter((fact): fact is [string, string | number | boolean] => {
    return fact[1] !== undefined;
  });
  return Object.fromEntries(told);
}
