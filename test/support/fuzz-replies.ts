import { afterAll, beforeAll, expect, vi } from "vitest";
import type { Choice, Connector, ConnectorKind, Move, Ticket } from "../../src/board/connector.js";
import { BoardwalkError } from "../../src/errors.js";
import type { ConnectorHarness } from "../contract/connector.contract.js";
import type { Door } from "../fuzz/parsers.js";
import { type BoardReplies, RECEIVER, startBoardReplies } from "./board-replies.js";
import { type Fuzzed, fuzz, fuzzed } from "./fuzz.js";
import { quietKit } from "./quiet-kit.js";
import { tampering } from "./tampering.js";

/** A board's connector, given its board's own replies, tampered with. */

export interface FuzzedBoard {
  readonly harness: ConnectorHarness;
  /** The emulated board. */
  readonly url: string;
  /** What its settings are called where the address of the board stands, and what else choosing a board needs. */
  readonly choose: (url: string) => {
    readonly kind: ConnectorKind;
    readonly settings: object;
    readonly credentials: object;
  };
  /** What else is asked of this board. */
  readonly more?: Readonly<Record<string, (url: string) => Promise<unknown>>>;
}

const never = new AbortController().signal;
/** As long as a sentence may be that somebody has to listen to, and then some. */
const MOST_SAID = 2_000;
/** Longer waits are time-outs, which stay. */
const SHORT_MS = 5_000;

type Ask = (url: string) => Promise<unknown>;

export function fuzzReplies(door: Door, names: readonly string[], start: () => Promise<FuzzedBoard>): void {
  let board: FuzzedBoard;
  let replies: BoardReplies;
  let asks: Readonly<Record<string, Ask>>;
  beforeAll(async () => {
    hurry();
    board = await start();
    replies = await startBoardReplies(board.url);
    await replies.record("set up", async () => {
      asks = await asksOf(board, replies.url);
    });
    for (const [name, ask] of Object.entries(asks)) await replies.record(name, () => ask(replies.url));
    expect(Object.keys(asks).sort()).toEqual([...names].sort());
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await replies?.close();
    await board?.harness.close();
  });
  const one = (name: string): Fuzzed =>
    fuzzed(tampering, (how) => replies.replay(name, how, () => understood(asks[name] as Ask, replies.url)));
  fuzz(door, Object.fromEntries(names.map((name) => [name, one(name)])));
}

/** What is fuzzed is what replies mean, not how long a read that failed waits before it is tried again. */
function hurry(): void {
  const later = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms = 0, ...rest: []) =>
    later(work, ms < SHORT_MS ? 0 : ms, ...rest)) as typeof setTimeout);
}

/** An answer that can be kept, or an error that a person can be told: no reply may be a fault of ours. */
async function understood(ask: Ask, url: string): Promise<unknown> {
  try {
    const answer = await ask(url);
    JSON.stringify(answer);
    return answer;
  } catch (thrown) {
    if (!(thrown instanceof BoardwalkError)) throw thrown;
    if (thrown.code === "internal") throw new Error("a fault of ours", { cause: thrown.cause });
    if (thrown.message.length > MOST_SAID) throw new Error(`${thrown.message.length} characters to be said`);
    throw thrown;
  }
}

async function asksOf(
  { harness, choose, more = {} }: FuzzedBoard,
  here: string,
): Promise<Readonly<Record<string, Ask>>> {
  await harness.board.addTicket("A ticket to be moved");
  // Ids tell where a board is.
  const own = harness.connect({ baseUrl: here });
  const [ticket] = await all(own);
  if (ticket === undefined) throw new Error("the board has no ticket");
  const moves = await own.openMoves(ticket, never);
  const move = moves.find(({ to }) => to === harness.moves.plain.to) as Move;
  const connect = (baseUrl: string) => harness.connect({ baseUrl });
  return {
    workflows: (url) => connect(url).pullWorkflows(never),
    tickets: (url) => all(connect(url)),
    "news since": (url) => all(connect(url), new Date(Date.now() - 60_000)),
    "a ticket": (url) => connect(url).readTicket(ticket.id, never),
    "open moves": (url) => connect(url).openMoves(ticket, never),
    "a ticket with its moves": async (url) => connect(url).readWithMoves?.(ticket.id, never),
    account: async (url) => connect(url).account?.(never),
    "what is missing": (url) => connect(url).probe(never),
    webhooks: async (url) => connect(url).webhooks?.ensure(`${url}${RECEIVER}`, never),
    choices: (url) => choicesOf(choose(url)),
    ...more,
    // The last: it is somewhere else from then on.
    "a move": (url) =>
      connect(url).move(ticket, move, move.takesComment ? { comment: "On its way." } : {}, never),
  };
}

async function all(connector: Connector, since?: Date): Promise<readonly Ticket[]> {
  const tickets: Ticket[] = [];
  for await (const ticket of connector.pullTickets(since, never)) tickets.push(ticket);
  return tickets;
}

async function choicesOf({
  kind,
  settings,
  credentials,
}: ReturnType<FuzzedBoard["choose"]>): Promise<readonly Choice[] | undefined> {
  const { choices } = kind;
  return await choices?.list(
    choices.settings.parse(settings),
    kind.credentials.parse(credentials),
    quietKit,
    never,
  );
}

/** What is asked of every board. */
export const ASKED = [
  ...["workflows", "tickets", "news since", "a ticket", "open moves", "a ticket with its moves", "account"],
  ...["what is missing", "webhooks", "choices", "a move"],
];
