import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import fc from "fast-check";
import { afterAll, beforeAll } from "vitest";
import { refreshOAuth } from "../../src/board/oauth.js";
import type { BoardwalkError } from "../../src/errors.js";
import { createKnocks } from "../../src/http/knocks.js";
import { accountMember } from "../../src/http/members.js";
import { createOauth } from "../../src/http/oauth.js";
import { resourceAt, resourceOf } from "../../src/http/oauth-resources.js";
import { createMemoryStore } from "../../src/store/memory.js";
import { createMemoryOauthRecords } from "../../src/store/oauth-memory.js";
import { fuzz, fuzzed } from "../support/fuzz.js";
import { jsonOf, jsonText, like, text } from "../support/hostile.js";
import { quietKit } from "../support/quiet-kit.js";

/** What is fetched of clients and of boards' token servers, and what clients send to our own OAuth server. */

const DOCUMENT_AT = "https://editor.example/oauth/client.json";
const CLIENT = {
  client_id: DOCUMENT_AT,
  client_name: "Editor",
  client_uri: "https://editor.example",
  logo_uri: "https://editor.example/logo.png",
  redirect_uris: ["http://localhost/callback", "https://editor.example/back", "cursor://app/back"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  jwks: { keys: [] },
  contacts: ["a@editor.example"],
};
const TOKENS = { access_token: "a", refresh_token: "b", token_type: "Bearer", expires_in: 3_600, scope: "x" };
const addresses = { publicUrl: () => url, alexaUrl: () => "https://alexa.example" };

let server: Server;
let url = "https://boardwalk.example";
/** What is answered to whoever fetches something. */
let document = "";
let faults: BoardwalkError[] = [];

beforeAll(async () => {
  const oauth = createOauth({
    store: createMemoryStore(),
    records: createMemoryOauthRecords(),
    addresses,
    keys: [{ id: "k", key: Buffer.alloc(32, 1) }],
    clients: [],
    checkUrl: async () => {},
    knocks: createKnocks({ addresses, take: async () => 0 }),
    now: () => new Date(),
    report: (error) => faults.push(error),
    fetch: async () => new Response(document),
  });
  const app = express();
  app.post("/token", (_request, response) => void response.type("json").send(document));
  oauth.addRoutes(app);
  server = createServer(app);
  // Or it might hang up just when another request is sent.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Whatever is said: an answer, and no fault of ours. */
async function answered(path: string, init: RequestInit = {}): Promise<string> {
  faults = [];
  const response = await fetch(`${url}${path}`, { redirect: "manual", ...init });
  const said = await response.text();
  if (response.status >= 500 || faults.length > 0)
    throw new Error(`${path} is answered with ${response.status}: ${said.slice(0, 500)}`, {
      cause: faults[0]?.cause,
    });
  return said;
}

const post = (path: string, type: string, body: string) =>
  answered(path, { method: "POST", headers: { "content-type": type }, body });
const FORM = "application/x-www-form-urlencoded";
/** Form fields; what is longer than an address or a form may be says no more than that it is too long. */
const formOf = (names: readonly string[]) =>
  fc.dictionary(fc.oneof(fc.constantFrom(...names), text), text, { maxKeys: 8 });
const encoded = (form: Readonly<Record<string, string>>) => String(new URLSearchParams(form));

let documents = 0;
/** A client at an address of its own each time: what was fetched is kept. */
function described(given: string): Promise<string> {
  const id = `${DOCUMENT_AT}?${documents++}`;
  document = given.replaceAll(DOCUMENT_AT, id);
  const asked = {
    client_id: id,
    redirect_uri: "https://editor.example/back",
    response_type: "code",
    scope: "mcp:tools",
  };
  const pkce = {
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  };
  return answered(`/oauth/authorize?${new URLSearchParams({ ...asked, ...pkce })}`);
}

let logins = 0;
async function refreshed(reply: string): Promise<unknown> {
  document = reply;
  const how = {
    board: "Jira",
    tokenUrl: `${url}/token`,
    encoding: "json",
    reconnect: "Please reconnect it.",
  } as const;
  // Of each refresh token only the first outcome counts.
  const refreshToken = `r${logins++}`;
  return await refreshOAuth(how, { accessToken: "old", refreshToken }, refreshToken, {
    ...quietKit,
    connection: refreshToken,
  });
}

const PARAMS = [
  "client_id",
  "redirect_uri",
  "response_type",
  "scope",
  "state",
  "resource",
  "code_challenge",
  "prompt",
  "nonce",
];
const GRANT = [
  "grant_type",
  "code",
  "redirect_uri",
  "client_id",
  "client_secret",
  "code_verifier",
  "refresh_token",
  "scope",
  "resource",
  "token",
];

fuzz("OAuth documents", {
  "a client's metadata": fuzzed(jsonText(like(CLIENT)), described),
  "a client that registers": fuzzed(jsonText(like(CLIENT)), (body) =>
    post("/oauth/register", "application/json", body),
  ),
  "an authorization request": fuzzed(formOf(PARAMS), (form) =>
    answered(`/oauth/authorize?${encoded(form).slice(0, 10_000)}`),
  ),
  "a token request": fuzzed(fc.tuple(fc.constantFrom("token", "revoke"), formOf(GRANT)), ([path, form]) =>
    post(`/oauth/${path}`, FORM, encoded(form)),
  ),
  "a sign-in": fuzzed(fc.tuple(text, formOf(["code", "answer"])), ([uid, form]) =>
    post(`/oauth/sign-in/${encoded({ uid: uid.slice(0, 2_000) }).slice(4)}`, FORM, encoded(form)),
  ),
  "a board's tokens": fuzzed(jsonText(fc.oneof(like(TOKENS), jsonOf(Object.keys(TOKENS)))), refreshed),
  "a resource": fuzzed(
    fc.oneof(
      text,
      text.map((path) => `${addresses.publicUrl()}/t/${path}/mcp`),
    ),
    (asked) => [resourceAt(asked, addresses)?.url, resourceOf(asked, addresses)?.url],
  ),
  "an account": fuzzed(
    fc.oneof(
      text,
      fc.tuple(text, text, text).map((parts) => parts.join("/")),
    ),
    (id) => accountMember(id),
  ),
});
