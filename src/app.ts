import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { BOARDS, REPOSITORIES } from "../connectors/index.js";
import { type AppMetrics, createAppMetrics } from "./app-metrics.js";
import { addressesOf, openOauth, openOauthRecords } from "./app-oauth.js";
import { openPage } from "./app-page.js";
import type { Budgets, ConnectorKind, Reach } from "./board/connector.js";
import { createReach } from "./board/reach.js";
import { createUrlCheck } from "./board/safe-url.js";
import { type Config, type EncryptionKey, requireEncryptionKeys, secretsOf } from "./config.js";
import { BoardwalkError } from "./errors.js";
import { createBullmqHooks } from "./hooks/bullmq.js";
import { createDraftPullRequest } from "./hooks/draft-pull-request.js";
import type { Hooks } from "./hooks/hooks.js";
import { createInlineHooks } from "./hooks/inline.js";
import { createLeaving } from "./http/leaving.js";
import { createLive } from "./http/live.js";
import { createMetricsApp } from "./http/metrics.js";
import type { OauthRecords } from "./http/oauth-records.js";
import { observeRequests } from "./http/requests.js";
import { createHttp, type Routes } from "./http/server.js";
import { createLog, type RootLog } from "./log.js";
import { frozenContract } from "./mcp/contract.js";
import { createMcp, type Mcp } from "./mcp/mcp.js";
import { openRedis } from "./redis/open.js";
import { startOwnRedis } from "./redis-server.js";
import { createMemoryStore } from "./store/memory.js";
import { createBudgets } from "./store/redis/budgets.js";
import { createRedisStore } from "./store/redis.js";
import type { Store } from "./store/store.js";
import { type Connections, createConnections } from "./sync/connections.js";
import { createSyncHandlers, type SyncWorkerDeps } from "./sync/handlers.js";
import { noteBounce } from "./sync/health.js";
import { refreshWorkflows } from "./sync/import.js";
import { createTicketNews, listenForNews, tellConnection, tellWorkflows } from "./sync/news.js";
import type { OpenerDeps } from "./sync/open-board.js";
import { createPreviews, type Previews } from "./sync/previews.js";
import { createSealer } from "./sync/seal.js";
import { watchCalls } from "./telemetry/calls.js";
import { endingLine, tellEndings, traceTickets } from "./telemetry/desk.js";
import { moveLine, observeHooks } from "./telemetry/jobs.js";
import { scope } from "./telemetry/scope.js";
import type { Tracing } from "./telemetry/tracing.js";
import { createTenantBudgets, type Limits, type TenantBudgets } from "./tickets/budgets.js";
import { createTickets } from "./tickets/desk.js";
import { createTicketHandlers } from "./tickets/handlers.js";
import { createRecency } from "./tickets/recency.js";
import type { Tickets } from "./tickets/tickets.js";
import { createViews, type Views } from "./tickets/view.js";
import type { WorkerDeps } from "./tickets/worker-deps.js";
import { createWorkflows } from "./tickets/workflows.js";
import { VERSION } from "./version.js";

/** The one place that picks concrete parts and wires them. */

export interface App {
  /** Where the web half listens; `undefined` in a process that is only a worker. */
  readonly url: string | undefined;
  /** What state is kept in, as said to the operator. */
  readonly keeps: "redis" | "own-redis" | "memory";
  readonly store: Store;
  readonly hooks: Hooks;
  readonly connections: Connections;
  readonly tickets: Tickets;
  readonly log: RootLog;
  /**
   * Leaves work to other processes: what runs here is finished, nothing more is taken.
   * @returns takes work again
   */
  rest(): Promise<() => Promise<void>>;
  /** Stops taking work, finishes what runs, lets go of everything. */
  close(): Promise<void>;
}

export interface AppOptions {
  /** Where log lines go. @default stderr */
  readonly writeLog?: (line: string) => void;
  /** Keeps state in memory whatever else is there: for the demo and tests. */
  readonly inMemory?: boolean;
  /** Boards beside the four that are built in; see docs/connectors.md. */
  readonly boards?: readonly ConnectorKind[];
  /** Adds routes beside the service's own, behind the admin token: for the demo. */
  readonly routes?: (router: Routes) => void;
}

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

export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat,
    secrets: secretsOf(config),
    context: () => scope()?.fields ?? {},
    ...(options.writeLog === undefined ? {} : { write: options.writeLog }),
  });
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    // In the opposite order of opening, so that nothing is used after it is gone.
    for (const closer of closers.splice(0).reverse()) {
      await closer().catch((error: unknown) =>
        log.error({ cause: nameOf(error) }, "a part did not close in good order"),
      );
    }
  };
  try {
    const tracing = await openTracing(config, closers);
    const seen = { log, tracing };
    const opened = await openState(config, options, log, closers);
    const kept = { ...opened, hooks: observeHooks(opened.hooks, seen) };
    const reach = config.allowPrivateHosts ? undefined : createReach();
    if (reach !== undefined) closers.push(() => reach.close());
    const parts = wire(config, kept, seen, { reach, boards: options.boards });
    if (config.metricsPort !== undefined) closers.push(await startMetrics(config, parts.metrics, log));
    let stopWork = async () => {};
    // Begun after the web half and ended after it: what was asked of it to the last is still done here.
    closers.push(() => stopWork());
    const url =
      config.role === "worker" ? undefined : await startWeb(config, options, kept, parts, seen, closers);
    // Boards of a private network reach us where we listen; boards of the Internet need the public address.
    if (config.allowPrivateHosts) parts.listens = url;
    const work = async () => {
      if (config.role !== "web") stopWork = await startWorker(config, kept, parts, log);
    };
    await work();
    const rest = async () => {
      await stopWork();
      stopWork = async () => {};
      return work;
    };
    const { keeps, store, hooks } = kept;
    const { connections, tickets } = parts;
    return { url, keeps, store, hooks, connections, tickets, log, rest, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface SeenBy {
  readonly log: RootLog;
  readonly tracing: Tracing | undefined;
}

/** Loaded only where traces are wanted. */
async function openTracing(
  { otelEndpoint: endpoint, otelServiceName: serviceName, role }: Config,
  closers: (() => Promise<void>)[],
): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { createOtel } = await import("./telemetry/otel.js");
  const tracing = createOtel({ endpoint, serviceName, version: VERSION, role });
  closers.push(() => tracing.close());
  return tracing;
}

interface State {
  readonly keeps: App["keeps"];
  readonly store: Store;
  readonly hooks: Hooks;
  readonly budgets: Budgets;
  readonly oauth: OauthRecords;
}

/** Where things are kept by these settings; a Redis of our own is started where none is named. */
export async function openState(
  config: Config,
  options: Pick<AppOptions, "inMemory">,
  log: RootLog,
  closers: (() => Promise<void>)[],
): Promise<State> {
  const own =
    config.redisUrl === undefined && !options.inMemory
      ? await startOwnRedis({ dir: config.dir, log })
      : undefined;
  if (own !== undefined) closers.push(() => own.close());
  const url = config.redisUrl ?? own?.url;
  const oauth = openOauthRecords(url);
  closers.push(() => oauth.close());
  const onError = (error: unknown) =>
    log.warn({ cause: nameOf(error), at: stackOf(error) }, "trouble in the job queue");
  if (url === undefined) {
    const state: State = {
      keeps: "memory",
      store: createMemoryStore({ auditLimit: config.auditKeep }),
      hooks: createInlineHooks({ laneCap: config.laneCap, concurrency: config.workerConcurrency, onError }),
      budgets: createBudgets(),
      oauth,
    };
    closers.push(
      () => state.store.close(),
      () => state.hooks.close(),
    );
    return state;
  }
  const store = createRedisStore({ client: url, auditLimit: config.auditKeep });
  closers.push(() => store.close());
  const hooks = createBullmqHooks({
    connection: url,
    concurrency: config.workerConcurrency,
    laneCap: config.laneCap,
    lockMs: config.jobLockMs,
    stalledCheckMs: Math.ceil(config.jobLockMs / 2),
    onError,
  });
  closers.push(() => hooks.close());
  const counter = openRedis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 1_000,
  });
  counter.on("error", onError);
  closers.push(async () => counter.disconnect());
  await store.ping();
  return {
    keeps: own === undefined ? "redis" : "own-redis",
    store,
    hooks,
    budgets: createBudgets(counter),
    oauth,
  };
}

interface Parts {
  checkUrl(url: string): Promise<void>;
  readonly reach?: Reach;
  readonly connections: Connections;
  readonly previews: Previews;
  readonly tickets: Tickets;
  readonly views: Views;
  readonly workflows: ReturnType<typeof createWorkflows>;
  readonly keys: readonly EncryptionKey[];
  readonly metrics: AppMetrics;
  readonly tenantBudgets: TenantBudgets;
  now(): Date;
  listens: string | undefined;
  publicUrl(): string | undefined;
}

export interface Outward {
  readonly reach: Reach | undefined;
  /** Boards beside those that are built in. */
  readonly boards?: readonly ConnectorKind[] | undefined;
  /** Told of the address of every request to a board. */
  called?(url: string): void;
}

/** The parts that web half and workers share. */
export function wire(
  config: Config,
  state: State,
  { log, tracing }: SeenBy,
  { reach, boards = [], called }: Outward,
): Parts {
  const now = () => new Date();
  const workflows = createWorkflows();
  const keys =
    state.keeps === "memory" && config.encryptionKeys.length === 0
      ? [passingKey()]
      : requireEncryptionKeys(config);
  const check = createUrlCheck({ allowPrivateHosts: config.allowPrivateHosts });
  const checkUrl = async (url: string) => {
    called?.(url);
    await check(url);
  };
  const outward = { checkUrl, ...(reach === undefined ? {} : { reach }) };
  const kinds = [...BOARDS, ...boards];
  const providers = kinds.map(({ provider }) => provider);
  const metrics = createAppMetrics({
    ...{ store: state.store, jobs: state.hooks, providers, version: VERSION, now },
    contract: async () => (await frozenContract()).sha256,
  });
  const opener: OpenerDeps = {
    tells: metrics.tells,
    kinds,
    vcsKinds: REPOSITORIES,
    hooksFor: (vcs, settings) => ({
      "draft-pull-request": createDraftPullRequest(vcs, {
        ...(settings.vcs?.base === undefined ? {} : { base: settings.vcs.base }),
        draftFallback: settings.vcs?.draftFallback ?? "none",
        emptyCommit: settings.vcs?.emptyCommit ?? false,
      }),
    }),
    ...outward,
    budgets: state.budgets,
    now,
    hide: (secret) => log.hide(secret),
  };
  const connections = createConnections({
    ...opener,
    sealer: createSealer(keys),
    changed: (tenant, connection) =>
      void tellConnection(state.store, tenant, connection).catch((error: unknown) =>
        reportTo(log, BoardwalkError.from(error)),
      ),
  });
  const views = createViews(workflows);
  const desk = createTickets({ views, jobs: state.hooks, now });
  const told = tellEndings(desk, (answer, talk) => {
    metrics.answered(answer);
    log.info(endingLine(answer, talk), "move answered");
  });
  const tickets = tracing === undefined ? told : traceTickets(told, tracing);
  const parts: Parts = {
    ...outward,
    connections,
    previews: createPreviews(opener),
    tickets,
    views,
    workflows,
    keys,
    metrics,
    tenantBudgets: createTenantBudgets({ limits: limitsOf(config), counts: createBudgets() }),
    now,
    listens: undefined,
    publicUrl: () => config.publicUrl ?? parts.listens,
  };
  return parts;
}

function limitsOf(config: Config): Limits {
  return {
    callsPerMinute: config.tenantCallsPerMinute,
    sessions: config.tenantSessions,
    streams: config.tenantStreams,
    tickets: config.tenantTickets,
  };
}

/** What is kept in memory is sealed for as long as the memory lasts. */
function passingKey(): { id: string; key: Uint8Array } {
  return { id: "memory", key: randomBytes(32) };
}

async function startWorker(
  config: Config,
  state: State,
  parts: Parts,
  log: RootLog,
): Promise<() => Promise<void>> {
  const { store, hooks } = state;
  const { connections, workflows, now } = parts;
  const onError = (error: unknown) => reportTo(log, BoardwalkError.from(error));
  const news = createTicketNews(store, { onError });
  const worker: WorkerDeps = {
    store,
    boards: connections,
    workflows,
    jobs: hooks,
    now,
    refresh: (tenant, connection, signal) => refreshWorkflows(sync, tenant, connection, signal),
    moved(move, ticket, tookMs) {
      parts.metrics.moved(move, ticket, tookMs);
      log.info(moveLine(move, ticket, tookMs), "move settled");
    },
    // A lock is renewed when half of it has passed, so what is left of it is half or more.
    leaseMs: Math.floor(config.jobLockMs / 2),
    mostTickets: async (tenant) => (await parts.tenantBudgets.limitsFor(tenant)).tickets,
    changed: (tenant, record) => news.changed(tenant, record),
    bounced: (tenant, record) => noteBounce(connections, tenant, record),
  };
  const sync: SyncWorkerDeps = {
    store,
    connections,
    workflows,
    jobs: hooks,
    worker,
    now,
    pollMs: config.ticketPollMs,
    workflowPollMs: config.workflowPollMs,
    workflowsChanged: (tenant, changed) => tellWorkflows(store, tenant, changed),
    publicUrl: parts.publicUrl,
  };
  const unwatch = log.enabled("debug") || config.otelEndpoint !== undefined ? watchCalls() : () => {};
  const stop = await hooks.serve({ ...createTicketHandlers(worker), ...createSyncHandlers(sync) });
  await hooks.schedule({ id: "sweep", name: "sweep", data: {}, lane: "house" }, config.sweepMs);
  await hooks.schedule({ id: "poll", name: "poll", data: {}, lane: "house" }, config.ticketPollMs);
  return async () => {
    await stop();
    unwatch();
    await news.close();
  };
}

async function startWeb(
  config: Config,
  { routes }: AppOptions,
  state: State,
  parts: Parts,
  { log, tracing }: SeenBy,
  closers: (() => Promise<void>)[],
): Promise<string> {
  const adminToken = requireAdminToken(config);
  const recency = await createRecency(state.store);
  closers.push(() => recency.close());
  const mcp = await createMcp({
    tickets: parts.tickets,
    recency,
    allowedHosts: [...config.allowedHosts, ...hostsOf(config)],
    allowedOrigins: config.allowedOrigins,
    version: VERSION,
    log,
    now: parts.now,
    budgets: parts.tenantBudgets,
    bus: {
      publish: (message) => state.store.publish(SESSIONS, message),
      subscribe: (listener) => state.store.subscribe(SESSIONS, listener),
    },
    budgetMs: (surface) => (surface === "frozen" ? FROZEN_BUDGET_MS : config.replyBudgetMs),
    mayCall: (principal, tool) => tool.readOnly || !principal.scopes.includes("mcp:read"),
  });
  closers.push(() => mcp.close());
  closers.push(await listenForChanges(state.store, mcp, log));
  let listens = "";
  const addresses = addressesOf(config, () => listens);
  const report = (error: BoardwalkError) => reportTo(log, error);
  const { store, budgets, oauth: records } = state;
  const oauth = openOauth(config, {
    ...{ ...parts, store, budgets, records, addresses, report },
    removed: (tenant) => mcp.disconnect(tenant),
  });
  const live = createLive(store);
  const leaving = createLeaving();
  const app = createHttp({
    addresses,
    recency,
    oauth,
    members: oauth.members,
    sessions: oauth.sessions,
    live,
    page: openPage(),
    leaving,
    store,
    ...{ hooks: state.hooks, jobs: state.hooks },
    connections: parts.connections,
    previews: parts.previews,
    tickets: parts.tickets,
    views: parts.views,
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

async function listening(listener: RequestListener, port: number | undefined, host: string): Promise<Server> {
  const server = createServer(PATIENCE, listener);
  server.maxHeadersCount = MAX_HEADERS;
  server.listen(port, host);
  await once(server, "listening");
  return server;
}

function requireAdminToken({ adminToken }: Config): string {
  if (adminToken !== undefined) return adminToken;
  throw new BoardwalkError(
    "invalid",
    "BOARDWALK_ADMIN_TOKEN is not set. Make one with `openssl rand -base64 32`.",
  );
}

async function startMetrics(
  { metricsPort, metricsHost, host }: Config,
  metrics: AppMetrics,
  log: RootLog,
): Promise<() => Promise<void>> {
  const server = await listening(createMetricsApp(metrics, VERSION), metricsPort, metricsHost ?? host);
  log.info({ url: `${urlOf(server, metricsHost ?? host)}/metrics` }, "metrics");
  return () => stopServer(server, 0);
}

async function listenForChanges(store: Store, mcp: Mcp, log: RootLog): Promise<() => Promise<void>> {
  return await listenForNews(store, {
    workflowsChanged: (tenant, workflows) => mcp.toolsChanged(tenant, workflows),
    ticketsChanged: (tenant, tickets) =>
      void mcp
        .ticketsChanged(tenant, tickets)
        .catch((error: unknown) => reportTo(log, BoardwalkError.from(error))),
  });
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

/** Only what is our fault or another system's trouble; a caller's mistake is the caller's to know. */
function reportTo(log: RootLog, error: BoardwalkError): void {
  if (error.code !== "internal" && !error.retryable) return;
  log.error(
    { code: error.code, cause: nameOf(error.cause), at: stackOf(error.cause ?? error) },
    "a request failed",
  );
}

function nameOf(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined;
}

/** Where it happened, without the message: that may quote a ticket. */
function stackOf(error: unknown): string[] | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.stack
    ?.split("\n")
    .filter((line) => line.startsWith("    at "))
    .slice(0, 6);
}
