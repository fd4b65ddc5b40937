import { resolveStatus } from "./statuses.js";
import type { Conversation, Tickets } from "./tickets.js";
import { plainWords } from "./words.js";
import { type Workflow, workflowFrom } from "./workflow.js";

/**
 * A whole sentence, as a person says it, to the call that an agent would make of it. A small grammar for the demo and
 * the command line: real understanding is the agent's.
 */

type Answer = { readonly spoken: string } & Readonly<Record<string, unknown>>;

export interface Said {
  /** The core tool that an agent would call, with its arguments. */
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
}

export async function answerSentence(
  tickets: Tickets,
  talk: Conversation,
  sentence: string,
): Promise<Said & { readonly answer: Answer }> {
  const said = await understand(tickets, talk, sentence.trim().replace(/[.!?]+$/, ""));
  return { ...said, answer: await call(tickets, talk, said) };
}

const MOVE = /^(?:please )?(?:move|send|put|take|bring|set|drag)\s+(.+)$/i;
const PHRASES: readonly (readonly [RegExp, (words: string) => Said])[] = [
  [/^(?:please )?(?:undo|(?:take|send|put) (?:that|it) back)\b.*$/i, () => ({ tool: "undo_move", args: {} })],
  [
    /^(?:how did (?:that|it) go|did (?:that|it) work|what happened)$/i,
    () => ({ tool: "check_progress", args: {} }),
  ],
  [/^(?:describe|how is|how's) (?:the |our |my )?boards?$/i, () => ({ tool: "describe_board", args: {} })],
  [/^where can (.+?) go$/i, (ticket) => ({ tool: "list_moves", args: { ticket } })],
  [
    /^(?:where is|where's|read|what about|show) (.+)$/i,
    (ticket) => ({ tool: "read_ticket", args: { ticket } }),
  ],
  [/^(?:find|search for|search) (.+)$/i, (query) => ({ tool: "find_tickets", args: { query } })],
];

const LIST = /^(?:what is|what's|(?:which|how many)(?: tickets| ones)? are|list)\s+(.+)$/i;

/** For each tool, sentences that come to it; `{ticket}` and `{status}` stand for words. */
export const SAMPLE_SENTENCES: Readonly<Record<string, readonly string[]>> = {
  find_tickets: ["what is in {status}", "find {ticket}"],
  read_ticket: ["where is {ticket}"],
  list_moves: ["where can {ticket} go"],
  move_ticket: ["move {ticket} to {status}"],
  undo_move: ["undo that"],
  check_progress: ["how did that go"],
  describe_board: ["describe the boards"],
};

async function understand(tickets: Tickets, talk: Conversation, sentence: string): Promise<Said> {
  const move = MOVE.exec(sentence)?.[1];
  if (move !== undefined) {
    const parts = await splitMove(tickets, talk, move);
    if (parts !== undefined) return { tool: "move_ticket", args: parts };
  }
  const listed = LIST.exec(sentence)?.[1];
  if (listed !== undefined) return { tool: "find_tickets", args: await whatToList(tickets, talk, listed) };
  for (const [pattern, toCall] of PHRASES) {
    const match = pattern.exec(sentence);
    if (match !== null) return toCall(match[1] ?? "");
  }
  return { tool: "find_tickets", args: { query: sentence } };
}

/** A title may hold a "to" of its own, so the split is where the rest names a status; else the last one. */
async function splitMove(
  tickets: Tickets,
  talk: Conversation,
  words: string,
): Promise<{ ticket: string; to: string } | undefined> {
  const splits = [...words.matchAll(/\s+(?:back\s+)?(?:to|into|in)\s+/gi)].map((match) => ({
    ticket: words.slice(0, match.index),
    to: words.slice(match.index + match[0].length),
  }));
  const workflows = await workflowsOf(tickets, talk);
  const known = splits.find(({ to }) => isStatus(workflows, to));
  return known ?? splits.at(-1);
}

/** "In" may begin a status' name or stand before it: the longest words that a board has a status for are meant. */
async function whatToList(
  tickets: Tickets,
  talk: Conversation,
  words: string,
): Promise<Readonly<Record<string, string>>> {
  const workflows = await workflowsOf(tickets, talk);
  const bare = words.replace(/\s+(?:column|list|lane|status|now)$/i, "");
  const readings = [bare, bare.replace(/^(?:in|on)\s+/i, ""), bare.replace(/^(?:(?:in|on)\s+)?the\s+/i, "")];
  const names = new Set(workflows.flatMap(({ graph }) => graph.statuses.map(({ name }) => plainWords(name))));
  const status =
    readings.find((reading) => names.has(plainWords(reading))) ??
    readings.find((reading) => isStatus(workflows, reading));
  if (status !== undefined) return { status };
  return /^(?:in|on)\s/i.test(bare)
    ? { status: bare.replace(/^(?:in|on)\s+(?:the\s+)?/i, "") }
    : { query: bare };
}

async function workflowsOf(tickets: Tickets, talk: Conversation): Promise<readonly Workflow[]> {
  const { workflows } = await tickets.workflows(talk.tenant);
  return workflows.map(({ graph, connection, version }) =>
    workflowFrom({ id: graph.id, value: { graph, connection, revision: version, hooks: {} } }),
  );
}

function isStatus(workflows: readonly Workflow[], words: string): boolean {
  return workflows.some((workflow) => resolveStatus(workflow, words).kind !== "none");
}

async function call(tickets: Tickets, talk: Conversation, { tool, args }: Said): Promise<Answer> {
  const ticket = args.ticket ?? "";
  switch (tool) {
    case "move_ticket":
      return await tickets.move(talk, { ticket, to: args.to ?? "" });
    case "undo_move":
      return await tickets.undo(talk, {});
    case "check_progress":
      return await tickets.checkProgress(talk, {});
    case "describe_board":
      return await tickets.describeBoard(talk, {});
    case "list_moves":
      return await tickets.listMoves(talk, { ticket });
    case "read_ticket":
      return await tickets.read(talk, { ticket });
    default:
      return await tickets.find(talk, args);
  }
}
