import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Ways in which what answers is not the board: a proxy's page, a cut line, a firewall that swallows everything. */
export type Breakage = "html" | "half" | "empty" | "reset" | "silence" | "wrong shape";

export interface BrokenServer {
  /** A base URL below which every request is answered in this way. */
  url(how: Breakage): string;
  /** Resolves when a request for this way has come in. */
  requested(how: Breakage): Promise<void>;
  close(): Promise<void>;
}

export async function startBrokenServer(): Promise<BrokenServer> {
  const seen = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  const server = createServer((request, response) => {
    const how = decodeURIComponent(request.url?.split("/")[1] ?? "");
    seen.set(how, (seen.get(how) ?? 0) + 1);
    waiting.get(how)?.();
    if (how === "silence") return;
    if (how === "reset") return void request.socket.destroy();
    if (how === "empty") return void response.writeHead(200).end();
    if (how === "half") {
      const body = '{"id":"10000","name":"Eng';
      response.writeHead(200, { "content-type": "application/json", "content-length": body.length * 2 });
      response.write(body, () => request.socket.destroy());
      return;
    }
    const [type, body] =
      how === "html" ? ["text/html", "<html><h1>Sign in</h1></html>"] : ["application/json", '{"x":[1]}'];
    response.writeHead(200, { "content-type": type }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (how) => `http://127.0.0.1:${port}/${encodeURIComponent(how)}`,
    requested: (how) =>
      seen.has(how) ? Promise.resolve() : new Promise((resolve) => waiting.set(how, () => resolve())),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
