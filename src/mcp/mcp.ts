import type { IncomingMessage, ServerResponse } from "node:http";
import type { JSONRPCRequest } from "@modelcontextprotocol/server";
import { CLIENT_INFO_META_KEY, classifyInboundRequest, isJSONRPCRequest } from "@modelcontextprotocol/server";
import { BoardwalkError } from "../errors.js";
import type { TenantStore } from "../store/store.js";
import type { Tickets } from "../tickets/tickets.js";
import { DEFAULT_MAX_BODY_BYTES, type Rejection, readJson } from "./body.js";
import type { Call } from "./call.js";
import { type CatalogueChoice, createCatalogues } from "./catalogues.js";
import { createDispatcher, type Era } from "./dispatcher.js";
import { createGuard } from "./guard.js";
import { createLegacy } from "./legacy.js";
import { createModernHandlers, isPlain } from "./modern.js";
import type { Principal, Surface } from "./principal.js";
import { writeMessage, writeRejection } from "./replies.js";
import { createSessions } from "./sessions.js";

export interface McpLog {
  error(facts: Readonly<Record<string, unknown>>, message: string): void;
}

export interface McpOptions {
  readonly tickets: Tickets;
  /** Host names this server is called by, beside this machine's own; `*` for any. */
  readonly allowedHosts: readonly string[];
  /** Origins (`https://host[:port]`) whose pages may call; a page of the called host always may. */
  readonly allowedOrigins: readonly string[];
  readonly version?: string;
  readonly log?: McpLog;
  readonly now?: () => Date;
  /** @default 1 MiB */
  readonly maxBodyBytes?: number;
  /** More tools than this and the core is shown in their place. @default 40 */
  readonly maxTools?: number;
  /** How long a move's reply may take, in milliseconds, before it says `accepted`. */
  readonly budgetMs?: (surface: Surface) => number;
  /** What a tenant wants to see; asked again after `toolsChanged`. */
  readonly choose?: (tenant: TenantStore) => Promise<CatalogueChoice>;
  /** Whether a principal's scopes cover a tool. @default always */
  readonly mayCall?: Call["mayCall"];
  readonly sessions?: { readonly idleMs?: number; readonly maxPerTenant?: number };
}

export interface HandleOptions {
  /** @default "generated" */
  readonly surface?: Surface;
  /** The parsed body, when whoever comes before had to look into it. */
  readonly body?: unknown;
}

export interface Mcp {
  /** Serves one request of somebody who has been authenticated. Never rejects. */
  handle(
    req: IncomingMessage,
    res: ServerResponse,
    principal: Principal,
    options?: HandleOptions,
  ): Promise<void>;
  /** The Origin and Host check alone, for whoever wants to turn a request away before authenticating it. */
  guard(req: IncomingMessage): Rejection | undefined;
  /** A tenant's workflows have changed: its catalogue is made anew, and its clients here, and no others, are told. */
  toolsChanged(tenantId: string): void;
  /** A ticket or workflow has changed: tells the tenant's clients that subscribed to its URI. */
  resourceUpdated(tenantId: string, uri: string): void;
  close(): Promise<void>;
}

const DEFAULT_BUDGET_MS: Readonly<Record<Surface, number>> = {
  generated: 10_000,
  compact: 10_000,
  frozen: 400,
};

/** What a principal without a tenant may not ask. */
const NEEDS_TENANT = new Set([
  "tools/call",
  "resources/read",
  "resources/subscribe",
  "prompts/get",
  "completion/complete",
]);

/** The MCP endpoint over `tickets`: both protocol eras on one URL, for every tenant. */
export async function createMcp(options: McpOptions): Promise<Mcp> {
  const version = options.version ?? "0.0.0";
  const now = options.now ?? (() => new Date());
  const report = reporter(options.log);
  const guard = createGuard(options);
  const catalogues = createCatalogues({ ...options, now });
  const sessions = createSessions({ ...options.sessions, now });
  const dispatchers: Record<Era, Awaited<ReturnType<typeof createDispatcher>>> = {
    modern: await createDispatcher("modern", version),
    legacy: await createDispatcher("legacy", version),
  };
  const modern = createModernHandlers(version, (error) => report(BoardwalkError.from(error)));
  const legacy = createLegacy({ dispatcher: dispatchers.legacy, sessions, version });

  async function callFor(principal: Principal, surface: Surface, client: string | undefined): Promise<Call> {
    return {
      principal,
      catalogue: await catalogues.get(principal.tenant, surface),
      tickets: options.tickets,
      ...(client === undefined ? {} : { client }),
      budgetMs: options.budgetMs?.(surface) ?? DEFAULT_BUDGET_MS[surface],
      mayCall: options.mayCall ?? (() => true),
      report,
    };
  }

  async function post(
    req: IncomingMessage,
    res: ServerResponse,
    principal: Principal,
    surface: Surface,
    body: unknown,
  ): Promise<void> {
    const outcome = classifyInboundRequest({ httpMethod: "POST", ...standardHeaders(req), body });
    if (outcome.kind === "reject") {
      return writeRejection(res, { ...outcome, status: outcome.httpStatus }, idOf(body), outcome.data);
    }
    if (principal.tenant === undefined && requests(body).some(({ method }) => NEEDS_TENANT.has(method))) {
      return writeRejection(
        res,
        { status: 401, code: -32000, message: "Please link your account first." },
        idOf(body),
      );
    }
    if (outcome.kind === "legacy") {
      return legacy.post({ req, res, principal, surface, body, callFor });
    }
    const call = await callFor(principal, surface, clientOf(body));
    if (outcome.messageKind !== "request" || !isPlain(outcome, req))
      return modern.serve(call, req, res, body);
    const reply = await dispatchers.modern.request(outcome.message, call);
    writeMessage(res, reply.status, reply.message);
  }

  return {
    guard,
    async handle(req, res, principal, { surface = "generated", body } = {}) {
      let given = body;
      try {
        const refused = guard(req);
        if (refused !== undefined) return writeRejection(res, refused);
        if (req.method !== "POST") return await legacy.other({ req, res, principal, surface });
        if (given === undefined) {
          const read = await readJson(req, options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
          if (!read.ok) return writeRejection(res, read);
          given = read.value;
        }
        await post(req, res, principal, surface, given);
      } catch (error) {
        const known = BoardwalkError.from(error);
        report(known);
        if (res.headersSent) return void res.end();
        writeRejection(res, { status: 200, code: -32603, message: known.message }, idOf(given), {
          code: known.code,
        });
      }
    },
    toolsChanged(tenantId) {
      catalogues.forget(tenantId);
      for (const list of ["tools", "resources"]) {
        sessions.notify(tenantId, { jsonrpc: "2.0", method: `notifications/${list}/list_changed` });
      }
      modern.toolsChanged(tenantId);
    },
    resourceUpdated(tenantId, uri) {
      const notification = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } };
      sessions.notify(tenantId, notification, (session) => session.subscriptions.has(uri));
      modern.resourceUpdated(tenantId, uri);
    },
    async close() {
      sessions.close();
      await Promise.all([modern.close(), dispatchers.modern.close(), dispatchers.legacy.close()]);
    },
  };
}

/** Tells the log which kind of error it was and where it came from; never its text, which may quote a ticket. */
function reporter(log: McpLog | undefined): (error: BoardwalkError) => void {
  return (error) => {
    if (log === undefined || (error.code !== "internal" && !error.retryable)) return;
    const cause = error.cause instanceof Error ? error.cause : undefined;
    const at = (cause ?? error).stack
      ?.split("\n")
      .filter((line) => line.startsWith("    at "))
      .slice(0, 5);
    log.error({ code: error.code, cause: cause?.name, at }, "A request over MCP failed.");
  };
}

function standardHeaders(req: IncomingMessage) {
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

function requests(body: unknown): JSONRPCRequest[] {
  return (Array.isArray(body) ? body : [body]).filter(isJSONRPCRequest);
}

function idOf(body: unknown): string | number | null {
  const id = typeof body === "object" && body !== null && "id" in body ? body.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** The client's name as a request of 2026 carries it. */
function clientOf(body: unknown): string | undefined {
  const meta = (body as { params?: { _meta?: Record<string, unknown> } }).params?._meta;
  const info = meta?.[CLIENT_INFO_META_KEY] as { name?: unknown } | undefined;
  return typeof info?.name === "string" ? info.name.slice(0, 100) : undefined;
}
