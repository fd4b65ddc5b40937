import type { ServerResponse } from "node:http";

/** A server-sent event stream with nothing but JSON-RPC messages in it. */
export interface EventStream {
  send(message: object): void;
  close(): void;
}

/** Often enough for proxies that cut off what is silent for a minute or less. */
const KEEP_ALIVE_MS = 15_000;

/** What may wait to be sent; a client that reads none of it is cut off, and may come again. */
const MAX_WAITING_BYTES = 256 * 1024;

export function openEventStream(res: ServerResponse, headers: Record<string, string>): EventStream {
  const write = (frame: string) => {
    if (res.writableEnded || res.destroyed) return;
    res.write(frame);
    if (res.writableLength > MAX_WAITING_BYTES) res.destroy();
  };
  res.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    ...headers,
  });
  write(": open\n\n");
  const timer = setInterval(() => write(": keepalive\n\n"), KEEP_ALIVE_MS);
  timer.unref();
  res.on("close", () => clearInterval(timer));
  return {
    send: (message) => write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    close: () => res.end(),
  };
}
