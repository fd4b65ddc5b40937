import { openReach, wire } from "./app-parts.js";
import { closeAll, type Keeps, openState } from "./app-state.js";
import { startMetrics, startWeb } from "./app-web.js";
import { startWorker } from "./app-worker.js";
import type { ConnectorKind } from "./board/connector.js";
import { type Config, requireSecrets, secretsOf } from "./config.js";
import type { Hooks } from "./hooks/hooks.js";
import type { Routes } from "./http/routes.js";
import { createLog, type RootLog } from "./log.js";
import { redisErrorCode, redisUnusable } from "./redis/trouble.js";
import type { Store } from "./store/store.js";
import type { Connections } from "./sync/connections.js";
import { observeHooks } from "./telemetry/jobs.js";
import { scope } from "./telemetry/scope.js";
import type { Tracing } from "./telemetry/tracing.js";
import { createRecency } from "./tickets/recency.js";
import type { Tickets } from "./tickets/tickets.js";
import { VERSION } from "./version.js";

/** The one place that picks concrete parts and wires them. */

export interface App {
  /** Where the web half listens; `undefined` in a process that is only a worker. */
  readonly url: string | undefined;
  /** What state is kept in, as said to the operator. */
  readonly keeps: Keeps;
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

export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat,
    secrets: secretsOf(config),
    context: () => scope()?.fields ?? {},
    ...(options.writeLog === undefined ? {} : { write: options.writeLog }),
  });
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeAll(closers, log);
  try {
    const tracing = await openTracing(config, closers);
    const seen = { log, tracing };
    const opened = await openState(config, options, log, closers);
    requireSecrets(config, [
      ...(config.role === "worker" ? [] : ["adminToken" as const]),
      ...(opened.keeps === "memory" ? [] : ["encryptionKeys" as const]),
    ]);
    const kept = { ...opened, hooks: observeHooks(opened.hooks, seen) };
    const reach = openReach(config, closers);
    const recency = config.role === "worker" ? undefined : await createRecency(kept.store);
    closers.push(async () => recency?.close());
    const parts = wire(config, kept, seen, { reach, boards: options.boards, recency });
    if (config.metricsPort !== undefined) closers.push(await startMetrics(config, parts.metrics, log));
    let stopWork = async () => {};
    // Begun after the web half and ended after it: what was asked of it to the last is still done here.
    closers.push(() => stopWork());
    const url = recency && (await startWeb(config, { ...options, recency }, kept, parts, seen, closers));
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
    // Met only by the first command of its kind: a connection alone tells nothing of its user's rights.
    throw redisErrorCode(error) === "NOPERM" ? redisUnusable(error) : error;
  }
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
