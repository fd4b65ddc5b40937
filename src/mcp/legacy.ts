import type { IncomingMessage, ServerResponse } from "node:http";
import { isInitializeRequest, type JSONRPCRequest } from "@modelcontextprotocol/server";
import type { Trail } from "../hooks/hooks.js";
import type { Call } from "./call.js";
import { type Dispatcher, initialize, type Reply } from "./dispatcher.js";
import { openEventStream } from "./event-stream.js";
import { nameOfClient, type Principal, type Surface } from "./principal.js";
import { writeEmpty, writeError, writeJson, writeMessage, writeRejection } from "./replies.js";
import { LEGACY_VERSIONS, type ServerOf } from "./server.js";
import type { Session } from "./sessions.js";
import type { SharedSessions } from "./shared-sessions.js";

/**
 * The revisions of 2025: a session for a client that shakes hands, none needed for one that does not. Replies are
 * plain JSON; a session's GET stream carries the news.
 */
export interface Legacy {
  /** Answers the requests of a body, which may have held other messages too, or none. */
  post(exchange: Exchange, asked: readonly JSONRPCRequest[], batch: boolean): Promise<void>;
  /** GET opens a session's stream, DELETE ends the session. */
  other(exchange: Exchange): Promise<void>;
}

/** Who asks, where, and how. */
export interface Asker {
  readonly principal: Principal;
  readonly surface: Surface;
  /** Reads answer from what was true at this moment, as `performance.now()` tells it, or later. */
  readonly since: number;
  /** Its Accept-Language. */
  readonly language?: string | undefined;
  readonly trail?: Trail | undefined;
}

/** One HTTP request of somebody who has been let in. */
export interface Exchange extends Asker {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

interface LegacyOptions {
  readonly dispatcher: Dispatcher;
  readonly sessions: SharedSessions;
  readonly version: string;
  readonly serverOf: ServerOf;
  readonly callFor: (asker: Asker, client: string | undefined) => Promise<Call>;
  /** Keeps a place for a stream until the response is over. @throws BoardwalkError `rate_limited` */
  readonly holdStream: (exchange: Exchange) => Promise<void>;
}

const MAX_BATCH = 50;
const INVALID_REQUEST = { status: 400, code: -32600 };

const UNKNOWN_SESSION = { status: 404, code: -32001, message: "Session not found. Please initialize again." };
const BAD_HANDSHAKE = {
  status: 200,
  code: -32602,
  message: "The handshake has to give protocolVersion, capabilities and clientInfo.",
};
const NOT_ALLOWED = { status: 405, code: -32000, message: "Method not allowed." };
const NO_STREAM = {
  status: 405,
  code: -32000,
  message: "That needs a session; without one there is only POST.",
};

export function createLegacy(options: LegacyOptions): Legacy {
  const { sessions } = options;
  return {
    async post(exchange, asked, batch) {
      if (!versionIsKnown(exchange)) return;
      const handshake = asked.find((request) => request.method === "initialize");
      if (handshake === undefined) return answer(options, exchange, asked, batch);
      if (!batch) return shakeHands(options, exchange, handshake);
      const message = "The handshake comes alone, not in a batch.";
      writeRejection(exchange.res, { ...INVALID_REQUEST, message });
    },
    async other(exchange) {
      const { req, res } = exchange;
      if (req.method !== "GET" && req.method !== "DELETE") return writeRejection(res, NOT_ALLOWED);
      if (!versionIsKnown(exchange)) return;
      const session = await sessionOf(sessions, exchange);
      if (session === null) return writeRejection(res, UNKNOWN_SESSION);
      if (session === undefined) return writeRejection(res, NO_STREAM);
      if (req.method === "GET") return await openStream(options, session, exchange);
      await sessions.end(session);
      writeEmpty(res, 200);
    },
  };
}

async function answer(
  { dispatcher, sessions, callFor }: LegacyOptions,
  exchange: Exchange,
  asked: readonly JSONRPCRequest[],
  batch: boolean,
): Promise<void> {
  const { res } = exchange;
  const session = await sessionOf(sessions, exchange);
  if (session === null) return writeError(res, UNKNOWN_SESSION, asked[0]?.id ?? null);
  // Notifications and responses need no answer, and nothing here waits for one of them.
  if (asked.length === 0) return writeEmpty(res, 202);
  if (asked.length > MAX_BATCH) {
    return writeRejection(res, {
      ...INVALID_REQUEST,
      message: `A batch holds at most ${MAX_BATCH} requests.`,
    });
  }
  const plain = await callFor(exchange, session?.client);
  const call = session === undefined ? plain : withSession(plain, session, sessions);
  const work = () => Promise.all(asked.map((request) => dispatcher.request(request, call)));
  const replies = session === undefined ? await work() : await sessions.during(session, work);
  writeReplies(res, replies, batch, session);
}

export const TOOLS_CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

function withSession(call: Call, session: Session, sessions: SharedSessions): Call {
  return {
    ...call,
    session,
    keep: () => sessions.keep(session),
    relist: () => sessions.tell(session, TOOLS_CHANGED),
  };
}

async function shakeHands(
  options: LegacyOptions,
  exchange: Exchange,
  request: JSONRPCRequest,
): Promise<void> {
  const { res, principal, surface } = exchange;
  if (!isInitializeRequest(request)) return writeError(res, BAD_HANDSHAKE, request.id);
  const call = await options.callFor(exchange, undefined);
  const reply = await initialize(request, call, options.version, options.serverOf);
  if ("error" in reply.message) return writeMessage(res, reply.status, reply.message);
  const session = await options.sessions.begin(principal, surface, nameOfClient(request.params?.clientInfo));
  writeReplies(res, [reply], false, session);
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
async function sessionOf(
  sessions: SharedSessions,
  { req, principal, surface }: Exchange,
): Promise<Session | undefined | null> {
  const id = req.headers["mcp-session-id"];
  if (id === undefined) return undefined;
  return (await sessions.find(String(id), principal, surface)) ?? null;
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

async function openStream(
  { sessions, holdStream }: LegacyOptions,
  session: Session,
  exchange: Exchange,
): Promise<void> {
  const { req, res } = exchange;
  if (!/text\/event-stream|\*\/\*/.test(req.headers.accept ?? "")) {
    const message = "Accept has to allow text/event-stream.";
    writeRejection(res, { status: 406, code: -32000, message });
    return;
  }
  await holdStream(exchange);
  const stream = openEventStream(res, { "mcp-session-id": session.id });
  res.on("close", () => sessions.detach(session, stream));
  sessions.attach(session, stream);
}
