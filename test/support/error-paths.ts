import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import { inspect } from "node:util";
import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { BoardwalkError, type ErrorCode } from "../../src/errors.js";
import { describeError } from "../../src/log.js";

/** What no emulator can easily do to a client library, done to each of them: the wire fails, or answers oddly. */

export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT";
  /** As nock matches it, below the client's origin. */
  readonly path: string | RegExp;
  /** What the board answers when all is well. */
  readonly reply: nock.Body;
  call(signal: AbortSignal): Promise<unknown>;
}

export interface ClientUnderTest {
  /** How the board is called in a sentence. */
  readonly board: string;
  readonly origin: string;
  readonly read: Endpoint;
  readonly write: Endpoint;
  /** Strings that may stand in no error and in no log of one: credentials, and ticket text that was sent. */
  readonly canaries: readonly string[];
  /** Can read JSON that is called something else. */
  readonly readsPlainText: boolean;
  /** A write whose success has nothing in its body that is needed. */
  readonly needsNoReply?: boolean;
  /** Where a status of an answer means something else on this board. */
  readonly codes?: Readonly<Record<number, ErrorCode>>;
  /** What a redirect is read as. */
  readonly redirected: ErrorCode;
}

export interface ClientOptions {
  readonly timeoutMs?: number;
  /** Of a real server instead of one that nock plays. */
  readonly origin?: string;
}

interface Failure {
  readonly name: string;
  readonly answer: (interceptor: nock.Interceptor) => nock.Scope;
  readonly code: ErrorCode;
}

const JSON_TYPE = { "content-type": "application/json" };
const never = new AbortController().signal;

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** The wire itself: no answer, or half of one. */
const WIRE: readonly Failure[] = [
  {
    name: "a name that does not resolve",
    answer: (to) => to.replyWithError(systemError("ENOTFOUND", "getaddrinfo ENOTFOUND board.example")),
    code: "unavailable",
  },
  {
    name: "an expired certificate",
    answer: (to) => to.replyWithError(systemError("CERT_HAS_EXPIRED", "certificate has expired")),
    code: "unavailable",
  },
  {
    name: "a certificate of another host",
    answer: (to) => to.replyWithError(systemError("ERR_TLS_CERT_ALTNAME_INVALID", "altnames do not match")),
    code: "unavailable",
  },
  {
    name: "a refused connection",
    answer: (to) => to.replyWithError(systemError("ECONNREFUSED", "connect ECONNREFUSED 192.0.2.1:443")),
    code: "unavailable",
  },
  {
    name: "a connection reset before the answer",
    answer: (to) => to.replyWithError(systemError("ECONNRESET", "socket hang up")),
    code: "unavailable",
  },
  {
    name: "a connection that times out",
    answer: (to) => to.replyWithError(systemError("ETIMEDOUT", "connect ETIMEDOUT 192.0.2.1:443")),
    code: "timeout",
  },
];

/** Answers of the right status whose body is not what it should be. */
const BODIES: readonly Failure[] = [
  { name: "half a body", answer: (to) => to.reply(200, '{"id":"10000","na', JSON_TYPE), code: "unavailable" },
  {
    name: "a reset in the middle of the body",
    answer: (to) => to.reply(200, () => brokenOff('{"id":"10000","na'), JSON_TYPE),
    code: "unavailable",
  },
  {
    name: "gzip that is none",
    answer: (to) => to.reply(200, "not gzip at all", { ...JSON_TYPE, "content-encoding": "gzip" }),
    code: "unavailable",
  },
  {
    name: "a page of HTML",
    answer: (to) => to.reply(200, "<html><h1>Sign in</h1></html>", { "content-type": "text/html" }),
    code: "unavailable",
  },
  { name: "no body", answer: (to) => to.reply(200, "", JSON_TYPE), code: "unavailable" },
  { name: "a bare null", answer: (to) => to.reply(200, "null", JSON_TYPE), code: "unavailable" },
];

const STATUSES: readonly Failure[] = [
  { name: "an empty 500", answer: (to) => to.reply(500), code: "unavailable" },
  {
    name: "a 502 from a proxy",
    answer: (to) => to.reply(502, "<html>Bad Gateway</html>", { "content-type": "text/html" }),
    code: "unavailable",
  },
  { name: "a 413", answer: (to) => to.reply(413, "<html>Too large</html>"), code: "invalid" },
  { name: "an empty 401", answer: (to) => to.reply(401), code: "auth_expired" },
  { name: "an empty 403", answer: (to) => to.reply(403), code: "forbidden" },
];

/** Headers of a 429, and the wait in milliseconds that they mean. */
const WAITS: readonly (readonly [name: string, headers: () => Record<string, string>, ms: number])[] = [
  ["seconds", () => ({ "Retry-After": "30" }), 30_000],
  ["seconds, in lower case", () => ({ "retry-after": "30" }), 30_000],
  ["seconds, in upper case", () => ({ "RETRY-AFTER": "30" }), 30_000],
  ["a date", () => ({ "Retry-After": new Date(Date.now() + 90_000).toUTCString() }), 90_000],
];

/** Nobody can obey these: they mean no more than that there is a limit. */
const NO_WAITS: readonly (readonly [name: string, header: string])[] = [
  ["a word", "soon"],
  ["nothing", ""],
  ["less than nothing", "-5"],
  ["not a number", "NaN"],
  ["for ever", "Infinity"],
  ["years", "999999999"],
  ["a date of the year 9999", "Fri, 31 Dec 9999 23:59:59 GMT"],
];

const LONGEST_WAIT_MS = 24 * 3_600_000;

export function describeErrorPaths(
  name: string,
  setup: (options?: ClientOptions) => ClientUnderTest | Promise<ClientUnderTest>,
): void {
  describe(name, () => {
    beforeAll(() => nock.disableNetConnect());
    afterEach(() => {
      nock.abortPendingRequests();
      nock.cleanAll();
      vi.restoreAllMocks();
    });
    afterAll(() => {
      nock.enableNetConnect();
      nock.restore();
    });

    describe.each(["read", "write"] as const)("of a %s", (kind) => {
      const sentTimes = kind === "read" ? 3 : 1;

      it.each([...WIRE, ...STATUSES])(
        "hears $name as what it means",
        async ({ answer, code, name: what }) => {
          const { client, requests } = await answering(setup, kind, answer);
          const status = Number(/\d{3}/.exec(what)?.[0]);
          const expected = client.codes?.[status] ?? code;
          const error = await errorOf(client[kind].call(never), client);
          expect(error).toMatchObject({ code: expected });
          expect(requests()).toBe(error.retryable ? sentTimes : 1);
        },
      );

      it.each(WAITS)("hears how long to wait from %s", async (_name, headers, ms) => {
        const { client, requests } = await answering(setup, kind, (to) => to.reply(429, "", headers()));
        const error = await errorOf(client[kind].call(never), client);
        expect(error).toMatchObject({ code: "rate_limited" });
        expect(error.message).toMatch(new RegExp(`^${client.board} asked us to wait `));
        // Dates tell whole seconds.
        expect(Math.abs((error.retryAfterMs ?? 0) - ms)).toBeLessThanOrEqual(2_000);
        expect(requests()).toBe(1);
      });

      it.each(NO_WAITS)("is not fooled by a wait of %s", async (_name, wait) => {
        const { client, requests } = await answering(setup, kind, (to) =>
          to.reply(429, "", { "retry-after": wait }),
        );
        const error = await errorOf(client[kind].call(never), client);
        expect(error).toMatchObject({ code: "rate_limited" });
        expect(error.retryAfterMs).toBeGreaterThan(0);
        expect(error.retryAfterMs).toBeLessThanOrEqual(LONGEST_WAIT_MS);
        expect(requests()).toBe(1);
      });

      it("gives up a body that comes too slowly", async () => {
        const { client, requests } = await answering(
          () => setup({ timeoutMs: 100 }),
          kind,
          (to) => to.delayBody(30_000).reply(200, "{}", JSON_TYPE),
        );
        expect(await errorOf(client[kind].call(never), client)).toMatchObject({ code: "timeout" });
        expect(requests()).toBe(sentTimes);
      });

      it.each([301, 302, 307, 308])("does not follow a %i to another host", async (status) => {
        const { client, requests } = await answering(setup, kind, (to) =>
          to.reply(status, "", { location: "https://elsewhere.example/steal" }),
        );
        const elsewhere = await countedScope("https://elsewhere.example", /.*/);
        const error = await errorOf(client[kind].call(never), client);
        expect(error).toMatchObject({ code: client.redirected });
        expect(elsewhere()).toBe(0);
        expect(requests()).toBe(error.retryable ? sentTimes : 1);
      });
    });

    it.each(BODIES)("hears $name as unreadable, and may read again", async ({ answer, code }) => {
      const { client, requests } = await answering(setup, "read", answer);
      expect(await errorOf(client.read.call(never), client)).toMatchObject({ code });
      expect(requests()).toBe(3);
    });

    it("understands a 204 with a body as far as it can", async () => {
      const { client } = await answering(setup, "write", (to) =>
        to.reply(204, '{"surprise":true}', JSON_TYPE),
      );
      if (client.needsNoReply) return expect(await client.write.call(never)).toBeUndefined();
      expect(await errorOf(client.write.call(never), client)).toMatchObject({ code: "unavailable" });
    });

    it("takes JSON under another content type for what it is, or says that it cannot", async () => {
      const { client } = await answering(setup, "read", (to, reply) =>
        to.reply(200, JSON.stringify(reply), { "content-type": "text/plain" }),
      );
      if (client.readsPlainText) return expect(await client.read.call(never)).toBeDefined();
      expect(await errorOf(client.read.call(never), client)).toMatchObject({ code: "unavailable" });
    });

    it("gives up a reply that does not end", async () => {
      const server = await startEndless();
      try {
        const client = await setup({ origin: server.url });
        expect(await errorOf(client.read.call(never), client)).toMatchObject({ code: "unavailable" });
        expect(server.finished()).toBe(0);
      } finally {
        await server.close();
      }
    });

    it("is understood when all is well", async () => {
      for (const kind of ["read", "write"] as const) {
        const { client, requests } = await answering(setup, kind, (to, reply) =>
          to.reply(200, reply, JSON_TYPE),
        );
        await client[kind].call(never);
        expect(requests()).toBe(1);
        nock.cleanAll();
      }
    });
  });
}

/** A client whose reads or writes are answered so, and how many of them were sent. */
async function answering(
  setup: (options?: ClientOptions) => ClientUnderTest | Promise<ClientUnderTest>,
  kind: "read" | "write",
  answer: (interceptor: nock.Interceptor, reply: nock.Body) => nock.Scope,
) {
  // The shortest of the pauses between two tries.
  vi.spyOn(Math, "random").mockReturnValue(0);
  if (!nock.isActive()) nock.activate();
  const client = await setup();
  const { method, path, reply } = client[kind];
  const scope = nock(client.origin).persist();
  let requests = 0;
  scope.on("request", () => {
    requests += 1;
  });
  answer(scope.intercept(path, method), reply);
  return { client, requests: () => requests };
}

async function countedScope(origin: string, path: RegExp): Promise<() => number> {
  const scope = nock(origin).persist();
  let requests = 0;
  scope.on("request", () => {
    requests += 1;
  });
  for (const method of ["GET", "POST", "PUT"]) scope.intercept(path, method).reply(200, {});
  return () => requests;
}

/** The error, held to what every error must be: a sentence that can be spoken, and nothing that must not be told. */
export async function errorOf(
  promise: Promise<unknown>,
  { canaries }: Pick<ClientUnderTest, "canaries">,
): Promise<BoardwalkError> {
  const error = await promise.then(
    (value) => expect.fail(`should have failed, but gave ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BoardwalkError);
  const failed = error as BoardwalkError;
  expect(failed.message, "a sentence that can be spoken").toMatch(/^[A-Z][^{}<>\n]{10,300}[.!?]$/);
  expect(failed.message).not.toMatch(/https?:|undefined|\[object|E[A-Z]{5,}|\b[45]\d\d\b/);
  const told = [
    failed.message,
    JSON.stringify(failed),
    JSON.stringify(describeError(failed)),
    inspect(failed, { depth: 12, showHidden: true }),
  ].join("\n");
  for (const canary of canaries) expect(told).not.toContain(canary);
  return failed;
}

function brokenOff(start: string): Readable {
  const chunks = function* () {
    yield Buffer.from(start);
    throw systemError("ECONNRESET", "aborted");
  };
  return Readable.from(chunks());
}

/** Answers with more than anybody should read, and counts how often it was taken to the end. */
async function startEndless() {
  nock.restore();
  let finished = 0;
  const server = createServer((_request, response) => {
    const chunk = Buffer.alloc(1_000_000, " ");
    let left = 100;
    const more = new Readable({
      read() {
        left -= 1;
        this.push(left < 0 ? null : chunk);
      },
    });
    // Of JSON the suite's own ear takes a copy, and reads that to its end.
    response.writeHead(200, { "content-type": "text/plain" });
    pipeline(more, response, (error) => {
      if (!error) finished += 1;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    finished: () => finished,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
