import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type MessageClassification,
  PerRequestHTTPServerTransport,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Call } from "./call.js";
import { MODERN_VERSION, type ServerOf } from "./server.js";

export type Era = "modern" | "legacy";

/** A reply and the HTTP status it goes out with. */
export interface Reply {
  readonly status: number;
  readonly message: JSONRPCResponse;
}

interface Pending {
  readonly request: JSONRPCRequest;
  readonly call: Call;
  readonly resolve: (reply: Reply) => void;
}

/** What the revision of 2026 has instead of a plain 200 for requests that never reached a handler. */
const LADDER_STATUS: Readonly<Record<number, number>> = {
  [ProtocolErrorCode.MethodNotFound]: 404,
  [ProtocolErrorCode.InvalidRequest]: 400,
  [ProtocolErrorCode.ParseError]: 400,
  [ProtocolErrorCode.UnsupportedProtocolVersion]: 400,
};

/** The code of an unknown resource until 2026; the SDK sends the newer one to everybody. */
const RESOURCE_NOT_FOUND = -32002;

/**
 * A transport over which one long-lived SDK server answers everybody's requests, each under an id of its own, so that
 * no server has to be built per request. It extends the SDK's per-request transport because connecting to one is the
 * SDK's way of binding a server to the revision of 2026; of its behaviour nothing but the type is used.
 */
class SharedTransport extends PerRequestHTTPServerTransport {
  readonly #era: Era;
  readonly #classification: MessageClassification;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  /** True while the SDK looks at a message before any handler has run. */
  #delivering = false;

  constructor(era: Era) {
    const classification: MessageClassification =
      era === "modern" ? { era, revision: MODERN_VERSION } : { era };
    super({ classification });
    this.#era = era;
    this.#classification = classification;
  }

  override async start(): Promise<void> {}

  override async close(): Promise<void> {
    this.#pending.clear();
    this.onclose?.();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    // Notifications about a request have nowhere to go in a JSON reply; replies to forgotten requests neither.
    if ("method" in message) return;
    const pending = this.#pending.get(message.id as number);
    if (pending === undefined) return;
    this.#pending.delete(message.id as number);
    pending.resolve({ status: this.#statusOf(message), message: this.#finish(message, pending.request) });
  }

  callOf(id: string | number): Call {
    const pending = this.#pending.get(id as number);
    if (pending === undefined) throw new Error("A handler ran for a request that nobody sent.");
    return pending.call;
  }

  request(request: JSONRPCRequest, call: Call): Promise<Reply> {
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      this.#pending.set(id, { request, call, resolve });
      this.#delivering = true;
      try {
        this.onmessage?.(
          { ...request, id },
          this.#era === "modern" ? { classification: this.#classification } : {},
        );
      } finally {
        this.#delivering = false;
      }
    });
  }

  #statusOf(message: JSONRPCResponse): number {
    if (this.#era === "legacy" || !("error" in message)) return 200;
    if (message.error.code === ProtocolErrorCode.MissingRequiredClientCapability) return 400;
    return (this.#delivering ? LADDER_STATUS[message.error.code] : undefined) ?? 200;
  }

  #finish(message: JSONRPCResponse, request: JSONRPCRequest): JSONRPCResponse {
    if (!("error" in message)) return { ...message, id: request.id };
    const { error } = message;
    return {
      ...message,
      id: request.id,
      error: this.#era === "legacy" ? asBefore2026(error, request) : error,
    };
  }
}

type WireError = Extract<JSONRPCResponse, { error: unknown }>["error"];

function asBefore2026(error: WireError, request: JSONRPCRequest): WireError {
  const missing =
    error.code === ProtocolErrorCode.InvalidParams &&
    request.method.startsWith("resources/") &&
    typeof (error.data as { uri?: unknown } | undefined)?.uri === "string";
  return missing ? { ...error, code: RESOURCE_NOT_FOUND } : error;
}

/** Answers single requests of one era through a server that lives as long as the dispatcher. */
export interface Dispatcher {
  request(request: JSONRPCRequest, call: Call): Promise<Reply>;
  close(): Promise<void>;
}

export async function createDispatcher(era: Era, version: string, serverOf: ServerOf): Promise<Dispatcher> {
  const transport = new SharedTransport(era);
  const server = serverOf(version, (ctx: ServerContext) => transport.callOf(ctx.mcpReq.id));
  await server.connect(transport);
  return { request: (request, call) => transport.request(request, call), close: () => server.close() };
}

/** The legacy handshake, on a server of its own: it leaves the client's identity behind in the server it runs on. */
export async function initialize(
  request: JSONRPCRequest,
  call: Call,
  version: string,
  serverOf: ServerOf,
): Promise<Reply> {
  const dispatcher = await createDispatcher("legacy", version, serverOf);
  try {
    return await dispatcher.request(request, call);
  } finally {
    await dispatcher.close();
  }
}
