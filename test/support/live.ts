import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { Connector, ConnectorKind, Move, Ticket } from "../../src/board/connector.js";
import type { JournalEntry } from "../../src/board/emulator.js";
import type { BoardHandle, ConnectOptions, ConnectorHarness } from "../contract/connector.contract.js";
import { quietKit } from "./quiet-kit.js";

/** Real accounts, given by environment variables: what a person runs the suites against by hand. */

const accountShape = z.strictObject({
  settings: z.record(z.string(), z.unknown()),
  credentials: z.record(z.string(), z.unknown()),
  /** Key or whole title of a ticket that may be moved to the next status and back. */
  ticket: z.string().min(1),
});
export type LiveAccount = z.infer<typeof accountShape>;

const vcsShape = z.strictObject({
  settings: z.record(z.string(), z.unknown()),
  credentials: z.record(z.string(), z.unknown()),
  /** A branch that is there. */
  branch: z.string().min(1),
});
export type LiveRepository = z.infer<typeof vcsShape>;

export function liveAccount(variable: string): LiveAccount | undefined {
  return parsed(variable, accountShape);
}

export function liveRepository(variable: string): LiveRepository | undefined {
  return parsed(variable, vcsShape);
}

/** The variable's JSON, or that of the file it names. Faults are named without any value: those are secrets. */
function parsed<T>(variable: string, shape: z.ZodType<T>): T | undefined {
  const given = process.env[variable]?.trim();
  if (!given) return undefined;
  const text = existsSync(given) ? readFileSync(given, "utf8") : given;
  const result = shape.safeParse(parseJson(text));
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, code }) => `${path.join(".") || "the whole"} (${code})`);
  throw new Error(
    `${variable} must be JSON, or a file of JSON, of the form shown in CONTRIBUTING.md: ${faults}`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const never = new AbortController().signal;

/** The harness of a board as it stands. Its ticket goes back to where it was when the harness is closed. */
export async function liveHarness(kind: ConnectorKind, account: LiveAccount): Promise<ConnectorHarness> {
  const journal: JournalEntry[] = [];
  const connect = (options: ConnectOptions = {}) => {
    const credentials = options.credentials === "wrong" ? spoilt(account.credentials) : account.credentials;
    return kind.create(kind.settings.parse(account.settings), kind.credentials.parse(credentials), {
      ...quietKit,
      async checkUrl(url) {
        await options.kit?.checkUrl?.(url);
        journal.push({ method: "?", path: new URL(url).pathname, status: 0, at: new Date().toISOString() });
      },
    });
  };
  const connector = connect();
  const ticket = await ticketNamed(connector, account.ticket);
  const move = plainMove(await connector.openMoves(ticket, never));
  return {
    board: { ...ASIS, journal },
    connect,
    standing: ticket.id,
    moves: { plain: { from: ticket.status, to: move.to } },
    secrets: secretsIn(account.credentials),
    close: () => putBack(connector, ticket),
  };
}

async function ticketNamed(connector: Connector, name: string): Promise<Ticket> {
  for await (const ticket of connector.pullTickets(undefined, never))
    if (ticket.key === name || ticket.title === name) return ticket;
  throw new Error(`The board has no ticket with the key or the title "${name}".`);
}

function plainMove(moves: readonly Move[]): Move {
  const plain = moves.find(({ fields }) => fields.every(({ required }) => !required));
  if (plain === undefined) throw new Error("The ticket has no open move without required fields.");
  return plain;
}

/** By whatever moves are open: a board's own edges may lead back in two steps. */
async function putBack(connector: Connector, before: Ticket): Promise<void> {
  const ticket = await connector.readTicket(before.id, never);
  if (ticket === undefined || ticket.status === before.status) return;
  const moves = await connector.openMoves(ticket, never);
  const back = moves.find(
    ({ to, fields }) => to === before.status && fields.every((field) => !field.required),
  );
  if (back === undefined)
    throw new Error("The ticket has no open move back to where it was; move it by hand.");
  await connector.move(ticket, back, {}, never);
}

/** Nothing is added to a real board, and nothing taken away. */
const refuse = () => {
  throw new Error("A real board is left as it stands.");
};
const ASIS: Omit<BoardHandle, "journal"> = {
  addTickets: refuse,
  addTicket: refuse,
  moveAsSomeoneElse: refuse,
  renameStatus: refuse,
  editTitle: refuse,
  remove: refuse,
  setFaults: refuse,
  limitRate: refuse,
};

const LOGINS = /^(apiKey|apiToken|token|accessToken)$/;

/** The same credentials with another secret of the same form. */
export function spoilt(credentials: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { refreshToken: _refresh, ...rest } = credentials;
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      LOGINS.test(name) && typeof value === "string" ? value.replace(/[0-9A-Za-z]{4}$/, "0000") : value,
    ]),
  );
}

function secretsIn(value: unknown): string[] {
  if (typeof value === "string") return value.length < 12 || value.includes("@") ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(secretsIn) : [];
}
