import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { type Call, callTool, listTools } from "./call.js";
import {
  complete,
  listResources,
  readResource,
  resourceExists,
  STANDUP,
  standup,
  TEMPLATES,
} from "./resources.js";

export const MODERN_VERSION = "2026-07-28";
/** The session-era revisions we speak, best first: the first is offered to a client that asks for one we do not. */
export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/** How long a 2026 client may keep a list without asking; `subscriptions/listen` tells it of changes sooner. */
const LIST_TTL_MS = 60_000;
const MAX_SUBSCRIPTIONS = 100;

const INSTRUCTIONS =
  "Boardwalk moves tickets across a team's real board. People name tickets by their words and statuses by their " +
  "names: pass those on as they were said. When an answer is a question, ask the speaker, and call again with the " +
  "choice and the token. Say that a ticket has moved only when the outcome is confirmed.";

const text = z.string();
const params = {
  list: z.object({ cursor: text.optional() }),
  uri: z.object({ uri: text }),
  call: z.object({ name: text, arguments: z.record(text, z.unknown()).optional() }),
  prompt: z.object({ name: text, arguments: z.record(text, text).optional() }),
  complete: z.object({
    ref: z.object({ type: text, uri: text.optional(), name: text.optional() }),
    argument: z.object({ name: text, value: text }),
    context: z.object({ arguments: z.record(text, text).optional() }).optional(),
  }),
};

/** Makes the SDK server that answers: {@link createServer}, or in tests another one on the same transport. */
export type ServerOf = (version: string, callOf: (ctx: ServerContext) => Call) => Server;

/**
 * An SDK server that holds nothing of any tenant: each request brings its own {@link Call}, found by `callOf`.
 * That is why one of these may serve everybody.
 */
export function createServer(version: string, callOf: (ctx: ServerContext) => Call): Server {
  const private60s = { ttlMs: LIST_TTL_MS, cacheScope: "private" } as const;
  const server = new Server(
    { name: "boardwalk", title: "Boardwalk", version },
    {
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: [MODERN_VERSION, ...LEGACY_VERSIONS],
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: {},
        completions: {},
      },
      cacheHints: {
        "tools/list": private60s,
        "resources/list": private60s,
        "resources/templates/list": private60s,
        "prompts/list": private60s,
      },
    },
  );
  onTools(server, callOf);
  onResources(server, callOf);
  onPrompts(server, callOf);
  return server;
}

type CallOf = (ctx: ServerContext) => Call;

/** Lists are whole: we hand out no cursors, so any that comes is not ours. */
function onList(server: Server, method: string, list: (ctx: ServerContext) => Record<string, unknown>): void {
  server.setRequestHandler(method, { params: params.list }, ({ cursor }, ctx) => {
    if (cursor === undefined) return list(ctx);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "That cursor is not one of ours.");
  });
}

function onTools(server: Server, callOf: CallOf): void {
  onList(server, "tools/list", (ctx) => ({ tools: listTools(callOf(ctx)) }));
  server.setRequestHandler("tools/call", { params: params.call }, ({ name, arguments: args }, ctx) =>
    callTool(callOf(ctx), name, args),
  );
}

function onResources(server: Server, callOf: CallOf): void {
  onList(server, "resources/list", (ctx) => ({ resources: listResources(callOf(ctx)) }));
  onList(server, "resources/templates/list", () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler("resources/read", { params: params.uri }, ({ uri }, ctx) => {
    const call = callOf(ctx);
    return spoken(call, () => readResource(call, uri));
  });
  server.setRequestHandler("resources/subscribe", { params: params.uri }, ({ uri }, ctx) => {
    const call = callOf(ctx);
    return spoken(call, () => subscribe(call, uri));
  });
  server.setRequestHandler("resources/unsubscribe", { params: params.uri }, async ({ uri }, ctx) => {
    const { session, keep } = callOf(ctx);
    if (session?.subscriptions.delete(uri)) await keep?.();
    return {};
  });
}

async function subscribe(call: Call, uri: string): Promise<Record<string, never>> {
  const { session } = call;
  if (session === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      "Subscribing needs a session to send the news to.",
    );
  }
  if (!(await resourceExists(call, uri))) await readResource(call, uri);
  if (session.subscriptions.size >= MAX_SUBSCRIPTIONS) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      "This session has as many subscriptions as it may have.",
    );
  }
  session.subscriptions.add(uri);
  await call.keep?.();
  return {};
}

function onPrompts(server: Server, callOf: CallOf): void {
  onList(server, "prompts/list", () => ({ prompts: [STANDUP] }));
  server.setRequestHandler("prompts/get", { params: params.prompt }, ({ name, arguments: args }, ctx) => {
    if (name !== STANDUP.name) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "Unknown prompt. List the prompts to see what there is.",
      );
    }
    const call = callOf(ctx);
    return spoken(call, () => standup(call, args ?? {}));
  });
  server.setRequestHandler("completion/complete", { params: params.complete }, (request, ctx) => {
    const call = callOf(ctx);
    return spoken(call, async () => ({
      completion: { values: await complete(call, request as Parameters<typeof complete>[1]) },
    }));
  });
}

/** Runs `work`; trouble of ours becomes a protocol error with a sentence, never with its own text. */
async function spoken<T>(call: Call, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const known = BoardwalkError.from(error);
    call.report(known, call.trail);
    throw new ProtocolError(ProtocolErrorCode.InternalError, known.message, { code: known.code });
  }
}
