import { getEventListeners, once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { send } from "../../src/board/send.js";

const never = new AbortController().signal;
const servers: Server[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe("a request to a board", () => {
  const text = JSON.stringify({ words: "grüße 🚀 ".repeat(500) });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("is answered in %s as well as in plain", async (encoding, pack) => {
    const url = await serve((request, response) => {
      expect(request.headers["accept-encoding"]).toContain(encoding);
      response.setHeader("content-encoding", encoding).end(pack(text));
    });
    expect((await send({ method: "GET", url, headers: {} }, { signal: never })).body).toBe(text);
  });

  it("unpacks no more than it would have read", async () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000, " "));
    const url = await serve((_request, response) => {
      response.setHeader("content-encoding", "gzip").end(bomb);
    });
    await expect(send({ method: "GET", url, headers: {} }, { signal: never })).rejects.toThrow();
  });

  it("takes an answer without a body that names an encoding", async () => {
    const url = await serve((_request, response) => {
      response.writeHead(204, { "content-encoding": "gzip" }).end();
    });
    const reply = await send({ method: "POST", url, headers: {}, body: "{}" }, { signal: never });
    expect(reply).toMatchObject({ status: 204, body: "" });
  });

  it("sends its body whole, and keeps the connection for the next", async () => {
    const heard: { readonly body: string; readonly port: number | undefined }[] = [];
    const url = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      heard.push({ body: Buffer.concat(chunks).toString(), port: request.socket.remotePort });
      response.end("{}");
    });
    for (let i = 0; i < 3; i++) {
      await send({ method: "POST", url: `${url}/a?b=c`, headers: {}, body: text }, { signal: never });
    }
    expect(heard.map(({ body }) => body)).toEqual([text, text, text]);
    expect(new Set(heard.map(({ port }) => port)).size).toBe(1);
  });

  it("is called off with its caller, as one of many under one listener", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/quick") response.end("{}");
    });
    const caller = new AbortController();
    for (let i = 0; i < 20; i++)
      await send({ method: "GET", url: `${url}/quick`, headers: {} }, { signal: caller.signal });
    const sent = Array.from({ length: 20 }, () =>
      send({ method: "GET", url, headers: {} }, { signal: caller.signal }),
    );
    expect(getEventListeners(caller.signal, "abort")).toHaveLength(1);
    caller.abort();
    for (const one of sent) await expect(one).rejects.toMatchObject({ name: "AbortError" });
    await expect(send({ method: "GET", url, headers: {} }, { signal: caller.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("is too late when its last byte is", async () => {
    const url = await serve((_request, response) => {
      response.write("{");
      const drip = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(drip));
    });
    const sent = send({ method: "GET", url, headers: {} }, { signal: never, timeoutMs: 60 });
    await expect(sent).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("fails when the answer breaks off", async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{", () => request.socket.destroy());
    });
    await expect(send({ method: "GET", url, headers: {} }, { signal: never })).rejects.toThrow();
  });
});
