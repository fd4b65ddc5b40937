import { describe, expect, it } from "vitest";
import { BoardwalkError } from "../../src/errors.js";
import { createLog, type LogOptions } from "../../src/log.js";

function capture(options: LogOptions = {}) {
  const lines: string[] = [];
  const log = createLog({ level: "trace", ...options, write: (line) => void lines.push(line) });
  return { log, lines, all: () => lines.join("") };
}

describe("the log", () => {
  it("is one JSON object a line, with time, level, message and fields", () => {
    const { log, lines } = capture();
    log.info({ tenant_id: "acme", duration_ms: 12 }, "settled a move");
    log.child({ request_id: "r1" }).warn({}, "slow");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        ts: expect.stringMatching(/^\d{4}-.*Z$/),
        level: "info",
        msg: "settled a move",
        tenant_id: "acme",
        duration_ms: 12,
      },
      { ts: expect.any(String), level: "warn", msg: "slow", request_id: "r1" },
    ]);
    expect(lines.every((line) => line.endsWith("\n"))).toBe(true);
  });

  it("keeps below its level silent", () => {
    const { log, lines } = capture({ level: "warn" });
    log.info({}, "no");
    log.warn({}, "yes");
    expect(lines).toHaveLength(1);
  });

  it("can be read by people", () => {
    const { log, lines } = capture({ format: "pretty" });
    log.error({ provider: "jira", counts: { waiting: 2 } }, "cannot reach the board");
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d ERROR cannot reach the board provider=jira counts=\{"waiting":2\}\n$/,
    );
  });

  it("shortens what is endless", () => {
    const { log, all } = capture();
    const loop: Record<string, unknown> = { name: "loop" };
    loop.self = loop;
    log.info({ loop, long: "y".repeat(100_000) }, "odd");
    expect(all().length).toBeLessThan(5_000);
  });
});

const CANARY = "canary-7f3a9b";

describe("secrets", () => {
  const keys = [
    ...["authorization", "Authorization", "cookie", "set-cookie", "password", "apiToken", "accessToken"],
    ...[
      "refresh_token",
      "token",
      "secret",
      "clientSecret",
      "webhookSecret",
      "credentials",
      "apiKey",
      "api_key",
    ],
    ...["privateKey", "private_key", "x-hub-signature-256", "adminToken", "encryptionKeys"],
  ];

  it.each(keys)("under the key %s never reach it, at any depth", (key) => {
    for (const format of ["json", "pretty"] as const) {
      const { log, all } = capture({ format });
      log.info({ [key]: CANARY }, "flat");
      log.info({ a: { b: [{ [key]: CANARY }] } }, "deep");
      log.info({ [key]: { inner: { deeper: CANARY } } }, "nested");
      log.child({ [key]: CANARY, a: { [key]: CANARY } }).info({}, "child");
      log.info({ err: Object.assign(new TypeError("x"), { config: { [key]: CANARY } }) }, "on an error");
      expect(all()).not.toContain(CANARY);
      expect(all().split("\n").filter(Boolean)).toHaveLength(5);
    }
  });

  it("that are known never reach it, wherever and however they stand", () => {
    const secret = `${CANARY}"/ä?`;
    const { log, all } = capture({ secrets: [secret] });
    log.info({ url: `https://board.example/?x=${encodeURIComponent(secret)}` }, `failed with ${secret}`);
    log.info({ header: Buffer.from(secret).toString("base64"), list: [secret] }, "encoded");
    log.child({ note: secret }).error({ err: new TypeError(`bad ${secret}`) }, "thrown");
    expect(all()).not.toContain(CANARY);
    expect(all()).not.toContain(Buffer.from(secret).toString("base64"));
    expect(all().match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(6);
  });

  it("that become known later are hidden from then on", () => {
    const { log, all } = capture();
    log.hide(CANARY);
    log.info({ note: CANARY }, CANARY);
    expect(all()).not.toContain(CANARY);
  });

  it("do not make every short word a secret", () => {
    const { log, all } = capture({ secrets: ["", "in"] });
    log.info({}, "waiting in line");
    expect(all()).toContain("waiting in line");
  });

  it.each([
    ["a bearer token", "Authorization: Bearer abcdef-canary-1"],
    ["a basic header", `Basic ${Buffer.from("me:canary-secret").toString("base64")}`],
    ["a token of ours", "bw_canary0123456789abcdef0123456789"],
    ["a GitHub token", "ghp_canary0123456789abcdef"],
    ["a Linear key", "lin_api_canary0123456789"],
    ["an Atlassian token", "ATATT3xFfGF0canary0123456789"],
    ["a password in an address", "redis://user:canary-pass@redis.example:6379"],
    ["Trello's key and token", "https://api.trello.com/1/cards/1?key=canary1&token=canary2"],
    ["a token in a path", "GET /1/tokens/canary123/webhooks"],
    ["a webhook's path", "POST /webhooks/jira/canary123?x=1"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----"],
    ["a JSON web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.canary-signature"],
  ])("are known by their looks: %s", (_name, text) => {
    const { log, all } = capture();
    log.info({ note: text }, text);
    log.error({ err: new TypeError(text) }, "thrown");
    expect(all()).not.toMatch(/canary/);
    expect(all()).not.toContain(Buffer.from("canary").toString("base64").slice(0, 6));
  });

  it("are not seen where there are none", () => {
    const { log, lines } = capture();
    const fields = {
      tokenId: "t1",
      tokens: 3,
      connection: "eng",
      path: "/t/acme/mcp",
      ticketId: "jira.1f.10",
    };
    log.info(fields, "listed");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject(fields);
  });
});

describe("what people wrote", () => {
  it.each([
    "title",
    "spoken",
    "comment",
    "fields",
    "body",
    "query",
    "description",
    "summary",
    "message",
    "arguments",
  ])("under the key %s never reaches it", (key) => {
    const { log, all } = capture();
    log.info({ [key]: CANARY, ticket: { [key]: CANARY, id: "jira.1f.10" } }, "seen");
    log.info({ [key]: { name: CANARY }, list: [{ [key]: [CANARY] }] }, "seen");
    expect(all()).not.toContain(CANARY);
    expect(all()).toContain("jira.1f.10");
  });

  it("never reaches it through an error that may quote it", () => {
    const { log, all } = capture();
    const parse = (text: string) => {
      try {
        JSON.parse(text);
      } catch (error) {
        return error;
      }
    };
    const board = Object.assign(new Error(`Field summary: ${CANARY}`), {
      response: { data: CANARY },
      request: { variables: { title: CANARY } },
    });
    log.error(
      { err: new BoardwalkError("invalid", `Jira said: ${CANARY}.`, { cause: board, data: { x: CANARY } }) },
      "a",
    );
    log.error({ err: parse(CANARY) }, "b");
    log.error({ failure: board, list: [board] }, "c");
    log.error({ err: CANARY }, "d");
    expect(all()).not.toContain(CANARY);
  });

  it("leaves an error's kind, code, place and causes to be read", () => {
    const { log, lines } = capture();
    const system = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), {
      code: "ECONNREFUSED",
      errno: -111,
      syscall: "connect",
    });
    log.error(
      { err: new BoardwalkError("unavailable", "Jira could not be reached.", { cause: system }) },
      "failed",
    );
    expect(JSON.parse(lines[0] ?? "").err).toEqual({
      type: "BoardwalkError",
      code: "unavailable",
      stack: expect.arrayContaining([expect.stringContaining("log.test.ts")]),
      cause: {
        type: "Error",
        code: "ECONNREFUSED",
        said: "connect ECONNREFUSED 127.0.0.1:1",
        stack: expect.any(Array),
      },
    });
  });
});
