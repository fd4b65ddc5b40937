import { describe, expect, it } from "vitest";
import { rateLimited } from "../../../src/board/http.js";
import { errorOf, type Fresh, HAS_NOT, moveTo, never, withTicket, writes } from "./harness.js";

/** What can be tried on a board as it stands, with one ticket of its own. */
export function describeRoundTrip(fresh: Fresh): void {
  describe("moving there and back", () => {
    it("moves a ticket, once, and returns it as the board then reports it", async () => {
      const { harness, connector, ticket } = await withTicket(fresh);
      const { to } = harness.moves.plain;
      const move = await moveTo(connector, ticket, to);
      const start = harness.board.journal.length;
      const moved = await connector.move(ticket, move, {}, never);
      expect(moved).toMatchObject({ id: ticket.id, status: to });
      if (harness.standing === undefined) expect(writes(harness.board, start)).toBe(1);
      expect(await connector.readTicket(ticket.id, never)).toMatchObject({ status: to });
    });

    it("tells the open moves beside the ticket as it tells them alone", async ({ skip }) => {
      const { connector, ticket } = await withTicket(fresh);
      if (connector.readWithMoves === undefined) return skip(HAS_NOT);
      const both = await connector.readWithMoves(ticket.id, never);
      expect(both?.ticket).toEqual(await connector.readTicket(ticket.id, never));
      expect(both?.moves).toEqual(await connector.openMoves(ticket, never));
      expect(both?.moves.map((move) => move.to)).not.toContain(ticket.status);
    });
  });
}

export function describeMoving(fresh: Fresh): void {
  describe("moving", () => {
    it("says where the ticket truly is when the board's own rule took it further", async ({ skip }) => {
      const { harness, connector, ticket } = await withTicket(fresh);
      if (harness.board.addRule === undefined) return skip(HAS_NOT);
      const move = await moveTo(connector, ticket, harness.moves.plain.to);
      await harness.board.addRule(harness.moves.plain.from);
      expect(await connector.move(ticket, move, {}, never)).toMatchObject({
        status: harness.moves.plain.from,
      });
    });

    it("refuses a move that is no longer open", async ({ skip }) => {
      const { harness, connector, ticket } = await withTicket(fresh);
      if (harness.moves.closes !== true) return skip(HAS_NOT);
      const move = await moveTo(connector, ticket, harness.moves.plain.to);
      await harness.board.moveAsSomeoneElse(ticket, harness.moves.plain.to);
      expect(await errorOf(connector.move(ticket, move, {}, never), harness)).toMatchObject({
        code: "no_such_move",
      });
    });

    it("names the fields a move needs, and moves when they are given", async ({ skip }) => {
      const { harness, connector, ticket } = await withTicket(fresh);
      const wanted = harness.moves.withField;
      if (wanted === undefined) return skip(HAS_NOT);
      await harness.board.moveAsSomeoneElse(ticket, wanted.from);
      const move = await moveTo(connector, ticket, wanted.to);
      expect(move.fields.filter((field) => field.required).map((field) => field.id)).toEqual([wanted.field]);
      const error = await errorOf(connector.move(ticket, move, {}, never), harness);
      expect(error).toMatchObject({ code: "needs_fields", data: { fields: [{ id: wanted.field }] } });
      expect(await connector.readTicket(ticket.id, never)).toMatchObject({ status: wanted.from });
      const input = { fields: { [wanted.field]: wanted.value } };
      expect(await connector.move(ticket, move, input, never)).toMatchObject({ status: wanted.to });
    });

    it("does not change an archived ticket", async ({ skip }) => {
      const { harness, connector, ticket } = await withTicket(fresh);
      if (harness.board.archive === undefined) return skip(HAS_NOT);
      const move = await moveTo(connector, ticket, harness.moves.plain.to);
      await harness.board.archive(ticket);
      expect(await errorOf(connector.move(ticket, move, {}, never), harness)).toMatchObject({
        code: "archived",
      });
      expect(await connector.readTicket(ticket.id, never)).toMatchObject({
        archived: true,
        status: ticket.status,
      });
    });

    it("does not say that nothing was done when only the look after the write must wait", async () => {
      const { harness, ticket } = await withTicket(fresh);
      const start = harness.board.journal.length;
      const checkUrl = async () => {
        if (writes(harness.board, start) > 0) throw rateLimited("The board", 60_000);
      };
      const connector = harness.connect({ kit: { checkUrl } });
      const move = await moveTo(connector, ticket, harness.moves.plain.to);
      const error = await errorOf(connector.move(ticket, move, {}, never), harness);
      expect(error).toMatchObject({ code: "unavailable", retryAfterMs: 60_000 });
      expect(await harness.connect().readTicket(ticket.id, never)).toMatchObject({
        status: harness.moves.plain.to,
      });
    });

    it("does not send a write again that may have landed", async () => {
      const { harness, connector, ticket } = await withTicket(fresh);
      const move = await moveTo(connector, ticket, harness.moves.plain.to);
      const start = harness.board.journal.length;
      harness.board.setFaults({ status: 502, times: 1, afterWork: true, writesOnly: true });
      const error = await errorOf(connector.move(ticket, move, {}, never), harness);
      expect(error).toMatchObject({ code: "unavailable", retryable: true });
      expect(writes(harness.board, start)).toBe(1);
      expect(await connector.readTicket(ticket.id, never)).toMatchObject({ status: harness.moves.plain.to });
    });
  });
}
