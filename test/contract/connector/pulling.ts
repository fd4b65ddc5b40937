import { describe, expect, it } from "vitest";
import type { Ticket } from "../../../src/board/connector.js";
import type { StatusGraph } from "../../../src/machine/index.js";
import { type Fresh, never, pull, withTicket } from "./harness.js";

const PAST = new Date("2001-01-01T00:00:00Z");

/** What can be tried on a board as it stands, with one ticket of its own. */
export function describeReading(fresh: Fresh): void {
  describe("reading", () => {
    it("tells a workflow whose statuses and moves hold together", async () => {
      const harness = await fresh();
      const graphs = await harness.connect().pullWorkflows(never);
      expect(graphs.length).toBeGreaterThan(0);
      for (const graph of graphs) {
        const ids = graph.statuses.map((status) => status.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(graph.statuses.map((status) => status.order)).toEqual(ids.map((_, index) => index));
        if (graph.initial !== undefined) expect(ids).toContain(graph.initial);
        for (const move of graph.moves) {
          expect(ids).toContain(move.to);
          if (move.from !== "*") expect(ids).toContain(move.from);
        }
      }
      const statuses = graphs.flatMap((graph) => graph.statuses.map((status) => status.id));
      expect(statuses).toContain(harness.moves.plain.from);
      expect(statuses).toContain(harness.moves.plain.to);
    });

    it("gives the same ids when asked again", async () => {
      const harness = await fresh();
      const ids = (graphs: readonly StatusGraph[]) =>
        graphs.map(({ id, statuses }) => [id, statuses.map((s) => s.id)]);
      const before = ids(await harness.connect().pullWorkflows(never));
      expect(ids(await harness.connect().pullWorkflows(never))).toEqual(before);
    });

    it("reads one ticket as the list told it", async () => {
      const { connector, ticket, harness } = await withTicket(fresh);
      expect(await connector.readTicket(ticket.id, never)).toMatchObject({
        id: ticket.id,
        title: ticket.title,
        status: harness.moves.plain.from,
        workflow: ticket.workflow,
      });
    });

    it("needs no earlier pull to read a ticket", async () => {
      const { harness, ticket } = await withTicket(fresh);
      expect(await harness.connect().readTicket(ticket.id, never)).toMatchObject({
        id: ticket.id,
        workflow: ticket.workflow,
      });
    });
  });
}

export function describePulling(fresh: Fresh): void {
  describe("pulling", () => {
    it.each([0, 1, 51, 101, 251, 1_001])("reads all of %i tickets", async (count) => {
      const harness = await fresh();
      await harness.board.addTickets(count);
      const connector = harness.connect();
      const workflows = (await connector.pullWorkflows(never)).map((graph) => graph.id);
      const tickets = await pull(connector);
      expect(new Set(tickets.map((ticket) => ticket.id)).size).toBe(count);
      for (const ticket of tickets) {
        expect(workflows).toContain(ticket.workflow);
        expect(ticket.status).toBe(harness.moves.plain.from);
        expect(ticket.id).toMatch(/^[a-z]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
        expect(new Date(ticket.updatedAt).toISOString()).toBe(ticket.updatedAt);
      }
    });

    it("knows nothing of a ticket that is gone", async () => {
      const { harness, connector, ticket } = await withTicket(fresh);
      await harness.board.remove(ticket);
      expect(await connector.readTicket(ticket.id, never)).toBeUndefined();
      expect(await connector.readWithMoves?.(ticket.id, never)).toBeUndefined();
      expect(await pull(connector)).toEqual([]);
    });

    it("never misses what changed at or after `since`", async () => {
      const harness = await fresh();
      await harness.board.addTickets(60);
      const connector = harness.connect();
      const [first, last] = [(await pull(connector))[0], (await pull(connector)).at(-1)] as [Ticket, Ticket];
      const since = new Date();
      await harness.board.moveAsSomeoneElse(first, harness.moves.plain.to);
      await harness.board.editTitle(last, "Another title");
      const changed = new Map((await pull(connector, since)).map((ticket) => [ticket.id, ticket]));
      expect(changed.get(first.id)?.status).toBe(harness.moves.plain.to);
      expect(changed.get(last.id)?.title).toBe("Another title");
      const edge = new Date(changed.get(first.id)?.updatedAt ?? 0);
      expect((await pull(connector, edge)).map((ticket) => ticket.id)).toContain(first.id);
      expect(new Set((await pull(connector, PAST)).map((ticket) => ticket.id)).size).toBe(60);
    });

    it("misses none that changes while the pages are being read", async () => {
      const harness = await fresh();
      await harness.board.addTickets(251);
      const connector = harness.connect();
      const all = await pull(connector);
      const since = new Date();
      const seen = new Map<string, Ticket>();
      for await (const ticket of connector.pullTickets(undefined, never)) {
        seen.set(ticket.id, ticket);
        const other = all[(seen.size * 7) % all.length];
        if (seen.size % 25 === 0 && other)
          await harness.board.moveAsSomeoneElse(other, harness.moves.plain.to);
      }
      for (const ticket of await pull(connector, since)) seen.set(ticket.id, ticket);
      const truth = await pull(connector);
      expect(new Map([...seen].map(([id, ticket]) => [id, ticket.status]))).toEqual(
        new Map(truth.map((ticket) => [ticket.id, ticket.status])),
      );
    });
  });
}
