import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerSentence } from "../../../src/tickets/say.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard, type FakeBoard, fakeGraph } from "../../support/fake-board.js";

let board: FakeBoard;
let desk: Desk;
beforeEach(async () => {
  board = createFakeBoard([["ENG-1", "Login bug on the second tap", "2"]]);
  desk = await openDesk(board);
});
afterEach(() => desk.close());

const say = (sentence: string) => answerSentence(desk.tickets, desk.talk({ conversation: "c" }), sentence);
const statusOnBoard = () => board.tickets.get("fake.site.ENG1")?.status;

describe("a spoken sentence", () => {
  it.each(["Send it back.", "put that back", "take it back", "undo"])(
    "that takes a move back is one: %s",
    async (words) => {
      expect(await say("move the login bug to review")).toMatchObject({ answer: { outcome: "confirmed" } });
      expect(statusOnBoard()).toBe("3");
      expect(await say(words)).toMatchObject({ tool: "undo_move", answer: { outcome: "confirmed" } });
      expect(statusOnBoard()).toBe("2");
    },
  );

  it("that says where it shall go back to is a move", async () => {
    await say("move the login bug to review");
    const said = await say("send it back to in progress");
    expect(said).toMatchObject({ tool: "move_ticket", args: { ticket: "it", to: "in progress" } });
    expect(statusOnBoard()).toBe("2");
  });

  it.each([
    "What is in progress?",
    "what's in the in progress column",
    "Which tickets are in progress?",
    "how many are in progress",
    "list in progress",
  ])("that asks for a status whose name begins with In has its whole name: %s", async (words) => {
    const said = await say(words);
    expect(said).toMatchObject({ tool: "find_tickets", answer: { total: 1 } });
    expect(said.args.status?.toLowerCase()).toBe("in progress");
    expect(said.answer.spoken).toBe("One ticket is in In Progress: Login bug on the second tap.");
  });

  it("that asks for a status is not about another one that shares a word with it", async () => {
    await desk.close();
    const graph = fakeGraph();
    const twin = { id: "5", name: "Progress check", category: "doing", order: 5, aliases: [] } as const;
    board = createFakeBoard(
      [
        ["ENG-1", "Login bug on the second tap", "2"],
        ["ENG-2", "Welcome mail arrives twice", "5"],
        ["ENG-3", "Dark mode", "5"],
      ],
      { ...graph, statuses: [...graph.statuses, twin] },
    );
    desk = await openDesk(board);
    expect((await say("what is in progress")).answer.spoken).toBe(
      "One ticket is in In Progress: Login bug on the second tap.",
    );
    expect((await say("what is in progress check")).answer.spoken).toBe(
      "2 tickets are in Progress check: Dark mode. Welcome mail arrives twice.",
    );
  });

  it("that asks for an empty or an unknown status is told which", async () => {
    expect((await say("what is in review")).answer.spoken).toBe("No ticket is in In Review.");
    expect((await say("what is in the freezer")).answer.spoken).toBe(
      "I know no status called freezer. Ask me to describe the board to hear what there is.",
    );
  });

  it("that asks what something else is looks for it", async () => {
    expect(await say("what is the login bug")).toMatchObject({
      tool: "find_tickets",
      args: { query: "the login bug" },
      answer: { total: 1 },
    });
  });
});
