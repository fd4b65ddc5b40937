import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/http/openapi.js";
import { type OauthService, startOauthService } from "../support/oauth-service.js";

/** Signing in at the page by a pairing code: what it opens, and what it does not. */

let service: OauthService;
beforeAll(async () => {
  service = await startOauthService();
});
afterAll(async () => {
  await service?.app.close();
});

interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: {
    readonly token?: string;
    readonly code?: string;
    readonly detail?: string;
    readonly tenants?: readonly { readonly id: string }[];
    readonly [key: string]: unknown;
  };
}

async function ask(
  method: string,
  path: string,
  { token, body }: { readonly token?: string; readonly body?: object } = {},
): Promise<Reply> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed = text === "" ? {} : (JSON.parse(text) as Reply["body"]);
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body: parsed };
}

const signIn = (code: string) => ask("POST", "/session", { body: { code } });

async function sessionOf(tenant: string, name: string): Promise<string> {
  const { status, body } = await signIn(await service.pair(tenant, name));
  expect(status).toBe(201);
  return body.token ?? "";
}

describe("a pairing code", () => {
  it("opens the page once, for its own team, in its own name", async () => {
    const code = await service.pair("acme", "Ann");
    const { status, body } = await signIn(` ${code.toLowerCase()} `);
    expect(status).toBe(201);
    expect(body).toMatchObject({ tenant: "acme", person: "Ann" });
    const token = body.token ?? "";
    expect((await ask("GET", "/session", { token })).body).toEqual({
      role: "member",
      tenant: "acme",
      person: "Ann",
    });
    expect((await ask("GET", "/tenants", { token })).body.tenants?.map(({ id }) => id)).toEqual(["acme"]);
    const again = await signIn(code);
    expect(again.status).toBe(401);
    expect(again.body.detail).toMatch(/used already/);
  });

  it("leaves a line in her team's audit log", async () => {
    await sessionOf("acme", "Bea");
    const { items } = await service.app.store.tenant("acme").auditPage({ limit: 1 });
    expect(items[0]).toMatchObject({ action: "sign-in", by: { person: "Bea", client: "page" } });
  });

  it("cannot be guessed for long", async () => {
    const own = await startOauthService();
    const before = service;
    service = own;
    try {
      let last = await signIn("AAAA-AAAA");
      for (let tries = 0; last.status === 401 && tries < 40; tries++) last = await signIn("AAAA-AAAA");
      expect(last.status).toBe(429);
      expect(Number(last.retryAfter)).toBeGreaterThan(0);
      expect((await signIn(await own.pair("acme", "Ann"))).status).toBe(429);
    } finally {
      service = before;
      await own.app.close();
    }
  });
});

describe("a session of the page", () => {
  it("sees nothing of another team", async () => {
    const token = await sessionOf("acme", "Ann");
    for (const part of ["tickets", "workflows", "connections", "boards", "tools", "owed", "live"])
      expect((await ask("GET", `/tenants/globex/${part}`, { token })).status, part).toBe(404);
  });

  it("does what a person does, and administers nothing", async () => {
    const token = await sessionOf("acme", "Ann");
    const hers: string[] = [];
    for (const [name, { open }] of Object.entries(OPERATIONS)) {
      const [method = "", path = ""] = name.split(" ");
      if (open || path.endsWith("/live") || name === "delete /session") continue;
      const named = path
        .replace("{tenant}", "acme")
        .replace("{connection}", "eng")
        .replace(/\{\w+\}/g, "x");
      const { status } = await ask(method.toUpperCase(), named, {
        token,
        ...(method === "post" ? { body: {} } : {}),
      });
      if (status !== 403) hers.push(name.replace("/tenants/{tenant}", ""));
    }
    expect(hers).toEqual([
      "get /session",
      "get /tenants",
      "get /connections",
      "get /connections/{connection}",
      "get /workflows",
      "get /workflows/{id}",
      "get /workflows/{id}/changes",
      "get /tickets",
      "get /tickets/{id}",
      "get /tickets/{id}/history",
      "post /tickets/{id}/moves",
      "post /say",
      "get /boards",
      "get /tools",
      "get /owed",
    ]);
  });

  it("may retry what one ticket owes, not everything", async () => {
    const token = await sessionOf("acme", "Ann");
    expect((await ask("POST", "/tenants/acme/replay", { token, body: {} })).status).toBe(403);
    expect((await ask("POST", "/tenants/acme/replay", { token, body: { ticket: "x" } })).status).toBe(404);
  });

  it("ends when she signs out, and when she is removed", async () => {
    const [first, second] = [await sessionOf("acme", "Cleo"), await sessionOf("acme", "Cleo")];
    expect((await ask("DELETE", "/session", { token: first })).status).toBe(204);
    expect((await ask("GET", "/tenants", { token: first })).status).toBe(401);
    expect((await ask("GET", "/tenants", { token: second })).status).toBe(200);
    expect(await service.removeMember("acme", "Cleo")).toBe(204);
    expect((await ask("GET", "/tenants", { token: second })).status).toBe(401);
    await service.pair("acme", "Cleo");
    expect((await ask("GET", "/tenants", { token: second })).status).toBe(401);
  });
});
