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

export interface Etiquette {
  /** Before each request. @throws BoardwalkError `rate_limited` while the board wants to be left alone. */
  pass(): Promise<void>;
  /** The connector, heard for the waits its board asks for. */
  listen(connector: Connector): Connector;
}

/** Keeps one connection within its budgets, and quiet while its board asks for it. */
export function createEtiquette(board: string, budgets: readonly Budget[], counts: Budgets): Etiquette {
  let quietUntil = 0;

  async function waitFor(ms: number): Promise<void> {
    if (ms > SIT_OUT_MS) throw rateLimited(board, ms);
    await pause(ms);
  }

  async function hear<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof BoardwalkError && error.code === "rate_limited") {
        quietUntil = Math.max(quietUntil, Date.now() + (error.retryAfterMs ?? 0));
      }
      throw error;
    }
  }

  return {
    async pass() {
      const quietMs = quietUntil - Date.now();
      if (quietMs > 0) await waitFor(quietMs);
      for (const budget of budgets) {
        for (let waitMs = await counts.take(budget); waitMs > 0; waitMs = await counts.take(budget))
          await waitFor(waitMs);
      }
    },
    listen(connector) {
      const { readWithMoves } = connector;
      return {
        ...connector,
        pullWorkflows: (signal) => hear(connector.pullWorkflows(signal)),
        pullTickets: (since, signal) => heardEach(connector.pullTickets(since, signal), hear),
        readTicket: (id, signal) => hear(connector.readTicket(id, signal)),
        openMoves: (ticket, signal) => hear(connector.openMoves(ticket, signal)),
        ...(readWithMoves === undefined
          ? {}
          : { readWithMoves: (id, signal) => hear(readWithMoves(id, signal)) }),
        move: (ticket, move, input, signal) => hear(connector.move(ticket, move, input, signal)),
      };
    },
  };
}

async function* heardEach<T>(
  items: AsyncIterable<T>,
  hear: <A>(answer: Promise<A>) => Promise<A>,
): AsyncIterable<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (let next = await hear(iterator.next()); !next.done; next = await hear(iterator.next()))
      yield next.value;
  } finally {
    await iterator.return?.();
  }
}
