import { afterEach, describe, expect, it } from "vitest";
import { BoardwalkError } from "../../../src/errors.js";
import { TryAgain } from "../../../src/hooks/hooks.js";
import { look, performObserve } from "../../../src/tickets/look.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard, fakeGraph } from "../../support/fake-board.js";

const ID = "fake.site.WEB1";
const WHERE = { connection: "web", ticket: ID };
const signal = new AbortController().signal;

let desk: Desk;
afterEach(() => desk.close());

async function open() {
  const board = createFakeBoard([["WEB-1", "Fix the login page", "1"]]);
  desk = await openDesk(board, { serve: false, owes: { "2": [{ run: "open" }], "3": [{ run: "open" }] } });
  return { board, tenant: desk.store.tenant("acme") };
}

describe("a look at a ticket", () => {
  it("that was overtaken by a later one looks again, although both saw the same time", async () => {
    const { board, tenant } = await open();
    const early = board.connector.readTicket;
    let overtaken = false;
    const connector = {
      ...board.connector,
      async readTicket(id: string, s: AbortSignal) {
        const seen = await early(id, s);
        if (overtaken || seen === undefined) return seen;
        overtaken = true;
        // While this answer is on its way the card moves on, within the same second, and somebody else looks.
        board.tickets.set(ID, { ...seen, status: "3" });
        await look(desk.worker, tenant, WHERE, signal);
        return { ...seen, status: "2" };
      },
    };
    const boards = { open: async () => ({ name: "The board", connector, hooks: {} }) };
    const record = await look({ ...desk.worker, boards }, tenant, WHERE, signal);
    expect(record).toMatchObject({ entry: 1, ticket: { status: "3" } });
    expect((await desk.actor(ID)).hooks).toMatchObject([{ status: "3", entry: 1 }]);
  });

  it("pulls the workflow first when it does not know the status, once for all who ask", async () => {
    const { board, tenant } = await open();
    let pulls = 0;
    const refresh = async () => {
      pulls += 1;
      const graph = fakeGraph();
      const fifth = { id: "5", name: "Released", category: "doing" as const, order: 5, aliases: [] };
      const value = {
        graph: { ...graph, statuses: [...graph.statuses, fifth] },
        connection: "web",
        revision: 2,
        hooks: { "5": [{ run: "open" }] },
      };
      const kept = await tenant.getDocument("workflow", graph.id);
      await tenant.saveDocument("workflow", graph.id, { version: kept?.version ?? 0, value });
    };
    board.moveAsPerson(ID, "5");
    const worker = { ...desk.worker, refresh };
    const looks = await Promise.allSettled([1, 2, 3].map(() => look(worker, tenant, WHERE, signal)));
    expect(pulls).toBe(1);
    // Who came while the pull was under way comes again.
    for (const ended of looks) if (ended.status === "rejected") expect(ended.reason).toBeInstanceOf(TryAgain);
    const record = await look(worker, tenant, WHERE, signal);
    expect(record).toMatchObject({ entry: 1, hooks: [{ status: "5", hook: "open" }] });
  });

  it("shows a ticket as unmapped when even a fresh pull does not know its status", async () => {
    const { board, tenant } = await open();
    board.moveAsPerson(ID, "99");
    const worker = { ...desk.worker, refresh: async () => {} };
    await look(worker, tenant, WHERE, signal);
    const read = await desk.tickets.read(desk.talk(), { ticket: "WEB-1" });
    expect(read.ticket).toMatchObject({ unmapped: true });
  });

  it("tells our own echo by who did it", async () => {
    const { board, tenant } = await open();
    const connector = { ...board.connector, account: async () => "boardwalk" };
    const boards = { open: async () => ({ name: "The board", connector, hooks: {} }) };
    const worker = { ...desk.worker, boards };
    for (const by of ["boardwalk", "boardwalk", "boardwalk", "boardwalk", "ann"]) {
      board.moveAsPerson(ID, board.tickets.get(ID)?.status === "2" ? "1" : "2");
      await look(worker, tenant, { ...WHERE, by }, signal);
    }
    const record = await desk.actor(ID);
    expect(record.flips).toHaveLength(1);
    expect(record.bouncing).toBeUndefined();
    const { items } = await tenant.history(ID, { limit: 1 });
    expect(items).toMatchObject([{ kind: "observed", by: { person: "ann" } }]);
  });

  it("is tried again while the board is not to be reached, and given up after that", async () => {
    const { tenant } = await open();
    const unavailable = new BoardwalkError("unavailable", "The board does not answer.");
    const boards = { open: () => Promise.reject(unavailable) };
    const data = { tenant: tenant.id, ...WHERE };
    const worker = { ...desk.worker, boards };
    await expect(performObserve(worker, data, { signal, attempt: 1 })).rejects.toBeInstanceOf(TryAgain);
    await expect(performObserve(worker, data, { signal, attempt: 6 })).rejects.toBe(unavailable);
  });
});
