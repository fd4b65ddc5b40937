import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { BoardwalkError } from "../errors.js";
import type { Trail } from "../hooks/hooks.js";
import { safeParse } from "../parse.js";
import type { TenantStore } from "../store/store.js";
import type { TicketShape } from "../tickets/shapes.js";
import type { Conversation, Tickets } from "../tickets/tickets.js";
import { wrongArgumentsOf } from "./arguments.js";
import type { Catalogue } from "./catalogue.js";
import type { Answer, ToolEntry } from "./core-tools.js";
import { withoutLinks } from "./links.js";
import type { Principal, Surface } from "./principal.js";
import type { Session } from "./sessions.js";
import { sameFocus } from "./shared-sessions.js";

/** One request on its way through: who asks, what they see, and what they are talking in. */
export interface Call {
  readonly principal: Principal;
  readonly surface: Surface;
  readonly catalogue: Catalogue;
  readonly tickets: Tickets;
  /** The 2025 session it came in, if any. */
  readonly session?: Session;
  readonly gating: "explain" | "hide";
  /** Keeps what has changed about the session, so that other replicas know. */
  readonly keep?: () => Promise<void>;
  /** Tells the session that its list of tools has changed. */
  readonly relist?: () => Promise<void>;
  readonly client?: string;
  readonly trail?: Trail;
  /** Its Accept-Language. */
  readonly language?: string;
  /** Reads answer from what was true at this moment, as `performance.now()` tells it, or later. */
  readonly since?: number;
  readonly budgetMs: number;
  readonly mayCall: (principal: Principal, tool: { readonly readOnly: boolean }) => boolean;
  /** Told of what was not the caller's fault. Never told what a ticket says. */
  readonly report: (error: BoardwalkError, trail: Trail | undefined) => void;
}

const LOOK_ONLY = new BoardwalkError(
  "forbidden",
  "Your access lets you look at tickets, but not move them. Please ask an administrator for more.",
);

/** Calls a tool by name. What goes wrong inside is an answer; only an unknown tool is a protocol error. */
export async function callTool(call: Call, name: string, given: unknown): Promise<CallToolResult> {
  const entry = call.catalogue.find(name);
  if (entry === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      "Unknown tool. List the tools to see what there is.",
    );
  }
  const args = safeParse(entry.args, given ?? {});
  if (!args.success) {
    return await failure(call, entry, wrongArgumentsOf(args.error, given));
  }
  if (!call.mayCall(call.principal, entry)) return await failure(call, entry, LOOK_ONLY);
  try {
    const answer = await entry.run(call.tickets, conversation(call, name), args.data);
    await follow(call, answer);
    return success(call.surface === "frozen" ? withoutLinks(answer) : answer);
  } catch (error) {
    const known = BoardwalkError.from(error);
    call.report(known, call.trail);
    return await failure(call, entry, known);
  }
}

/** The tools to list: for a session whose list follows the talk, those that fit the ticket it is about. */
export function listTools({ catalogue, gating, session }: Call): Tool[] {
  const focus = gating === "hide" ? session?.focus : undefined;
  return focus === undefined ? catalogue.tools : catalogue.focusedOn(focus.workflow, focus.status);
}

/** Keeps a session's focus on the ticket of the latest answer; an answer about many takes it away. */
async function follow({ session, gating, keep, relist }: Call, answer: Answer): Promise<void> {
  if (session === undefined || gating !== "hide") return;
  const ticket = answer.ticket as TicketShape | undefined;
  const about = ticket ?? answer.tickets ?? answer.boards;
  if (about === undefined) return;
  const focus = ticket && { ticket: ticket.id, workflow: ticket.workflow, status: ticket.status.id };
  const { focus: before } = session;
  if (sameFocus(before, focus)) return;
  session.focus = focus;
  await keep?.();
  if (before?.workflow !== focus?.workflow || before?.status !== focus?.status) await relist?.();
}

/** The speaker's side of the facade's contract, made from the request. */
export function conversation(call: Call, tool?: string): Conversation {
  const { speaker } = call.principal;
  const client = speaker.client ?? call.client;
  return {
    tenant: tenantOf(call),
    speaker: {
      person: speaker.person,
      ...(client === undefined ? {} : { client }),
      ...(tool === undefined ? {} : { tool }),
    },
    conversation: threadOf(call),
    ...(call.trail === undefined ? {} : { trail: call.trail }),
    ...(call.language === undefined ? {} : { acceptLanguage: call.language }),
    ...(call.since === undefined ? {} : { since: call.since }),
    // Its hosts know nothing of a destructive tool's hint, so there we ask ourselves.
    ...(call.surface === "frozen" ? { confirm: "closing" as const } : {}),
    ...(call.surface === "frozen" ? { repeats: "retries" as const } : {}),
    budgetMs: call.budgetMs,
    toolFor: (workflow, status) => call.catalogue.toolFor(workflow, status),
  };
}

/**
 * A session is a thread of its own. Without one the person is: she remembers what she was told. A host of a frozen
 * surface makes its sessions from earlier talks of its own accord, so there it is always the person.
 */
function threadOf({ session, surface, principal }: Call): string {
  if (session !== undefined && surface !== "frozen") return session.id;
  return `person:${principal.speaker.person}`;
}

/** @throws BoardwalkError `unauthorized` for a principal that belongs to no tenant. */
export function tenantOf(call: Call): TenantStore {
  if (call.principal.tenant !== undefined) return call.principal.tenant;
  throw new BoardwalkError("unauthorized", "Please link your account first.");
}

function success(answer: Answer): CallToolResult {
  return result(answer, answer.outcome === "refused");
}

/** Still in the tool's declared shape: official clients check `structuredContent` even of an error. */
async function failure(call: Call, entry: ToolEntry, error: BoardwalkError): Promise<CallToolResult> {
  const { code, message } = call.principal.tenant === undefined ? error : await inWordsOf(call, error);
  return result({ ...entry.empty, code, spoken: message }, true);
}

async function inWordsOf(call: Call, error: BoardwalkError): Promise<BoardwalkError> {
  return (await call.tickets.inWordsOf?.(conversation(call), error)) ?? error;
}

function result(answer: Answer, isError: boolean): CallToolResult {
  return {
    content: [{ type: "text", text: answer.spoken }],
    structuredContent: answer,
    ...(isError ? { isError } : {}),
  };
}
