import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StatusGraph } from "../../../src/machine/index.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard, type FakeBoard, fakeGraph } from "../../support/fake-board.js";

let desk: Desk;
let board: FakeBoard;

/** A column that stands for two statuses. */
function graph(): StatusGraph {
  const base = fakeGraph();
  const aliases = ["In flight"];
  return {
    ...base,
    statuses: base.statuses.map((status) => (status.category === "doing" ? { ...status, aliases } : status)),
    moves: [...base.moves, { id: "m13", from: "1", to: "3" }, { id: "m31", from: "3", to: "1" }],
  };
}

beforeEach(async () => {
  board = createFakeBoard(
    [
      ["ENG-1", "Login bug", "2"],
      ["ENG-2", "Login page", "2"],
      ["ENG-3", "Export as CSV", "1"],
    ],
    graph(),
  );
  desk = await openDesk(board);
});
afterEach(async () => {
  vi.useRealTimers();
  await desk.close();
});

const kitchen = () => desk.talk({ conversation: "kitchen" });
const titleOf = async (ticket: string, talk = kitchen()) =>
  (await desk.tickets.read(talk, { ticket })).ticket?.title;

describe("a talk", () => {
  it("knows what it was about", async () => {
    await desk.tickets.read(kitchen(), { ticket: "ENG-3" });
    expect(await titleOf("it")).toBe("Export as CSV");
    const moved = await desk.tickets.move(kitchen(), { ticket: "that one", to: "In Progress" });
    expect(moved).toMatchObject({ outcome: "confirmed", ticket: { key: "ENG-3" } });
    await desk.tickets.read(kitchen(), { ticket: "ENG-1" });
    expect(await titleOf("the one I just moved")).toBe("Export as CSV");
    expect(await titleOf("it")).toBe("Export as CSV");
  });

  it("takes an answer to its own question", async () => {
    const asked = await desk.tickets.move(kitchen(), { ticket: "login", to: "In Review" });
    expect(asked.question?.options.map((option) => option.label)).toEqual(["Login bug", "Login page"]);
    const moved = await desk.tickets.move(kitchen(), { ticket: "the second one", to: "In Review" });
    expect(moved).toMatchObject({ outcome: "confirmed", ticket: { key: "ENG-2" } });
  });

  it("is one person's, and one conversation's", async () => {
    await desk.tickets.read(kitchen(), { ticket: "ENG-3" });
    expect(await titleOf("it", desk.talk({ conversation: "office" }))).toBeUndefined();
    const bob = desk.talk({ conversation: "kitchen", speaker: { person: "bob" } });
    expect(await titleOf("it", bob)).toBeUndefined();
    const lost = await desk.tickets.move(bob, { ticket: "it", to: "In Review" });
    expect(lost).toMatchObject({ outcome: "refused", spoken: expect.stringContaining("do not know which") });
  });

  it("is forgotten after ten minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    await desk.tickets.read(kitchen(), { ticket: "ENG-3" });
    vi.advanceTimersByTime(9 * 60_000);
    expect(await titleOf("it")).toBe("Export as CSV");
    vi.advanceTimersByTime(11 * 60_000);
    expect(await titleOf("it")).toBeUndefined();
  });
});

describe("a status that has no words for a name", () => {
  it("goes by its place on the board", async () => {
    await desk.close();
    const base = fakeGraph();
    const statuses = base.statuses.map((status) => (status.id === "3" ? { ...status, name: "👀" } : status));
    board = createFakeBoard([["ENG-1", "Login bug", "2"]], { ...base, statuses });
    desk = await openDesk(board);
    const moves = await desk.tickets.listMoves(desk.talk(), { ticket: "ENG-1" });
    expect(moves.spoken).toBe("Login bug is in In Progress. It can go to To Do or Status 3.");
    const moved = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "status three" });
    expect(moved).toMatchObject({ outcome: "confirmed", to: { id: "3" } });
  });
});

describe("a column of several statuses", () => {
  it("means the one that is open, if only one is", async () => {
    expect(await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "in flight" })).toMatchObject({
      outcome: "confirmed",
      to: { name: "In Review" },
    });
  });

  it("is asked about when more than one is open", async () => {
    const asked = await desk.tickets.move(desk.talk(), { ticket: "ENG-3", to: "in flight" });
    expect(asked).toMatchObject({ outcome: "question", question: { about: "status" } });
    expect(asked.question?.options.map((option) => option.label)).toEqual(["In Progress", "In Review"]);
    expect(board.writes).toEqual([]);
  });
});
