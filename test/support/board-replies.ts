import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Reply, type Tampering, tampered } from "./tampering.js";

/**
 * Stands between a connector and an emulated board: first it passes on what is asked and keeps what is answered, then it
 * gives those answers again, with some of them tampered with.
 */
export interface BoardReplies {
  readonly url: string;
  /** Keeps what the board answers while this goes on. */
  record(what: string, work: () => Promise<unknown>): Promise<void>;
  /** Answers as when `what` was recorded, but for the tampering. */
  replay<T>(what: string, tampering: Tampering, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Kept {
  readonly asked: string;
  readonly reply: Reply;
}

/** Whoever asks so often for one thing would never stop. */
const MOST_ASKED = 500;
/** Where webhooks may be delivered to: some boards ask first whether there is anybody. */
export const RECEIVER = "/webhooks/x/y";
const NOTHING: Reply = { status: 404, headers: { "content-type": "application/json" }, body: "{}" };
/** Of the connection, not of the reply; or no longer true once the body is another. */
const LEFT_OUT = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-encoding",
  "date",
]);

export async function startBoardReplies(board: string): Promise<BoardReplies> {
  const recorded = new Map<string, Kept[]>();
  let answer: (request: IncomingMessage, body: string) => Promise<Reply> = async () => NOTHING;
  const server = createServer((request, response) => {
    if (request.url === RECEIVER) return void response.end();
    void bodyOf(request)
      .then((body) => answer(request, body))
      .then((reply) => send(response, reply))
      .catch(() => response.destroy());
  });
  // Or it might hang up just when another request is sent.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    async record(what, work) {
      const kept: Kept[] = [];
      recorded.set(what, kept);
      answer = async (request, body) => {
        const reply = await passOn(board, url, request, body);
        kept.push({ asked: askedBy(request, body), reply });
        return reply;
      };
      await work();
    },
    async replay(what, tampering, work) {
      const left = [...(recorded.get(what) ?? [])];
      const nth = tampering.nth % Math.max(1, left.length);
      let asked = 0;
      answer = async (request, body) => {
        if (asked > MOST_ASKED) throw new Error("asked too often");
        const reply = replyTo(left, askedBy(request, body));
        const touched = tampering.onwards ? asked >= nth : asked === nth;
        asked += 1;
        return touched ? tampered(reply, tampering) : reply;
      };
      const outcome = await Promise.allSettled([work()]);
      if (asked > MOST_ASKED) throw new Error(`it asks without end: ${what}`);
      if (outcome[0].status === "rejected") throw outcome[0].reason;
      return outcome[0].value;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The next answer to this, or the last again; what was never asked before is not there. */
function replyTo(left: Kept[], asked: string): Reply {
  const fitting = left.filter((kept) => kept.asked === asked || pathOf(kept.asked) === pathOf(asked));
  const [next, ...more] = fitting;
  if (next !== undefined && more.length > 0) left.splice(left.indexOf(next), 1);
  return next?.reply ?? NOTHING;
}

function askedBy({ method, url }: IncomingMessage, body: string): string {
  const operation = /"query":"\s*(?:query|mutation) (\w+)/.exec(body)?.[1];
  return `${method} ${url}${operation === undefined ? "" : ` ${operation}`}`;
}

/** Without what differs from call to call: times, cursors. */
function pathOf(asked: string): string {
  return asked.replace(/\?\S*/, "");
}

async function passOn(board: string, here: string, request: IncomingMessage, body: string): Promise<Reply> {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    LEFT_OUT.has(name) || name === "host" ? [] : [[name, String(value)] as [string, string]],
  );
  const method = request.method ?? "GET";
  const init = method === "GET" || method === "HEAD" ? { method, headers } : { method, headers, body };
  const response = await fetch(`${board}${request.url}`, init);
  const here_ = (text: string) => text.replaceAll(board, here);
  return {
    status: response.status,
    headers: Object.fromEntries(
      [...response.headers].flatMap(([name, value]) => (LEFT_OUT.has(name) ? [] : [[name, here_(value)]])),
    ),
    body: here_(await response.text()),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  for (const [name, value] of Object.entries(headers))
    response.setHeader(name, value.replace(/[^\t\x20-\x7e]/g, ""));
  response.writeHead(status);
  response.end(body);
}
