import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createUrlCheck } from "../../src/board/safe-url.js";
import { createOauth } from "../../src/http/oauth.js";
import type { Report } from "../../src/http/problems.js";
import { observeRequests } from "../../src/http/requests.js";
import { createLog } from "../../src/log.js";
import { createMemoryStore } from "../../src/store/memory.js";
import { createMemoryOauthRecords } from "../../src/store/oauth-memory.js";
import { openBrowser, signIn } from "../support/oauth-browser.js";

/** Clients that nobody here has heard of: by registering themselves, or by a document at their id. */

const EDITOR = "https://editor.example/oauth/client.json";
const DOCUMENTS: Readonly<Record<string, object>> = {
  [EDITOR]: {
    client_id: EDITOR,
    client_name: "Editor",
    redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback", "https://editor.example/back"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  "https://liar.example/client.json": { client_id: EDITOR, redirect_uris: ["https://liar.example/back"] },
  "https://plain.example/client.json": {
    client_id: "https://plain.example/client.json",
    redirect_uris: ["http://plain.example/back"],
  },
};
/** What names lead to: no private address is called, however it is reached. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  "editor.example": ["93.184.216.34"],
  "liar.example": ["93.184.216.34"],
  "plain.example": ["93.184.216.34"],
  "inside.example": ["10.0.0.7"],
  "both.example": ["93.184.216.34", "127.0.0.1"],
  "moved.example": ["93.184.216.34"],
};

const fetched: string[] = [];
let server: Server;
let url: string;
let members: ReturnType<typeof createOauth>["members"];
const store = createMemoryStore();
const records = createMemoryOauthRecords();
const reported: Parameters<Report>[] = [];

beforeAll(async () => {
  const oauth = createOauth({
    store,
    records,
    addresses: { publicUrl: () => url, alexaUrl: () => url },
    keys: [{ id: "k", key: Buffer.from("0123456789abcdef0123456789abcdef") }],
    clients: [],
    checkUrl: createUrlCheck({ allowPrivateHosts: false, lookup: async (host) => HOSTS[host] ?? [] }),
    knocks: { tried: async () => 0, wrong: async () => 0, renewed: async () => 0 },
    now: () => new Date(),
    report: (...about) => void reported.push(about),
    fetch: async (input, init) => {
      fetched.push(String(input));
      expect(init?.redirect).toBe("manual");
      if (String(input).includes("moved.example"))
        return new Response(null, { status: 302, headers: { location: "http://127.0.0.1/secret" } });
      const found = DOCUMENTS[String(input)];
      return new Response(JSON.stringify(found ?? {}), { status: found === undefined ? 404 : 200 });
    },
  });
  members = oauth.members;
  const app = express();
  oauth.addRoutes(app);
  server = createServer(observeRequests(app, { log: createLog({ level: "silent" }) }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function authorize(client: string, redirect: string): string {
  const asked = new URL(`${url}/oauth/authorize`);
  const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  const params = { client_id: client, redirect_uri: redirect, response_type: "code", scope: "mcp:tools" };
  for (const [name, value] of Object.entries({
    ...params,
    code_challenge: challenge,
    code_challenge_method: "S256",
  }))
    asked.searchParams.set(name, value);
  return asked.href;
}

describe("a client described by a document at its id", () => {
  it.each([
    ["its own site", "https://editor.example/back"],
    ["this machine, at whatever port is free", "http://localhost:49152/callback"],
    ["this machine by number", "http://127.0.0.1:50000/callback"],
  ])("signs people in and is answered at %s", async (_where, redirect) => {
    const { code } = await members.pair(store.tenant("acme"), "ann");
    const page = await openBrowser().open(authorize(EDITOR, redirect));
    expect(page.text).toContain(new URL(redirect).host);
    expect((await signIn(authorize(EDITOR, redirect), code)).get("code")).toBeTypeOf("string");
  });

  it.each([
    ["another site", "https://evil.example/back"],
    ["another path of this machine", "http://localhost:49152/other"],
    ["another port of its site", "https://editor.example:444/back"],
  ])("is never answered at %s", async (_where, redirect) => {
    const page = await openBrowser().open(authorize(EDITOR, redirect));
    expect(page.leadsTo).toBeUndefined();
    expect(page.status).toBe(400);
  });

  it.each([
    ["names another client", "https://liar.example/client.json", "https://liar.example/back"],
    [
      "would have codes sent over plain http",
      "https://plain.example/client.json",
      "http://plain.example/back",
    ],
    ["is elsewhere", "https://moved.example/client.json", "https://moved.example/back"],
  ])("is refused when the document %s", async (_what, client, redirect) => {
    const page = await openBrowser().open(authorize(client, redirect));
    expect(page.leadsTo).toBeUndefined();
    expect(page.status).toBeGreaterThanOrEqual(400);
  });

  it.each([
    "https://127.0.0.1/client.json",
    "https://[::1]/client.json",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/client.json",
    "https://inside.example/client.json",
    "https://both.example/client.json",
    "https://nowhere.example/client.json",
    "http://editor.example/oauth/client.json",
    "https://user:secret@editor.example/client.json",
    "file:///etc/passwd",
  ])("is not fetched from %s", async (client) => {
    const before = fetched.length;
    const page = await openBrowser().open(authorize(client, "https://evil.example/back"));
    expect(page.leadsTo).toBeUndefined();
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(fetched.length).toBe(before);
  });
});

describe("a client that registers itself", () => {
  const register = async (over: object) => {
    const response = await fetch(`${url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code"],
        ...over,
      }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it.each([
    ["https://claude.ai/api/mcp/auth_callback"],
    ["https://chatgpt.com/connector_platform_oauth_redirect"],
    ["http://localhost:33418/callback"],
    ["cursor://anysphere.cursor-mcp/oauth/callback"],
  ])("may be answered at %s", async (redirect) => {
    expect((await register({ redirect_uris: [redirect] })).status).toBe(201);
  });

  it.each([
    [["http://evil.example/back"]],
    [["https://good.example/back", "http://evil.example/back"]],
    [["javascript:alert(1)"]],
    [["https://good.example/back#fragment"]],
    [["not an address"]],
    [[]],
  ])("may not be answered at %j", async (redirects) => {
    const { status, body } = await register({ redirect_uris: redirects });
    expect(status).toBe(400);
    expect(body.error).toMatch(/^invalid_(redirect_uri|client_metadata)$/);
  });

  it.each(["client_credentials", "implicit", "password"])("may not use the grant %s", async (grant) => {
    const { status } = await register({
      redirect_uris: ["https://good.example/back"],
      grant_types: ["authorization_code", grant],
      token_endpoint_auth_method: "client_secret_basic",
    });
    expect(status).toBe(400);
  });

  it("gets a secret where it wants one, which is kept sealed and works", async () => {
    const { body } = await register({
      redirect_uris: ["https://good.example/back"],
      token_endpoint_auth_method: "client_secret_post",
    });
    expect(body.client_secret).toBeTypeOf("string");
    const ask = async (secret: string) => {
      const form = { grant_type: "authorization_code", code: "x", redirect_uri: "https://good.example/back" };
      const client = { client_id: String(body.client_id), client_secret: secret };
      const request = {
        method: "POST",
        body: new URLSearchParams({ ...form, ...client, code_verifier: "v".repeat(43) }),
      };
      return ((await (await fetch(`${url}/oauth/token`, request)).json()) as { error: string }).error;
    };
    expect(await ask(String(body.client_secret))).toBe("invalid_grant");
    expect(await ask("wrong")).toBe("invalid_client");
  });
});

describe("trouble of the store", () => {
  it("is told of with the request's id, and to the client without a word of its own", async () => {
    const broken = vi.spyOn(records, "get").mockRejectedValue(new TypeError("broken by the test"));
    const form = { grant_type: "refresh_token", refresh_token: "x", client_id: "y" };
    const response = await fetch(`${url}/oauth/token`, {
      method: "POST",
      headers: { "x-request-id": "renewing" },
      body: new URLSearchParams(form),
    });
    broken.mockRestore();
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("broken");
    expect(reported).toMatchObject([[{ code: "internal" }, { request: "renewing" }]]);
  });
});
