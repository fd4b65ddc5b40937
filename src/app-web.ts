import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openDocs } from "./app-docs.js";
import type { AppMetrics } from "./app-metrics.js";
import { addressesOf, openOauth } from "./app-oauth.js";
import { openPage } from "./app-page.js";
import type { Parts, SeenBy } from "./app-parts.js";
import type { State } from "./app-state.js";
import { reportTo } from "./app-trouble.js";
import { type Config, requireAdminToken } from "./config.js";
import { BoardwalkError } from "./errors.js";
import { createKnocks } from "./http/knocks.js";
import { createLeaving } from "./http/leaving.js";
import { createLive } from "./http/live.js";
import { createMetricsApp } from "./http/metrics.js";
import type { Report } from "./http/problems.js";
import { observeRequests } from "./http/requests.js";
import type { Routes } from "./http/routes.js";
import { createHttp } from "./http/server.js";
import type { RootLog } from "./log.js";
import { createMcp, type Mcp } from "./mcp/mcp.js";
import type { Store } from "./store/store.js";
import { listenForNews } from "./sync/news.js";
import type { Recency } from "./tickets/recency.js";
import { VERSION } from "./version.js";

/** The half that answers requests. */

/** Alexa+ wants its answer within half a second; the rest of it is the way there and back. */
const FROZEN_BUDGET_MS = 400;

/**
 * Whoever sends a byte now and then holds a socket for no longer than this. Replies may take as long as they like:
 * streams of news stay open for days.
 */
const PATIENCE = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 2_000 };
const MAX_HEADERS = 200;

/** The channel on which the web processes tell each other about their clients' sessions. */
const SESSIONS = "mcp-sessions";

/** @returns where it listens */
export async function startWeb(
  config: Config,
  { routes, recency }: { readonly routes?: (router: Routes) => void; readonly recency: Recency },
  state: State,
  parts: Parts,
  { log, tracing }: SeenBy,
  closers: (() => Promise<void>)[],
): Promise<string> {
  const adminToken = requireAdminToken(config);
  const report: Report = (error, trail) => reportTo(log, error, trail);
  const mcp = await openMcp(config, state, parts, report, recency);
  closers.push(() => mcp.close());
  closers.push(await listenForChanges(state.store, mcp, log));
  let listens = "";
  const addresses = addressesOf(config, () => listens);
  const { store, budgets, oauth: records } = state;
  const { guessed } = parts.metrics;
  const knocks = createKnocks({ addresses, take: (budget) => budgets.take(budget), guessed });
  const oauth = openOauth(config, {
    ...{ ...parts, store, knocks, records, addresses, report },
    removed: (tenant) => mcp.disconnect(tenant),
  });
  const live = createLive(store);
  const leaving = createLeaving();
  const app = createHttp({
    addresses,
    recency,
    knocks,
    oauth,
    members: oauth.members,
    sessions: oauth.sessions,
    live,
    budgets: parts.tenantBudgets,
    page: openPage(),
    docs: openDocs(),
    leaving,
    store,
    ...{ hooks: state.hooks, jobs: state.hooks },
    connections: parts.connections,
    previews: parts.previews,
    tickets: parts.tickets,
    ...{ views: parts.views, recent: parts.recent },
    mcp,
    tools: mcp,
    adminToken,
    replyBudgetMs: config.replyBudgetMs,
    version: VERSION,
    received: parts.metrics.received,
    lagged: parts.metrics.lagged,
    ...(config.metricsPort === undefined ? { metrics: parts.metrics } : {}),
    now: parts.now,
    report,
    publicUrl: parts.publicUrl,
    ...(routes === undefined ? {} : { routes }),
  });
  const server = await listening(observeRequests(app, { log, tracing }), config.port, config.host);
  closers.push(async () => {
    await leaving.begin();
    const ended = stopServer(server, config.replyBudgetMs + REPLY_MARGIN_MS);
    live.close();
    await mcp.endStreams();
    await ended;
  });
  listens = urlOf(server, config.host);
  return listens;
}

function openMcp(config: Config, state: State, parts: Parts, report: Report, recency: Recency): Promise<Mcp> {
  return createMcp({
    tickets: parts.tickets,
    recency,
    allowedHosts: [...config.allowedHosts, ...hostsOf(config)],
    allowedOrigins: config.allowedOrigins,
    version: VERSION,
    report,
    now: parts.now,
    budgets: parts.tenantBudgets,
    bus: {
      publish: (message) => state.store.publish(SESSIONS, message),
      subscribe: (listener) => state.store.subscribe(SESSIONS, listener),
    },
    budgetMs: (surface) => (surface === "frozen" ? FROZEN_BUDGET_MS : config.replyBudgetMs),
    mayCall: (principal, tool) => tool.readOnly || !principal.scopes.includes("mcp:read"),
  });
}

async function listening(listener: RequestListener, port: number | undefined, host: string): Promise<Server> {
  const server = createServer(PATIENCE, listener);
  server.maxHeadersCount = MAX_HEADERS;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw cannotListen(cause, host, port);
  }
  return server;
}

const WHY_NOT: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "Something else listens there already. End it, or choose another port (--port, or PORT; 0 is any free one).",
  EACCES: "This user may not listen there. Choose a port above 1023 (--port, or PORT).",
  EADDRNOTAVAIL:
    "This machine has no such address. Choose one that it has (--host, or HOST; 0.0.0.0 is all of them).",
  ENOTFOUND:
    "That is no address. Choose one that this machine has (--host, or HOST; 0.0.0.0 is all of them).",
};

function cannotListen(cause: unknown, host: string, port: number | undefined): unknown {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = WHY_NOT[code];
  if (why === undefined) return cause;
  return new BoardwalkError("unavailable", `Boardwalk cannot listen at ${host}, port ${port ?? 0}. ${why}`, {
    cause,
  });
}

export async function startMetrics(
  { metricsPort, metricsHost, host }: Config,
  metrics: AppMetrics,
  log: RootLog,
): Promise<() => Promise<void>> {
  const server = await listening(createMetricsApp(metrics, VERSION), metricsPort, metricsHost ?? host);
  log.info({ url: `${urlOf(server, metricsHost ?? host)}/metrics` }, "metrics");
  return () => stopServer(server, 0);
}

async function listenForChanges(store: Store, mcp: Mcp, log: RootLog): Promise<() => Promise<void>> {
  const stopWaiting = store.returned(() => void mcp.returned());
  const stop = await listenForNews(store, {
    workflowsChanged: (tenant, workflows) => mcp.toolsChanged(tenant, workflows),
    ticketsChanged: (tenant, tickets) =>
      void mcp.ticketsChanged(tenant, tickets).catch((error: unknown) => reportTo(log, error)),
  });
  return async () => {
    stopWaiting();
    await stop();
  };
}

function hostsOf(config: Config): string[] {
  return [config.publicUrl, config.alexaPublicUrl]
    .filter((url) => url !== undefined)
    .map((url) => new URL(url).host);
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
}

/** Beside the time that a move's reply may take by itself. */
const REPLY_MARGIN_MS = 7_500;

/** Takes no more connections, and lets running requests end for so long. */
async function stopServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
