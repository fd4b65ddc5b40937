import { afterEach, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard } from "../../support/fake-board.js";

let desk: Desk | undefined;
afterEach(async () => {
  await desk?.close();
  desk = undefined;
});

describe("asked how a move went, by its id", () => {
  it("tells its own ending also when the ticket has been moved again since", async () => {
    desk = await openDesk(createFakeBoard([["ENG-1", "Login bug on the second tap", "2"]]));
    const first = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Review" });
    const second = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Progress" });
    const ask = (moveId = "") => desk?.tickets.checkProgress(desk.talk(), { ticket: "ENG-1", moveId });
    expect(await ask(first.moveId)).toMatchObject({ outcome: "confirmed", to: { name: "In Review" } });
    expect(await ask(second.moveId)).toMatchObject({ outcome: "confirmed", to: { name: "In Progress" } });
    expect(await ask("never-asked")).toMatchObject({ outcome: "refused", code: "not_found_or_hidden" });
  });
});
