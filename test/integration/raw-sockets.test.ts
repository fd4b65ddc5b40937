import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTwoTenants, type TwoTenants } from "../support/two-tenants.js";
import { until } from "../support/until.js";

/** Bytes that no honest client sends, to the whole service: what two parsers could read differently, and what never ends. */

let world: TwoTenants;
let port: number;
beforeAll(async () => {
  world = await startTwoTenants();
  port = Number(new URL(world.url).port);
});
afterAll(() => world?.close());

interface Heard {
  /** The status of each response, in their order. */
  readonly statuses: readonly number[];
  readonly text: string;
  readonly tookMs: number;
}

/** Sends the pieces, one after another as they are taken, and listens until the other side has closed. */
function send(...pieces: readonly (string | Buffer)[]): Promise<Heard> {
  return listen(async (write) => {
    for (const piece of pieces) if (!(await write(piece))) return;
  });
}

type Write = (piece: string | Buffer) => Promise<boolean>;

function listen(speak: (write: Write) => Promise<void>, mostMs = 60_000): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const timer = setTimeout(() => socket.destroy(new Error(`never closed; said: ${text}`)), mostMs);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    // A server that has heard enough closes while we still speak.
    socket.on("error", (error) => {
      if (error.message.startsWith("never closed")) reject(error);
    });
    socket.on("close", () => {
      clearTimeout(timer);
      const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, code]) => Number(code));
      resolve({ statuses, text, tookMs: performance.now() - startedAt });
    });
    const write: Write = (piece) =>
      new Promise((taken) => {
        if (socket.destroyed || socket.writableEnded) return taken(false);
        const gone = () => taken(false);
        socket.once("close", gone);
        socket.write(piece, (error) => {
          socket.off("close", gone);
          taken(!error);
        });
      });
    void speak(write);
  });
}

const PATHS = ["/mcp", "/api/v1/tenants", "/webhooks/jira/x", "/oauth/token", "/healthz"] as const;
const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
/** What an attacker would have the service take for a request of the next person on the line. */
const SECOND = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

function head(path: string, headers: readonly string[], method = "POST"): string {
  const token = path.startsWith("/api") ? world.demo.line.admin.token : world.acme.token;
  return [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    ...headers,
    "\r\n",
  ].join("\r\n");
}

async function expectWell(): Promise<void> {
  expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
}

const AMBIGUOUS: Readonly<Record<string, readonly string[]>> = {
  "a length and chunks": [`Content-Length: ${BODY.length}`, "Transfer-Encoding: chunked"],
  "chunks and a length": ["Transfer-Encoding: chunked", "Content-Length: 0"],
  "two lengths": [`Content-Length: ${BODY.length}`, "Content-Length: 0"],
  "two lengths in one": [`Content-Length: ${BODY.length}, 0`],
  "a length with a sign": [`Content-Length: +${BODY.length}`],
  "a length below nothing": ["Content-Length: -1"],
  "a length in hexadecimal": ["Content-Length: 0x10"],
  "a length of more digits than a number holds": [`Content-Length: ${"9".repeat(40)}`],
  "a length with a space before the colon": ["Content-Length : 0"],
  "a folded length": ["Content-Length:", ` ${BODY.length}`],
  "chunks that are something else last": ["Transfer-Encoding: chunked, identity"],
  "chunks by another name": ["Transfer-Encoding: xchunked"],
  "chunks twice, once hidden": ["Transfer-Encoding: chunked", "Transfer-Encoding: cow"],
  "a header with a bare line feed": [`X: 1\nContent-Length: ${BODY.length}`],
  "a header with a null": ["X: a\0b"],
  "a header without a name": [": x"],
};

describe("a request that two servers could read differently", () => {
  it.each(Object.entries(AMBIGUOUS))(
    "of %s is refused, and what follows it is not answered",
    async (_what, headers) => {
      for (const path of PATHS) {
        const { statuses, text } = await send(head(path, headers) + BODY + SECOND);
        // Where nothing is POSTed to, nobody looks at what the body would have been.
        expect(statuses, `${path}: ${text}`).toEqual([
          path === "/healthz" ? expect.toBeOneOf([400, 404]) : 400,
        ]);
      }
      await expectWell();
    },
  );

  it("with chunks that are none is refused, and what follows it is not answered", async () => {
    for (const size of ["FFFFFFFFFFFFFFFFF", "-1", "0x5", "", "5;a\n", " 5", "g"]) {
      const { statuses } = await send(
        `${head("/mcp", ["Transfer-Encoding: chunked"])}${size}\r\n${BODY}\r\n0\r\n\r\n${SECOND}`,
      );
      expect(statuses, size).toEqual([400]);
    }
    await expectWell();
  });
});

const MEGABYTE = Buffer.alloc(1_000_000, 0x20);

describe("what is larger than anybody needs", () => {
  it.each(["header", "address", "hundred headers"])("as a %s is refused", async (what) => {
    const long = "a".repeat(200_000);
    const bytes =
      what === "header"
        ? head("/mcp", [`X-Long: ${long}`])
        : what === "address"
          ? head(`/healthz?${long}`, [])
          : head(
              "/mcp",
              Array.from({ length: 100 }, (_, i) => `X-${i}: ${"a".repeat(1_000)}`),
            );
    const { statuses } = await send(bytes);
    expect(statuses).toEqual([431]);
    await expectWell();
  });

  it.each(PATHS)(
    "as a body without end, in chunks, is refused at %s while it is being sent",
    async (path) => {
      const before = process.memoryUsage().rss;
      let sent = 0;
      const { statuses } = await listen(async (write) => {
        await write(head(path, ["Transfer-Encoding: chunked", "Connection: close"]));
        const chunk = Buffer.concat([
          Buffer.from(`${MEGABYTE.length.toString(16)}\r\n`),
          MEGABYTE,
          Buffer.from("\r\n"),
        ]);
        while (sent < 60 && (await write(chunk))) sent += 1;
        await write("0\r\n\r\n");
      });
      // A POST is not for /healthz, whatever it holds.
      for (const status of statuses) expect([400, 401, 404, 413]).toContain(status);
      expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
      await expectWell();
    },
  );

  it("as a body that unpacks to more than it is, is refused", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20));
    for (const path of PATHS) {
      const headers = ["Content-Encoding: gzip", `Content-Length: ${bomb.length}`, "Connection: close"];
      const { statuses, text } = await send(head(path, headers), bomb);
      for (const status of statuses) expect([400, 401, 404, 413, 415], `${path}: ${text}`).toContain(status);
      expect(statuses).toHaveLength(1);
    }
    await expectWell();
  });
});

describe("who is slow on purpose", () => {
  /** A byte now and then, for as long as it is taken. */
  const drip = (first: string, every: number) =>
    listen(async (write) => {
      if (first !== "") await write(first);
      while (await write("a")) await new Promise((resolve) => setTimeout(resolve, every));
    });

  it("holds no socket for longer than it takes to say what one wants", { timeout: 90_000 }, async () => {
    const slow = [
      drip("", 400),
      drip("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", 400),
      drip(head("/mcp", ["Content-Length: 100000"]), 400),
      drip(head("/api/v1/tenants", ["Content-Length: 100000"]), 400),
      drip(head("/webhooks/jira/x", ["Content-Length: 100000"]), 400),
      drip(`${head("/mcp", ["Transfer-Encoding: chunked"])}ffff\r\n`, 400),
    ];
    // Others are served meanwhile.
    await until(async () => (await fetch(`${world.url}/readyz`)).status === 200);
    for (const { statuses, tookMs } of await Promise.all(slow)) {
      for (const status of statuses) expect([400, 404, 408]).toContain(status);
      expect(tookMs).toBeLessThan(45_000);
    }
    await expectWell();
  });

  it("keeps a stream of news for as long as it likes", { timeout: 90_000 }, async () => {
    const hello = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const headers = {
      authorization: `Bearer ${world.acme.token}`,
      accept: "application/json, text/event-stream",
    };
    const begun = await fetch(`${world.url}/mcp`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello }),
    });
    const session = begun.headers.get("mcp-session-id") ?? "";
    const stream = await fetch(`${world.url}/mcp`, { headers: { ...headers, "mcp-session-id": session } });
    const reader = stream.body?.getReader();
    const until25s = performance.now() + 25_000;
    while (performance.now() < until25s) expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
  });
});

describe("an address that is none", () => {
  it.each([
    "//evil.example/%2e%2e/api",
    "http://evil.example/api/v1/tenants",
    "/%00",
    "/%ff%fe",
    "/%",
    "/api/v1/tenants/..%2f..%2facme/tickets",
    "/t/%2e%2e/mcp",
    "*",
  ])("%s finds nothing of ours", async (path) => {
    for (const method of ["GET", "POST", "TRACE", "PUT", "OPTIONS"]) {
      const { statuses, text } = await send(head(path, ["Content-Length: 0", "Connection: close"], method));
      for (const status of statuses) expect(status, `${method} ${path}: ${text}`).toBeLessThan(500);
      for (const secret of world.acme.secrets) expect(text).not.toContain(secret);
    }
    await expectWell();
  });

  it("is not connected to, nor switched to another protocol", async () => {
    const tunnel = await send("CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n");
    expect(tunnel.text).not.toMatch(/^HTTP\/1\.1 200/);
    const upgrade = [
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAAP__",
    ];
    const { statuses } = await listen(async (write) => {
      await write(head("/healthz", upgrade, "GET"));
      await write(head("/healthz", ["Connection: close"], "GET"));
    });
    expect(statuses).not.toContain(101);
  });
});
