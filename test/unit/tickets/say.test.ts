import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerSentence } from "../../../src/tickets/say.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard, type FakeBoard } from "../../support/fake-board.js";

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
});
