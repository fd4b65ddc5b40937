import type { MoveShape } from "../tickets/shapes.js";
import type { Conversation, Tickets } from "../tickets/tickets.js";
import { fieldsOfTrail } from "./scope.js";
import { type Facts, type Span, type Tracing, traced } from "./tracing.js";

/** The desk, seen: what was asked through a tool is a span of its own, and each move is one within it. */

/** Only where requests are traced: elsewhere the desk is used as it is. */
export function traceTickets(tickets: Tickets, tracing: Tracing): Tickets {
  const through = <A, R>(ask: (talk: Conversation, args: A) => Promise<R>) => {
    return (talk: Conversation, args: A) => throughTool(tracing, talk, (inner) => ask(inner, args));
  };
  const moving = <A>(name: string, ask: (talk: Conversation, args: A) => Promise<MoveShape>) =>
    through((talk, args: A) =>
      spanned(tracing, talk, internal(name), (inner) => ask(inner, args), moveFacts),
    );
  return {
    ...tickets,
    find: through(tickets.find),
    read: through(tickets.read),
    listMoves: through(tickets.listMoves),
    describeBoard: through(tickets.describeBoard),
    checkProgress: through(tickets.checkProgress),
    move: moving("move", tickets.move),
    undo: moving("undo", tickets.undo),
  };
}

/** Tells of each move that ended at the desk, refused or asked about: workers, who tell of the others, never saw it. */
export function tellEndings(
  tickets: Tickets,
  told: (answer: MoveShape, talk: Conversation) => void,
): Tickets {
  const telling =
    <A>(ask: (talk: Conversation, args: A) => Promise<MoveShape>) =>
    async (talk: Conversation, args: A) => {
      const answer = await ask(talk, args);
      if (answer.moveId === undefined) told(answer, talk);
      return answer;
    };
  return { ...tickets, move: telling(tickets.move), undo: telling(tickets.undo) };
}

/** Such a move as a line: like that of a settled one, but for the ids that it has none of. */
export function endingLine({ outcome, code, question, ticket }: MoveShape, { tenant, trail }: Conversation) {
  return {
    event: "move",
    ...fieldsOfTrail(trail),
    tenant_id: tenant.id,
    ...(ticket === undefined ? {} : { ticket: ticket.id }),
    outcome,
    ...(code === undefined ? {} : { code }),
    ...(question === undefined ? {} : { asked: question.about }),
  };
}

function internal(name: string, facts: Facts = {}) {
  return { name, kind: "internal", facts } as const;
}

/** By OpenTelemetry's conventions for MCP. What does not come through a tool is a part of its request. */
async function throughTool<R>(
  tracing: Tracing,
  talk: Conversation,
  work: (talk: Conversation) => Promise<R>,
): Promise<R> {
  const { tool } = talk.speaker;
  if (tool === undefined) return await work(talk);
  const facts = {
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    "boardwalk.tenant": talk.tenant.id,
  };
  return await spanned(tracing, talk, internal(`tools/call ${tool}`, facts), work);
}

async function spanned<R>(
  tracing: Tracing,
  talk: Conversation,
  start: ReturnType<typeof internal>,
  work: (talk: Conversation) => Promise<R>,
  tell: (answer: R) => Facts = () => ({}),
): Promise<R> {
  const parent = talk.trail?.parent;
  if (parent === undefined) return await work(talk);
  return await traced(tracing, { ...start, parent }, async (span: Span) => {
    const answer = await work({ ...talk, trail: { ...talk.trail, parent: span.traceparent } });
    span.tell(tell(answer));
    return answer;
  });
}

function moveFacts({ outcome, code, moveId, ticket }: MoveShape): Facts {
  return {
    "boardwalk.move.outcome": outcome,
    "boardwalk.move.id": moveId,
    "boardwalk.ticket.id": ticket?.id,
    ...(code === undefined ? {} : { "boardwalk.move.reason": code }),
  };
}
