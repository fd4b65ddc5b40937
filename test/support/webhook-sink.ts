import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { WebhookDelivery } from "../../src/board/connector.js";

/** Takes webhooks as they come: raw bytes, nothing parsed, 200 to everything. */
export interface WebhookSink {
  /** One that nobody else uses. */
  newUrl(): string;
  /** The next delivery to that URL, or the first not yet taken. */
  next(url: string): Promise<WebhookDelivery>;
  close(): Promise<void>;
}

export async function startWebhookSink(): Promise<WebhookSink> {
  const taken = new Map<string, WebhookDelivery[]>();
  const waiting = new Map<string, (delivery: WebhookDelivery) => void>();
  let lastUrl = 0;
  let base = "";

  async function take(request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === "HEAD") return;
    const headers = Object.entries(request.headers).map(([name, value]) => [name, [value].flat()[0]]);
    const url = `${base}${request.url}`;
    const delivery: WebhookDelivery = {
      method: request.method ?? "",
      headers: Object.fromEntries(headers),
      body: Buffer.concat(chunks),
      url,
      receivedAt: new Date(),
    };
    const wanted = waiting.get(url);
    waiting.delete(url);
    if (wanted) wanted(delivery);
    else taken.set(url, [...(taken.get(url) ?? []), delivery]);
  }

  const server = createServer((request, response) => {
    take(request).then(
      () => response.writeHead(200).end(),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    newUrl: () => `${base}/hook-${++lastUrl}`,
    next(url) {
      const first = taken.get(url)?.shift();
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.set(url, resolve));
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
