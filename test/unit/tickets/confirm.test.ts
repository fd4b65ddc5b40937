import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FieldSpec, StatusGraph } from "../../../src/machine/index.js";
import { answered } from "../../../src/tickets/confirm.js";
import type { MoveShape } from "../../../src/tickets/shapes.js";
import type { Conversation, MoveArguments } from "../../../src/tickets/tickets.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard, type FakeBoard, fakeGraph } from "../../support/fake-board.js";

const LOGIN = "fake.site.ENG1";
const NIGHT = "fake.site.ENG2";
let desk: Desk;
let board: FakeBoard;

function option(id: string, ...labels: string[]): FieldSpec {
  const allowed = labels.map((label) => ({ id: label.toLowerCase(), label }));
  return { id, name: id, type: "option", required: true, allowed };
}

/** From review a ticket can be finished or canceled; canceling wants a reason and a reviewer. */
function graph(): StatusGraph {
  const base = fakeGraph();
  const canceled = { id: "5", name: "Canceled", category: "canceled" as const, order: 4, aliases: [] };
  const fields = [option("Reason", "Duplicate", "Obsolete"), option("Reviewer", "Ann", "Bob")];
  return {
    ...base,
    statuses: [...base.statuses, canceled],
    moves: [
      ...base.moves.filter((move) => move.id !== "m34"),
      { id: "m34", from: "3", to: "4", name: "Finish" },
      { id: "m43", from: "4", to: "3", name: "Reopen" },
      { id: "m35", from: "3", to: "5", name: "Cancel", fields },
    ],
  };
}

beforeEach(async () => {
  board = createFakeBoard(
    [
      ["ENG-1", "Login bug", "3"],
      ["ENG-2", "Night mode schedule", "3"],
    ],
    graph(),
  );
  desk = await openDesk(board);
});
afterEach(async () => {
  vi.useRealTimers();
  await desk.close();
});

function closing(over: Partial<Conversation> = {}): Conversation {
  return desk.talk({ confirm: "closing", ...over });
}

async function move(args: Partial<MoveArguments>, talk = closing()): Promise<MoveShape> {
  return await desk.tickets.move(talk, { ticket: "ENG-1", to: "Done", ...args });
}

async function askedToken(args: Partial<MoveArguments> = {}, talk = closing()): Promise<string> {
  const asked = await move(args, talk);
  expect(asked).toMatchObject({ outcome: "question", question: { about: "confirm" } });
  return asked.question?.token ?? "";
}

const statusOf = (id: string) => board.tickets.get(id)?.status;

describe("a closing move", () => {
  it("is read back before it is made, and made after a yes", async () => {
    const asked = await move({});
    expect(asked).toMatchObject({
      outcome: "question",
      from: { name: "In Review" },
      to: { name: "Done" },
      question: { about: "confirm", options: [{ label: "Yes" }, { label: "No" }] },
    });
    expect(asked.spoken).toBe("Login bug would go from In Review to Done. Shall I do that?");
    expect(asked.question?.token?.length).toBeGreaterThanOrEqual(22);
    expect(board.writes).toEqual([]);
    const token = asked.question?.token ?? "";
    expect(await move({ token })).toMatchObject({ outcome: "confirmed" });
    expect(statusOf(LOGIN)).toBe("4");
  });

  it("into canceled is asked about as well; one that closes nothing is not", async () => {
    expect(await move({ to: "Canceled" })).toMatchObject({ question: { about: "confirm" } });
    expect(await move({ to: "In Progress" })).toMatchObject({ outcome: "confirmed" });
  });

  it("that is closed from here is refused, not asked about", async () => {
    await move({ to: "In Progress" });
    expect(await move({})).toMatchObject({ outcome: "refused", code: "no_such_move" });
  });

  it("is asked about where the tenant wants it, unless the talk says never", async () => {
    expect(await move({ ticket: "ENG-2" }, desk.talk())).toMatchObject({ outcome: "confirmed" });
    const setting = { version: 0, value: { confirm: "closing" } };
    await desk.store.tenant("acme").saveDocument("setting", "speech", setting);
    expect(await move({}, desk.talk())).toMatchObject({ question: { about: "confirm" } });
    expect(await move({}, desk.talk({ confirm: "never" }))).toMatchObject({ outcome: "confirmed" });
  });

  it("is not made where the ticket has been moved since the question", async () => {
    const token = await askedToken();
    board.moveAsPerson(LOGIN, "1");
    expect((await move({ token })).outcome).not.toBe("confirmed");
    expect(board.writes).toEqual([]);
  });
});

describe("a closing move of a ticket that we think is closed", () => {
  it("asks nothing where it is, and writes nothing where it is not", async () => {
    const token = await askedToken();
    expect((await move({ token })).outcome).toBe("confirmed");
    expect(await move({})).toMatchObject({ outcome: "confirmed", already: true });
    board.moveAsPerson(LOGIN, "3");
    expect(await move({})).toMatchObject({ outcome: "conflict", ticket: { status: { name: "In Review" } } });
    expect(await move({ token })).toMatchObject({ outcome: "refused" });
    expect(board.writes).toHaveLength(1);
    await askedToken();
  });
});

describe("a token", () => {
  it("is good once", async () => {
    const token = await askedToken();
    expect((await move({ token })).outcome).toBe("confirmed");
    expect(await move({ token })).toMatchObject({ outcome: "confirmed", already: true });
    expect((await move({ to: "In Review" })).outcome).toBe("confirmed");
    const replayed = await move({ token });
    expect(replayed).toMatchObject({ outcome: "refused", code: "conflict" });
    expect(replayed.spoken).toMatch(/no longer open, so nothing was changed/);
    expect(board.writes.map((write) => write.move)).toEqual(["m34", "m43"]);
  });

  it("is one answer, however many give it at once", async () => {
    const token = await askedToken();
    const about = { ticket: LOGIN, to: "4" };
    const all = Array.from({ length: 20 }, () => answered(closing(), token, about, new Date()));
    expect((await Promise.all(all)).filter((question) => question !== undefined)).toHaveLength(1);
  });

  it("is not kept as it was handed out", async () => {
    const token = await askedToken();
    const kept = vi.spyOn(desk.store.tenant("acme"), "remember");
    const second = await askedToken({ ticket: "ENG-2" });
    expect(JSON.stringify(kept.mock.calls)).not.toContain(second);
    expect(second).not.toBe(token);
  });

  it("is its speaker's alone, and is not spent by another's try", async () => {
    const token = await askedToken();
    const stolen = await move({ token }, closing({ speaker: { person: "bob" } }));
    expect(stolen).toMatchObject({ outcome: "refused", code: "conflict" });
    expect(board.writes).toEqual([]);
    expect((await move({ token })).outcome).toBe("confirmed");
  });

  it("is for that ticket and that status", async () => {
    const token = await askedToken();
    expect(await move({ ticket: "ENG-2", token })).toMatchObject({ outcome: "refused" });
    expect(await move({ to: "Canceled", token })).toMatchObject({ outcome: "refused" });
    expect([statusOf(LOGIN), statusOf(NIGHT)]).toEqual(["3", "3"]);
  });

  it("is of no use in another tenant", async () => {
    const token = await askedToken();
    const other = await openDesk(board, { tenant: "globex" });
    const talk = other.talk({ confirm: "closing" });
    expect(await other.tickets.move(talk, { ticket: "ENG-1", to: "Done", token })).toMatchObject({
      outcome: "refused",
    });
    await other.close();
    expect(board.writes).toEqual([]);
  });

  it("is too late after five minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const [early, late] = [await askedToken(), await askedToken({ ticket: "ENG-2" })];
    vi.setSystemTime(Date.now() + 4 * 60_000);
    expect((await move({ token: early })).outcome).toBe("confirmed");
    vi.setSystemTime(Date.now() + 2 * 60_000);
    expect(await move({ ticket: "ENG-2", token: late })).toMatchObject({ outcome: "refused" });
    expect(statusOf(NIGHT)).toBe("3");
  });

  it("that nobody gave out is refused", async () => {
    expect(await move({ token: "guess" })).toMatchObject({ outcome: "refused", code: "conflict" });
    expect(await move({ to: "In Progress", token: "guess" }, desk.talk())).toMatchObject({
      outcome: "refused",
    });
    expect(board.writes).toEqual([]);
  });
});

describe("missing fields", () => {
  it("are asked for one at a time, with what they may be, and what was said before is kept", async () => {
    const confirmed = await move({ to: "Canceled", token: await askedToken({ to: "Canceled" }) });
    expect(confirmed).toMatchObject({
      outcome: "question",
      question: { about: "field", options: [{ label: "Duplicate" }, { label: "Obsolete" }] },
    });
    expect(confirmed.spoken).toBe(
      "Moving Login bug to Canceled needs reason. It can be Duplicate or Obsolete. What should it be?",
    );
    const reason = { token: confirmed.question?.token ?? "", fields: { reason: "duplicate" } };
    const second = await move({ to: "Canceled", ...reason });
    expect(second).toMatchObject({
      question: { about: "field", options: [{ label: "Ann" }, { label: "Bob" }] },
    });
    const reviewer = { token: second.question?.token ?? "", fields: { reviewer: "bob" } };
    expect((await move({ to: "Canceled", ...reviewer })).outcome).toBe("confirmed");
    expect(board.writes).toEqual([
      { ticket: LOGIN, move: "m35", input: { fields: { Reason: "duplicate", Reviewer: "bob" } } },
    ]);
  });
});

describe("what was only heard", () => {
  it("of a title is read back before anything is done", async () => {
    const heard = await move({ ticket: "knight mode schedule", to: "In Progress" }, desk.talk());
    expect(heard).toMatchObject({ outcome: "question", question: { about: "confirm" } });
    expect(heard.spoken).toBe(
      "I heard Night mode schedule. It would go from In Review to In Progress. Is that right?",
    );
    expect(board.writes).toEqual([]);
    const token = heard.question?.token ?? "";
    const said = { ticket: "knight mode schedule", to: "In Progress", token };
    expect((await move(said, desk.talk())).outcome).toBe("confirmed");
    expect(statusOf(NIGHT)).toBe("2");
  });

  it("of a status is read back too", async () => {
    expect(await move({ to: "in revue" }, desk.talk())).toMatchObject({
      outcome: "confirmed",
      already: true,
    });
    await move({ to: "In Progress" }, desk.talk());
    expect(await move({ to: "dun" }, desk.talk())).toMatchObject({ outcome: "refused" });
    const heard = await move({ ticket: "ENG-2", to: "dun" }, desk.talk());
    expect(heard).toMatchObject({
      outcome: "question",
      question: { about: "confirm" },
      to: { name: "Done" },
    });
  });

  it("as many tickets at once moves none of them", async () => {
    const all = await move({ ticket: "all tickets" }, desk.talk());
    expect(all).toMatchObject({
      outcome: "refused",
      spoken: expect.stringContaining("one ticket at a time"),
    });
    expect(board.writes).toEqual([]);
  });
});

describe("taking a move back", () => {
  const runs = {
    "draft-pull-request": async () => ({
      state: "done" as const,
      result: { number: 7, draft: true, existing: false },
    }),
  };

  it("says what it leaves as it is", async () => {
    await desk.close();
    desk = await openDesk(board, { owes: { "3": [{ run: "draft-pull-request" }] }, runs });
    await move({ to: "In Progress" }, desk.talk());
    await move({ to: "In Review" }, desk.talk());
    const undone = await desk.tickets.undo(desk.talk(), {});
    expect(undone).toMatchObject({ outcome: "confirmed", to: { name: "In Progress" } });
    expect(undone.spoken).toBe("Moved Login bug to In Progress. Its pull request stays open.");
  });

  it("is refused once somebody else has acted", async () => {
    await move({ to: "In Progress" }, desk.talk());
    await desk.tickets.move(desk.talk({ speaker: { person: "bob" } }), { ticket: "ENG-1", to: "To Do" });
    expect((await desk.tickets.undo(desk.talk(), { ticket: "ENG-1" })).outcome).toBe("refused");
    expect((await desk.tickets.undo(desk.talk(), {})).outcome).toBe("refused");
    expect(statusOf(LOGIN)).toBe("1");
  });

  it("is a conflict when a card was dragged on the board since", async () => {
    await move({ to: "In Progress" }, desk.talk());
    board.moveAsPerson(LOGIN, "1");
    expect((await desk.tickets.undo(desk.talk(), {})).outcome).toBe("conflict");
    expect(statusOf(LOGIN)).toBe("1");
  });

  it("into done is asked about where closing moves are", async () => {
    await move({}, desk.talk());
    await move({ to: "In Review" }, desk.talk());
    const asked = await desk.tickets.undo(closing(), {});
    expect(asked).toMatchObject({ question: { about: "confirm" }, to: { name: "Done" } });
    const token = asked.question?.token ?? "";
    expect((await desk.tickets.undo(closing(), { token })).outcome).toBe("confirmed");
    expect(statusOf(LOGIN)).toBe("4");
  });
});
