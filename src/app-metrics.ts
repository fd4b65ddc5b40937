import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Metrics } from "./http/metrics.js";
import type { ActorRecord, SettledMove, Store } from "./store/store.js";
import type { BoardTells } from "./sync/open-board.js";

/** What operators count, by Prometheus' conventions. The labels hold no tenant, no ticket and no word of anyone's. */

export interface AppMetrics extends Metrics {
  /** Of boards: requests, refusals, renewed logins. */
  readonly tells: BoardTells;
  moved(move: SettledMove, ticket: string, tookMs: number): void;
  received(provider: string, result: string): void;
  lagged(provider: string, lagMs: number): void;
}

export interface AppMetricsOptions {
  readonly store: Store;
  /** Every kind of board; what a stranger calls himself becomes `other`. */
  readonly providers: readonly string[];
  readonly version: string;
  now(): Date;
}

const PREFIX = "boardwalk_";
/** A reply is due in half a second, a move has given up after some twenty. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Boards try again for hours. */
const LAGS = [0.1, 0.5, 1, 5, 15, 60, 300, 3_600, 86_400];

export function createAppMetrics({ store, providers, version, now }: AppMetricsOptions): AppMetrics {
  const registry = new Registry();
  const registers = [registry];
  const known = (provider: string) => (providers.includes(provider) ? provider : "other");
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: PREFIX + name, help, labelNames, registers });

  const moves = counter("moves_total", "Moves settled by this process.", ["provider", "outcome", "reason"]);
  const took = new Histogram({
    name: `${PREFIX}move_duration_seconds`,
    help: "From the wish to its settlement, for moves settled by this process.",
    labelNames: ["provider", "outcome"],
    buckets: SECONDS,
    registers,
  });
  const webhooks = counter("webhooks_received_total", "Deliveries of boards, by how they were taken.", [
    "provider",
    "result",
  ]);
  const lag = new Histogram({
    name: `${PREFIX}webhook_lag_seconds`,
    help: "From what the board's delivery tells of, or its sending, to its arrival here; fresh ones of boards that say.",
    labelNames: ["provider"],
    buckets: LAGS,
    registers,
  });
  const requests = counter("upstream_requests_total", "Requests that went out to boards.", ["provider"]);
  const limited = counter(
    "upstream_rate_limited_total",
    "Requests that boards refused (board), or that were held back: the board wants to be left alone (quiet), or its published limit is used up (budget).",
    ["provider", "reason"],
  );
  const refreshes = counter("token_refresh_total", "Refresh tokens exchanged with boards.", [
    "provider",
    "result",
  ]);
  new Gauge({ name: `${PREFIX}info`, help: "Always 1.", labelNames: ["version"], registers }).set(
    { version },
    1,
  );
  const outbox = createOutboxGauges(registers);

  return {
    contentType: registry.contentType,
    async read() {
      outbox.set(await readOutbox(store).catch(() => undefined), now());
      return await registry.metrics();
    },
    moved({ outcome, code, already }, ticket, tookMs) {
      const provider = known(ticket.split(".", 1)[0] ?? "");
      moves.inc({ provider, outcome, reason: code ?? (already ? "already" : "none") });
      took.observe({ provider, outcome }, Math.max(0, tookMs) / 1_000);
    },
    received: (provider, result) => webhooks.inc({ provider: known(provider), result }),
    lagged(provider, lagMs) {
      if (Number.isFinite(lagMs)) lag.observe({ provider: known(provider) }, Math.max(0, lagMs) / 1_000);
    },
    tells: {
      request: (provider) => requests.inc({ provider: known(provider) }),
      limited: (provider, reason) => limited.inc({ provider: known(provider), reason }),
      refreshed: (provider, result) => refreshes.inc({ provider: known(provider), result }),
    },
  };
}

interface Outbox {
  readonly moves: number;
  readonly hooks: number;
  readonly waiting: number;
  /** Since when the oldest of what can be done now is owed. */
  readonly oldestSince: number | undefined;
}

/** In Redis it is one for all processes, so every process tells the same. */
function createOutboxGauges(registers: Registry[]) {
  const pending = new Gauge({
    name: `${PREFIX}outbox_pending`,
    help: "Moves and hooks owed, and hooks that wait for what they lack; of each tenant's first thousand tickets.",
    labelNames: ["kind"],
    registers,
  });
  const oldest = new Gauge({
    name: `${PREFIX}outbox_oldest_seconds`,
    help: "Age of the oldest move or hook owed, those that wait left out.",
    registers,
  });
  return {
    /** An outbox that cannot be read has no value: zero would say that all is done. */
    set(outbox: Outbox | undefined, at: Date): void {
      pending.reset();
      oldest.set(outbox === undefined ? Number.NaN : 0);
      if (outbox === undefined) return;
      pending.set({ kind: "move" }, outbox.moves);
      pending.set({ kind: "hook" }, outbox.hooks);
      pending.set({ kind: "waiting" }, outbox.waiting);
      if (outbox.oldestSince !== undefined)
        oldest.set(Math.max(0, at.getTime() - outbox.oldestSince) / 1_000);
    },
  };
}

/** Enough to see that something piles up; a scrape must not read a whole store. */
const LOOKED_AT = 1_000;

async function readOutbox(store: Store): Promise<Outbox> {
  const records: ActorRecord[] = [];
  for (const { id } of await store.listTenants()) {
    const tenant = store.tenant(id);
    const ids = await tenant.unsettled(LOOKED_AT);
    if (ids.length === 0) continue;
    for (const record of await tenant.getActors(ids)) if (record !== undefined) records.push(record);
  }
  const moves = records.flatMap(({ pending }) => pending ?? []);
  const hooks = records.flatMap((record) => record.hooks);
  const owed = hooks.filter(({ state }) => state === "owed");
  const since = [...moves, ...owed].map((each) => Date.parse(each.since));
  return {
    moves: moves.length,
    hooks: owed.length,
    waiting: hooks.filter(({ state }) => state === "waiting").length,
    oldestSince: since.length === 0 ? undefined : since.reduce((a, b) => Math.min(a, b)),
  };
}
