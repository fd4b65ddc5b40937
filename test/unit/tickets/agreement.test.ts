import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { createActor, createMachine } from "xstate";
import {
  createFsmActor,
  fsmFromStatusGraph,
  moveEvent,
  type StatusGraph,
  toXstate,
  transition,
} from "../../../src/index.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard } from "../../support/fake-board.js";

/** A ticket on a board is the same machine again, made durable: what one of them does, all do. */

const graphs: fc.Arbitrary<StatusGraph> = fc.integer({ min: 2, max: 6 }).chain((size) =>
  fc
    .uniqueArray(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), {
      minLength: size,
      maxLength: size * 3,
      selector: ([from, to]) => from * size + to,
    })
    .map((edges) => ({
      id: "fake.site.random",
      name: "Random board",
      initial: "0",
      statuses: Array.from({ length: size }, (_, order) => ({
        id: String(order),
        name: `Column ${"abcdefgh".charAt(order)}`,
        category: "doing" as const,
        order,
        aliases: [],
      })),
      moves: edges.map(([from, to], i) => ({ id: `m${i}`, from: String(from), to: String(to) })),
      edges: "authoritative" as const,
    })),
);

const walks = fc.array(fc.nat(5), { minLength: 50, maxLength: 50 });

let desk: Desk | undefined;
afterEach(() => desk?.close());

it("transition, createFsmActor, XState and the durable ticket agree on each step of 200 walks of 50 events", async () => {
  let moves = 0;
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(graphs, walks, async (graph, walk) => {
      const machine = fsmFromStatusGraph(graph);
      const actor = createFsmActor(machine);
      const theirs = createActor(createMachine(toXstate(machine) as never)).start();
      const board = createFakeBoard([["ENG-1", "A ticket that walks", "0"]], graph);
      const ticket = "fake.site.ENG1";
      desk = await openDesk(board);
      let position = { value: "0", context: {} };
      for (const target of walk.filter((status) => status < graph.statuses.length)) {
        const to = String(target);
        const step = transition(machine, position, { type: moveEvent(to) });
        if (step.ok) position = step.position;
        await actor.send({ type: moveEvent(to) });
        // XState complains of events to a machine that is done; ours refuse them.
        if (theirs.getSnapshot().status === "active") theirs.send({ type: moveEvent(to) } as never);
        const { outcome, already } = await desk.tickets.move(desk.talk(), { ticket, to });

        expect(actor.getSnapshot().value).toBe(position.value);
        expect(theirs.getSnapshot().value).toBe(position.value);
        expect((await desk.actor(ticket)).ticket.status).toBe(position.value);
        expect(board.tickets.get(ticket)?.status).toBe(position.value);
        // Where it stands already is no move to make, whether or not the graph has such an edge.
        expect(outcome).toBe(step.ok || already ? "confirmed" : "refused");
        if (step.ok) moves += 1;
        else refusals += 1;
      }
      theirs.stop();
      await desk.close();
      desk = undefined;
    }),
    { numRuns: 200 },
  );
  expect(Math.min(moves, refusals)).toBeGreaterThan(1_000);
}, 240_000);
