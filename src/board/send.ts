import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { readBytes } from "../read-bytes.js";
import { whenAborted } from "./abort.js";
import type { ConnectorKit, Reach } from "./connector.js";
import { MAX_REPLY_BYTES, REQUEST_TIMEOUT_MS } from "./http.js";

/**
 * One request to a board, by Node's own client: a move waits for three of them, and `fetch`, with the streams and
 * signals that it makes for each, costs about three times as much.
 */

export interface BoardRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface BoardReply {
  readonly status: number;
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly body: string;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** For the whole of it, its last byte included. @default ten seconds */
  readonly timeoutMs?: number;
  readonly reach?: ConnectorKit["reach"];
}

/**
 * Sends it once, and follows no redirect: that would carry our credentials to an address that was never checked.
 * @throws the system's own error for an answer that did not come whole, `TimeoutError` for one that came too late.
 */
export function send(request: BoardRequest, options: SendOptions): Promise<BoardReply> {
  const { signal, timeoutMs = REQUEST_TIMEOUT_MS, reach } = options;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const sent = start(request, reach);
    const giveUp = () => sent.destroy(asError(signal.reason));
    const tooLate = () => sent.destroy(new DOMException("The board took too long.", "TimeoutError"));
    const timer = setTimeout(tooLate, timeoutMs);
    const unheed = whenAborted(signal, giveUp);
    const over = () => {
      clearTimeout(timer);
      unheed();
    };
    const fail = (error: unknown) => {
      over();
      reject(error);
    };
    sent.on("error", fail);
    sent.on("response", (response) => {
      receive(response).then(
        (reply) => {
          over();
          resolve(reply);
        },
        (error: unknown) => {
          // Else what is too large, or does not unpack, would be read to its end.
          sent.destroy();
          fail(error);
        },
      );
    });
    sent.end(request.body);
  });
}

function start({ method, url, headers, body }: BoardRequest, reach: Reach | undefined): http.ClientRequest {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const secure = protocol === "https:";
  return (secure ? https : http).request({
    method,
    protocol,
    // The brackets of an address of version 6 belong to the URL.
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port,
    path: pathname + search,
    agent: agentsFor(reach)[secure ? "https" : "http"],
    headers: {
      ...headers,
      "accept-encoding": "gzip, deflate, br",
      ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
    },
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException("The request was called off.", "AbortError");
}

/** One that rested for longer may be closed by now, at the board or on the way, which a request on it would find out. */
const IDLE_MS = 4_000;

/** Who is reached alike shares connections, which are kept open for a while. */
const agentsFor = (() => {
  const create = (lookup?: LookupFunction) => {
    const options = { keepAlive: true, timeout: IDLE_MS, ...(lookup === undefined ? {} : { lookup }) };
    return { http: new http.Agent(options), https: new https.Agent(options) };
  };
  const free = create();
  const bound = new WeakMap<Reach, typeof free>();
  return (reach: Reach | undefined) => {
    if (reach === undefined) return free;
    const agents = bound.get(reach) ?? create(reach.lookup);
    bound.set(reach, agents);
    return agents;
  };
})();

async function receive(response: http.IncomingMessage): Promise<BoardReply> {
  const packed = await readBytes(response, MAX_REPLY_BYTES);
  const { statusCode: status = 0, headers } = response;
  const unpack = UNPACK[headers["content-encoding"]?.trim().toLowerCase() ?? ""];
  // An answer without a body may name an encoding all the same.
  const bytes = unpack === undefined || packed.length === 0 ? packed : await unpack(packed);
  const header = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  return { status, header, body: bytes.toString("utf8") };
}

type Unpack = (packed: Buffer) => Promise<Buffer>;

const LIMITED = { maxOutputLength: MAX_REPLY_BYTES };
const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: (packed) => promisify<Buffer, object, Buffer>(gunzip)(packed, LIMITED),
  "x-gzip": (packed) => promisify<Buffer, object, Buffer>(gunzip)(packed, LIMITED),
  deflate: (packed) => promisify<Buffer, object, Buffer>(inflate)(packed, LIMITED),
  br: (packed) => promisify<Buffer, object, Buffer>(brotliDecompress)(packed, LIMITED),
};
