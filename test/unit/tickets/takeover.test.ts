import { afterEach, describe, expect, it } from "vitest";
import { TryAgain } from "../../../src/hooks/hooks.js";
import { noteWrite, settle } from "../../../src/tickets/actor.js";
import { performMove } from "../../../src/tickets/perform.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard } from "../../support/fake-board.js";

/** Two workers with the same move: one that was thought dead, and one that has taken over. */

const LOGIN = "fake.site.ENG1";
const SEEN = { status: "2", updatedAt: "2026-01-01T00:00:01.000Z" };
let desk: Desk | undefined;
afterEach(() => desk?.close());

async function pendingMove() {
  const board = createFakeBoard([["ENG-1", "Login bug on the second tap", "2"]]);
  desk = await openDesk(board, { serve: false });
  await desk.tickets.move(desk.talk({ budgetMs: 10 }), { ticket: "ENG-1", to: "In Review" });
  const { pending } = await desk.actor(LOGIN);
  if (pending === undefined) throw new Error("the move is not pending");
  const job = { tenant: "acme", ticket: LOGIN, moveId: pending.moveId };
  return { board, desk, pending, job, store: desk.store.tenant("acme") };
}

describe("a write", () => {
  it("is noted by one of two who read the same record", async () => {
    const { store, pending, desk } = await pendingMove();
    expect(await noteWrite(store, LOGIN, pending, SEEN, new Date())).toBeDefined();
    expect(await noteWrite(store, LOGIN, pending, SEEN, new Date())).toBeUndefined();
    expect((await desk.actor(LOGIN)).pending?.writes).toBe(1);
  });

  it("that may still go out is waited for by whoever takes over, and by nobody else", async () => {
    const { board, desk, store, pending, job } = await pendingMove();
    await noteWrite(store, LOGIN, pending, SEEN, new Date());
    const context = { signal: new AbortController().signal, attempt: 1 };
    const taken = performMove(desk.worker, job, { ...context, takenOver: true });
    await expect(taken).rejects.toBeInstanceOf(TryAgain);
    expect(board.writes).toEqual([]);
    // Of another process, which has nothing in hand.
    const { recent: _recent, ...elsewhere } = desk.worker;
    await performMove(elsewhere, job, context);
    expect(board.writes).toHaveLength(1);
  });

  it("is not waited for when its time is over", async () => {
    const { board, desk, store, pending, job } = await pendingMove();
    await noteWrite(store, LOGIN, pending, SEEN, new Date(Date.now() - 60_000));
    const context = { signal: new AbortController().signal, attempt: 1, takenOver: true };
    await performMove(desk.worker, job, context);
    expect(board.writes).toHaveLength(1);
  });
});

describe("a move found made by whoever has taken it over", () => {
  const ending = { outcome: "confirmed", already: true } as const;

  it("was made by us, when the other worker had noted its write meanwhile", async () => {
    const { store, pending } = await pendingMove();
    const read = await store.getActor(LOGIN);
    await noteWrite(store, LOGIN, pending, SEEN, new Date());
    const { record } = await settle(store, LOGIN, pending.moveId, { ending, at: new Date() }, read);
    expect(record.lastMove).toMatchObject({ outcome: "confirmed" });
    expect(record.lastMove).not.toHaveProperty("already");
    const { items } = await store.auditPage({ limit: 10 });
    expect(items.find(({ action }) => action === "move")?.detail).toEqual({ moveId: pending.moveId });
  });

  it("was made by somebody else, when none of us had", async () => {
    const { store, pending } = await pendingMove();
    const { record } = await settle(store, LOGIN, pending.moveId, { ending, at: new Date() });
    expect(record.lastMove?.already).toBe(true);
    const { items } = await store.auditPage({ limit: 10 });
    expect(items.find(({ action }) => action === "move")?.detail).toEqual({
      moveId: pending.moveId,
      already: true,
    });
  });
});

describe("a move's line in the audit log", () => {
  it("is written with its settling, once, however many come to its end", async () => {
    const { store, pending } = await pendingMove();
    const ending = { outcome: "refused", code: "forbidden" } as const;
    const at = new Date();
    const read = await store.getActor(LOGIN);
    const ends = await Promise.all(
      [read, read, undefined].map((known) => settle(store, LOGIN, pending.moveId, { ending, at }, known)),
    );
    expect(ends.filter(({ byUs }) => byUs)).toHaveLength(1);
    expect((await store.auditPage({ limit: 10 })).items).toMatchObject([
      { action: "move", outcome: "refused", ticket: LOGIN, detail: { moveId: pending.moveId } },
    ]);
  });
});
