import { createMcpHandler, legacyStatelessFallback } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Call } from "../../src/mcp/call.js";
import { generatedCatalogue } from "../../src/mcp/catalogue.js";
import { createServer } from "../../src/mcp/server.js";
import { NO_NAMES } from "../../src/mcp/tool-names.js";
import { actorOf, type McpFixture, startMcp } from "../support/mcp.js";

/**
 * Requests are answered by servers that live long and are shared. Here the same requests also go to the SDK's own
 * handlers, which build a server for each: status and body have to be the same.
 */

const VERSION = "0.0.0";
let fixture: McpFixture;

beforeEach(async () => {
  fixture = await startMcp({ version: VERSION });
  await fixture.store.tenant("acme").saveActor(actorOf("jira.x.10", "Fix the login page", "1"));
});

afterEach(() => fixture.close());

async function callOf(): Promise<Call> {
  const tenant = fixture.store.tenant("acme");
  const { workflows } = await fixture.tickets.workflows(tenant);
  return {
    principal: { tenant, speaker: { person: "ann" }, scopes: [] },
    catalogue: generatedCatalogue({ workflows, kept: NO_NAMES, now: () => new Date() }).catalogue,
    tickets: fixture.tickets,
    surface: "generated",
    gating: "explain",
    budgetMs: 1000,
    mayCall: () => true,
    report: () => {},
  };
}

interface Wire {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

async function ours({ headers, body }: Wire) {
  const response = await fetch(fixture.url(), {
    method: "POST",
    headers: { authorization: "Bearer acme:ann", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await messageOf(response) };
}

async function theirs({ headers, body }: Wire, legacy: boolean) {
  const call = await callOf();
  const factory = () => createServer(VERSION, () => call);
  const handler = legacy
    ? legacyStatelessFallback(factory)
    : createMcpHandler(factory, { legacy: "reject" }).fetch;
  const request = new Request("http://localhost/mcp", {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const response = await handler(request);
  return { status: response.status, body: await messageOf(response) };
}

/** The message of a JSON reply, or of the one event of a stream. */
async function messageOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  return JSON.parse(isStream ? (/^data: (.*)$/m.exec(text)?.[1] ?? "null") : text);
}

const REQUESTS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["tools/list", {}],
  ["tools/list", { cursor: "x" }],
  ["tools/call", { name: "find_tickets", arguments: { query: "login" } }],
  ["tools/call", { name: "find_tickets" }],
  ["tools/call", { name: "list_moves", arguments: { ticket: "login" } }],
  ["tools/call", { name: "web_move_to_done", arguments: { ticket: "fix" } }],
  ["tools/call", { name: "undo_move", arguments: {} }],
  ["tools/call", { name: "read_ticket", arguments: { ticket: 5 } }],
  ["tools/call", { name: "no_such_tool", arguments: {} }],
  ["tools/call", { name: "read_ticket", arguments: "login" }],
  ["tools/call", {}],
  ["tools/call", { name: 5 }],
  ["tools/call", { name: "read_ticket", arguments: { ticket: "login" }, _meta: { progressToken: 3 } }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "board://eng/workflows/jira.x.1.2" }],
  ["resources/read", { uri: "ticket://eng/jira.x.10" }],
  ["resources/read", {}],
  ["prompts/list", {}],
  ["prompts/get", { name: "standup", arguments: { board: "Web" } }],
  ["prompts/get", { name: "none" }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "standup" }, argument: { name: "status", value: "in" } },
  ],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "none" }, argument: { name: "status", value: "in" } },
  ],
  ["completion/complete", { ref: { type: "ref/else" } }],
  ["logging/setLevel", { level: "debug" }],
  ["server/discover", {}],
  ["ping", {}],
  ["no/such/method", {}],
];

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

describe.each(["2025-03-26", "2025-06-18", "2025-11-25"])("without a session, as of %s", (version) => {
  it.each(REQUESTS)("%s %j", async (method, params) => {
    const headers = { ...JSON_HEADERS, "mcp-protocol-version": version };
    const wire = { headers, body: { jsonrpc: "2.0", id: "a", method, params } };
    const reply = await ours(wire);
    expect(reply.body).toMatchObject({ jsonrpc: "2.0", id: "a" });
    expect(reply).toEqual(await theirs(wire, true));
  });
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "same", version: "1" },
};

function modern(method: string, params: Record<string, unknown>, more: Record<string, string> = {}): Wire {
  const named = params.name ?? params.uri;
  return {
    headers: {
      ...JSON_HEADERS,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof named === "string" ? { "mcp-name": named } : {}),
      ...more,
    },
    body: {
      jsonrpc: "2.0",
      id: 7,
      method,
      params: { ...params, _meta: { ...META, ...(params._meta as object) } },
    },
  };
}

describe("as of 2026-07-28", () => {
  it.each([
    ...REQUESTS,
    ["resources/read", { uri: "ticket://eng/none" }] as const,
    ["resources/subscribe", { uri: "ticket://eng/jira.x.10" }] as const,
    [
      "initialize",
      { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    ] as const,
  ])("%s %j", async (method, params) => {
    const wire = modern(method, params);
    const reply = await ours(wire);
    expect(reply.body).toMatchObject({ jsonrpc: "2.0", id: 7 });
    expect(reply).toEqual(await theirs(wire, false));
  });

  it("says how long lists may be kept, and by whom", async () => {
    const reply = await ours(modern("tools/list", {}));
    expect(reply.body).toMatchObject({
      result: { cacheScope: "private", ttlMs: 60_000, resultType: "complete" },
    });
  });

  const call = { name: "read_ticket", arguments: { ticket: "login" } };

  it.each([
    ["a name that is encoded", { "mcp-name": `=?base64?${Buffer.from("read_ticket").toString("base64")}?=` }],
    ["a name that is badly encoded", { "mcp-name": "=?base64?***?=" }],
    ["another name than the body's", { "mcp-name": "find_tickets" }],
    ["another method than the body's", { "mcp-method": "tools/list" }],
    ["another version than the body's", { "mcp-protocol-version": "2025-11-25" }],
  ])("%s", async (_, more) => {
    const wire = modern("tools/call", call, more);
    expect(await ours(wire)).toEqual(await theirs(wire, false));
  });

  it.each(["mcp-method", "mcp-name", "mcp-protocol-version"])("without the header %s", async (missing) => {
    const { headers, body } = modern("tools/call", call);
    const wire = {
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing)),
      body,
    };
    const reply = await ours(wire);
    expect(reply.status).toBe(400);
    expect(reply).toEqual(await theirs(wire, false));
  });

  it.each([
    ["no capabilities", { "io.modelcontextprotocol/clientCapabilities": undefined }],
    ["capabilities that are no object", { "io.modelcontextprotocol/clientCapabilities": 5 }],
    ["a client without a name", { "io.modelcontextprotocol/clientInfo": {} }],
  ])("an envelope with %s", async (_, meta) => {
    const wire = modern("tools/call", { ...call, _meta: meta });
    const reply = await ours(wire);
    expect(reply.status).toBe(400);
    expect(reply).toEqual(await theirs(wire, false));
  });
});
