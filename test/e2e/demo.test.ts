import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  boardStatus,
  boardWrites,
  type DemoProcess,
  type DemoTenant,
  pullRequests,
  startDemoProcess,
} from "../support/demo.js";

let demo: DemoProcess;
let acme: DemoTenant;
beforeAll(async () => {
  demo = await startDemoProcess();
  acme = demo.tenant("acme");
});
afterAll(async () => {
  expect(await demo.stop()).toBe(0);
  expect(demo.printed).toHaveLength(1);
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function post(
  path: string,
  body: string | object,
  headers: Record<string, string>,
): Promise<{ status: number; type: string; body: Record<string, unknown> }> {
  const response = await fetch(path.startsWith("http") ? path : `${demo.line.url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const said = await response.text();
  return { status: response.status, type: response.headers.get("content-type") ?? "", body: parse(said) };
}

function parse(said: string): Record<string, unknown> {
  const data = said.startsWith("{")
    ? said
    : (said
        .split("\n")
        .find((row) => row.startsWith("data: "))
        ?.slice(6) ?? "{}");
  return JSON.parse(data) as Record<string, unknown>;
}

const rpc = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});

async function get(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${demo.line.url}${path}`, { headers: bearer(demo.line.admin.token) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe("plain HTTP", () => {
  it("moves a ticket with one request and no session", async () => {
    const reply = await post(acme.mcpUrl, rpc("read_ticket", { ticket: "coupons" }), bearer(acme.token));
    expect(reply.status).toBe(200);
    const result = reply.body.result as { structuredContent: { ticket: { id: string } } };
    const { id } = result.structuredContent.ticket;
    const moves = `/api/v1/tenants/acme/tickets/${id}/moves`;
    const asked = { ...bearer(demo.line.admin.token), "idempotency-key": "a-1" };
    const moved = await post(moves, { to: "In Review" }, asked);
    expect(moved).toMatchObject({ status: 200, body: { outcome: "confirmed", to: { name: "In Review" } } });
    expect(await boardStatus(acme, "ENG-3")).toBe("In Review");
    const writes = (await boardWrites(acme)).length;
    const repeated = await post(moves, { to: "In Review" }, asked);
    expect(repeated.body).toEqual(moved.body);
    expect(await post(moves, { to: "Done" }, asked)).toMatchObject({
      status: 400,
      body: { code: "invalid" },
    });
    expect((await boardWrites(acme)).length).toBe(writes);
    expect((await pullRequests(acme)).filter(({ head }) => head.ref === "fix/ENG-3-coupons")).toHaveLength(1);
    const history = await get(`/api/v1/tenants/acme/tickets/${id}/history`);
    expect((history.body.events as { kind: string }[]).map(({ kind }) => kind)).toEqual([
      "hook",
      "moved",
      "asked",
    ]);
  });

  it("shows health, workflows, tickets, connections and the audit", async () => {
    expect(await get("/healthz")).toMatchObject({ status: 200, body: { ok: true } });
    expect(await get("/readyz")).toMatchObject({ status: 200, body: { ready: true } });
    const { workflows } = (await get("/api/v1/tenants/acme/workflows")).body as {
      workflows: { id: string; edges: string; statuses: object[]; moves: object[] }[];
    };
    expect(workflows[0]).toMatchObject({
      connection: "eng",
      statuses: [
        { name: "To Do" },
        { name: "In Progress" },
        { name: "In Review" },
        { name: "Blocked" },
        { name: "Done" },
      ],
    });
    expect(workflows[0]?.moves.length).toBeGreaterThan(7);
    expect((await get(`/api/v1/tenants/acme/workflows/${workflows[0]?.id}`)).body).toEqual(workflows[0]);
    const todo = await get("/api/v1/tenants/acme/tickets?status=to%20do");
    expect((todo.body.tickets as object[]).length).toBe(4);
    const connections = await get("/api/v1/tenants/acme/connections");
    expect(connections.body).toMatchObject({
      connections: [
        { id: "eng", provider: "jira", health: { state: "ok" }, imported: { tickets: 10 } },
        { id: "mobile", provider: "linear", health: { state: "ok" }, imported: { tickets: 7 } },
      ],
    });
    expect(JSON.stringify(connections.body)).not.toMatch(/token/i);
    const synced = await post(
      "/api/v1/tenants/acme/connections/eng/sync?wait=true",
      {},
      bearer(demo.line.admin.token),
    );
    expect(synced).toMatchObject({ status: 200, body: { workflows: 1, changes: [] } });
    expect((await get("/api/v1/tenants/acme/audit")).body).toMatchObject({
      events: [{ action: "move", outcome: "confirmed", by: { person: "admin" } }],
    });
  });

  it("makes and revokes tenants' tokens", async () => {
    const admin = bearer(demo.line.admin.token);
    expect(await post("/api/v1/tenants", { id: "initech", name: "Initech" }, admin)).toMatchObject({
      status: 201,
    });
    expect(await post("/api/v1/tenants", { id: "initech", name: "Initech" }, admin)).toMatchObject({
      status: 409,
    });
    const made = await post("/api/v1/tenants/initech/tokens", { name: "ann" }, admin);
    const { id, token } = made.body as { id: string; token: string };
    const url = `${demo.line.url}/t/initech/mcp`;
    expect((await post(url, rpc("find_tickets", {}), bearer(token))).body).toMatchObject({
      result: { structuredContent: { total: 0 } },
    });
    const gone = await fetch(`${demo.line.url}/api/v1/tenants/initech/tokens/${id}`, {
      method: "DELETE",
      headers: admin,
    });
    expect(gone.status).toBe(204);
    expect((await post(url, rpc("find_tickets", {}), bearer(token))).status).toBe(401);
  });
});

describe("bad input gets its code and sentence, and nothing changes", () => {
  const cases: [string, () => Promise<{ status: number; body: Record<string, unknown> }>, object][] = [
    [
      "an unknown ticket",
      () => call("list_moves", { ticket: "no such thing anywhere" }),
      { result: { structuredContent: { openMoves: [] } } },
    ],
    [
      "a key that climbs",
      () => call("read_ticket", { ticket: "ENG-1/../../myself?x=" }),
      { result: { structuredContent: {} } },
    ],
    [
      "an argument of the wrong type",
      () => call("find_tickets", { query: 42 }),
      { result: { isError: true } },
    ],
    ["an unknown tool", () => call("drop_everything", {}), { error: { code: -32602 } }],
    ["bad JSON", () => post(acme.mcpUrl, "{nope", bearer(acme.token)), { error: { code: -32700 } }],
    [
      "bad JSON for the API",
      () => post("/api/v1/tenants", "{nope", bearer(demo.line.admin.token)),
      { code: "invalid", status: 400 },
    ],
    [
      "a body of 2 MB",
      () => post(acme.mcpUrl, JSON.stringify({ x: "y".repeat(2_000_000) }), bearer(acme.token)),
      { error: {} },
    ],
    [
      "a body of 2 MB for the API",
      () => post("/api/v1/tenants", { name: "y".repeat(2_000_000) }, bearer(demo.line.admin.token)),
      { status: 413 },
    ],
    [
      "a wrong token",
      () => post(acme.mcpUrl, rpc("find_tickets", {}), bearer("bw_nope")),
      { code: "unauthorized", status: 401 },
    ],
    [
      "a wrong admin token",
      () => post("/api/v1/tenants", { id: "x", name: "x" }, bearer("nope")),
      { code: "unauthorized", status: 401 },
    ],
    [
      "another tenant's token",
      () => post(acme.mcpUrl, rpc("find_tickets", {}), bearer(demo.tenant("globex").token)),
      { code: "forbidden" },
    ],
    [
      "a disallowed origin",
      () =>
        post(acme.mcpUrl, rpc("find_tickets", {}), { ...bearer(acme.token), origin: "https://evil.example" }),
      { status: 403 },
    ],
    ["an unknown address", () => post("/nowhere", {}, {}), { code: "not_found_or_hidden" }],
    [
      "an unknown tenant",
      () => post("/api/v1/tenants/nobody/tokens", { name: "x" }, bearer(demo.line.admin.token)),
      { code: "not_found_or_hidden" },
    ],
  ];

  async function call(name: string, args: object) {
    return await post(acme.mcpUrl, rpc(name, args), bearer(acme.token));
  }

  it.each(cases)("%s", async (_what, ask, expected) => {
    const writes = (await boardWrites(acme)).length;
    const reply = await ask();
    expect(reply.body).toMatchObject(expected);
    expect(JSON.stringify(reply.body)).not.toMatch(/at .*\.ts|node_modules|ECONN/);
    expect((await boardWrites(acme)).length).toBe(writes);
  });

  it("another tenant's token is noted in its own tenant's audit log, once for many tries, and in no other", async () => {
    const { token } = demo.tenant("globex");
    for (let time = 0; time < 3; time++)
      expect((await post(acme.mcpUrl, rpc("find_tickets", {}), bearer(token))).status).toBe(403);
    const strays = async (tenant: string) => {
      const { events } = (await get(`/api/v1/tenants/${tenant}/audit`)).body as {
        events: { action: string }[];
      };
      return events.filter(({ action }) => action === "stray");
    };
    const [noted, ...more] = await strays("globex");
    expect(noted).toMatchObject({
      outcome: "forbidden",
      by: { person: "globex demo" },
      detail: { address: "/t/acme/mcp" },
    });
    // Once a minute, and one minute may end meanwhile.
    expect(more.length).toBeLessThan(2);
    expect(await strays("acme")).toEqual([]);
  });

  it("a board that answers HTML", async () => {
    const [board] = acme.connections;
    const faults = `${board?.boardUrl}/__emulator/faults`;
    await fetch(faults, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ status: 503 }),
    });
    const reply = await call("check_progress", { ticket: "dark mode" });
    expect(reply.status).toBe(200);
    const found = await call("read_ticket", { ticket: "dark mode" });
    const { ticket } = (found.body.result as { structuredContent: { ticket: { id: string } } })
      .structuredContent;
    const moved = await post(
      `/api/v1/tenants/acme/tickets/${ticket.id}/moves`,
      { to: "In Progress" },
      bearer(demo.line.admin.token),
    );
    await fetch(faults, { method: "DELETE" });
    expect([202, 502]).toContain(moved.status);
    expect(String(moved.body.spoken)).not.toMatch(/\bmoved\b|html/i);
  });
});
