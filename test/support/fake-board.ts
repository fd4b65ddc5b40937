import type { Connector, Move, MoveInput, Ticket } from "../../src/board/connector.js";
import { BoardwalkError } from "../../src/errors.js";
import type { FieldSpec, StatusGraph } from "../../src/machine/index.js";

/** A board in memory behind the real port: for tests of what stands in front of boards. */
export interface FakeBoard {
  readonly connector: Connector;
  readonly graph: StatusGraph;
  readonly tickets: Map<string, Ticket>;
  /** Every write that reached the board, in order. */
  readonly writes: { ticket: string; move: string; input: MoveInput }[];
  reads: number;
  /** Moves a card as a person at the board would. */
  moveAsPerson(id: string, status: string): void;
  /** Runs once, in place of the next write; may do the write and then fail, as a lost answer does. */
  onNextWrite(action: (write: () => Ticket) => Ticket | Promise<Ticket>): void;
  onNextRead(action: () => void | Promise<void>): void;
  /** The board's own rule: whatever lands in the first status goes on to the second. */
  readonly movesOn: Map<string, string>;
}

const names = [
  ["1", "To Do", "todo"],
  ["2", "In Progress", "doing"],
  ["3", "In Review", "doing"],
  ["4", "Done", "done"],
] as const;

const resolution: FieldSpec = {
  id: "resolution",
  name: "Resolution",
  type: "option",
  required: true,
  allowed: [
    { id: "100", label: "Fixed" },
    { id: "101", label: "Won't Do" },
  ],
};

export function fakeGraph(id = "fake.site.wf"): StatusGraph {
  return {
    id,
    name: "Web board",
    initial: "1",
    statuses: names.map(([status, name, category], order) => ({
      id: status,
      name,
      category,
      order,
      aliases: [],
    })),
    moves: [
      { id: "m12", from: "1", to: "2", name: "Start work" },
      { id: "m23", from: "2", to: "3", name: "Ask for review" },
      { id: "m32", from: "3", to: "2", name: "Send back" },
      { id: "m34", from: "3", to: "4", name: "Finish", fields: [resolution] },
      { id: "m21", from: "2", to: "1", name: "Stop" },
    ],
    edges: "authoritative",
  };
}

export function createFakeBoard(
  titles: readonly (readonly [key: string, title: string, status: string])[],
  graph = fakeGraph(),
): FakeBoard {
  const tickets = new Map<string, Ticket>();
  const writes: FakeBoard["writes"] = [];
  const movesOn = new Map<string, string>();
  let nextWrite: Parameters<FakeBoard["onNextWrite"]>[0] | undefined;
  let nextRead: Parameters<FakeBoard["onNextRead"]>[0] | undefined;
  let clock = Date.parse("2026-01-01T00:00:00Z");
  const tick = () => {
    clock += 1_000;
    return new Date(clock).toISOString();
  };
  for (const [key, title, status] of titles) {
    const id = `fake.site.${key.replaceAll("-", "")}`;
    tickets.set(id, { id, key, title, workflow: graph.id, status, updatedAt: tick() });
  }

  function put(id: string, status: string): Ticket {
    const ticket = tickets.get(id);
    if (ticket === undefined)
      throw new BoardwalkError("not_found_or_hidden", "The board does not have that.");
    const moved = { ...ticket, status, updatedAt: tick() };
    tickets.set(id, moved);
    return moved;
  }

  const board: FakeBoard = {
    graph,
    tickets,
    writes,
    reads: 0,
    movesOn,
    moveAsPerson: (id, status) => void put(id, status),
    onNextWrite: (action) => {
      nextWrite = action;
    },
    onNextRead: (action) => {
      nextRead = action;
    },
    connector: {
      pullWorkflows: async () => [graph],
      async *pullTickets(since) {
        for (const ticket of tickets.values())
          if (since === undefined || ticket.updatedAt >= since.toISOString()) yield ticket;
      },
      async readTicket(id) {
        board.reads += 1;
        const action = nextRead;
        nextRead = undefined;
        await action?.();
        return tickets.get(id);
      },
      async openMoves(ticket): Promise<readonly Move[]> {
        return graph.moves
          .filter((move) => move.from === ticket.status || move.from === "*")
          .map((move) => ({
            id: move.id,
            to: move.to,
            ...(move.name ? { name: move.name } : {}),
            fields: move.fields ?? [],
          }));
      },
      async move(ticket, move, input) {
        const write = () => {
          writes.push({ ticket: ticket.id, move: move.id, input });
          put(ticket.id, move.to);
          const further = movesOn.get(move.to);
          return further === undefined ? put(ticket.id, move.to) : put(ticket.id, further);
        };
        const action = nextWrite;
        nextWrite = undefined;
        return action === undefined ? write() : await action(write);
      },
      probe: async () => [],
    },
  };
  return board;
}
