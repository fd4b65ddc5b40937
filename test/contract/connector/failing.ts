import { getEventListeners } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BoardwalkError, type ErrorCode } from "../../../src/errors.js";
import { type BrokenServer, startBrokenServer } from "../../support/broken-server.js";
import { errorOf, type Fresh, HAS_NOT, moveTo, never, pull, withTicket, writes } from "./harness.js";

const READ_CODES: readonly (readonly [number, ErrorCode])[] = [
  [401, "auth_expired"],
  [403, "forbidden"],
  [429, "rate_limited"],
  [500, "unavailable"],
  [503, "unavailable"],
];
const WRITE_CODES: readonly (readonly [number, ErrorCode])[] = [
  ...READ_CODES,
  [404, "not_found_or_hidden"],
  [409, "conflict"],
  [502, "unavailable"],
];

/** What can be tried on a board as it stands. */
export function describeLogin(fresh: Fresh): void {
  describe("logging in", () => {
    it("says so when the credentials are not accepted", async () => {
      const harness = await fresh();
      const connector = harness.connect({ credentials: "wrong" });
      expect(await errorOf(connector.pullWorkflows(never), harness)).toMatchObject({ code: "auth_expired" });
      expect((await connector.probe(never)).map((problem) => problem.code)).toContain("auth_expired");
    });

    it("asks its host whether the address may be called, before calling it", async () => {
      const harness = await fresh();
      const start = harness.board.journal.length;
      const refusal = new BoardwalkError("forbidden", "That address is not allowed.");
      const connector = harness.connect({ kit: { checkUrl: () => Promise.reject(refusal) } });
      expect(await errorOf(connector.pullWorkflows(never), harness)).toMatchObject({ code: "forbidden" });
      expect(harness.board.journal.slice(start)).toEqual([]);
    });
  });
}

export function describeFailing(fresh: Fresh): void {
  describe("failing", () => {
    it.each(READ_CODES)("reads an answer %i as %s", async (status, code) => {
      const { harness, connector, ticket } = await withTicket(fresh);
      harness.board.setFaults({ status });
      const expected = harness.codes?.[status] ?? code;
      expect(await errorOf(connector.readTicket(ticket.id, never), harness)).toMatchObject({
        code: expected,
      });
      expect(await errorOf(pull(connector), harness)).toMatchObject({ code: expected });
    });

    it.each(WRITE_CODES)("reads an answer %i to a move as %s", async (status, code) => {
      const { harness, connector, ticket } = await withTicket(fresh);
      const move = await moveTo(connector, ticket, harness.moves.plain.to);
      const start = harness.board.journal.length;
      harness.board.setFaults({ status, writesOnly: true });
      const expected = harness.codes?.[status] ?? code;
      expect(await errorOf(connector.move(ticket, move, {}, never), harness)).toMatchObject({
        code: expected,
      });
      expect(writes(harness.board, start)).toBe(1);
    });

    it("tells how long to wait when it is over the limit", async () => {
      const { harness, connector, ticket } = await withTicket(fresh);
      harness.board.limitRate(5, 42);
      const error = await errorOf(connector.readTicket(ticket.id, never), harness);
      expect(error).toMatchObject({ code: "rate_limited" });
      expect(error.retryAfterMs).toBeGreaterThan(0);
    });

    it("finds nothing missing with the right ones", async () => {
      const harness = await fresh();
      expect(await harness.connect().probe(never)).toEqual([]);
    });

    it("tries a read again when its failure may pass", async () => {
      const { harness, connector, ticket } = await withTicket(fresh);
      harness.board.setFaults({ status: 503, times: 1 });
      expect(await connector.readTicket(ticket.id, never)).toMatchObject({ id: ticket.id });
    });

    describe("of a server that is not well", () => {
      let server: BrokenServer;
      beforeAll(async () => {
        server = await startBrokenServer();
      });
      afterAll(() => server.close());

      it.each(["html", "half", "empty", "reset", "wrong shape"] as const)(
        "reads %s as unavailable",
        async (how) => {
          const harness = await fresh();
          const connector = harness.connect({ baseUrl: server.url(how) });
          expect(await errorOf(connector.pullWorkflows(never), harness)).toMatchObject({
            code: "unavailable",
          });
        },
      );

      it("gives up a server that does not answer", async ({ skip }) => {
        const harness = await fresh();
        if (harness.setsTimeout !== true) return skip(HAS_NOT);
        const connector = harness.connect({ baseUrl: server.url("silence"), timeoutMs: 100 });
        expect(await errorOf(connector.pullWorkflows(never), harness)).toMatchObject({ code: "timeout" });
      });

      it("stops waiting when it is called off", async () => {
        const harness = await fresh();
        const connector = harness.connect({ baseUrl: server.url("silence") });
        const calling = new AbortController();
        const refused = errorOf(connector.pullWorkflows(calling.signal), harness);
        await server.requested("silence");
        calling.abort();
        expect(await refused).toMatchObject({ code: "timeout" });
      });
    });

    it("sends nothing at all once it is called off", async () => {
      const { harness, connector, ticket } = await withTicket(fresh);
      const start = harness.board.journal.length;
      const off = AbortSignal.abort();
      for (const call of [
        connector.pullWorkflows(off),
        connector.readTicket(ticket.id, off),
        connector.openMoves(ticket, off),
        pull(connector, undefined, off),
      ]) {
        expect(await errorOf(call, harness)).toMatchObject({ code: "timeout" });
      }
      expect(harness.board.journal.slice(start)).toEqual([]);
    });

    it("listens once to the signal of many calls at once, and no more when they are over", async () => {
      const { harness, connector, ticket } = await withTicket(fresh);
      const { signal } = new AbortController();
      const listeners = () => getEventListeners(signal, "abort").length;
      // So that some wait for their next try while others are under way.
      harness.board.setFaults({ status: 503, times: 15 });
      let most = 0;
      const counting = setInterval(() => {
        most = Math.max(most, listeners());
      }, 1);
      const calls = Array.from({ length: 30 }, (_, n) =>
        n % 2 === 0 ? connector.readTicket(ticket.id, signal) : connector.openMoves(ticket, signal),
      );
      most = listeners();
      await Promise.allSettled(calls);
      clearInterval(counting);
      expect(most).toBeLessThanOrEqual(1);
      expect(listeners()).toBe(0);
    });

    it("stops between pages when it is called off", async () => {
      const harness = await fresh();
      await harness.board.addTickets(251);
      const connector = harness.connect();
      await connector.pullWorkflows(never);
      const calling = new AbortController();
      let read = 0;
      const pulling = async () => {
        for await (const _ticket of connector.pullTickets(undefined, calling.signal)) {
          read += 1;
          calling.abort();
        }
      };
      expect(await errorOf(pulling(), harness)).toMatchObject({ code: "timeout" });
      expect(read).toBeLessThan(251);
    });
  });
}
