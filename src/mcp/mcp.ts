import type { IncomingMessage, ServerResponse } from "node:http";
import {
  classifyInboundRequest,
  type InboundClassificationOutcome,
  type JSONRPCRequest,
} from "@modelcontextprotocol/server";
import { BoardwalkError } from "../errors.js";
import type { Trail } from "../hooks/hooks.js";
import type { TenantStore } from "../store/store.js";
import type { TenantBudgets } from "../tickets/budgets.js";
import type { Recency } from "../tickets/recency.js";
import type { KeptWorkflow, Tickets } from "../tickets/tickets.js";
import { type Rejection, readJson } from "./body.js";
import type { Call } from "./call.js";
import { readCard } from "./card.js";
import { generatedCatalogue } from "./catalogue.js";
import { type Catalogues, createCatalogues } from "./catalogues.js";
import { createDispatcher, type Dispatcher } from "./dispatcher.js";
import { createGuard } from "./guard.js";
import { type Asker, createLegacy, type Exchange, type Legacy } from "./legacy.js";
import { createModernHandlers, isPlain, type ModernHandlers } from "./modern.js";
import { createNews, type News } from "./news.js";
import type { Principal, Surface } from "./principal.js";
import { writeError, writeLimited, writeMessage, writeRejection } from "./replies.js";
import { createServer, type ServerOf } from "./server.js";
import { createSessions } from "./sessions.js";
import { createSharedSessions, type SessionBus, type SharedSessions } from "./shared-sessions.js";
import { previewedTools, type ShownSurface, type ShownTool, shownSurfaces } from "./shown-tools.js";
import { NO_NAMES } from "./tool-names.js";
import { trailOfClient } from "./trail.js";
import { clientOf, idOf, isListening, requests, standardHeaders } from "./wire.js";

export interface McpOptions {
  readonly tickets: Tickets;
  /** Host names this server is called by, beside this machine's own; `*` for any. */
  readonly allowedHosts: readonly string[];
  /** Origins (`https://host[:port]`) whose pages may call; a page of the called host always may. */
  readonly allowedOrigins: readonly string[];
  readonly version?: string;
  /** What answers behind the endpoint. @default the service's own tools, resources and prompts */
  readonly serverOf?: ServerOf;
  /** Told of what went wrong in a request, or of its own accord, and by what the request is known. */
  readonly report?: Call["report"];
  readonly now?: () => Date;
  /** @default 1 MiB */
  readonly maxBodyBytes?: number;
  /** More tools than this and the core is shown in their place. @default 40 */
  readonly maxTools?: number;
  /** How long a move's reply may take, in milliseconds, before it says `accepted`. */
  readonly budgetMs?: (surface: Surface) => number;
  /** Whether a principal's scopes cover a tool. @default always */
  readonly mayCall?: Call["mayCall"];
  readonly sessions?: { readonly idleMs?: number };
  /** How much each tenant may use. @default anything */
  readonly budgets?: TenantBudgets;
  /** How old what was read before may be. @default everything is read anew */
  readonly recency?: Pick<Recency, "ofTenant">;
  /** How the replicas of a service reach each other, so that a session begun on one is served by all. */
  readonly bus?: SessionBus;
}

export interface HandleOptions {
  /** @default "generated" */
  readonly surface?: Surface;
  /** The parsed body, when whoever comes before had to look into it. */
  readonly body?: unknown;
  /** Goes with what the request puts into the queue. */
  readonly trail?: Trail | undefined;
  /** Told of the scope that a refused request would have needed, before the refusal is written. */
  lacks?(scope: string): void;
}

export interface Mcp extends News {
  /** Serves one request of somebody who has been authenticated. Never rejects. */
  handle(
    req: IncomingMessage,
    res: ServerResponse,
    principal: Principal,
    options?: HandleOptions,
  ): Promise<void>;
  /** The tools of a tenant as each kind of client is answered them. */
  shown(tenant: TenantStore): Promise<readonly ShownSurface[]>;
  /** What tools these workflows would make, if they were all that a team has. */
  preview(workflows: readonly KeptWorkflow[]): readonly ShownTool[];
  /** The Origin and Host check alone, for whoever wants to turn a request away before authenticating it. */
  guard(req: IncomingMessage): Rejection | undefined;
  /** Ends every session and stream of a tenant, as when a token was taken back; who may still call comes again. */
  disconnect(tenantId: string): Promise<void>;
  /** Ends the streams of clients that only listen, so that they come again elsewhere; calls are still answered. */
  endStreams(): Promise<void>;
  close(): Promise<void>;
}

const DEFAULT_BUDGET_MS: Readonly<Record<Surface, number>> = {
  generated: 10_000,
  compact: 10_000,
  frozen: 400,
};

/** What a principal without a tenant may ask: what there is, never what is in it. */
const NEEDS_NO_TENANT = new Set([
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
]);

/** The scope that an app needs for what is not in here for free. */
const SCOPES: Readonly<Record<string, string>> = {
  "tools/call": "mcp:tools",
  "resources/read": "mcp:resources",
  "resources/subscribe": "mcp:resources",
  "prompts/get": "mcp:resources",
  "completion/complete": "mcp:resources",
};

const UNGRANTED = {
  status: 403,
  code: -32000,
  message: "That was not granted. Please link your account again, and allow it.",
};
const UNLINKED = { status: 401, code: -32000, message: "Please link your account first." };

/** The MCP endpoint over `tickets`: both protocol eras on one URL, for every tenant. */
export async function createMcp(options: McpOptions): Promise<Mcp> {
  const { version = "0.0.0", serverOf = createServer } = options;
  const [modern, legacy] = await Promise.all([
    createDispatcher("modern", version, serverOf),
    createDispatcher("legacy", version, serverOf),
  ]);
  const now = options.now ?? (() => new Date());
  const { report = () => {} } = options;
  const { idleMs } = options.sessions ?? {};
  const sessions = await createSharedSessions({
    sessions: createSessions({ ...options.sessions, now }),
    ...(options.bus === undefined ? {} : { bus: options.bus }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(options.budgets === undefined ? {} : { budgets: options.budgets }),
    now,
    report: (error) => report(BoardwalkError.from(error), undefined),
  });
  return new Endpoint(options, version, sessions, [modern, legacy]);
}

class Endpoint implements Mcp {
  readonly guard: Mcp["guard"];
  readonly #options: McpOptions;
  readonly #report: Call["report"];
  readonly #catalogues: Catalogues;
  readonly #sessions: SharedSessions;
  readonly #dispatchers: readonly [modern: Dispatcher, legacy: Dispatcher];
  readonly #modern: Dispatcher;
  readonly #handlers: ModernHandlers;
  readonly #legacy: Legacy;
  readonly #news: News;

  constructor(
    options: McpOptions,
    version: string,
    sessions: SharedSessions,
    [modern, legacy]: readonly [Dispatcher, Dispatcher],
  ) {
    const now = options.now ?? (() => new Date());
    const { serverOf = createServer } = options;
    this.guard = createGuard(options);
    this.#options = options;
    this.#report = options.report ?? (() => {});
    this.#catalogues = createCatalogues({ ...options, now });
    this.#sessions = sessions;
    this.#dispatchers = [modern, legacy];
    this.#modern = modern;
    this.#handlers = createModernHandlers(version, serverOf, (error, trail) =>
      this.#report(BoardwalkError.from(error), trail),
    );
    this.#news = createNews({
      catalogues: this.#catalogues,
      sessions,
      modern: this.#handlers,
      report: (error) => this.#report(BoardwalkError.from(error), undefined),
    });
    this.#legacy = createLegacy({
      dispatcher: legacy,
      sessions: this.#sessions,
      version,
      serverOf,
      callFor: (...about) => this.#callFor(...about),
      holdStream: (exchange) => this.#holdStream(exchange),
    });
  }

  async handle(
    req: IncomingMessage,
    res: ServerResponse,
    principal: Principal,
    { surface = "generated", body: given, trail, lacks }: HandleOptions = {},
  ): Promise<void> {
    const language = req.headers["accept-language"];
    const since = this.#sinceFor(principal);
    const exchange = { req, res, principal, surface, since, language, trail };
    let body = given;
    try {
      const refused = this.guard(req);
      if (refused !== undefined) return writeRejection(res, refused);
      if (req.method !== "POST") return await this.#legacy.other(exchange);
      if (body === undefined) {
        const read = await readJson(req, this.#options.maxBodyBytes);
        if (!read.ok) return writeRejection(res, read);
        body = read.value;
      }
      const outcome = classifyInboundRequest({ httpMethod: "POST", ...standardHeaders(req), body });
      const asked = requestsOf(outcome, body);
      const missing = missingScope(principal, asked);
      if (missing !== undefined) {
        lacks?.(missing);
        return writeError(res, UNGRANTED, idOf(body));
      }
      await this.#options.budgets?.takeCalls(principal.tenant, Math.max(1, asked.length));
      const followed = trailOfClient(trail, asked[0]);
      const followedUp = followed === trail ? exchange : { ...exchange, trail: followed };
      await this.#post(followedUp, outcome, body, asked);
    } catch (error) {
      const known = BoardwalkError.from(error);
      if (known.code === "rate_limited" && !res.headersSent) return writeLimited(res, known, idOf(body));
      this.#report(known, trail);
      if (res.headersSent) res.end();
      else
        writeError(res, { status: 200, code: -32603, message: known.message }, idOf(body), {
          code: known.code,
        });
    }
  }

  async #post(
    exchange: Exchange,
    outcome: InboundClassificationOutcome,
    body: unknown,
    asked: readonly JSONRPCRequest[],
  ): Promise<void> {
    const { req, res, principal } = exchange;
    if (outcome.kind === "reject") {
      return writeError(res, { ...outcome, status: outcome.httpStatus }, idOf(body), outcome.data);
    }
    if (principal.tenant === undefined && asked.some((request) => !isForEveryone(request))) {
      return writeError(res, UNLINKED, idOf(body));
    }
    if (outcome.kind === "legacy") return this.#legacy.post(exchange, asked, Array.isArray(body));
    const call = await this.#callFor(exchange, clientOf(body));
    if (outcome.messageKind !== "request" || !isPlain(outcome, req)) {
      const listens = asked.some(isListening);
      if (listens) await this.#holdStream(exchange);
      return this.#handlers.serve(call, req, res, { body, listens });
    }
    const reply = await this.#modern.request(outcome.message, call);
    writeMessage(res, reply.status, reply.message);
  }

  /** From when on what was read may be answered from. */
  #sinceFor({ tenant }: Principal): number {
    const { recency } = this.#options;
    return recency === undefined || tenant === undefined ? performance.now() : recency.ofTenant(tenant.id);
  }

  /** Keeps a place among its tenant's streams until the response is over. @throws BoardwalkError `rate_limited` */
  async #holdStream({ res, principal }: Exchange): Promise<void> {
    const release = await this.#options.budgets?.takeStream(principal.tenant);
    if (release === undefined) return;
    if (res.closed) release();
    else res.once("close", release);
  }

  async #callFor(asker: Asker, client: string | undefined): Promise<Call> {
    const { principal, surface, since, language, trail } = asker;
    const { tickets, budgetMs, mayCall } = this.#options;
    return {
      principal,
      surface,
      since,
      ...(await this.#catalogues.get(principal.tenant, surface, since)),
      tickets,
      ...(client === undefined ? {} : { client }),
      ...(language === undefined ? {} : { language }),
      ...(trail === undefined ? {} : { trail }),
      budgetMs: budgetMs?.(surface) ?? DEFAULT_BUDGET_MS[surface],
      mayCall: mayCall ?? (() => true),
      report: this.#report,
    };
  }

  async shown(tenant: TenantStore): Promise<readonly ShownSurface[]> {
    const [modern, legacy] = this.#dispatchers;
    const principal = { tenant, speaker: { person: "admin", client: "page" }, scopes: [] };
    return await shownSurfaces({
      tickets: this.#options.tickets,
      modern,
      legacy,
      callFor: (surface) => this.#callFor({ principal, surface, since: performance.now() }, "page"),
    });
  }

  preview(workflows: readonly KeptWorkflow[]): readonly ShownTool[] {
    const now = this.#options.now ?? (() => new Date());
    return previewedTools(generatedCatalogue({ workflows, kept: NO_NAMES, now }).catalogue);
  }

  toolsChanged(...changed: Parameters<Mcp["toolsChanged"]>): void {
    this.#news.toolsChanged(...changed);
  }

  resourceUpdated(tenantId: string, uri: string): void {
    this.#news.resourceUpdated(tenantId, uri);
  }

  ticketsChanged(...changed: Parameters<Mcp["ticketsChanged"]>): Promise<void> {
    return this.#news.ticketsChanged(...changed);
  }

  returned(): Promise<void> {
    return this.#news.returned();
  }

  async disconnect(tenantId: string): Promise<void> {
    this.#catalogues.forget(tenantId);
    await this.#sessions.endAll(tenantId);
    await this.#handlers.disconnect(tenantId);
  }

  async endStreams(): Promise<void> {
    this.#sessions.endStreams();
    await this.#handlers.endStreams();
  }

  async close(): Promise<void> {
    await this.#sessions.close();
    await Promise.all([this.#handlers.close(), ...this.#dispatchers.map((one) => one.close())]);
  }
}

/** The requests of a body. Of one that was found to be a request, it is not asked once more whether it is one. */
function requestsOf(outcome: InboundClassificationOutcome, body: unknown): JSONRPCRequest[] {
  return outcome.kind === "modern" && outcome.messageKind === "request" ? [outcome.message] : requests(body);
}

/** What there is, not what is in it: lists, and the card, which is the same for all. */
function isForEveryone({ method, params }: JSONRPCRequest): boolean {
  return NEEDS_NO_TENANT.has(method) || (method === "resources/read" && isCard(params?.uri));
}

function isCard(uri: unknown): boolean {
  return typeof uri === "string" && readCard(uri) !== undefined;
}

/** The first scope that an app would need for this, and was not granted. */
function missingScope(
  { delegated, scopes }: Principal,
  asked: readonly JSONRPCRequest[],
): string | undefined {
  if (!delegated) return undefined;
  return asked
    .map((request) => (isForEveryone(request) ? undefined : SCOPES[request.method]))
    .find((scope) => scope !== undefined && !scopes.includes(scope));
}
