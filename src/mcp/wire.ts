import type { IncomingMessage } from "node:http";
import { CLIENT_INFO_META_KEY, isJSONRPCRequest, type JSONRPCRequest } from "@modelcontextprotocol/server";
import { z } from "zod";
import { safeParse } from "../parse.js";
import { nameOfClient } from "./principal.js";

/** What can be told of a request from its headers and body before anyone answers it. */

export function standardHeaders(req: IncomingMessage) {
  const version = header(req, "mcp-protocol-version");
  const method = header(req, "mcp-method");
  const name = header(req, "mcp-name");
  return {
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  };
}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === "string" ? value : undefined;
}

export function requests(body: unknown): JSONRPCRequest[] {
  return (Array.isArray(body) ? body : [body]).filter(isJSONRPCRequest);
}

/** Does it ask for a stream of news? */
export function isListening({ method }: Pick<JSONRPCRequest, "method">): boolean {
  return method === "subscriptions/listen";
}

const listenShape = z.object({
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()) }) }),
});

/** The URIs of which whoever asks for a stream wants to hear. */
export function subscriptionsOf(body: unknown): string[] {
  const parsed = safeParse(listenShape, body);
  return parsed.success ? parsed.data.params.notifications.resourceSubscriptions : [];
}

/** The id to answer under, when it could be read. */
export function idOf(body: unknown): string | number | null {
  const id = typeof body === "object" && body !== null && "id" in body ? body.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** The client's name as a request of 2026 carries it. */
export function clientOf(body: unknown): string | undefined {
  const meta = (body as { params?: { _meta?: Record<string, unknown> } }).params?._meta;
  return nameOfClient(meta?.[CLIENT_INFO_META_KEY]);
}
