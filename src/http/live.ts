import type { Response } from "express";
import type { Store } from "../store/store.js";
import { listenForNews } from "../sync/news.js";

/** News of a tenant as server-sent events: that something changed, never what; the rest of the API tells that. */
export interface Live {
  /**
   * Keeps the response open: `tickets` events carry `{tickets: id[]}`, `workflows` events `{workflows: id[]}`,
   * `connections` events `{connections: id[]}`.
   * A `ready` event says that nothing which happens from now on is missed; it comes again when something may have been. It ends within half a minute of `mayStay`
   * saying no: who listens may have been removed meanwhile.
   */
  stream(tenant: string, response: Response, mayStay?: () => Promise<boolean>): Promise<void>;
  /** Ends every stream, and every one that is still to come. */
  close(): void;
}

/** Proxies close what is silent for a minute. */
const BEAT_MS = 25_000;

export function createLive(store: Pick<Store, "subscribe" | "returned">): Live {
  const open = new Set<Response>();
  let closed = false;
  return {
    async stream(tenant, response, mayStay = async () => true) {
      // Whoever has gone already is not told of it again, and would be waited for without end.
      if (response.destroyed) return;
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      });
      response.flushHeaders();
      if (closed) return void response.end();
      open.add(response);
      const gone = new Promise<void>((resolve) => response.once("close", resolve));
      const write = (text: string) => {
        if (!response.writableEnded) response.write(text);
      };
      const send = (event: string, data: unknown) =>
        write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      const beat = setInterval(async () => {
        if (await mayStay().catch(() => true)) write(": still here\n\n");
        else response.end();
      }, BEAT_MS);
      try {
        const stop = await listenForNews(store, {
          ticketsChanged: (of, tickets) => {
            if (of === tenant) send("tickets", { tickets: tickets.map(({ id }) => id) });
          },
          workflowsChanged: (of, workflows) => {
            if (of === tenant) send("workflows", { workflows: workflows.map(({ id }) => id) });
          },
          connectionChanged: (of, connection) => {
            if (of === tenant) send("connections", { connections: [connection] });
          },
        });
        const stopWaiting = store.returned(() => send("ready", {}));
        send("ready", {});
        await gone;
        stopWaiting();
        await stop();
      } finally {
        clearInterval(beat);
        open.delete(response);
        response.end();
      }
    },
    close() {
      closed = true;
      for (const response of open) response.end();
    },
  };
}
