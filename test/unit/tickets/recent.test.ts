import { afterEach, describe, expect, it, vi } from "vitest";
import type { Ticket } from "../../../src/board/connector.js";
import { createMemoryStore } from "../../../src/store/memory.js";
import type { ActorRecord } from "../../../src/store/store.js";
import { newActor } from "../../../src/tickets/actor.js";
import { performMove } from "../../../src/tickets/perform.js";
import { MOST_MS } from "../../../src/tickets/recency.js";
import { createRecent } from "../../../src/tickets/recent.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard } from "../../support/fake-board.js";

let clock: number | undefined;
const real = performance.now.bind(performance);
vi.spyOn(performance, "now").mockImplementation(() => clock ?? real());
let desk: Desk | undefined;
afterEach(async () => {
  clock = undefined;
  await desk?.close();
  desk = undefined;
});

const READ = { workflowRevision: 1, connectionsSince: 0 };
const store = createMemoryStore();
const by = { person: "ann" };

function record(id: string, moveId?: string): ActorRecord {
  const ticket: Ticket = { id, title: id, workflow: "w", status: "1", updatedAt: "2026-01-01T00:00:00.000Z" };
  const pending = { moveId: moveId ?? "", to: "2", from: "1", by, since: ticket.updatedAt };
  return { ...newActor(ticket, "web"), ...(moveId === undefined ? {} : { pending }) };
}

describe("what was just in hand", () => {
  it("is of its tenant, whatever the names", () => {
    const recent = createRecent();
    recent.keep(store.tenant("a b"), record("c"));
    expect(recent.of({ id: "a b" }, "c")).toEqual(record("c"));
    expect(recent.of({ id: "a" }, "b c")).toBeUndefined();
    recent.forget();
    expect(recent.of({ id: "a b" }, "c")).toBeUndefined();
  });

  it("is handed to the worker of that very move, for a quarter of a second", () => {
    clock = 0;
    const recent = createRecent();
    const tenant = store.tenant("acme");
    // As of now, whatever becomes of what was read.
    const view = { ...READ, more: "a whole view" };
    recent.keep(tenant, record("t", "m"), view);
    view.workflowRevision += 1;
    expect(recent.intended(tenant, "t", "other")).toBeUndefined();
    expect(recent.intended(tenant, "t", "m")).toEqual({ record: record("t", "m"), read: READ });
    clock = MOST_MS + 1;
    expect(recent.intended(tenant, "t", "m")).toBeUndefined();
    expect(recent.of(tenant, "t")).toEqual(record("t", "m"));
  });

  it("is of the latest two thousand", () => {
    const recent = createRecent();
    for (let i = 0; i <= 2_000; i++) recent.keep(store.tenant("acme"), record(`${i}`));
    expect(recent.of({ id: "acme" }, "0")).toBeUndefined();
    expect(recent.of({ id: "acme" }, "1")).toBeDefined();
  });
});

describe("a move", () => {
  const LOGIN = "fake.site.ENG1";

  it("that desk and worker of one process make is read from the store by the desk alone", async () => {
    const board = createFakeBoard([["ENG-1", "Login bug on the second tap", "2"]]);
    desk = await openDesk(board);
    const tenant = desk.store.tenant("acme");
    // So that the desk's view has them already.
    await desk.tickets.read(desk.talk(), { ticket: "ENG-1" });
    const read = vi.spyOn(tenant, "getActor");
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    expect(answer).toMatchObject({ outcome: "confirmed" });
    expect(read).not.toHaveBeenCalled();
  });

  it("goes by what the store says where another has changed the ticket meanwhile", async () => {
    const board = createFakeBoard([["ENG-1", "Login bug on the second tap", "2"]]);
    desk = await openDesk(board, { serve: false });
    const tenant = desk.store.tenant("acme");
    await desk.tickets.move(desk.talk({ budgetMs: 10 }), { ticket: "ENG-1", to: "In Review" });
    const now = await desk.actor(LOGIN);
    const moveId = now.pending?.moveId ?? "";
    await tenant.saveActor({ ...now, context: { note: "of another process" } });
    const context = { signal: new AbortController().signal, attempt: 1 };
    await performMove(desk.worker, { tenant: "acme", ticket: LOGIN, moveId }, context);
    const after = await desk.actor(LOGIN);
    expect(after).toMatchObject({
      context: { note: "of another process" },
      lastMove: { outcome: "confirmed" },
    });
    expect(board.writes).toHaveLength(1);
  });
});
