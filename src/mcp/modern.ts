import type { IncomingMessage, ServerResponse } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  type AuthInfo,
  createMcpHandler,
  type InboundModernRoute,
  InMemoryServerEventBus,
  type McpHttpHandler,
} from "@modelcontextprotocol/server";
import type { Trail } from "../hooks/hooks.js";
import type { Call } from "./call.js";
import { MODERN_VERSION, type ServerOf } from "./server.js";
import { isListening, subscriptionsOf } from "./wire.js";

/** The body member that the `Mcp-Name` header has to repeat, by method. */
const NAMED_BY: Readonly<Record<string, "name" | "uri">> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/**
 * Whether a request is of the ordinary kind that needs nothing but an answer: our revision, every standard header
 * there and literally equal to the body. All else (streams, encoded headers, mistakes) is the SDK's own handler's.
 */
export function isPlain(route: InboundModernRoute, req: IncomingMessage): boolean {
  if (route.messageKind !== "request" || route.classification.revision !== MODERN_VERSION) return false;
  const { method, params } = route.message;
  if (isListening(route.message) || method === "server/discover") return false;
  if (req.headers["mcp-protocol-version"] !== MODERN_VERSION || req.headers["mcp-method"] !== method)
    return false;
  if (method.startsWith("tasks/")) return false;
  const named = NAMED_BY[method];
  return named === undefined || (params?.[named] !== undefined && req.headers["mcp-name"] === params[named]);
}

/** The SDK's own handlers for what is not plain: one per tenant, so that news for one never reaches another. */
export interface ModernHandlers {
  /** `listens`: the request is for a stream of news. */
  serve(
    call: Call,
    req: IncomingMessage,
    res: ServerResponse,
    asked: { readonly body: unknown; readonly listens: boolean },
  ): Promise<void>;
  toolsChanged(tenantId: string): void;
  resourceUpdated(tenantId: string, uri: string): void;
  /** Tenants somebody of whom listens. */
  tenants(): readonly string[];
  /** What they listen for news of. */
  subscribed(tenantId: string): ReadonlySet<string>;
  disconnect(tenantId: string): Promise<void>;
  /** Ends the streams of those who only listen, a tenant's when its last call is answered. */
  endStreams(): Promise<void>;
  close(): Promise<void>;
}

/** The SDK's description of what node gives us; the two differ in how they spell an absent property. */
type NodeRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

interface Served {
  readonly handler: McpHttpHandler;
  readonly bus: InMemoryServerEventBus;
  /** Requests under way, streams included; at zero the handler is let go. */
  users: number;
  /** Those of them that only listen, each with what it wants to hear of. */
  readonly listeners: Set<readonly string[]>;
}

export function createModernHandlers(
  version: string,
  serverOf: ServerOf,
  report: (error: Error, trail: Trail | undefined) => void,
): ModernHandlers {
  const served = new Map<string, Served>();
  const calls = new WeakMap<AuthInfo, Call>();
  let leaving = false;

  function open(tenantId: string): Served {
    const existing = served.get(tenantId);
    if (existing !== undefined) return existing;
    const bus = new InMemoryServerEventBus((error) => report(error, undefined));
    const handler = createMcpHandler(
      ({ authInfo }) => {
        const call = authInfo === undefined ? undefined : calls.get(authInfo);
        if (call === undefined) throw new Error("A request came without the call it belongs to.");
        return serverOf(version, () => call);
      },
      // Streams are counted before they come here, where a refusal can say when to come back.
      { legacy: "reject", bus, maxSubscriptions: Number.POSITIVE_INFINITY },
    );
    const made = { handler, bus, users: 0, listeners: new Set<readonly string[]>() };
    served.set(tenantId, made);
    return made;
  }

  /** The SDK ends streams and calls alike, so the calls come first. */
  async function endListeners(one: Served): Promise<void> {
    if (leaving && one.users === one.listeners.size) await one.handler.close();
  }

  return {
    async serve(call, req, res, { body, listens }) {
      const tenantId = call.principal.tenant?.id ?? "";
      const one = open(tenantId);
      // Only a handle by which the factory finds the call again; it carries no token.
      const authInfo: AuthInfo = { token: "", clientId: "", scopes: [] };
      calls.set(authInfo, call);
      const uris = listens ? subscriptionsOf(body) : [];
      one.users += 1;
      if (listens) one.listeners.add(uris);
      try {
        const fetch: McpHttpHandler["fetch"] = (request, options) =>
          one.handler.fetch(request, { ...options, authInfo });
        await toNodeHandler({ fetch }, { onerror: (error) => report(error, call.trail) })(
          req as NodeRequest,
          res,
          body,
        );
      } finally {
        one.users -= 1;
        one.listeners.delete(uris);
        if (one.users === 0 && served.get(tenantId) === one) served.delete(tenantId);
        await endListeners(one);
      }
    },
    toolsChanged(tenantId) {
      served.get(tenantId)?.handler.notify.toolsChanged();
      served.get(tenantId)?.handler.notify.resourcesChanged();
    },
    resourceUpdated(tenantId, uri) {
      served.get(tenantId)?.handler.notify.resourceUpdated(uri);
    },
    tenants: () => [...served].filter(([, { listeners }]) => listeners.size > 0).map(([id]) => id),
    subscribed: (tenantId) => new Set([...(served.get(tenantId)?.listeners ?? [])].flat()),
    async disconnect(tenantId) {
      const one = served.get(tenantId);
      served.delete(tenantId);
      await one?.handler.close();
    },
    async endStreams() {
      leaving = true;
      await Promise.all([...served.values()].map(endListeners));
    },
    async close() {
      await Promise.all([...served.values()].map(({ handler }) => handler.close()));
      served.clear();
    },
  };
}
