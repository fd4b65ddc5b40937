import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser, signIn } from "../support/oauth-browser.js";
import {
  ALEXA,
  basicOf,
  type OauthService,
  REDIRECT,
  startOauthService,
  type Tokens,
} from "../support/oauth-service.js";
import { redisUrl } from "../support/redis.js";

let service: OauthService;
let everybody: string;
let acme: string;
let alexa: string;
beforeAll(async () => {
  service = await startOauthService();
  everybody = `${service.url}/mcp`;
  acme = `${service.url}/t/acme/mcp`;
  alexa = `${service.alexaUrl}/alexa/mcp`;
});
afterAll(() => service.close());

const amazon = basicOf(ALEXA.id, ALEXA.secret);
const status = async (address: string, token: string) =>
  (await service.mcp(address, token, "tools/list")).status;
const get = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe("how clients find their way", () => {
  it("the server's metadata offers S256, three grants, registration, and metadata documents", async () => {
    for (const name of ["oauth-authorization-server", "openid-configuration"]) {
      const { body } = await get(`${service.url}/.well-known/${name}`);
      expect(body).toMatchObject({
        issuer: service.url,
        authorization_endpoint: `${service.url}/oauth/authorize`,
        token_endpoint: `${service.url}/oauth/token`,
        registration_endpoint: `${service.url}/oauth/register`,
        revocation_endpoint: `${service.url}/oauth/revoke`,
        code_challenge_methods_supported: ["S256"],
        response_types_supported: ["code"],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
      });
      expect(body.grant_types_supported).toEqual([
        "authorization_code",
        "refresh_token",
        "client_credentials",
      ]);
    }
  });

  it("is the same under whatever host and scheme it is asked", async () => {
    const headers = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
    const { body } = await get(`${service.alexaUrl}/.well-known/oauth-authorization-server`, headers);
    expect(body).toMatchObject({ issuer: service.url, token_endpoint: `${service.url}/oauth/token` });
  });

  it("each address has its document, and the root of Alexa's host speaks of hers", async () => {
    const resources = [
      [`${service.url}/.well-known/oauth-protected-resource`, everybody],
      [`${service.url}/.well-known/oauth-protected-resource/mcp`, everybody],
      [`${service.url}/.well-known/oauth-protected-resource/t/acme/mcp`, acme],
      [`${service.url}/.well-known/oauth-protected-resource/alexa/mcp`, alexa],
      [`${service.alexaUrl}/.well-known/oauth-protected-resource`, alexa],
      [`${service.alexaUrl}/.well-known/oauth-protected-resource/alexa/mcp`, alexa],
    ] as const;
    for (const [document, resource] of resources) {
      expect(await get(document)).toEqual({
        status: 200,
        body: {
          resource,
          authorization_servers: [service.url],
          scopes_supported: ["mcp:tools", "mcp:resources"],
          bearer_methods_supported: ["header"],
          resource_name: "Boardwalk",
        },
      });
    }
    expect((await get(`${service.url}/.well-known/oauth-protected-resource/admin`)).status).toBe(404);
  });
});

describe("a service", () => {
  const ask = (form: Record<string, string> = {}, basic = amazon) =>
    service.token(
      { grant_type: "client_credentials", resource: alexa, scope: "mcp:service", ...form },
      basic,
    );

  it("gets mcp:service for an hour at most, and nothing to refresh it with", async () => {
    const { status: code, body } = await ask();
    expect(code).toBe(200);
    expect(body).toMatchObject({ token_type: "Bearer", scope: "mcp:service" });
    expect(body.expires_in).toBeLessThanOrEqual(3600);
    expect(body.refresh_token).toBeUndefined();
    const token = body.access_token ?? "";
    expect(await status(alexa, token)).toBe(200);
    expect((await service.mcp(alexa, token, "tools/call", { name: "find_tickets" })).status).toBe(401);
    for (const elsewhere of [everybody, acme]) expect(await status(elsewhere, token)).toBe(401);
  });

  it("gets the same whether it names no scope or more of them", async () => {
    for (const scope of ["mcp:service mcp:tools openid", ""])
      expect((await ask(scope === "" ? { scope } : { scope })).body.scope).toBe("mcp:service");
  });

  it.each([
    ["a wrong secret", {}, basicOf(ALEXA.id, "not-the-secret"), "invalid_client"],
    ["an unknown client", {}, basicOf("nobody", "x"), "invalid_client"],
    ["a resource of somebody else", { resource: "https://evil.example/mcp" }, amazon, "invalid_target"],
    ["a person's address", { resource: "RESOURCE" }, amazon, "invalid_target"],
    ["a person's scope", { scope: "mcp:tools" }, amazon, "invalid_scope"],
  ])("gets nothing with %s", async (_what, form, basic, error) => {
    const real = "resource" in form && form.resource === "RESOURCE" ? { resource: everybody } : form;
    const { body } = await service.token(
      { grant_type: "client_credentials", resource: alexa, scope: "mcp:service", ...(real as object) },
      basic,
    );
    expect(body).toMatchObject({ error });
  });
});

describe("Alexa's customer", () => {
  async function link(redirect: string, code: string): Promise<Tokens> {
    const scope = "openid mcp:tools mcp:resources";
    const wish = service.authorizeUrl({ client: ALEXA.id, redirect, scope, resource: alexa });
    const answer = await signIn(wish.url, code);
    const { body } = await service.token(
      {
        grant_type: "authorization_code",
        code: answer.get("code") ?? "",
        redirect_uri: redirect,
        code_verifier: wish.verifier,
        resource: alexa,
      },
      amazon,
    );
    return body as Tokens;
  }

  it("links at either redirect address, openid or not, and refreshes without naming the resource", async () => {
    for (const redirect of ALEXA.redirects) {
      const first = await link(redirect, await service.pair("acme", "ann"));
      expect(first).toMatchObject({ expires_in: 3600, scope: expect.stringContaining("mcp:tools") });
      expect(await status(alexa, first.access_token)).toBe(200);
      const form = { grant_type: "refresh_token", refresh_token: first.refresh_token ?? "" };
      const second = (await service.token(form, amazon)).body as Tokens;
      expect(second.refresh_token).not.toBe(first.refresh_token);
      const call = await service.mcp(alexa, second.access_token, "tools/call", { name: "describe_board" });
      expect(call).toMatchObject({ status: 200, body: { result: { structuredContent: { boards: [] } } } });
    }
  });

  it.each([
    ["another path", `${ALEXA.redirects[0]}/more`],
    ["a query", `${ALEXA.redirects[0]}?x=1`],
    ["a slash at the end", `${ALEXA.redirects[0]}/`],
    ["another host", "https://layla.amazon.example.evil.example/link/M1"],
    ["a port", "https://layla.amazon.example:8443/link/M1"],
  ])("is sent to no redirect address with %s", async (_what, redirect) => {
    const wish = service.authorizeUrl({ client: ALEXA.id, redirect, resource: alexa });
    const page = await openBrowser().open(wish.url);
    expect(page.leadsTo).toBeUndefined();
    expect(page.status).toBe(400);
  });
});

describe("a client's authorization request", () => {
  it.each([
    ["without PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["with plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
    ["for a token in the address", { response_type: "token" }, "unsupported_response_type"],
    ["for a resource of somebody else", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["for a resource that almost is ours", { resource: "ALMOST" }, "invalid_target"],
  ])("%s is refused", async (_what, over, error) => {
    const client = (await service.register()).body.client_id;
    const real = "resource" in over && over.resource === "ALMOST" ? { resource: `${everybody}/` } : over;
    const { url } = service.authorizeUrl({ client, redirect: REDIRECT, resource: everybody, over: real });
    const page = await openBrowser().open(url);
    const said = page.leadsTo?.searchParams ?? new URLSearchParams(page.leadsTo?.hash.slice(1));
    const [got] = [said.get("error") ?? new URLSearchParams(page.leadsTo?.hash.slice(1)).get("error")];
    expect(got).toBe(error);
  });

  it("may leave out scope and resource, and then means everybody's address", async () => {
    const client = (await service.register()).body.client_id;
    const over = { scope: undefined, resource: undefined };
    const { url, verifier } = service.authorizeUrl({ client, redirect: REDIRECT, over });
    const code = (await signIn(url, await service.pair("acme", "ann"))).get("code") ?? "";
    const form = { grant_type: "authorization_code", code, redirect_uri: REDIRECT, client_id: client };
    const { body } = await service.token({ ...form, code_verifier: verifier });
    expect(body.scope).toBe("mcp:tools mcp:resources");
    expect(await status(everybody, body.access_token ?? "")).toBe(200);
  });

  it("that the person declines is answered with access_denied", async () => {
    const client = (await service.register()).body.client_id;
    const { url } = service.authorizeUrl({ client, redirect: REDIRECT, resource: everybody });
    const browser = openBrowser();
    const page = await browser.submit(await browser.open(url), { answer: "deny" });
    expect(page.leadsTo?.searchParams.get("error")).toBe("access_denied");
    expect(page.leadsTo?.searchParams.get("state")).toBe("s-1");
  });
});

describe("the page that asks", () => {
  it("names the client and where its answer goes, runs no script, and cannot be framed", async () => {
    const name = `<script>alert("1")</script>`;
    const client = (await service.register({ client_name: name })).body.client_id;
    const { url } = service.authorizeUrl({ client, redirect: REDIRECT, resource: everybody });
    const { text, headers } = await openBrowser().open(url);
    expect(text).toContain("&#60;script&#62;alert");
    expect(text).toContain("localhost:9000");
    expect(text).not.toMatch(/<script|\son\w+=|https?:\/\//i);
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none';.*frame-ancestors 'none'/);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("is of no use in another browser than the one that began", async () => {
    const client = (await service.register()).body.client_id;
    const { url } = service.authorizeUrl({ client, redirect: REDIRECT, resource: everybody });
    const page = await openBrowser().open(url);
    expect((await openBrowser().open(page.url)).status).toBe(400);
    const code = await service.pair("acme", "ann");
    expect((await openBrowser().submit(page, { code, answer: "allow" })).status).toBe(400);
    expect((await service.link(code, everybody)).access_token).toBeTypeOf("string");
  });
});

describe("a pairing code", () => {
  const page = async (resource = everybody) => {
    const client = (await service.register()).body.client_id;
    const browser = openBrowser();
    const opened = await browser.open(service.authorizeUrl({ client, redirect: REDIRECT, resource }).url);
    return (code: string) => browser.submit(opened, { code, answer: "allow" });
  };

  it("is short, works once, however it is typed, and is kept nowhere", async () => {
    const code = await service.pair("acme", "bea");
    expect(code).toMatch(/^[2-9A-HJKMNP-Z]{4}-[2-9A-HJKMNP-Z]{4}$/);
    const typed = ` ${code.toLowerCase().replace("-", " ")} `;
    expect((await (await page())(typed)).leadsTo?.searchParams.get("code")).toBeTypeOf("string");
    const again = await (await page())(code);
    expect(again.status).toBe(403);
    expect(again.text).toContain('role="alert"');
  });

  it.each(["", "AAAA-AAAA", "' OR 1=1 --", "../../acme", "x".repeat(3000)])(
    "that is wrong (%j) opens nothing",
    async (code) => {
      const after = await (await page())(code);
      expect(after.leadsTo).toBeUndefined();
      expect(after.status).toBe(403);
    },
  );

  it("of another tenant opens nothing at a tenant's own address, and is not spent by trying", async () => {
    const code = await service.pair("globex", "gil");
    expect((await (await page(acme))(code)).status).toBe(403);
    expect((await (await page())(code)).leadsTo).toBeDefined();
  });
});

/** A session's stream, which would last for as long as the client wants. */
async function openStream(token: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const opened = await fetch(everybody, { method: "POST", headers, body });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  return await fetch(everybody, { headers: { ...headers, ...session, accept: "text/event-stream" } });
}

describe("a token", () => {
  it("is good at the address it was asked for, and at no other", async () => {
    for (const mine of [everybody, acme, alexa]) {
      const { access_token: token } = await service.link(await service.pair("acme", "ann"), mine);
      for (const address of [everybody, acme, alexa, `${service.url}/t/globex/mcp`])
        expect(await status(address, token), `${mine} at ${address}`).toBe(address === mine ? 200 : 401);
    }
  });

  it("in the address, or of another kind, is none", async () => {
    const tokens = await service.link(await service.pair("acme", "ann"), everybody);
    expect(await status(`${everybody}?access_token=${tokens.access_token}`, "")).toBe(401);
    expect(await status(everybody, tokens.refresh_token ?? "")).toBe(401);
  });

  it("lets an app do what was granted and no more, and says what that would have taken", async () => {
    const client = (await service.register()).body.client_id;
    const wish = { client, redirect: REDIRECT, resource: everybody, scope: "mcp:resources" };
    const { url, verifier } = service.authorizeUrl(wish);
    expect((await openBrowser().open(url)).text).toContain("read your team");
    const code = (await signIn(url, await service.pair("acme", "ann"))).get("code") ?? "";
    const form = { grant_type: "authorization_code", code, redirect_uri: REDIRECT, client_id: client };
    const { body } = await service.token({ ...form, code_verifier: verifier });
    expect(body.scope).toBe("mcp:resources");
    const token = body.access_token ?? "";
    expect(await status(everybody, token)).toBe(200);
    const response = await fetch(everybody, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "find_tickets" } }),
    });
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toMatch(
      /^Bearer error="insufficient_scope", resource_metadata="[^"]+", scope="mcp:tools"$/,
    );
    expect(await response.json()).toMatchObject({ id: 7, error: { code: -32000 } });
  });

  it("ends with the member, at once, and so does what would renew it", async () => {
    const tokens = await service.link(await service.pair("acme", "cat"), everybody);
    expect(await status(everybody, tokens.access_token)).toBe(200);
    const pending = await service.pair("acme", "cat");
    const stream = await openStream(tokens.access_token);
    expect(await service.removeMember("acme", "cat")).toBe(204);
    expect(await stream.text()).toBe(": open\n\n");
    expect(await status(everybody, tokens.access_token)).toBe(401);
    const form = {
      grant_type: "refresh_token",
      refresh_token: tokens.refresh_token ?? "",
      client_id: tokens.client,
    };
    expect((await service.token(form)).body).toMatchObject({ error: "invalid_grant" });
    await expect(service.link(pending, everybody)).rejects.toThrow("403");
    expect(await service.removeMember("acme", "cat")).toBe(404);
  });

  it("can be revoked by its client", async () => {
    const tokens = await service.link(await service.pair("acme", "ann"), everybody);
    const body = new URLSearchParams({ token: tokens.refresh_token ?? "", client_id: tokens.client });
    expect((await fetch(`${service.url}/oauth/revoke`, { method: "POST", body })).status).toBe(200);
    expect(await status(everybody, tokens.access_token)).toBe(401);
  });

  it("is renewed by one of two who try at once; the old one, tried later, ends them all", async () => {
    const tokens = await service.link(await service.pair("acme", "ann"), everybody);
    const form = {
      grant_type: "refresh_token",
      refresh_token: tokens.refresh_token ?? "",
      client_id: tokens.client,
    };
    const both = await Promise.all([service.token(form), service.token(form)]);
    const [fresh, ...more] = both.filter((one) => one.status === 200);
    expect(more).toEqual([]);
    const renewed = fresh?.body.access_token ?? "";
    if ((await status(everybody, renewed)) === 200) await service.token(form);
    expect(await status(everybody, renewed)).toBe(401);
  });

  it("comes once for a code, whoever is first, and goes again when the code is tried twice", async () => {
    const client = (await service.register()).body.client_id;
    const { url, verifier } = service.authorizeUrl({ client, redirect: REDIRECT, resource: everybody });
    const code = (await signIn(url, await service.pair("acme", "ann"))).get("code") ?? "";
    const form = {
      grant_type: "authorization_code",
      code,
      redirect_uri: REDIRECT,
      client_id: client,
      code_verifier: verifier,
    };
    const wrong = { ...form, code_verifier: "x".repeat(43) };
    expect((await service.token(wrong)).status).toBe(400);
    const tries = await Promise.all([service.token(form), service.token(form), service.token(form)]);
    expect(tries.filter((one) => one.status === 200).length).toBeLessThanOrEqual(1);
    await service.token(form);
    for (const { body } of tries)
      if (body.access_token !== undefined) expect(await status(everybody, body.access_token)).toBe(401);
  });
});

describe("relinking", () => {
  it("in the same browser asks again who it is, and shows nothing of the earlier account", async () => {
    const browser = openBrowser();
    const first = await service.link(await service.pair("acme", "ann"), everybody, browser);
    const second = await service.link(await service.pair("globex", "gil"), everybody, browser);
    const tenants = await Promise.all(
      [first, second].map(async ({ access_token: token }) => {
        const at = async (tenant: string) =>
          (await service.mcp(`${service.url}/t/${tenant}/mcp`, token, "ping")).status;
        return [await at("acme"), await at("globex"), await status(everybody, token)];
      }),
    );
    // A tenant's own address is another audience: neither token is good there, both are at the common one.
    expect(tenants).toEqual([
      [401, 401, 200],
      [401, 401, 200],
    ]);
    const session = await fetch(everybody, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${first.access_token}` },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
      }),
    });
    const id = session.headers.get("mcp-session-id") ?? "";
    const stolen = await fetch(everybody, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${second.access_token}`,
        "mcp-session-id": id,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(stolen.status).toBe(404);
  });
});

describe("whoever tries too often", () => {
  it("to guess a pairing code is asked to wait", async () => {
    const own = await startOauthService();
    try {
      const client = (await own.register()).body.client_id;
      const browser = openBrowser();
      const page = await browser.open(own.authorizeUrl({ client, redirect: REDIRECT }).url);
      const seen: number[] = [];
      for (let i = 0; i < 40; i++)
        seen.push((await browser.submit(page, { code: `TRY-${i}`, answer: "allow" })).status);
      expect(seen.slice(0, 30).every((code) => code === 403)).toBe(true);
      expect(seen.slice(30).every((code) => code === 429)).toBe(true);
      const right = await browser.submit(page, { code: await own.pair("acme", "ann"), answer: "allow" });
      expect(right.status).toBe(429);
    } finally {
      await own.close();
    }
  });
});

describe("an app that renews its tokens without end", () => {
  it("is told to slow down, keeps what it has, and another person's is not", async () => {
    const own = await startOauthService();
    try {
      const [ann, bob] = [
        await own.link(await own.pair("acme", "ann"), `${own.url}/mcp`),
        await own.link(await own.pair("acme", "bob"), `${own.url}/mcp`),
      ];
      const renew = ({ client }: typeof ann, token: string | undefined) =>
        own.token({ grant_type: "refresh_token", refresh_token: token ?? "", client_id: client });
      let latest = ann.refresh_token;
      for (let i = 0; i < 60; i++) {
        const { status, body } = await renew(ann, latest);
        expect(status).toBe(200);
        latest = body.refresh_token;
      }
      expect(await renew(ann, latest)).toMatchObject({ status: 429, body: { error: "slow_down" } });
      expect((await renew(bob, bob.refresh_token)).status).toBe(200);
      // It was not used up by that: the same refusal again, and not that it was spent.
      expect(await renew(ann, latest)).toMatchObject({ status: 429, body: { error: "slow_down" } });
    } finally {
      await own.close();
    }
  });
});

describe("behind a proxy that speaks https", () => {
  it("links and cookies are https, and callers are told apart by the address that the proxy saw", async () => {
    const own = await startOauthService({ PUBLIC_URL: "https://boardwalk.example" });
    try {
      const { body } = await get(`${own.url}/.well-known/oauth-authorization-server`);
      expect(body).toMatchObject({
        issuer: "https://boardwalk.example",
        token_endpoint: "https://boardwalk.example/oauth/token",
      });
      const client = (await own.register()).body.client_id;
      const asked = own.authorizeUrl({
        client,
        redirect: REDIRECT,
        resource: "https://boardwalk.example/mcp",
      });
      const opened = await fetch(asked.url, { redirect: "manual" });
      const cookies = opened.headers.getSetCookie();
      expect(cookies.length).toBeGreaterThan(0);
      for (const cookie of cookies) expect(cookie).toMatch(/; secure; httponly$|; httponly; secure$/i);
      const page = `${own.url}${opened.headers.get("location")}`;
      const guess = async (from: string) => {
        const headers = { "x-forwarded-for": from, "content-type": "application/x-www-form-urlencoded" };
        return (await fetch(page, { method: "POST", headers, body: "code=X&answer=allow" })).status;
      };
      // Whatever the caller claims to be stands before what the proxy adds.
      const seen: number[] = [];
      for (let i = 0; i < 31; i++) seen.push(await guess(`198.51.100.${i}, 203.0.113.7`));
      expect(seen.at(-1)).toBe(429);
      expect(await guess("203.0.113.8")).not.toBe(429);
    } finally {
      await own.close();
    }
  });
});

describe("two processes on one Redis", () => {
  it("know the same people, clients and tokens, and forget them together", async () => {
    const shared = {
      REDIS_URL: await redisUrl(),
      BOARDWALK_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    };
    const first = await startOauthService(shared, false);
    const second = await startOauthService({ ...shared, PUBLIC_URL: first.url }, false);
    try {
      const tokens = await first.link(await second.pair("acme", "dee"), `${first.url}/mcp`);
      const at = async (one: OauthService) =>
        (await one.mcp(`${one.url}/mcp`, tokens.access_token, "tools/list")).status;
      expect([await at(first), await at(second)]).toEqual([200, 200]);
      const form = {
        grant_type: "refresh_token",
        refresh_token: tokens.refresh_token ?? "",
        client_id: tokens.client,
      };
      const both = await Promise.all([first.token(form), second.token(form)]);
      expect(both.filter((one) => one.status === 200).length).toBeLessThanOrEqual(1);
      const again = await first.link(await first.pair("acme", "dee"), `${first.url}/mcp`);
      expect(await second.removeMember("acme", "dee")).toBe(204);
      for (const one of [first, second])
        expect((await one.mcp(`${one.url}/mcp`, again.access_token, "tools/list")).status).toBe(401);
    } finally {
      await second.close();
      await first.close();
    }
  });
});
