import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Demo, startDemo } from "../../src/demo.js";
import { issueToken } from "../../src/http/auth.js";
import { frozenContract } from "../../src/mcp/contract.js";

let demo: Demo;
let ann: string;
let service: string;

beforeAll(async () => {
  demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true, logLevel: "silent" });
  const tenant = demo.app.store.tenant("acme");
  ann = (await issueToken(tenant, { name: "ann" }, new Date())).token;
  service = (await issueToken(tenant, { name: "alexa", scopes: ["mcp:service"] }, new Date())).token;
});
afterAll(() => demo.close());

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly result?: Record<string, unknown>; readonly error?: { readonly code: number } };
}

async function ask(body: unknown, token?: string, path = "/alexa/mcp"): Promise<Reply> {
  const response = await fetch(`${demo.line.url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}

const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: "r-1", method, params });
const call = (name: string, args: object = {}) => rpc("tools/call", { name, arguments: args });

interface Heard {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: { readonly spoken: string; readonly [fact: string]: unknown };
}

async function hear(name: string, args: object = {}): Promise<Heard> {
  const { status, body } = await ask(call(name, args), ann);
  expect(status).toBe(200);
  return body.result as unknown as Heard;
}

/** As Amazon documents them: Alexa+ itself, Amazon's Local Inspector, and the newest revision with a handshake. */
const HANDSHAKES = [
  {
    jsonrpc: "2.0",
    id: "1",
    method: "initialize",
    params: {
      protocolVersion: "2025-03-26",
      capabilities: { roots: { listChanged: true } },
      clientInfo: { name: "Alexa+ MCP Client", version: "1.0.0" },
    },
  },
  {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } },
      clientInfo: { name: "inspector-client", version: "0.17.2" },
    },
  },
  {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "mcp", version: "0.1.0" },
    },
  },
];

describe("the handshake at /alexa/mcp", () => {
  it.each(HANDSHAKES)("echoes $params.protocolVersion, and then lists the contract", async (handshake) => {
    for (const token of [service, ann]) {
      const { status, headers, body } = await ask(handshake, token);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: handshake.id,
        result: {
          protocolVersion: handshake.params.protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "boardwalk" },
        },
      });
      expect(headers.get("mcp-session-id")).not.toBeNull();
      const { tools, resources } = await frozenContract();
      expect((await ask(rpc("tools/list"), token)).body.result).toEqual({ tools });
      expect((await ask(rpc("resources/list"), token)).body.result).toEqual({ resources });
    }
  });

  it("is not needed in 2026-07-28", async () => {
    const client = new ModernClient(
      { name: "alexa", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${service}` } };
    await client.connect(new ModernTransport(new URL(`${demo.line.url}/alexa/mcp`), { requestInit }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("move_ticket");
    await client.close();
  });
});

describe("who is turned away", () => {
  it.each([
    ["no token", undefined],
    ["a token that nobody has", "bw_made-up"],
    ["an empty one", ""],
  ])("with %s gets 401, at Alexa's address without being told where to go", async (_what, token) => {
    for (const asked of [HANDSHAKES[0], rpc("tools/list"), call("find_tickets"), "{not json"]) {
      const { status, headers } = await ask(asked, token);
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toBeNull();
    }
    for (const path of ["/mcp", "/t/acme/mcp"]) {
      const { status, headers } = await ask(rpc("tools/list"), token, path);
      expect(status).toBe(401);
      const where = `resource_metadata="${demo.line.url}/.well-known/oauth-protected-resource${path}"`;
      expect(headers.get("www-authenticate")).toContain(where);
      expect(headers.get("www-authenticate")).toMatch(/^Bearer .*scope="mcp:tools mcp:resources"$/);
    }
  });

  it.each([
    ["a tool that exists", call("find_tickets")],
    ["a move", call("move_ticket", { ticket: "ENG-1", to: "Done" })],
    ["a tool that does not exist", call("drop_tables")],
    ["a tool in a batch", [rpc("ping"), call("find_tickets")]],
    ["a ticket", rpc("resources/read", { uri: "ticket://eng/x" })],
    ["news of a ticket", rpc("resources/subscribe", { uri: "ticket://eng/x" })],
    ["a prompt", rpc("prompts/get", { name: "standup" })],
    ["a completion", rpc("completion/complete", {})],
    ["a stream", rpc("subscriptions/listen", {})],
    ["something unheard of", rpc("tickets/all", {})],
  ])("a service's token gets 401 for %s", async (_what, asked) => {
    const { status, headers, body } = await ask(asked, service);
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toBeNull();
    expect(body.result).toBeUndefined();
  });

  it("but the card for screens, which is the same for all, is anybody's to read", async () => {
    const [card] = (await frozenContract()).resources as { uri: string }[];
    const { status, body } = await ask(rpc("resources/read", { uri: card?.uri }), service);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ contents: [{ mimeType: "text/html;profile=mcp-app" }] });
  });

  it("a service's token is of no use elsewhere", async () => {
    for (const path of ["/mcp", "/t/acme/mcp"])
      expect((await ask(rpc("tools/list"), service, path)).status).toBe(403);
  });

  it("and a person's token is good for another's tenant nowhere", async () => {
    expect((await ask(rpc("tools/list"), ann, "/t/globex/mcp")).status).toBe(403);
  });

  it("a slash at the end of an address makes no difference", async () => {
    for (const path of ["/mcp/", "/t/acme/mcp/", "/alexa/mcp/"])
      expect((await ask(rpc("tools/list"), ann, path)).status).toBe(200);
    for (const path of ["/mcp//", "/mcp/x", "/t//mcp", "/t/a%2Fb/mcp"])
      expect((await ask(rpc("tools/list"), ann, path)).status).toBe(404);
  });

  it("an Origin or a body that is too large is refused as elsewhere", async () => {
    const evil = { method: "POST", headers: { origin: "https://evil.example" }, body: "{}" };
    expect((await fetch(`${demo.line.url}/alexa/mcp`, evil)).status).toBe(403);
    expect((await ask(call("find_tickets", { query: "x".repeat(2 * 1024 * 1024) }), ann)).status).toBe(413);
  });
});

/** What may not be heard: codes, JSON, tool names, ids, links, markup. */
const UNSPEAKABLE =
  /https?:|www\.|[{}[\]|<>*`_#]|\b(find_tickets|read_ticket|list_moves|move_ticket|undo_move|check_progress|describe_board|no_such_move|not_found_or_hidden|jira\.|HTTP|JSON|null|undefined|error code)\b|\b1000\d\b/i;

describe("what is said", () => {
  it("holds no link, tool, code, JSON or id, and every refusal says what to do next", async () => {
    const said = [
      await hear("find_tickets", { query: "login" }),
      await hear("find_tickets", { status: "In Progress" }),
      await hear("find_tickets", { query: "nothing like this exists" }),
      await hear("find_tickets", { cursor: "not-a-cursor" }),
      await hear("find_tickets", { nonsense_key: "x" }),
      await hear("read_ticket", { ticket: "login" }),
      await hear("read_ticket", { ticket: "second tap" }),
      await hear("read_ticket", {}),
      await hear("list_moves", { ticket: "coupons" }),
      await hear("move_ticket", { ticket: "coupons", to: "In Review" }),
      await hear("move_ticket", { ticket: "invite links", to: "In Review" }),
      await hear("move_ticket", { ticket: "coupons", to: "the moon" }),
      await hear("move_ticket", { ticket: "nobody knows it", to: "Done" }),
      await hear("check_progress", {}),
      await hear("check_progress", { moveId: "made-up" }),
      await hear("undo_move", {}),
      await hear("undo_move", { ticket: "dark mode" }),
      await hear("describe_board", {}),
      await hear("describe_board", { board: "no such board" }),
    ];
    for (const { content, structuredContent, isError } of said) {
      const { spoken } = structuredContent;
      expect(content).toEqual([{ type: "text", text: spoken }]);
      expect(spoken).not.toBe("");
      expect(spoken).not.toMatch(UNSPEAKABLE);
      if (isError) expect(spoken).toMatch(/\b(please|try|tell|ask|which|can go|connect)\b|\?/i);
    }
  });

  it("holds no link in its facts either, while elsewhere a pull request has its address", async () => {
    const talk = { tenant: demo.app.store.tenant("acme"), speaker: { person: "ann" }, budgetMs: 10_000 };
    await demo.app.tickets.move(talk, { ticket: "ENG-1", to: "In Review" });
    const asked = call("read_ticket", { ticket: "ENG-1" });
    expect(JSON.stringify((await ask(asked, ann, "/mcp")).body)).toMatch(/"url":"http/);
    const alexa = (await ask(asked, ann)).body;
    expect(alexa).toMatchObject({ result: { structuredContent: { ticket: { key: "ENG-1" } } } });
    expect(JSON.stringify(alexa)).not.toMatch(/https?:/);
  });
});
