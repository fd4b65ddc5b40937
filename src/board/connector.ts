import type { LookupFunction } from "node:net";
import type { z } from "zod";
import type { FieldSpec, StatusGraph } from "../machine/index.js";

/** Strings that must not be mixed up: a status id is not a move id (a board answers such a mistake with a riddle). */
type Flavor<Name extends string> = string & { readonly __flavor?: Name };

/** `{provider}.{site}.{the board's immutable id}`; safe in job ids, URLs and Redis keys. */
export type TicketId = Flavor<"TicketId">;
export type StatusId = Flavor<"StatusId">;
export type WorkflowId = Flavor<"WorkflowId">;
/** The board's name for one edge: Jira's transition id; where a board has no edges, the target's status id. */
export type MoveId = Flavor<"MoveId">;

/** One item on a board, as the board reports it. */
export interface Ticket {
  readonly id: TicketId;
  /** What people call it, where it has a name: `ENG-42`. May change. */
  readonly key?: string;
  /** Earlier keys, where the board tells them. */
  readonly formerKeys?: readonly string[];
  readonly title: string;
  readonly workflow: WorkflowId;
  readonly status: StatusId;
  /** The board's own time of its last change, ISO 8601. */
  readonly updatedAt: string;
  readonly archived?: boolean;
  /** Set when it cannot be moved whatever its status, with the reason as a sentence. */
  readonly immovable?: string;
  /** Who last changed it, where the board tells: tells our own echo from other people's moves. */
  readonly changedBy?: string;
  /** After a move: what went wrong beside it, as a sentence to be said; a comment that could not be added. */
  readonly remark?: string;
  /** Branches the board itself names for it. A suggestion: the branch may not exist. */
  readonly branches?: readonly string[];
  /** What its connector needs to find it again; opaque to everyone else. */
  readonly ref?: Readonly<Record<string, string>>;
}

/** A move open to a ticket now. */
export interface Move {
  readonly id: MoveId;
  readonly to: StatusId;
  readonly name?: string;
  readonly fields: readonly FieldSpec[];
  /** Whether a comment can travel with the move itself. */
  readonly takesComment?: boolean;
}

export interface MoveInput {
  /** By field id; the connector turns plain values into the board's own shapes. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly comment?: string;
}

export interface WebhookState {
  readonly url: string;
  readonly state: "active" | "absent" | "expired" | "failing";
  readonly by: "boardwalk" | "hand";
  readonly expiresAt?: string;
  readonly lastDeliveryAt?: string;
}

/** A webhook as it came in: bytes, because a signature is over bytes. */
export interface WebhookDelivery {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** The URL as registered: some boards sign it too. */
  readonly url: string;
  readonly receivedAt: Date;
}

/** What a delivery suggests. A hint can only cause a read. */
export type Hint =
  | {
      readonly kind: "ticket";
      readonly ticket: TicketId;
      readonly by?: string;
      /** The ticket as the delivery shows it, where it shows all that changed: what we know already need not be read. */
      readonly shows?: Pick<Ticket, "status" | "updatedAt">;
    }
  | { readonly kind: "workflow" }
  | { readonly kind: "access" };

export interface ReadHints {
  /** The board's own id of the delivery, stable over its retries. */
  readonly deliveryId: string;
  readonly hints: readonly Hint[];
  /** When it was sent, or what it tells of happened, where the board says so. */
  readonly sentAt?: Date;
}

/** Something that is missing or wrong with a connection, with what to do about it. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

/**
 * One connection to one board. *Whether* it can do a thing is told by the method being there, *how far* by data.
 * Every method rejects with a BoardwalkError whose sentence a person can act on.
 */
export interface Connector {
  pullWorkflows(signal: AbortSignal): Promise<readonly StatusGraph[]>;
  /** Tickets changed at or after `since`; may repeat one, must not miss one. */
  pullTickets(since: Date | undefined, signal: AbortSignal): AsyncIterable<Ticket>;
  /** `undefined`: missing or hidden from this account; the board does not say which. */
  readTicket(id: TicketId, signal: AbortSignal): Promise<Ticket | undefined>;
  /** Moves open to this ticket now, with their fields. The board's own word where it has one. */
  openMoves(ticket: Ticket, signal: AbortSignal): Promise<readonly Move[]>;
  /** The ticket and its open moves in one round trip, where the board can. */
  readWithMoves?(
    id: TicketId,
    signal: AbortSignal,
  ): Promise<{ readonly ticket: Ticket; readonly moves: readonly Move[] } | undefined>;
  /** Makes the move; returns the ticket as the board then reports it, by a read after the write. */
  move(ticket: Ticket, move: Move, input: MoveInput, signal: AbortSignal): Promise<Ticket>;
  /** Whose credentials these are, as a hint's `by` calls people: tells our own echo from other people's moves. */
  account?(signal: AbortSignal): Promise<string | undefined>;
  /** What these credentials can and cannot do; an empty list when nothing is missing. */
  probe(signal: AbortSignal): Promise<readonly Problem[]>;
  webhooks?: {
    /** Registers, adopts, reactivates or renews; calling it again changes nothing. */
    ensure(url: string, signal: AbortSignal): Promise<WebhookState>;
    /** @throws BoardwalkError `unauthorized` for a delivery that cannot be believed. */
    read(delivery: WebhookDelivery): Promise<ReadHints>;
  };
}

/** So many requests in so much time, shared by everyone whose budget has the same key. */
export interface Budget {
  readonly key: string;
  readonly requests: number;
  readonly perMs: number;
}

/** Counts requests, over all processes where they share a store. */
export interface Budgets {
  /** Takes one request, or as many as said. @returns 0, or how many milliseconds to wait because not enough is left. */
  take(budget: Budget, requests?: number): Promise<number>;
}

/** Who may do a thing only one after another shares a key. */
export interface Turn {
  readonly key: string;
  /** Between the end of one and the beginning of the next. */
  readonly spacingMs: number;
}

/** Lets one go at a time, over all processes where they share a store. */
export interface Turns {
  /** Runs `work` when it is its turn. Who is called off while waiting is run at once, to say so itself. */
  take<T>(turn: Turn, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Waits until no other process has the turn. @returns what leaves it to others, once the spacing has passed */
export type HoldTurn = (turn: Turn, signal: AbortSignal) => Promise<() => void>;

/** What Node's `fetch` takes besides. A program that has a browser's types as well has none of it, and may pass it on. */
export type FetchDispatcher = RequestInit extends { dispatcher?: infer D } ? NonNullable<D> : never;

/** By which requests leave us, where not every host may be connected to: a look-up that refuses, and an agent with it. */
export interface Reach {
  /** For agents of `node:http` and `node:https`. */
  readonly lookup: LookupFunction;
  /** For `fetch`. */
  readonly dispatcher: FetchDispatcher;
}

/** What a connector is given by its host. */
export interface ConnectorKit {
  /** The connection's id; goes into nothing the board sees. */
  readonly connection: string;
  /** Called before each request. Throws `forbidden` when this base URL may not be called, `rate_limited` when not now. */
  checkUrl(url: string): Promise<void>;
  /** What each request goes through; absent where any host may be connected to. */
  readonly reach?: Reach;
  /** Shared with whoever else uses the account; without it a connector takes turns with nobody but itself. */
  readonly turns?: Turns;
  /** Saves rotated credentials before they are used. */
  saveCredentials(credentials: unknown): Promise<void>;
  /** Told how each exchange of a refresh token ended. */
  refreshed?(how: "renewed" | "refused" | "failed"): void;
  /** What other processes do with the same credentials, where there are others. */
  readonly shared?: {
    /** The credentials as last saved by anyone. */
    credentials(): Promise<unknown>;
    /** Runs `work` while no other process runs its own for this connection. */
    alone<T>(work: () => Promise<T>): Promise<T>;
  };
  now(): Date;
}

/** Something that can be chosen for a setting, and what people call it. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** One kind of board: how its settings and credentials look, and how to speak to it. */
export interface ConnectorKind<S = unknown, C = unknown> {
  readonly provider: string;
  readonly settings: z.ZodType<S>;
  readonly credentials: z.ZodType<C>;
  /** How much may be asked of the board with these credentials, where the board publishes it. */
  budgets?(settings: S, credentials: C): readonly Budget[];
  create(settings: S, credentials: C, kit: ConnectorKit): Connector;
  /** Which boards these credentials show, for whoever is about to choose one of them. */
  readonly choices?: {
    /** The setting that is chosen. */
    readonly setting: string;
    /** The settings that are needed without it. */
    readonly settings: z.ZodType<Partial<S>>;
    /** At most 500, in the order of their labels. */
    list(
      settings: Partial<S>,
      credentials: C,
      kit: ConnectorKit,
      signal: AbortSignal,
    ): Promise<readonly Choice[]>;
  };
}
