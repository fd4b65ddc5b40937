import type { Tool } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { ArgumentName } from "../tickets/sentences/sentences.js";
import {
  boardShape,
  findShape,
  type MoveShape,
  moveShape,
  movesShape,
  readShape,
} from "../tickets/shapes.js";
import type { Conversation, MoveArguments, Tickets } from "../tickets/tickets.js";
import { argumentsOf } from "./arguments.js";
import { cardMeta } from "./card.js";
import { deepFreeze, type ObjectSchema, objectSchema } from "./json-schema.js";

/** Any answer of the facade: what can be heard, and the facts beside it. */
export interface Answer {
  readonly spoken: string;
  readonly outcome?: MoveShape["outcome"];
  readonly [fact: string]: unknown;
}

/** A tool as the catalogue keeps it: what is listed, made once, and what a call does. */
export interface ToolEntry {
  readonly tool: Tool;
  readonly readOnly: boolean;
  readonly args: z.ZodType<Partial<Record<ArgumentName, unknown>>>;
  /** A valid answer without facts, for when the call did not get as far as having any. */
  readonly empty: Readonly<Record<string, unknown>>;
  run(tickets: Tickets, talk: Conversation, args: Readonly<Record<string, unknown>>): Promise<Answer>;
}

/** Facts of a move that was not made, so that a failed call still keeps its schema. */
export const NOT_MOVED = { outcome: "refused" } as const;

interface CoreTool<A> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly required?: readonly ArgumentName[];
  readonly optional?: readonly ArgumentName[];
  readonly output: ObjectSchema;
  readonly annotations: NonNullable<Tool["annotations"]>;
  /** What a screen says while it runs; a tool about one ticket has its answer shown on the card. */
  readonly invoking?: string;
  readonly empty: Readonly<Record<string, unknown>>;
  readonly run: (tickets: Tickets, talk: Conversation, args: A) => Promise<Answer>;
}

const READ = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** Schemas converted once, when the module is loaded. */
export const moveOutput = objectSchema(moveShape);

/** Arguments of every tool that moves a ticket, apart from where to. */
export const MOVE_OPTIONS: readonly ArgumentName[] = ["from", "fields", "comment", "token"];

/** What a screen says while a ticket moves. */
export const MOVING = "Moving the ticket";

const findTickets = coreTool<Parameters<Tickets["find"]>[1]>({
  name: "find_tickets",
  title: "Find tickets",
  description:
    "Finds tickets by words from the title, by key, by status or by board. Use it when someone asks what there is, " +
    "what is in a status, or names a ticket loosely. Returns a page of tickets with their status, the total, and " +
    "`next` when there are more.",
  optional: ["query", "status", "board", "cursor"],
  output: objectSchema(findShape),
  annotations: READ,
  empty: { tickets: [], total: 0 },
  run: (tickets, talk, args) => tickets.find(talk, args),
});

const readTicket = coreTool<Parameters<Tickets["read"]>[1]>({
  name: "read_ticket",
  title: "Read a ticket",
  description:
    "Tells where one ticket is: its title, board and status, and what is still being done for it, such as a draft " +
    "pull request. Use it for a question about one ticket. Returns the ticket, or a question when several fit.",
  required: ["ticket"],
  output: objectSchema(readShape),
  annotations: READ,
  invoking: "Looking at the ticket",
  empty: {},
  run: (tickets, talk, args) => tickets.read(talk, args),
});

const listMoves = coreTool<Parameters<Tickets["listMoves"]>[1]>({
  name: "list_moves",
  title: "List a ticket's moves",
  description:
    "Lists the statuses one ticket can move to now, the fields each move asks for, and why others are closed. Use " +
    "it before a move that may not be possible, or when someone asks what can be done with a ticket.",
  required: ["ticket"],
  output: objectSchema(movesShape),
  annotations: READ,
  invoking: "Looking where it can go",
  empty: { openMoves: [] },
  run: (tickets, talk, args) => tickets.listMoves(talk, args),
});

export const moveTicket = coreTool<MoveArguments>({
  name: "move_ticket",
  title: "Move a ticket",
  description:
    "Moves one ticket to another status on the real board. Use it when someone says that a ticket should go " +
    "somewhere or is now in a status. Returns the outcome, where the ticket truly is, what was started for it, or " +
    "a question to ask the speaker. Only `confirmed` means that it has moved.",
  required: ["ticket", "to"],
  optional: MOVE_OPTIONS,
  output: moveOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  invoking: MOVING,
  empty: NOT_MOVED,
  run: (tickets, talk, args) => tickets.move(talk, args),
});

const undoMove = coreTool<Parameters<Tickets["undo"]>[1]>({
  name: "undo_move",
  title: "Undo a move",
  description:
    "Moves a ticket back to where it was before the last move made through here. Use it when someone takes a move " +
    "back. Without a ticket it means the last one this speaker moved. Returns the same as a move.",
  optional: ["ticket", "token"],
  output: moveOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  invoking: "Moving it back",
  empty: NOT_MOVED,
  run: (tickets, talk, args) => tickets.undo(talk, args),
});

const checkProgress = coreTool<Parameters<Tickets["checkProgress"]>[1]>({
  name: "check_progress",
  title: "Check on a move",
  description:
    "Tells how a move that was accepted or unknown has ended, and how the work it started is going. Use it after " +
    "such an answer, or when someone asks whether it worked. Changes nothing.",
  optional: ["ticket", "moveId"],
  output: moveOutput,
  annotations: READ,
  invoking: "Looking how it went",
  empty: NOT_MOVED,
  run: (tickets, talk, args) => tickets.checkProgress(talk, args),
});

const describeBoard = coreTool<Parameters<Tickets["describeBoard"]>[1]>({
  name: "describe_board",
  title: "Describe a board",
  description:
    "Describes a board: its statuses in order and how many tickets are in each. Use it when someone asks what the " +
    "board looks like, which statuses there are, or what can be done here.",
  optional: ["board"],
  output: objectSchema(boardShape),
  annotations: READ,
  empty: { boards: [] },
  run: (tickets, talk, args) => tickets.describeBoard(talk, args),
});

/** Shown beside the core where a session's list follows the talk: whoever wants to work on one ticket says so. */
export const focusTicket = coreTool<Parameters<Tickets["read"]>[1]>({
  name: "focus_ticket",
  title: "Focus on a ticket",
  description:
    "Makes one ticket the subject of this conversation: from then on only the moves that are open to it now are " +
    "listed, and the list changes whenever the ticket does, whoever moves it. Use it when someone turns to one " +
    "ticket. Returns the ticket, or a question when several fit.",
  required: ["ticket"],
  output: objectSchema(readShape),
  annotations: READ,
  invoking: "Turning to that ticket",
  empty: {},
  run: (tickets, talk, args) => tickets.read(talk, args),
});

/** All seven, in the order in which they are listed. */
export const CORE_TOOLS: readonly ToolEntry[] = [
  findTickets,
  readTicket,
  listMoves,
  moveTicket,
  undoMove,
  checkProgress,
  describeBoard,
];

interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: NonNullable<Tool["annotations"]>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The tool as the SDK's type has it, which is the same JSON without `readonly`; frozen, as it is shown to everybody. */
export function listedTool(tool: ListedTool): Tool {
  return deepFreeze(tool) as unknown as Tool;
}

function coreTool<A>(spec: CoreTool<A>): ToolEntry {
  const args = argumentsOf(spec.required ?? [], spec.optional ?? []);
  return {
    tool: listedTool({
      name: spec.name,
      title: spec.title,
      description: spec.description,
      inputSchema: objectSchema(args),
      outputSchema: spec.output,
      annotations: { title: spec.title, ...spec.annotations },
      ...(spec.invoking === undefined ? {} : { _meta: cardMeta(spec.invoking) }),
    }),
    readOnly: spec.annotations.readOnlyHint === true,
    args,
    empty: spec.empty,
    // The arguments have been parsed by `args`, which is made from the same names.
    run: (tickets, talk, parsed) => spec.run(tickets, talk, parsed as A),
  };
}
