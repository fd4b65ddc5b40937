import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reportTo } from "../../src/app-trouble.js";
import { createLog } from "../../src/log.js";
import { FROZEN } from "../../src/mcp/catalogue.js";
import type { Surface } from "../../src/mcp/principal.js";
import { actorOf, type McpFixture, startMcp } from "../support/mcp.js";
import { until } from "../support/until.js";

let fixture: McpFixture;
let clock: Date;

beforeEach(async () => {
  clock = new Date("2026-11-01T00:00:00Z");
  fixture = await startMcp({ now: () => clock, sessions: { idleMs: 1000 } });
});

afterEach(() => fixture.close());

interface Asked {
  readonly token?: string;
  readonly surface?: Surface;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** As `curl` would: no session, no handshake, no protocol header unless one is given. */
function ask(body: unknown, { token = "acme:ann", surface, method = "POST", headers = {} }: Asked = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(fixture.url(surface), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: text }),
  });
}

const rpc = (method: string, params: object = {}, id: string | number = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

const ALEXA_INITIALIZE = {
  jsonrpc: "2.0",
  id: "init-1",
  method: "initialize",
  params: {
    protocolVersion: "2025-03-26",
    capabilities: { roots: { listChanged: true } },
    clientInfo: { name: "Alexa+ MCP Client", version: "1.0.0" },
  },
};

async function initialize(asked: Asked = {}): Promise<Record<string, string>> {
  const response = await ask(ALEXA_INITIALIZE, asked);
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

describe("without a session", () => {
  it("serves a single tools/call, as JSON", async () => {
    const response = await ask(
      rpc("tools/call", { name: "read_ticket", arguments: { ticket: "login" } }, "a-1"),
    );
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(await response.json()).toMatchObject({
      jsonrpc: "2.0",
      id: "a-1",
      result: { structuredContent: { ticket: { id: "jira.x.10" } } },
    });
    expect(fixture.tickets.heard.at(-1)?.talk.conversation).toBe("person:ann");
  });

  it("keeps the replies of many at once apart", async () => {
    const ids = Array.from({ length: 40 }, (_, i) => i % 4);
    const replies = await Promise.all(
      ids.map(async (id, i) => {
        const token = i % 2 === 0 ? "acme:ann" : "globex:bob";
        const response = await ask(rpc("tools/call", { name: "find_tickets" }, id), { token });
        return (await response.json()) as { id: number; result: { structuredContent: { total: number } } };
      }),
    );
    expect(replies.map((reply) => reply.id)).toEqual(ids);
    expect(replies.map((reply) => reply.result.structuredContent.total)).toEqual(
      ids.map((_, i) => (i % 2 ? 0 : 2)),
    );
  });

  it("answers a batch with a batch", async () => {
    const response = await ask([
      rpc("ping", {}, 1),
      { jsonrpc: "2.0", method: "notifications/x" },
      rpc("tools/list", {}, 2),
    ]);
    const replies = (await response.json()) as { id: number }[];
    expect(replies.map((reply) => reply.id)).toEqual([1, 2]);
  });

  it("takes notifications with 202 and nothing else", async () => {
    const response = await ask({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(response.status).toBe(202);
    expect(await response.text()).toBe("");
  });

  it("does not mind a client that goes away in the middle", async () => {
    const leaving = new AbortController();
    const { read } = fixture.tickets;
    let answered = 0;
    fixture.tickets.read = async (...args) => {
      leaving.abort();
      await until(() => leaving.signal.aborted);
      answered += 1;
      return read.apply(fixture.tickets, args);
    };
    const body = JSON.stringify(rpc("tools/call", { name: "read_ticket", arguments: { ticket: "login" } }));
    const headers = { authorization: "Bearer acme:ann", "content-type": "application/json" };
    const left = fetch(fixture.url(), { method: "POST", headers, body, signal: leaving.signal });
    await expect(left).rejects.toThrow("abort");
    await until(() => answered === 1);
    expect((await ask(rpc("ping"))).status).toBe(200);
  });

  it("cannot cancel somebody else's request by guessing its id", async () => {
    const { read } = fixture.tickets;
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      fixture.tickets.read = async (...args) => {
        resolve();
        await new Promise<void>((release) => {
          answer = release;
        });
        return read.apply(fixture.tickets, args);
      };
    });
    const call = ask(rpc("tools/call", { name: "read_ticket", arguments: { ticket: "login" } }));
    await asked;
    for (const requestId of [0, 1, 2, 3]) {
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
      expect((await ask(cancel, { token: "globex:bob" })).status).toBe(202);
    }
    answer();
    expect(await (await call).json()).toMatchObject({ id: 1, result: { structuredContent: { ticket: {} } } });
  });
});

describe("what is not a request", () => {
  it("answers bad JSON with a parse error", async () => {
    const response = await ask("{nope");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32700 }, id: null });
  });

  it("refuses a body of two megabytes, declared or not", async () => {
    const body = JSON.stringify(rpc("tools/call", { name: "x".repeat(2 * 1024 * 1024) }));
    expect((await ask(body)).status).toBe(413);
    const undeclared = await new Promise<number>((resolve, reject) => {
      const headers = { authorization: "Bearer acme:ann", "content-type": "application/json" };
      const req = request(fixture.url(), { method: "POST", headers }, (res) => {
        res.resume();
        resolve(res.statusCode ?? 0);
      });
      req.on("error", reject);
      req.write(body.slice(0, 1_000_000));
      req.end(body.slice(1_000_000));
    });
    expect(undeclared).toBe(413);
  });

  it.each([
    ["no JSON-RPC", { hello: "world" }],
    ["a number", 7],
    ["null", null],
    ["a method that is no string", { jsonrpc: "2.0", id: 1, method: 5 }],
    ["an empty batch", []],
  ])("refuses %s", async (_, body) => {
    const response = await ask(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32600 } });
  });

  it.each([
    ["no name", { arguments: {} }],
    ["a name that is no string", { name: 5 }],
    ["arguments that are no object", { name: "read_ticket", arguments: "login" }],
  ])("answers tools/call with %s as wrong parameters", async (_, params) => {
    const response = await ask(rpc("tools/call", params));
    expect(await response.json()).toMatchObject({ error: { code: -32602 }, id: 1 });
  });

  it("refuses another media type", async () => {
    expect((await ask(rpc("ping"), { headers: { "content-type": "text/plain" } })).status).toBe(415);
  });
});

it.each(["tools/list", "resources/list", "resources/templates/list", "prompts/list"])(
  "%s refuses a cursor, as it hands out none",
  async (method) => {
    const response = await ask(rpc(method, { cursor: "x" }));
    expect(await response.json()).toMatchObject({ error: { code: -32602 } });
  },
);

describe("protocol versions", () => {
  it.each(["2025-03-26", "2025-06-18", "2025-11-25"])("serves %s", async (version) => {
    const response = await ask(rpc("tools/list"), { headers: { "mcp-protocol-version": version } });
    expect(response.status).toBe(200);
  });

  it.each(["1999-01-01", "nonsense"])("refuses %s", async (version) => {
    expect((await ask(rpc("tools/list"), { headers: { "mcp-protocol-version": version } })).status).toBe(400);
  });

  it.each(["2025-03-26", "2025-06-18", "2025-11-25"])("agrees to %s in the handshake", async (version) => {
    const hello = { ...ALEXA_INITIALIZE, params: { ...ALEXA_INITIALIZE.params, protocolVersion: version } };
    const reply = (await (await ask(hello)).json()) as { result: { protocolVersion: string } };
    expect(reply.result.protocolVersion).toBe(version);
  });

  it("offers its best to a client that asks for one it does not speak", async () => {
    const hello = {
      ...ALEXA_INITIALIZE,
      params: { ...ALEXA_INITIALIZE.params, protocolVersion: "2024-01-01" },
    };
    expect(await (await ask(hello)).json()).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
  });

  it("names what it speaks to a request of an unknown later revision", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2031-01-01",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const response = await ask(rpc("tools/list", { _meta: meta }), {
      headers: { "mcp-protocol-version": "2031-01-01", "mcp-method": "tools/list" },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: -32022, data: { supported: ["2026-07-28"] } },
    });
  });
});

describe("who may call", () => {
  it.each([
    ["no Origin", undefined, 200],
    ["an allowed Origin", "https://claude.example", 200],
    ["an Origin of the called host", "http://127.0.0.1:9999", 200],
    ["another Origin", "https://evil.example", 403],
    ["the null Origin", "null", 403],
  ])("%s: %s", async (_, origin, status) => {
    const headers = origin === undefined ? {} : { origin };
    expect((await ask(rpc("ping"), { headers })).status).toBe(status);
  });

  it("refuses a Host that is not ours", async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { authorization: "Bearer acme:ann", host: "evil.example" };
      request(fixture.url(), { method: "GET", headers }, (res) => {
        res.resume();
        resolve(res.statusCode ?? 0);
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(403);
  });
});

describe("sessions", () => {
  it("answers Alexa's handshake and lists the frozen core for a service without a tenant", async () => {
    const asked = { token: "-:service", surface: "frozen" as const };
    const response = await ask(ALEXA_INITIALIZE, asked);
    expect(await response.json()).toMatchObject({
      id: "init-1",
      result: { protocolVersion: "2025-03-26", serverInfo: { name: "boardwalk" } },
    });
    const listed = (await (await ask(rpc("tools/list"), asked)).json()) as { result: { tools: unknown[] } };
    expect(listed.result.tools).toEqual(JSON.parse(JSON.stringify(FROZEN.tools)));
    const call = await ask(rpc("tools/call", { name: "find_tickets", arguments: {} }), asked);
    expect(call.status).toBe(401);
    expect(call.headers.get("www-authenticate")).toBeNull();
  });

  it("belong to one person of one tenant", async () => {
    const session = await initialize();
    expect((await ask(rpc("ping"), { headers: session })).status).toBe(200);
    for (const token of ["acme:joe", "globex:ann"]) {
      const response = await ask(rpc("ping"), { token, headers: session });
      expect(response.status).toBe(404);
      expect((await ask(undefined, { token, method: "DELETE", headers: session })).status).toBe(404);
    }
    expect((await ask(rpc("ping"), { surface: "compact", headers: session })).status).toBe(404);
    expect((await ask(rpc("ping"), { headers: session })).status).toBe(200);
  });

  it("are the conversation of what is said in them", async () => {
    const session = await initialize();
    await ask(rpc("tools/call", { name: "find_tickets" }), { headers: session });
    expect(fixture.tickets.heard.at(-1)?.talk).toMatchObject({
      conversation: session["mcp-session-id"],
      speaker: { client: "Alexa+ MCP Client", tool: "find_tickets" },
    });
  });

  it("end with DELETE, and are unknown then", async () => {
    const session = await initialize();
    expect((await ask(undefined, { method: "DELETE", headers: session })).status).toBe(200);
    expect((await ask(rpc("ping"), { headers: session })).status).toBe(404);
    expect((await ask(rpc("ping"), { headers: { "mcp-session-id": "made-up" } })).status).toBe(404);
  });

  it("end when idle", async () => {
    const headers = await initialize();
    expect((await ask(rpc("ping"), { headers })).status).toBe(200);
    clock = new Date(clock.getTime() + 1001);
    expect((await ask(rpc("ping"), { headers })).status).toBe(404);
  });

  it("all end when their tenant is disconnected, and nobody else's", async () => {
    const [mine, theirs] = [await initialize(), await initialize({ token: "globex:bob" })];
    const stream = await ask(undefined, { method: "GET", headers: mine });
    await fixture.mcp.disconnect("acme");
    expect(await stream.text()).toBe(": open\n\n");
    expect((await ask(rpc("ping"), { headers: mine })).status).toBe(404);
    expect((await ask(rpc("ping"), { token: "globex:bob", headers: theirs })).status).toBe(200);
  });

  it("on a frozen surface list no boards, though they can be read", async () => {
    const asked = { surface: "frozen" as const };
    expect(await (await ask(rpc("resources/list"), asked)).json()).toMatchObject({
      result: { resources: [{ name: "ticket-card" }] },
    });
    const read = await ask(rpc("resources/read", { uri: "board://eng/workflows/jira.x.1.2" }), asked);
    expect(await read.json()).toMatchObject({ result: { contents: [{ mimeType: "application/json" }] } });
  });

  it("are no thread on a frozen surface, whose host makes them of its own accord", async () => {
    const session = await initialize({ surface: "frozen" });
    await ask(rpc("tools/call", { name: "find_tickets" }), { surface: "frozen", headers: session });
    expect(fixture.tickets.heard.at(-1)?.talk.conversation).toBe("person:ann");
  });

  it("get no stream without one", async () => {
    expect((await ask(undefined, { method: "GET" })).status).toBe(405);
    expect((await ask(undefined, { method: "PUT" })).status).toBe(405);
  });

  it("hear on their stream what happened before it was open, and what they subscribed to", async () => {
    await fixture.store.tenant("acme").saveActor(actorOf("jira.x.10", "Fix the login page", "1"));
    const session = await initialize();
    fixture.mcp.toolsChanged("acme");
    const subscribed = await ask(rpc("resources/subscribe", { uri: "ticket://eng/jira.x.10" }), {
      headers: session,
    });
    expect(await subscribed.json()).toMatchObject({ result: {} });
    const stream = await ask(undefined, { method: "GET", headers: session });
    let heard = "";
    const sink = new WritableStream({
      write(chunk: Uint8Array) {
        heard += Buffer.from(chunk).toString();
      },
    });
    stream.body?.pipeTo(sink).catch(() => {});
    await until(() => heard.includes("notifications/tools/list_changed"));
    fixture.mcp.resourceUpdated("acme", "ticket://eng/jira.x.11");
    fixture.mcp.resourceUpdated("acme", "ticket://eng/jira.x.10");
    await until(() => heard.includes("jira.x.10"));
    expect(heard).not.toContain("jira.x.11");
    clock = new Date(clock.getTime() + 60_000);
    expect((await ask(rpc("ping"), { headers: session })).status).toBe(200);
  });

  it("refuse a subscription to what is not there", async () => {
    const session = await initialize();
    const response = await ask(rpc("resources/subscribe", { uri: "ticket://eng/none" }), {
      headers: session,
    });
    expect(await response.json()).toMatchObject({
      error: { code: -32002, data: { uri: "ticket://eng/none" } },
    });
  });
});

describe("an unknown resource", () => {
  const uri = "ticket://eng/none";

  it("is -32002 in 2025", async () => {
    expect(await (await ask(rpc("resources/read", { uri }))).json()).toMatchObject({
      error: { code: -32002 },
    });
  });

  it("is -32602 in 2026", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "resources/read", "mcp-name": uri };
    const response = await ask(rpc("resources/read", { uri, _meta: meta }), { headers });
    expect(await response.json()).toMatchObject({ error: { code: -32602, data: { uri } } });
  });

  it.each(["nonsense", "ticket://eng", "ticket://%zz/%zz", "board://eng/workflows/../x"])(
    "%s",
    async (bad) => {
      expect(await (await ask(rpc("resources/read", { uri: bad }))).json()).toMatchObject({
        error: { code: -32002 },
      });
    },
  );
});

it("answers trouble of the store with a sentence, and logs no text", async () => {
  const logged: string[] = [];
  const log = createLog({ write: (line) => void logged.push(line) });
  await fixture.close();
  fixture = await startMcp({ report: (error, trail) => reportTo(log, error, trail) });
  fixture.tickets.workflows = () => Promise.reject(new Error("secret of ticket 7"));
  const response = await ask(rpc("tools/list", {}, "x"));
  expect(await response.json()).toMatchObject({
    id: "x",
    error: { code: -32603, data: { code: "internal" } },
  });
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('"code":"internal"');
  expect(logged[0]).not.toContain("secret");
});
