import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/** An OpenTelemetry collector that keeps what it is sent: OTLP over HTTP, as JSON. */

const attribute = z.object({
  key: z.string(),
  value: z.object({
    stringValue: z.string().optional(),
    intValue: z.union([z.number(), z.string()]).optional(),
    boolValue: z.boolean().optional(),
    doubleValue: z.number().optional(),
  }),
});
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: z.array(attribute),
  status: z.object({ code: z.number(), message: z.string().optional() }),
});
const sent = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

type Attributes = Readonly<Record<string, unknown>>;
export interface Exported {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly kind: "internal" | "server" | "client" | "producer" | "consumer" | "unspecified";
  readonly attributes: Attributes;
  readonly error: string | undefined;
  readonly resource: Attributes;
}

export interface Collector {
  readonly url: string;
  /** Every byte that came. */
  readonly bytes: () => string;
  readonly spans: () => readonly Exported[];
  close(): Promise<void>;
}

const KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const;
/** OTLP's code of a span that ended badly. */
const ERROR = 2;

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    bodies.push(`${request.url} ${JSON.stringify(request.headers)}\n${body}`);
    response.setHeader("content-type", "application/json").end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => bodies.join("\n"),
    spans: () => bodies.flatMap((body) => spansOf(body.slice(body.indexOf("\n") + 1))),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function spansOf(body: string): readonly Exported[] {
  return sent.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ traceId, spanId, parentSpanId, name, kind, attributes, status }) => ({
        traceId,
        spanId,
        parent: parentSpanId === "" ? undefined : parentSpanId,
        name,
        kind: KINDS[kind] ?? "unspecified",
        attributes: plain(attributes),
        error: status.code === ERROR ? (status.message ?? "error") : undefined,
        resource: plain(resource.attributes),
      })),
  );
}

function plain(attributes: readonly z.infer<typeof attribute>[]): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
