import { expect } from "vitest";
import type {
  Connector,
  ConnectorKit,
  Move,
  StatusId,
  Ticket,
  TicketId,
} from "../../../src/board/connector.js";
import type { Faults, JournalEntry } from "../../../src/board/emulator.js";
import { BoardwalkError, type ErrorCode } from "../../../src/errors.js";

/** What the parts of the connector suite share: the harness each board brings, and small steps. */

/** The emulated board, moved about as people and administrators would. */
export interface BoardHandle {
  readonly journal: readonly JournalEntry[];
  /** For boards that read by POST too; left out, everything but GET and HEAD is a write. */
  readonly isWrite?: (entry: JournalEntry) => boolean;
  /** Adds that many tickets in `moves.plain.from`, last changed an hour ago: a poll for news alone finds none of them. */
  addTickets(count: number): void | Promise<void>;
  /** Adds one there, with this title. */
  addTicket(title: string): void | Promise<void>;
  moveAsSomeoneElse(ticket: Ticket, to: StatusId): void | Promise<void>;
  renameStatus(status: StatusId, name: string): void | Promise<void>;
  editTitle(ticket: Ticket, title: string): void | Promise<void>;
  remove(ticket: Ticket): void | Promise<void>;
  setFaults(faults: Faults): void;
  /** The next `times` requests are answered as over the limit, with this wait; left out, the board names no wait. */
  limitRate(times: number, retryAfterSeconds?: number): void;
  archive?(ticket: Ticket): void | Promise<void>;
  /** A rule of the board takes tickets that arrive in `moves.plain.to` on to this status. */
  addRule?(thenTo: StatusId): void | Promise<void>;
  /** Registers a webhook as people do by hand, where connectors of this board cannot. */
  registerByHand?(url: string): void | Promise<void>;
  /** How many webhooks the board has. */
  countWebhooks?(): number;
}

export interface ConnectOptions {
  /** Of a server that is not the emulator. */
  readonly baseUrl?: string;
  readonly credentials?: "right" | "wrong" | "without webhook secret";
  readonly kit?: Partial<ConnectorKit>;
  /** For connectors that let their time-out be set. */
  readonly timeoutMs?: number;
}

export interface ConnectorHarness {
  readonly board: BoardHandle;
  connect(options?: ConnectOptions): Connector;
  /** A ticket that is there already, on a board that tests may not fill: a real one. */
  readonly standing?: TicketId;
  readonly moves: {
    /** A move open to a new ticket, without fields. */
    readonly plain: { readonly from: StatusId; readonly to: StatusId };
    /** A move that wants a field, for a ticket in `from`. */
    readonly withField?: {
      readonly from: StatusId;
      readonly to: StatusId;
      readonly field: string;
      readonly value: unknown;
    };
    /** The board refuses a move that is not open: it has edges of its own. */
    readonly closes?: boolean;
  };
  readonly webhook?: {
    readonly signatureHeader: string;
    readonly deliveryIdHeader?: string;
  };
  /** Whether `timeoutMs` of ConnectOptions is obeyed. */
  readonly setsTimeout?: boolean;
  /** Texts that look like an id of this board's tickets and are none. */
  readonly hostileIds?: readonly string[];
  /** Move ids that must be refused before any write. */
  readonly hostileMoveIds?: readonly string[];
  /** Where a status of an answer means something else on this board. */
  readonly codes?: Readonly<Partial<Record<number, ErrorCode>>>;
  /** Strings that may stand in no error: tokens, secrets. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

/** A new board with no tickets on it. */
export type ConnectorSetup = () => Promise<ConnectorHarness>;

/** Shown beside a test that was skipped. */
export const HAS_NOT = "this board, or its connector, does not have that";

export const never = new AbortController().signal;

export type Fresh = () => Promise<ConnectorHarness>;

/** A board with one ticket in the status the plain move starts from. */
export async function withTicket(
  fresh: Fresh,
): Promise<{ harness: ConnectorHarness; connector: Connector; ticket: Ticket }> {
  const harness = await fresh();
  const connector = harness.connect();
  await connector.pullWorkflows(never);
  if (harness.standing !== undefined) {
    const ticket = await connector.readTicket(harness.standing, never);
    if (ticket === undefined) throw new Error("the ticket that should stand there is gone");
    return { harness, connector, ticket };
  }
  await harness.board.addTicket("A ticket to be moved");
  return { harness, connector, ticket: only(await pull(connector)) };
}

export async function pull(connector: Connector, since?: Date, signal = never): Promise<Ticket[]> {
  const tickets: Ticket[] = [];
  for await (const ticket of connector.pullTickets(since, signal)) tickets.push(ticket);
  return tickets;
}

export function only<T>(items: readonly T[]): T {
  expect(items).toHaveLength(1);
  return items[0] as T;
}

export async function moveTo(connector: Connector, ticket: Ticket, to: StatusId): Promise<Move> {
  const moves = await connector.openMoves(ticket, never);
  const found = moves.find((move) => move.to === to);
  if (found === undefined) throw new Error(`no move to ${to} among ${JSON.stringify(moves)}`);
  return found;
}

/** The error a promise is rejected with, held to what every error must be. */
export async function errorOf(promise: Promise<unknown>, harness: ConnectorHarness): Promise<BoardwalkError> {
  const error = await promise.then(
    (value) => expect.fail(`should have been refused, but gave ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BoardwalkError);
  const refused = error as BoardwalkError;
  expect(refused.message, "a sentence for people").toMatch(/^[A-Z"].*[.!?]$/s);
  expect(refused.message).not.toMatch(/<[a-z/!]|https?:\/\/127|undefined|\[object/i);
  const everything = `${refused.message} ${JSON.stringify(refused.data)} ${String(refused.cause)} ${refused.stack}`;
  for (const secret of harness.secrets) expect(everything).not.toContain(secret);
  return refused;
}

/** How many writes the board has taken since its journal had `from` entries. */
export function writes(board: BoardHandle, from: number): number {
  const isWrite = board.isWrite ?? (({ method }: JournalEntry) => method !== "GET" && method !== "HEAD");
  return board.journal.slice(from).filter(isWrite).length;
}
