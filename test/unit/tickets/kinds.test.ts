import { afterEach, describe, expect, it } from "vitest";
import { BoardwalkError } from "../../../src/errors.js";
import type { Status, StatusGraph, WorkflowMove } from "../../../src/machine/index.js";
import { newActor } from "../../../src/tickets/actor.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard, fakeGraph } from "../../support/fake-board.js";

/** Kinds of trouble that people have reported of tools like this one, met at the desk; see docs/cases.md. */

let desk: Desk | undefined;
afterEach(async () => {
  await desk?.close();
  desk = undefined;
});

const LOGIN = "fake.site.ENG1";

function boardWith(change: Partial<Pick<StatusGraph, "statuses" | "moves">>, status = "1") {
  return createFakeBoard([["ENG-1", "Login bug", status]], { ...fakeGraph(), ...change });
}

function statuses(...over: readonly Partial<Status>[]): Status[] {
  return over.map((status, order) => ({
    id: String(order + 1),
    name: `Status ${order + 1}`,
    category: "doing",
    order,
    aliases: [],
    ...status,
  }));
}

const freely = (count: number): WorkflowMove[] =>
  Array.from({ length: count }, (_, i) => ({ id: `to-${i + 1}`, from: "*", to: String(i + 1) }));

describe("an edge's own name", () => {
  it("is understood beside the status it leads to, and never taken for one", async () => {
    const board = boardWith({});
    desk = await openDesk(board);
    expect(await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "start work" })).toMatchObject({
      outcome: "confirmed",
      to: { id: "2", name: "In Progress" },
    });
    expect(board.writes).toMatchObject([{ move: "m12" }]);
    const unknown = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "Ship it" });
    expect(unknown).toMatchObject({ outcome: "refused", code: "no_such_move" });
    expect(unknown.openMoves?.map(({ status }) => status.name)).toEqual(["To Do", "In Review"]);
    expect(board.writes).toHaveLength(1);
  });
});

describe("several edges to one status", () => {
  const resolution = fakeGraph().moves.find(({ id }) => id === "m34")?.fields ?? [];

  it("are told apart by the fields they want: the one that wants none is taken", async () => {
    const moves = [
      { id: "resolve", from: "1", to: "4", name: "Resolve" },
      { id: "duplicate", from: "1", to: "4", name: "Close as duplicate", fields: resolution },
    ];
    const board = boardWith({ moves });
    desk = await openDesk(board);
    expect(await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "Done" })).toMatchObject({
      outcome: "confirmed",
    });
    expect(board.writes).toMatchObject([{ move: "resolve" }]);
  });

  it("are asked about by their names where nothing else tells them apart", async () => {
    const moves = [
      { id: "resolve", from: "1", to: "4", name: "Resolve" },
      { id: "duplicate", from: "1", to: "4", name: "Close as duplicate" },
    ];
    const board = boardWith({ moves });
    desk = await openDesk(board);
    const asked = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "Done" });
    expect(asked.outcome).toBe("question");
    expect(asked.spoken).toMatch(/Resolve.*Close as duplicate/);
    expect(board.writes).toEqual([]);
    const chosen = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "Close as duplicate" });
    expect(chosen).toMatchObject({ outcome: "confirmed", to: { name: "Done" } });
    expect(board.writes).toMatchObject([{ move: "duplicate" }]);
  });
});

describe("a status name that nobody types as it is", () => {
  it.each([
    ["Ready for QA ", "ready for q a"],
    ["Ready for QA ", "Ready  for QA"],
    ["QA / UAT", "qa uat"],
    ["👀 In review", "in review"],
    ["Done ✅", "done"],
    ["Debt (+ Broken Windows)", "debt broken windows"],
    ["Zurück", "zurück"],
  ])("%j is understood from %j, and written by its id", async (name, said) => {
    const board = boardWith({ statuses: statuses({ name: "Start here" }, { name }), moves: freely(2) });
    desk = await openDesk(board);
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: said });
    expect(answer).toMatchObject({ outcome: "confirmed", to: { id: "2" } });
    expect(board.writes).toMatchObject([{ move: "to-2" }]);
  });

  it("in another language is understood by every name it has", async () => {
    const board = boardWith({
      statuses: statuses({ name: "Надо" }, { name: "В работе", aliases: ["In Progress"] }),
      moves: freely(2),
    });
    desk = await openDesk(board);
    for (const to of ["in progress", "в работе"]) {
      expect(await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to })).toMatchObject({
        outcome: "confirmed",
        to: { id: "2" },
      });
    }
  });
});

describe("a status that no column shows", () => {
  const change = {
    statuses: statuses(
      { name: "Elsewhere", category: "todo" },
      { name: "Underway", aliases: ["In Progress"] },
      { name: "Doing", offBoard: true },
    ),
    moves: freely(3),
  };

  it.each(["wip", "start", "work in progress"])("is never guessed from %j", async (to) => {
    desk = await openDesk(boardWith(change));
    expect(await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to })).toMatchObject({
      outcome: "confirmed",
      to: { id: "2", name: "Underway" },
    });
  });

  it("can be asked for by its own name: its speaker is warned, asked, and told again", async () => {
    const board = boardWith(change);
    desk = await openDesk(board);
    const asked = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "Doing" });
    expect(asked).toMatchObject({ outcome: "question", question: { about: "confirm" } });
    expect(asked.spoken).toMatch(/^No column of the board shows Doing\. .*\?$/);
    expect(board.writes).toEqual([]);
    const { token = "" } = asked.question ?? {};
    const moved = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "Doing", token });
    expect(moved).toMatchObject({ outcome: "confirmed", to: { id: "3" } });
    expect(moved.spoken).toBe("Moved Login bug to Doing. No column of the board shows Doing.");
  });

  it("is not asked about where a program names it, and told of all the same", async () => {
    desk = await openDesk(boardWith(change));
    const talk = desk.talk({ confirm: "never" });
    const moved = await desk.tickets.move(talk, { ticket: "ENG-1", to: "Doing" });
    expect(moved).toMatchObject({ outcome: "confirmed", to: { id: "3" } });
    expect(moved.spoken).toContain("No column of the board shows Doing.");
  });
});

describe("a status two steps away", () => {
  it("is refused with the way that leads there, and nothing is written", async () => {
    const board = boardWith({});
    desk = await openDesk(board);
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "Done" });
    expect(answer).toMatchObject({ outcome: "refused", code: "no_such_move" });
    expect(answer.spoken).toBe(
      "Login bug is in To Do and cannot go to Done from there. It can go to In Progress. The way there is by In Progress and In Review.",
    );
    expect(answer.openMoves?.map(({ status }) => status.name)).toEqual(["In Progress"]);
    expect(board.writes).toEqual([]);
  });

  it("that no steps lead to is refused with the steps that are open", async () => {
    const moves = fakeGraph().moves.filter(({ to }) => to !== "4");
    desk = await openDesk(boardWith({ moves }));
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "Done" });
    expect(answer.spoken).toBe(
      "Login bug is in To Do and cannot go to Done from there. It can go to In Progress.",
    );
  });
});

describe("two movers within a second", () => {
  it("are told of each other: one is confirmed, the other hears of a conflict, and one write is made", async () => {
    const board = boardWith({}, "2");
    desk = await openDesk(board);
    const { tickets, talk } = desk;
    const answers = await Promise.all([
      tickets.move(talk({ speaker: { person: "ann" } }), {
        ticket: "ENG-1",
        to: "In Review",
        from: "In Progress",
      }),
      tickets.move(talk({ speaker: { person: "bob" } }), {
        ticket: "ENG-1",
        to: "To Do",
        from: "In Progress",
      }),
    ]);
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual(["confirmed", "conflict"]);
    expect(board.writes).toHaveLength(1);
    const confirmed = answers.find(({ outcome }) => outcome === "confirmed");
    expect(board.tickets.get(LOGIN)?.status).toBe(confirmed?.to?.id);
    expect((await desk.actor(LOGIN)).ticket.status).toBe(confirmed?.to?.id);
  });
});

describe("the same key on two boards", () => {
  it("is asked about, and neither is written", async () => {
    const board = boardWith({});
    const other = { ...board.tickets.get(LOGIN), id: "fake.other.ENG1", title: "Another team's login bug" };
    desk = await openDesk(board);
    const tenant = desk.store.tenant("acme");
    await tenant.saveActors([newActor(other as Parameters<typeof newActor>[0], "mobile")]);
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Progress" });
    expect(answer).toMatchObject({ outcome: "question", question: { about: "ticket" } });
    expect(answer.question?.options.map(({ id }) => id).sort()).toEqual(["fake.other.ENG1", LOGIN].sort());
    expect(board.writes).toEqual([]);
  });
});

describe("a move whose answer was lost", () => {
  it("is not called refused because the login was lost right after: nobody can tell", async () => {
    const board = boardWith({});
    board.onNextWrite((write) => {
      write();
      board.onNextRead(() => {
        throw new BoardwalkError(
          "auth_expired",
          "The board no longer accepts our login. Please reconnect it.",
        );
      });
      throw new BoardwalkError("unavailable", "The board is having trouble right now. Please try again.");
    });
    desk = await openDesk(board);
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Progress" });
    expect(answer).toMatchObject({ outcome: "unknown" });
    expect(board.writes).toHaveLength(1);
  });
});
