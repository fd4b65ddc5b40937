import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTicketHandlers } from "../../../src/tickets/handlers.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard, type FakeBoard, fakeGraph } from "../../support/fake-board.js";

/** A column renamed while someone speaks: its new name is known to the board, and not to us. */

let board: FakeBoard;
let desk: Desk;
let pulls: number;
beforeEach(async () => {
  board = createFakeBoard([["ENG-1", "Login bug on the second tap", "2"]]);
  desk = await openDesk(board, { serve: false });
  pulls = 0;
});
afterEach(() => desk.close());

/** Does what a worker's sync does to the kept workflow: the status called In Review is called `name` now. */
async function serve(name: string): Promise<void> {
  const { statuses, ...rest } = fakeGraph();
  const graph = { ...rest, statuses: statuses.map((one) => (one.id === "3" ? { ...one, name } : one)) };
  const tenant = desk.store.tenant("acme");
  await desk.hooks.serve({
    ...createTicketHandlers(desk.worker),
    sync: async () => {
      pulls += 1;
      const kept = await tenant.getDocument("workflow", graph.id);
      const value = { graph, connection: "web", revision: pulls + 1, hooks: {} };
      await tenant.saveDocument("workflow", graph.id, { version: kept?.version ?? 0, value });
    },
  });
}

const say = (to: string) => desk.tickets.move(desk.talk(), { ticket: "login bug", to });

describe("a status that we have not heard of", () => {
  it("is pulled from the board, and the ticket moves to it", async () => {
    await serve("Peer check");
    expect(await say("peer check")).toMatchObject({
      outcome: "confirmed",
      to: { id: "3", name: "Peer check" },
    });
    expect(pulls).toBe(1);
    expect(board.writes).toHaveLength(1);
  });

  it("is refused when the board has not heard of it either, and the board is not asked with each sentence", async () => {
    await serve("In Review");
    for (let time = 0; time < 3; time++)
      expect(await say("the freezer")).toMatchObject({
        outcome: "refused",
        code: "no_such_move",
        spoken: expect.stringContaining("has no status called"),
      });
    // Once a minute, and one minute may end meanwhile.
    expect(pulls).toBeLessThan(3);
    expect(board.writes).toHaveLength(0);
  });

  it("is not looked for where the status is known", async () => {
    await serve("Peer check");
    expect(await say("in review")).toMatchObject({ outcome: "confirmed" });
    expect(pulls).toBe(0);
  });
});
