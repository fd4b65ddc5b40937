import { afterEach, describe, expect, it } from "vitest";
import { BoardwalkError } from "../../../src/errors.js";
import { createInlineHooks } from "../../../src/hooks/inline.js";
import { noteWrite } from "../../../src/tickets/actor.js";
import { createTicketHandlers, sweep } from "../../../src/tickets/handlers.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard, fakeGraph } from "../../support/fake-board.js";
import { until } from "../../support/until.js";

const LOGIN = "fake.site.ENG1";
let desk: Desk | undefined;
afterEach(async () => {
  await desk?.close();
  desk = undefined;
});

function loginBoard() {
  return createFakeBoard([
    ["ENG-1", "Login bug on the second tap", "2"],
    ["ENG-2", "Login page loads slowly", "1"],
    ["ENG-12", "Export invoices as CSV", "1"],
  ]);
}

const pull = { run: "draft-pull-request" };

describe("a move", () => {
  it("is confirmed by a re-read and told with the pull request it brought", async () => {
    const board = loginBoard();
    let opened = 0;
    const runs = {
      "draft-pull-request": async () => {
        opened += 1;
        return { state: "done" as const, result: { number: 7, draft: true, existing: false } };
      },
    };
    desk = await openDesk(board, { owes: { "3": [pull] }, runs });
    const answer = await desk.tickets.move(desk.talk(), { ticket: "the login bug", to: "review" });
    expect(answer).toMatchObject({
      outcome: "confirmed",
      to: { id: "3", name: "In Review" },
      hooks: [{ state: "done" }],
    });
    expect(answer.spoken).toBe(
      "Moved Login bug on the second tap to In Review. Draft pull request number 7 is open.",
    );
    expect(board.tickets.get(LOGIN)?.status).toBe("3");
    expect(await desk.actor(LOGIN)).toMatchObject({
      entry: 1,
      context: { "draft-pull-request": { number: 7 } },
    });
    expect(opened).toBe(1);
    const again = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    expect(again).toMatchObject({ outcome: "confirmed", already: true });
    expect(again.spoken).toContain("is in In Review already");
    expect([board.writes.length, opened]).toEqual([1, 1]);
  });

  it("that the workflow forbids writes nothing and names the open ones", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "done" });
    expect(answer).toMatchObject({ outcome: "refused", code: "no_such_move" });
    expect(answer.openMoves?.map((move) => move.status.name)).toEqual(["To Do", "In Review"]);
    expect(answer.spoken).toBe(
      "Login bug on the second tap is in In Progress and cannot go to Done from there. It can go to To Do or In Review. The way there is by In Review.",
    );
    expect(board.writes).toEqual([]);
    expect((await desk.actor(LOGIN)).pending).toBeUndefined();
  });

  it("is not refused on an old opinion: the ticket is looked at first", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    board.moveAsPerson(LOGIN, "3");
    const answer = await desk.tickets.move(desk.talk(), {
      ticket: "ENG-1",
      to: "done",
      fields: { resolution: "fixed" },
    });
    expect(answer.outcome).toBe("confirmed");
  });

  it("that wants a field asks for it, and succeeds once it is given", async () => {
    const board = loginBoard();
    board.moveAsPerson(LOGIN, "3");
    desk = await openDesk(board);
    const asked = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "done" });
    expect(asked).toMatchObject({
      outcome: "question",
      question: { about: "field", options: [{ label: "Fixed" }, { label: "Won't Do" }] },
    });
    expect(asked.openMoves?.[0]?.fields?.[0]).toMatchObject({ id: "resolution", required: true });
    expect(board.writes).toEqual([]);
    const wrong = await desk.tickets.move(desk.talk(), {
      ticket: "ENG-1",
      to: "done",
      fields: { Resolution: "banana" },
    });
    expect(wrong.outcome).toBe("question");
    const given = await desk.tickets.move(desk.talk(), {
      ticket: "ENG-1",
      to: "done",
      fields: { Resolution: "won't do" },
    });
    expect(given.outcome).toBe("confirmed");
    expect(board.writes).toEqual([{ ticket: LOGIN, move: "m34", input: { fields: { resolution: "101" } } }]);
  });

  it("asks which ticket when several fit, and says what is near when none does", async () => {
    desk = await openDesk(loginBoard());
    const many = await desk.tickets.move(desk.talk(), { ticket: "login", to: "review" });
    expect(many).toMatchObject({ outcome: "question", question: { about: "ticket" } });
    expect(many.question?.options).toHaveLength(2);
    const none = await desk.tickets.move(desk.talk(), { ticket: "payroll", to: "review" });
    expect(none).toMatchObject({ outcome: "refused", code: "not_found_or_hidden" });
  });

  it("meets a ticket that was moved since the speaker heard of it: a conflict, and no write", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    const talk = desk.talk({ conversation: "kitchen" });
    await desk.tickets.read(talk, { ticket: "ENG-1" });
    board.moveAsPerson(LOGIN, "1");
    const answer = await desk.tickets.move(talk, { ticket: "ENG-1", to: "In Review" });
    expect(answer).toMatchObject({ outcome: "conflict", ticket: { status: { name: "To Do" } } });
    expect(board.writes).toEqual([]);
  });

  it("whose answer was lost is found to have landed, and is not made twice", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    board.onNextWrite((write) => {
      write();
      throw new BoardwalkError("timeout", "The board took too long to answer.");
    });
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    expect(answer.outcome).toBe("confirmed");
    expect(answer.already).toBeUndefined();
    expect(board.writes).toHaveLength(1);
  });

  it("whose answer was lost is not made again when someone has moved the ticket back since", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    board.onNextWrite((write) => {
      write();
      board.moveAsPerson(LOGIN, "2");
      throw new BoardwalkError("timeout", "The board took too long to answer.");
    });
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    expect(answer).toMatchObject({ outcome: "conflict", ticket: { status: { name: "In Progress" } } });
    expect(answer.spoken).toContain("because someone or something changed it");
    expect(board.writes).toHaveLength(1);
    expect((await desk.actor(LOGIN)).pending).toBeUndefined();
  });

  it("that did not land is made once more where the board had it elsewhere than we knew", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    board.moveAsPerson("fake.site.ENG2", "3");
    board.onNextWrite(() => {
      throw new BoardwalkError("unavailable", "The board is having trouble.");
    });
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-2", to: "In Progress" });
    expect(answer.outcome).toBe("confirmed");
    expect(board.writes).toHaveLength(1);
  });

  it("that did not land is made once more, after a read that shows so", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    board.onNextWrite(() => {
      throw new BoardwalkError("unavailable", "The board is having trouble.");
    });
    expect((await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" })).outcome).toBe(
      "confirmed",
    );
    expect(board.writes).toHaveLength(1);
  });

  it("that the board's own rule takes further says where the ticket truly is", async () => {
    const board = loginBoard();
    board.movesOn.set("3", "4");
    desk = await openDesk(board);
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    expect(answer).toMatchObject({ outcome: "confirmed", movedOn: true, to: { name: "Done" } });
    expect(answer.spoken).toContain("took it on to Done");
  });

  it("that went unanswered is not called refused because the board then wants to be left alone", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    board.onNextWrite((write) => {
      write();
      board.onNextRead(() => {
        throw new BoardwalkError("rate_limited", "The board asked us to wait ten minutes.", {
          retryAfterMs: 600_000,
        });
      });
      throw new BoardwalkError("timeout", "The board took too long to answer.");
    });
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    expect(answer.outcome).toBe("unknown");
    expect(board.writes).toHaveLength(1);
  });

  it("that found the ticket there is still told so after later moves", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    const there = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Progress" });
    expect(there).toMatchObject({ outcome: "confirmed", already: true });
    await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    const told = await desk.tickets.checkProgress(desk.talk(), {
      ticket: "ENG-1",
      moveId: there.moveId ?? "",
    });
    expect(told).toMatchObject({ outcome: "confirmed", already: true });
  });

  it("to a column that another process heard of first is made, once this one has looked", async () => {
    const free = { ...fakeGraph(), edges: "implied" as const, moves: [{ id: "3", from: "*", to: "3" }] };
    const board = createFakeBoard([["ENG-1", "Login bug on the second tap", "2"]], free);
    desk = await openDesk(board);
    const { openMoves, pullWorkflows } = board.connector;
    let old = true;
    board.connector.openMoves = async (ticket, signal) => (old ? [] : await openMoves(ticket, signal));
    board.connector.pullWorkflows = async (signal) => {
      old = false;
      return await pullWorkflows(signal);
    };
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    expect(answer.outcome).toBe("confirmed");
  });

  it("whose comment the board did not take says so beside what was moved", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    board.onNextWrite((write) => ({ ...write(), remark: "The comment could not be added." }));
    const answer = await desk.tickets.move(desk.talk(), {
      ticket: "ENG-1",
      to: "In Review",
      comment: "Ready",
    });
    expect(answer.spoken).toBe(
      "Moved Login bug on the second tap to In Review. The comment could not be added.",
    );
    expect((await desk.actor(LOGIN)).ticket).not.toHaveProperty("remark");
  });

  it("over budget is accepted, not claimed, and check_progress tells the end", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    board.onNextRead(() => held);
    const answer = await desk.tickets.move(desk.talk({ budgetMs: 20 }), { ticket: "ENG-1", to: "In Review" });
    expect(answer.outcome).toBe("accepted");
    expect(answer.spoken).not.toMatch(/\bmoved\b/i);
    const joined = desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    const busy = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "To Do" });
    expect(busy).toMatchObject({ outcome: "conflict", code: "busy" });
    release();
    expect((await joined).outcome).toBe("confirmed");
    const ended = await desk.tickets.checkProgress(desk.talk(), { moveId: answer.moveId ?? "" });
    expect(ended).toMatchObject({ outcome: "confirmed", to: { name: "In Review" } });
    expect(board.writes).toHaveLength(1);
  });

  it("is undone by its own speaker, until someone acts since", async () => {
    const board = loginBoard();
    desk = await openDesk(board);
    await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    const other = await desk.tickets.undo(desk.talk({ speaker: { person: "bob" } }), { ticket: "ENG-1" });
    expect(other.outcome).toBe("refused");
    expect((await desk.tickets.undo(desk.talk(), {})).outcome).toBe("confirmed");
    expect(board.tickets.get(LOGIN)?.status).toBe("2");
  });
});

describe("whoever dies", () => {
  it("a pending move left behind is picked up by the sweep, and the ticket is where the board says", async () => {
    const board = loginBoard();
    desk = await openDesk(board, { serve: false });
    const answer = await desk.tickets.move(desk.talk({ budgetMs: 10 }), { ticket: "ENG-1", to: "In Review" });
    expect(answer.outcome).toBe("accepted");
    // A new process on the same store: its queue has never heard of the job.
    const hooks = createInlineHooks();
    const stop = await hooks.serve(createTicketHandlers({ ...desk.worker, jobs: hooks }));
    expect(await sweep(desk.store, hooks, new Date())).toEqual({ put: 1 });
    await until(async () => (await desk?.actor(LOGIN))?.pending === undefined);
    expect((await desk.tickets.checkProgress(desk.talk(), { ticket: "ENG-1" })).outcome).toBe("confirmed");
    expect(board.writes).toHaveLength(1);
    expect(await sweep(desk.store, hooks, new Date())).toEqual({ put: 0 });
    await stop();
    await hooks.close();
  });

  it("between the write and the settling leaves a record from which the move is known to have landed", async () => {
    const board = loginBoard();
    desk = await openDesk(board, { serve: false });
    await desk.tickets.move(desk.talk({ budgetMs: 10 }), { ticket: "ENG-1", to: "In Review" });
    const { pending } = await desk.actor(LOGIN);
    const seen = { status: "2", updatedAt: "2026-01-01T00:00:01.000Z" };
    await noteWrite(desk.store.tenant("acme"), LOGIN, { moveId: pending?.moveId ?? "" }, seen, new Date());
    board.moveAsPerson(LOGIN, "3");
    const hooks = createInlineHooks();
    const stop = await hooks.serve(createTicketHandlers({ ...desk.worker, jobs: hooks }));
    await sweep(desk.store, hooks, new Date());
    await until(async () => (await desk?.actor(LOGIN))?.pending === undefined);
    expect((await desk.actor(LOGIN)).lastMove).toMatchObject({ outcome: "confirmed", to: "3" });
    expect((await desk.actor(LOGIN)).lastMove?.already).toBeUndefined();
    expect(board.writes).toEqual([]);
    await stop();
    await hooks.close();
  });

  it("a hook that cannot be done yet waits with its reason, and is void once the ticket leaves", async () => {
    const board = loginBoard();
    const runs = {
      "draft-pull-request": async () => ({
        state: "waiting" as const,
        reason: "There is no branch for it yet.",
      }),
    };
    desk = await openDesk(board, { owes: { "3": [pull] }, runs });
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    expect(answer.spoken).toBe(
      "Moved Login bug on the second tap to In Review. There is no branch for it yet.",
    );
    expect((await desk.actor(LOGIN)).hooks).toMatchObject([{ state: "waiting", attempt: 2 }]);
    await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Progress" });
    await until(async () => (await desk?.actor(LOGIN))?.hooks.length === 0);
  });
});
