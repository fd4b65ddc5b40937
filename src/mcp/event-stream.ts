import type { ServerResponse } from "node:http";

/** A server-sent event stream with nothing but JSON-RPC messages in it. */
export interface EventStream {
  send(message: object): void;
  close(): void;
}

/** Often enough for proxies that cut off what is silent for a minute or less. */
const KEEP_ALIVE_MS = 15_000;

export function openEventStream(res: ServerResponse, headers: Record<string, string>): EventStream {
  res.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    ...headers,
  });
  res.write(": open\n\n");
  const timer = setInterval(() => res.write(": keepalive\n\n"), KEEP_ALIVE_MS);
  timer.unref();
  res.on("close", () => clearInterval(timer));
  return {
    send: (message) => {
      res.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    },
    close: () => {
      clearInterval(timer);
      res.end();
    },
  };
}
