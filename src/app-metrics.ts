import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { createStateGauges, processMetrics, type StateDeps } from "./app-metrics-state.js";
import type { Door } from "./http/knocks.js";
import type { Metrics } from "./http/metrics.js";
import type { SettledMove } from "./store/store.js";
import type { BoardTells } from "./sync/open-board.js";
import type { MoveShape } from "./tickets/shapes.js";

/** What operators count, by Prometheus' conventions. The labels hold no tenant, no ticket and no word of anyone's. */

export interface AppMetrics extends Metrics {
  /** Of boards: requests, refusals, renewed logins. */
  readonly tells: BoardTells;
  moved(move: SettledMove, ticket: string, tookMs: number): void;
  /** A move that no worker saw: refused or asked about before there was anything to do. */
  answered(answer: MoveShape): void;
  received(provider: string, result: string): void;
  lagged(provider: string, lagMs: number): void;
  /** A token, a secret, a code or a signature that was wrong. */
  guessed(door: Door, result: "refused" | "slowed"): void;
}

export interface AppMetricsOptions extends Omit<StateDeps, "known"> {
  /** Every kind of board; what a stranger calls himself becomes `other`. */
  readonly providers: readonly string[];
  readonly version: string;
}

const PREFIX = "boardwalk_";
/** A reply is due in half a second, a move has given up after some twenty. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Boards try again for hours. */
const LAGS = [0.1, 0.5, 1, 5, 15, 60, 300, 3_600, 86_400];

export function createAppMetrics({ providers, version, ...deps }: AppMetricsOptions): AppMetrics {
  const registry = new Registry();
  const registers = [registry];
  const known = (provider: string) => (providers.includes(provider) ? provider : "other");
  /** Of a ticket's id; nobody knows it of a ticket that was not found. */
  const providerOf = (ticket = "") => known(ticket.split(".", 1)[0] ?? "");
  const counter = counterIn(registers);

  const moves = counter(
    "moves_total",
    "Moves that ended in this process: settled by its worker, or refused or asked about at its desk.",
    ["provider", "outcome", "reason"],
  );
  const took = new Histogram({
    name: `${PREFIX}move_duration_seconds`,
    help: "From the wish to its settlement, for moves settled by this process.",
    labelNames: ["provider", "outcome"],
    buckets: SECONDS,
    registers,
  });
  const guesses = counter(
    "guesses_total",
    "Tokens, secrets, codes and signatures that were wrong: refused, or told to wait because there were too many (slowed).",
    ["door", "result"],
  );
  new Gauge({ name: `${PREFIX}info`, help: "Always 1.", labelNames: ["version"], registers }).set(
    { version },
    1,
  );
  const state = createStateGauges(registers, { ...deps, known });

  return {
    contentType: registry.contentType,
    async read() {
      await state.refresh();
      return await Registry.merge([registry, processMetrics()]).metrics();
    },
    moved({ outcome, code, already }, ticket, tookMs) {
      const provider = providerOf(ticket);
      moves.inc({ provider, outcome, reason: code ?? (already ? "already" : "none") });
      took.observe({ provider, outcome }, Math.max(0, tookMs) / 1_000);
    },
    answered({ ticket, outcome, code, question }) {
      moves.inc({ provider: providerOf(ticket?.id), outcome, reason: code ?? question?.about ?? "none" });
    },
    ...createBoardCounters(registers, known),
    guessed: (door, result) => guesses.inc({ door, result }),
  };
}

function counterIn(registers: Registry[]) {
  return <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: PREFIX + name, help, labelNames, registers });
}

/** What boards send us, and what we ask of them. */
function createBoardCounters(
  registers: Registry[],
  known: (provider: string) => string,
): Pick<AppMetrics, "received" | "lagged" | "tells"> {
  const counter = counterIn(registers);
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
  return {
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
