import type { IncomingMessage, ServerResponse } from "node:http";
import { isJSONRPCRequest, type JSONRPCRequest } from "@modelcontextprotocol/server";
import type { Call } from "./call.js";
import { type Dispatcher, initialize, type Reply } from "./dispatcher.js";
import { openEventStream } from "./event-stream.js";
import type { Principal, Surface } from "./principal.js";
import { writeEmpty, writeJson, writeMessage, writeRejection } from "./replies.js";
import { LEGACY_VERSIONS } from "./server.js";
import type { Session, Sessions } from "./sessions.js";

/**
 * The revisions of 2025: a session for a client that shakes hands, none needed for one that does not. Replies are
 * plain JSON; a session's GET stream carries the news.
 */
export interface Legacy {
  post(exchange: Posted): Promise<void>;
  /** GET opens a session's stream, DELETE ends it. */
  other(exchange: Exchange): Promise<void>;
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly principal: Principal;
  readonly surface: Surface;
}

interface Posted extends Exchange {
  readonly body: unknown;
  callFor(principal: Principal, surface: Surface, client: string | undefined): Promise<Call>;
}

interface LegacyOptions {
  readonly dispatcher: Dispatcher;
  readonly sessions: Sessions;
  readonly version: string;
}

const MAX_BATCH = 50;

const UNKNOWN_SESSION = { status: 404, code: -32001, message: "Session not found. Please initialize again." };

export function createLegacy(options: LegacyOptions): Legacy {
  const { sessions } = options;

  async function post(exchange: Posted): Promise<void> {
    const { res, body, principal, surface } = exchange;
    if (!versionIsKnown(exchange)) return;
    const asked = (Array.isArray(body) ? body : [body]).filter(isJSONRPCRequest);
    const first = asked.find((request) => request.method === "initialize");
    if (first !== undefined && Array.isArray(body)) {
      return writeRejection(res, {
        status: 400,
        code: -32600,
        message: "The handshake comes alone, not in a batch.",
      });
    }
    if (first !== undefined) return shakeHands(options, exchange, first);
    const session = sessionOf(sessions, exchange);
    if (session === null) return writeRejection(res, UNKNOWN_SESSION, asked[0]?.id ?? null);
    // Notifications and responses need no answer, and nothing here waits for one of them.
    if (asked.length === 0) return writeEmpty(res, 202);
    if (asked.length > MAX_BATCH) {
      return writeRejection(res, {
        status: 400,
        code: -32600,
        message: `A batch holds at most ${MAX_BATCH} requests.`,
      });
    }
    const plain = await exchange.callFor(principal, surface, session?.client);
    const call = session === undefined ? plain : { ...plain, session };
    const work = () => Promise.all(asked.map((request) => options.dispatcher.request(request, call)));
    const replies = session === undefined ? await work() : await sessions.during(session, work);
    writeReplies(res, replies, Array.isArray(body), session);
  }

  async function other(exchange: Exchange): Promise<void> {
    const { req, res } = exchange;
    if (req.method !== "GET" && req.method !== "DELETE") {
      return writeRejection(res, { status: 405, code: -32000, message: "Method not allowed." });
    }
    if (!versionIsKnown(exchange)) return;
    const session = sessionOf(sessions, exchange);
    if (session === null) return writeRejection(res, UNKNOWN_SESSION);
    if (session === undefined) {
      return writeRejection(res, {
        status: 405,
        code: -32000,
        message: "That needs a session; without one, POST.",
      });
    }
    if (req.method === "DELETE") {
      sessions.end(session);
      return writeEmpty(res, 200);
    }
    openStream(sessions, session, exchange);
  }

  return { post, other };
}

async function shakeHands(options: LegacyOptions, exchange: Posted, request: JSONRPCRequest): Promise<void> {
  const { res, principal, surface } = exchange;
  const call = await exchange.callFor(principal, surface, undefined);
  const reply = await initialize(request, call, options.version);
  if ("error" in reply.message) return writeMessage(res, reply.status, reply.message);
  const session = options.sessions.create(principal, surface, clientName(request));
  writeReplies(res, [reply], false, session);
}

function clientName(request: JSONRPCRequest): string | undefined {
  const info = request.params?.clientInfo as { name?: unknown } | undefined;
  return typeof info?.name === "string" ? info.name.slice(0, 100) : undefined;
}

/** A missing header means 2025-03-26, which knew none; a present one has to be a revision we speak. */
function versionIsKnown({ req, res }: Exchange): boolean {
  const version = req.headers["mcp-protocol-version"];
  if (version === undefined || LEGACY_VERSIONS.includes(String(version).trim())) return true;
  const message = `Unsupported protocol version. Supported here: ${LEGACY_VERSIONS.join(", ")}.`;
  writeRejection(res, { status: 400, code: -32000, message });
  return false;
}

/** The session that the request names; undefined when it names none, null when it is not this principal's to use. */
function sessionOf(sessions: Sessions, { req, principal, surface }: Exchange): Session | undefined | null {
  const id = req.headers["mcp-session-id"];
  if (id === undefined) return undefined;
  return sessions.find(String(id), principal, surface) ?? null;
}

function writeReplies(
  res: ServerResponse,
  replies: readonly Reply[],
  batch: boolean,
  session: Session | undefined,
): void {
  const headers: Record<string, string> = session === undefined ? {} : { "mcp-session-id": session.id };
  const messages = replies.map((reply) => reply.message);
  const [only] = messages;
  if (batch || only === undefined) writeJson(res, 200, JSON.stringify(messages), headers);
  else writeMessage(res, 200, only, headers);
}

function openStream(sessions: Sessions, session: Session, { req, res }: Exchange): void {
  if (!/text\/event-stream|\*\/\*/.test(req.headers.accept ?? "")) {
    const message = "Accept has to allow text/event-stream.";
    writeRejection(res, { status: 406, code: -32000, message });
    return;
  }
  const stream = openEventStream(res, { "mcp-session-id": session.id });
  res.on("close", () => sessions.detach(session, stream));
  sessions.attach(session, stream);
}
