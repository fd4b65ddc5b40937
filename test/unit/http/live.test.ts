import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Response } from "express";
import { afterEach, describe, expect, it } from "vitest";
import { createLive } from "../../../src/http/live.js";

/** Listening to news over HTTP: what becomes of it when somebody goes. */

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

let listening = 0;
const store = {
  subscribe: async () => {
    listening += 1;
    return async () => {
      listening -= 1;
    };
  },
  returned: () => () => {},
};

/** Serves one request with `answer`; the client is gone once `leave` was called. */
async function serve(answer: (response: Response) => Promise<void>) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: "127.0.0.1" });
  client.on("error", () => {});
  client.end();
  const [, response] = (await once(server, "request")) as [unknown, Response];
  const leave = async () => {
    client.destroy();
    if (!response.destroyed) await once(response, "close");
  };
  return { answered: () => answer(response), leave };
}

describe("a stream of news", () => {
  it("ends when its listener goes", async () => {
    const live = createLive(store);
    const { answered, leave } = await serve((response) => live.stream("acme", response));
    const ended = answered();
    await leave();
    await ended;
    expect(listening).toBe(0);
  });

  it("is not begun for a listener who has gone already", async () => {
    const live = createLive(store);
    const { answered, leave } = await serve((response) => live.stream("acme", response));
    await leave();
    await answered();
    expect(listening).toBe(0);
  });

  it("ends with the service", async () => {
    const live = createLive(store);
    const { answered } = await serve((response) => live.stream("acme", response));
    const ended = answered();
    live.close();
    await ended;
    expect(listening).toBe(0);
  });
});
