import { createHash } from "node:crypto";
import { BoardwalkError } from "../errors.js";
import type { Budget, Budgets, Connector } from "./connector.js";
import { pause, rateLimited } from "./http.js";

/** How much is asked of a board: its published limits, and the waits it asked for. */

/** A budget's key for a secret that several connections may share; tells nothing about it. */
export function budgetKey(board: string, secret: string): string {
  return `${board}-${createHash("sha256").update(secret).digest("hex").slice(0, 16)}`;
}

/** A shorter wait than this is sat out; a longer one is told to the caller. */
const SIT_OUT_MS = 1_500;
/** So that all who wait for the same moment do not come back in it. */
const JITTER = 0.1;

export interface Etiquette {
  /** Before each request. @throws BoardwalkError `rate_limited` while the board wants to be left alone. */
  pass(): Promise<void>;
  /** The connector, heard for the waits its board asks for. */
  listen(connector: Connector): Connector;
}

/** What a call does, and to which ticket: a board may want to be left alone with no more than that. */
interface Call {
  readonly kind: keyof Connector;
  readonly ticket?: string;
}

/** Why a board was not asked: it said so itself, it is being left alone since, or nothing is left of a budget. */
export type Limit = "board" | "quiet" | "budget";

/**
 * Keeps one connection within its budgets, and quiet while its board asks for it. A `rate_limited` error whose
 * `data.only` is `"ticket"` or `"call"` quietens what was asked about that ticket, or what was asked at all, and
 * nothing else. `limited` is told of each refusal.
 */
export function createEtiquette(
  board: string,
  budgets: readonly Budget[],
  counts: Budgets,
  limited: (limit: Limit) => void = () => {},
): Etiquette {
  const quiet = createQuiet();
  /** Refusals of ours. Heard as the board's own, each would begin the wait anew. */
  const ours = new WeakSet<BoardwalkError>();

  function refused(ms: number, limit: Limit): BoardwalkError {
    limited(limit);
    const error = rateLimited(board, ms);
    ours.add(error);
    return error;
  }

  async function waitFor(ms: number, limit: Limit): Promise<number> {
    const jittered = ms * (1 + Math.random() * JITTER);
    if (ms > SIT_OUT_MS) throw refused(jittered, limit);
    await pause(jittered);
    return jittered;
  }

  async function take(budget: Budget): Promise<void> {
    let leftMs = SIT_OUT_MS;
    for (let waitMs = await counts.take(budget); waitMs > 0; waitMs = await counts.take(budget)) {
      // Others may be served first again and again; whoever asked hears of it in the end.
      if (leftMs <= 0) throw refused(waitMs, "budget");
      leftMs -= await waitFor(waitMs, "budget");
    }
  }

  async function heard<T>(call: Call, answer: () => Promise<T>): Promise<T> {
    const waitMs = Math.max(quiet.leftMs(`call ${call.kind}`), quiet.leftMs(nameOf(call)));
    if (waitMs > 0) await waitFor(waitMs, "quiet");
    try {
      return await answer();
    } catch (error) {
      if (error instanceof BoardwalkError && error.code === "rate_limited" && !ours.has(error)) {
        limited("board");
        quiet.ask(quietened(error, call), error.retryAfterMs ?? 0);
      }
      throw error;
    }
  }

  return {
    async pass() {
      const quietMs = quiet.leftMs(ALL);
      if (quietMs > 0) await waitFor(quietMs, "quiet");
      for (const budget of budgets) await take(budget);
    },
    listen: (connector) => listening(connector, heard),
  };
}

const ALL = "all";

function nameOf({ kind, ticket }: Call): string {
  return `ticket ${kind} ${ticket ?? ""}`;
}

function quietened({ data }: BoardwalkError, call: Call): string {
  if (data?.only === "ticket" && call.ticket !== undefined) return nameOf(call);
  return data?.only === "call" ? `call ${call.kind}` : ALL;
}

/** Until when whom is to be left alone. */
function createQuiet() {
  const until = new Map<string, number>();
  return {
    leftMs: (what: string) => (until.get(what) ?? 0) - Date.now(),
    ask(what: string, ms: number) {
      const now = Date.now();
      for (const [known, at] of until) if (at <= now) until.delete(known);
      until.set(what, Math.max(until.get(what) ?? 0, now + ms));
    },
  };
}

type Heard = <T>(call: Call, answer: () => Promise<T>) => Promise<T>;

function listening(connector: Connector, heard: Heard): Connector {
  const { readWithMoves } = connector;
  return {
    ...connector,
    pullWorkflows: (signal) => heard({ kind: "pullWorkflows" }, () => connector.pullWorkflows(signal)),
    pullTickets: (since, signal) => heardEach(connector.pullTickets(since, signal), heard),
    readTicket: (id, signal) =>
      heard({ kind: "readTicket", ticket: id }, () => connector.readTicket(id, signal)),
    openMoves: (ticket, signal) =>
      heard({ kind: "openMoves", ticket: ticket.id }, () => connector.openMoves(ticket, signal)),
    ...(readWithMoves === undefined
      ? {}
      : {
          readWithMoves: (id, signal) =>
            heard({ kind: "readWithMoves", ticket: id }, () => readWithMoves(id, signal)),
        }),
    move: (ticket, move, input, signal) =>
      heard({ kind: "move", ticket: ticket.id }, () => connector.move(ticket, move, input, signal)),
  };
}

async function* heardEach<T>(items: AsyncIterable<T>, heard: Heard): AsyncIterable<T> {
  const iterator = items[Symbol.asyncIterator]();
  const next = () => heard({ kind: "pullTickets" }, () => iterator.next());
  try {
    for (let result = await next(); !result.done; result = await next()) yield result.value;
  } finally {
    await iterator.return?.();
  }
}
