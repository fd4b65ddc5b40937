import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ActorRecord, SettledMove } from "../../../src/store/store.js";
import { repeatOf, repeatOfUndo } from "../../../src/tickets/repeat.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard, type FakeBoard } from "../../support/fake-board.js";

const LOGIN = "fake.site.ENG1";

const AT = new Date("2026-11-01T12:00:00Z");
const later = (ms: number) => new Date(AT.getTime() + ms);
const talk = { repeats: "retries", speaker: { person: "ann", tool: "undo_move" } } as const;

const MOVED: SettledMove = {
  moveId: "m1",
  outcome: "confirmed",
  from: "1",
  to: "2",
  by: { person: "ann", tool: "move_ticket" },
  at: AT.toISOString(),
  entry: 4,
};

function recordAfter(lastMove: SettledMove, over: Partial<ActorRecord> = {}): ActorRecord {
  const ticket = {
    id: "t",
    title: "T",
    connection: "c",
    workflow: "w",
    status: "2",
    updatedAt: AT.toISOString(),
  };
  return { version: 3, ticket, context: {}, entry: 4, hooks: [], lastMove, ...over };
}

describe("the same wish again", () => {
  it("within a minute is the same move, and later another", () => {
    expect(repeatOf(talk, recordAfter(MOVED), "2", later(60_000))).toEqual(MOVED);
    expect(repeatOf(talk, recordAfter(MOVED), "2", later(60_001))).toBeUndefined();
  });

  it.each([
    ["somewhere else", recordAfter(MOVED), "3"],
    ["by somebody else", recordAfter({ ...MOVED, by: { person: "bob" } }), "2"],
    ["after one that was refused", recordAfter({ ...MOVED, outcome: "refused" }), "2"],
    [
      "after a conflict, which asked whether it is still wanted",
      recordAfter({ ...MOVED, outcome: "conflict" }),
      "2",
    ],
    ["after the ticket was taken away and came back", recordAfter(MOVED, { entry: 6 }), "2"],
    [
      "while another move is under way",
      recordAfter(MOVED, { pending: { ...MOVED, since: MOVED.at, to: "3" } }),
      "2",
    ],
  ])("is a wish of its own when it is %s", (_what, record, to) => {
    expect(repeatOf(talk, record, to, later(1))).toBeUndefined();
  });

  it("is one where hosts do not repeat themselves", () => {
    expect(repeatOf({ speaker: talk.speaker }, recordAfter(MOVED), "2", later(1))).toBeUndefined();
  });

  it("to undo is a repeat only of an undoing", () => {
    expect(repeatOfUndo(talk, recordAfter(MOVED), later(1))).toBeUndefined();
    const undone = { ...MOVED, by: { person: "ann", tool: "undo_move" } };
    expect(repeatOfUndo(talk, recordAfter(undone), later(1))).toEqual(undone);
    expect(
      repeatOfUndo({ ...talk, speaker: { person: "ann" } }, recordAfter(undone), later(1)),
    ).toBeUndefined();
  });
});

describe("at the desk", () => {
  let board: FakeBoard;
  let desk: Desk;
  beforeEach(async () => {
    board = createFakeBoard([["ENG-1", "Login bug on the second tap", "2"]]);
    desk = await openDesk(board);
  });
  afterEach(() => desk.close());
  const asking = (tool = "move_ticket") =>
    desk.talk({ repeats: "retries", speaker: { person: "ann", tool } });

  it("a repeat is told what the first was told, and the board is not asked again", async () => {
    const first = await desk.tickets.move(asking(), { ticket: "login", to: "in review" });
    expect(first.outcome).toBe("confirmed");
    const before = board.writes.length;
    for (const words of ["login", LOGIN, "the second tap"])
      expect(await desk.tickets.move(asking(), { ticket: words, to: "in review" })).toEqual(first);
    expect(board.writes.length).toBe(before);
  });

  it("twenty at once make one move, and are told of one", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => desk.tickets.move(asking(), { ticket: "login", to: "in review" })),
    );
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(["confirmed"]));
    expect(new Set(answers.map(({ moveId }) => moveId)).size).toBe(1);
    expect(board.writes).toHaveLength(1);
  });

  it("an undo that is repeated is not undone", async () => {
    const before = (await desk.actor(LOGIN)).ticket.status;
    await desk.tickets.move(asking(), { ticket: "login", to: "in review" });
    const first = await desk.tickets.undo(asking("undo_move"), {});
    expect(first.outcome).toBe("confirmed");
    const again = await desk.tickets.undo(asking("undo_move"), {});
    expect(again.moveId).toBe(first.moveId);
    expect((await desk.actor(LOGIN)).ticket.status).toBe(before);
    expect(board.writes).toHaveLength(2);
  });
});
