import { randomBytes } from "node:crypto";
import { BOARDS, REPOSITORIES } from "../connectors/index.js";
import { type AppMetrics, createAppMetrics } from "./app-metrics.js";
import type { State } from "./app-state.js";
import { reportTo } from "./app-trouble.js";
import type { ConnectorKind, Reach } from "./board/connector.js";
import { createReach } from "./board/reach.js";
import { createUrlCheck } from "./board/safe-url.js";
import { type Config, type EncryptionKey, requireEncryptionKeys } from "./config.js";
import { createDraftPullRequest } from "./hooks/draft-pull-request.js";
import type { RootLog } from "./log.js";
import { frozenContract } from "./mcp/contract.js";
import { createBudgets } from "./store/redis/budgets.js";
import { type Connections, createConnections } from "./sync/connections.js";
import { tellConnection } from "./sync/news.js";
import type { OpenerDeps } from "./sync/open-board.js";
import { createPreviews, type Previews } from "./sync/previews.js";
import { createSealer } from "./sync/seal.js";
import { endingLine, tellEndings, traceTickets } from "./telemetry/desk.js";
import type { Tracing } from "./telemetry/tracing.js";
import { createTenantBudgets, type Limits, type TenantBudgets } from "./tickets/budgets.js";
import { createTickets } from "./tickets/desk.js";
import type { Recency } from "./tickets/recency.js";
import { createRecent, type Recent } from "./tickets/recent.js";
import type { Tickets } from "./tickets/tickets.js";
import { createViews, type Views } from "./tickets/view.js";
import { createWorkflows } from "./tickets/workflows.js";
import { VERSION } from "./version.js";

/** The parts that web half, workers and an inspection share. */

export interface SeenBy {
  readonly log: RootLog;
  readonly tracing: Tracing | undefined;
}

export interface Parts {
  checkUrl(url: string): Promise<void>;
  readonly reach?: Reach;
  readonly connections: Connections;
  readonly previews: Previews;
  readonly tickets: Tickets;
  readonly views: Views;
  readonly recent: Recent;
  readonly workflows: ReturnType<typeof createWorkflows>;
  readonly keys: readonly EncryptionKey[];
  readonly metrics: AppMetrics;
  readonly tenantBudgets: TenantBudgets;
  now(): Date;
  listens: string | undefined;
  publicUrl(): string | undefined;
}

/** What requests to boards go through, where not every host may be connected to. */
export function openReach(
  { allowPrivateHosts }: Pick<Config, "allowPrivateHosts">,
  closers: (() => Promise<void>)[],
): Reach | undefined {
  if (allowPrivateHosts) return undefined;
  const reach = createReach();
  closers.push(() => reach.close());
  return reach;
}

/** What comes from without, where the process has it. */
export interface Outward {
  readonly reach: Reach | undefined;
  /** Boards beside those that are built in. */
  readonly boards?: readonly ConnectorKind[] | undefined;
  /** Told of the address of every request to a board. */
  called?(url: string): void;
  /** Hears of what other processes change. */
  readonly recency?: Recency | undefined;
}

/** The parts that web half and workers share. */
export function wire(
  config: Config,
  state: State,
  { log, tracing }: SeenBy,
  { reach, boards = [], called, recency }: Outward,
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
    hooksFor,
    ...outward,
    budgets: state.budgets,
    turns: state.turns,
    now,
    hide: (secret) => log.hide(secret),
  };
  const connections = createConnections({
    ...opener,
    sealer: createSealer(keys),
    changed: (tenant, connection) =>
      void tellConnection(state.store, tenant, connection).catch((error: unknown) => reportTo(log, error)),
  });
  const views = createViews(workflows, { recency });
  const recent = createRecent(views);
  state.store.returned((loss) => loss === "undone" && forgetAll([workflows, views, recent]));
  const desk = createTickets({ views, recent, jobs: state.hooks, now });
  const told = tellEndings(desk, (answer, talk) => {
    metrics.answered(answer);
    log.info(endingLine(answer, talk), "move answered");
  });
  const tickets = tracing === undefined ? told : traceTickets(told, tracing);
  const tenantBudgets = createTenantBudgets({ limits: limitsOf(config), counts: createBudgets() });
  const parts: Parts = {
    ...outward,
    connections,
    previews: createPreviews({
      ...opener,
      connections,
      mostTickets: async (tenant) => (await tenantBudgets.limitsFor(tenant)).tickets,
    }),
    tickets,
    views,
    recent,
    workflows,
    keys,
    metrics,
    tenantBudgets,
    now,
    listens: undefined,
    publicUrl: () => config.publicUrl ?? parts.listens,
  };
  return parts;
}

function forgetAll(parts: readonly { forget(): void }[]): void {
  for (const part of parts) part.forget();
}

function limitsOf(config: Config): Limits {
  return {
    callsPerMinute: config.tenantCallsPerMinute,
    sessions: config.tenantSessions,
    streams: config.tenantStreams,
    tickets: config.tenantTickets,
  };
}

const hooksFor: OpenerDeps["hooksFor"] = (repository, { vcs }) => ({
  "draft-pull-request": createDraftPullRequest(repository, {
    ...(vcs?.base === undefined ? {} : { base: vcs.base }),
    draftFallback: vcs?.draftFallback ?? "none",
    emptyCommit: vcs?.emptyCommit ?? false,
  }),
});

/** What is kept in memory is sealed for as long as the memory lasts. */
function passingKey(): { id: string; key: Uint8Array } {
  return { id: "memory", key: randomBytes(32) };
}
