import { createHash, randomBytes } from "node:crypto";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { type Browser, openBrowser, signIn } from "./oauth-browser.js";
import { freePort } from "./redis.js";

/** The service with two tenants, and the ways of an OAuth client with it. */

export const ALEXA = {
  id: "alexa-client",
  secret: "a-secret-of-the-alexa-client",
  redirects: ["https://layla.amazon.example/link/M1", "https://pitangui.amazon.example/link/M1"],
} as const;
export const REDIRECT = "http://localhost:9000/callback";

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in: number;
  readonly scope?: string;
  readonly id_token?: string;
}

export interface Wish {
  readonly client: string;
  readonly redirect: string;
  readonly scope?: string;
  readonly resource?: string;
  /** Over what would be sent otherwise; `undefined` leaves it out. */
  readonly over?: Readonly<Record<string, string | undefined>>;
}

export interface OauthService {
  readonly app: App;
  /** Where everybody reaches it. */
  readonly url: string;
  /** Where Alexa does: the same server by another host name. */
  readonly alexaUrl: string;
  pair(tenant: string, name: string): Promise<string>;
  removeMember(tenant: string, name: string): Promise<number>;
  register(over?: object): Promise<Answer<{ readonly client_id: string; readonly client_secret?: string }>>;
  /** The address a client sends a browser to, and what it keeps to itself. */
  authorizeUrl(wish: Wish): { readonly url: string; readonly verifier: string };
  token(form: Readonly<Record<string, string>>, basic?: string): Promise<Answer<Partial<Tokens>>>;
  /** Sign-in and exchange, by a client without a secret. */
  link(code: string, resource: string, browser?: Browser): Promise<Tokens & { readonly client: string }>;
  /** Asks the MCP endpoint there. */
  mcp(address: string, token: string, method: string, params?: object): Promise<Answer>;
  close(): Promise<void>;
}

export const basicOf = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;

export async function startOauthService(
  env: Readonly<Record<string, string>> = {},
  inMemory = true,
): Promise<OauthService> {
  const port = await freePort();
  const [url, alexaUrl] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  const admin = randomBytes(24).toString("base64url");
  const config = parseConfig({
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: url,
    ALEXA_PUBLIC_URL: alexaUrl,
    ALEXA_CLIENT_ID: ALEXA.id,
    ALEXA_CLIENT_SECRET: ALEXA.secret,
    ALEXA_REDIRECT_URIS: ALEXA.redirects.join(","),
    BOARDWALK_ADMIN_TOKEN: admin,
    BOARDWALK_ENCRYPTION_KEYS: `t1:${randomBytes(32).toString("base64")}`,
    LOG_LEVEL: "silent",
    ...env,
  });
  const app = await createApp(config, { inMemory });
  for (const id of ["acme", "globex"])
    await app.store.createTenant({ id, name: id, createdAt: new Date().toISOString() }).catch(() => {});
  return oauthServiceOf(app, { url, alexaUrl, admin });
}

/** The same ways with a service that runs already. */
export function oauthServiceOf(
  app: App,
  {
    url,
    alexaUrl = url,
    admin,
  }: { readonly url: string; readonly alexaUrl?: string; readonly admin: string },
): OauthService {
  async function json<T>(path: string, init: RequestInit): Promise<Answer<T>> {
    const response = await fetch(path.startsWith("http") ? path : `${url}${path}`, init);
    const text = await response.text();
    return { status: response.status, body: (text === "" ? {} : parse(text)) as T };
  }
  const asAdmin = { authorization: `Bearer ${admin}`, "content-type": "application/json" };

  const service: OauthService = {
    app,
    url,
    alexaUrl,
    async pair(tenant, name) {
      const path = `/api/v1/tenants/${tenant}/members`;
      const made = await json<{ code: string }>(path, {
        method: "POST",
        headers: asAdmin,
        body: JSON.stringify({ name }),
      });
      if (made.status !== 201) throw new Error(`No pairing code: ${made.status}.`);
      return made.body.code;
    },
    async removeMember(tenant, name) {
      const path = `/api/v1/tenants/${tenant}/members/${encodeURIComponent(name)}`;
      return (await json(path, { method: "DELETE", headers: asAdmin })).status;
    },
    register: (over = {}) =>
      json("/oauth/register", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          client_name: "An editor",
          redirect_uris: [REDIRECT],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: "none",
          ...over,
        }),
      }),
    authorizeUrl({ client, redirect, scope = "mcp:tools mcp:resources", resource, over = {} }) {
      const verifier = randomBytes(32).toString("base64url");
      const asked = new URL(`${url}/oauth/authorize`);
      const params = {
        client_id: client,
        response_type: "code",
        redirect_uri: redirect,
        scope,
        resource,
        state: "s-1",
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        ...over,
      };
      for (const [name, value] of Object.entries(params))
        if (value !== undefined) asked.searchParams.set(name, value);
      return { url: asked.href, verifier };
    },
    token: (form, basic) =>
      json("/oauth/token", {
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          ...(basic === undefined ? {} : { authorization: basic }),
        },
        body: new URLSearchParams(form).toString(),
      }),
    async link(code, resource, browser = openBrowser()) {
      const client = (await service.register()).body.client_id;
      const { url: to, verifier } = service.authorizeUrl({ client, redirect: REDIRECT, resource });
      const answer = await signIn(to, code, browser);
      const { status, body } = await service.token({
        grant_type: "authorization_code",
        code: answer.get("code") ?? "",
        redirect_uri: REDIRECT,
        client_id: client,
        code_verifier: verifier,
        resource,
      });
      if (status !== 200) throw new Error(`No token: ${JSON.stringify(body)}.`);
      return { ...(body as Tokens), client };
    },
    mcp: (address, token, method, params = {}) =>
      json(address, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }),
    close: () => app.close(),
  };
  return service;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
