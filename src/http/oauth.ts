import type { IncomingMessage } from "node:http";
import express, { type Express, type Request, type Response } from "express";
import type { default as Provider } from "oidc-provider";
import { z } from "zod";
import type { Reach } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import { parseRecord } from "../store/records.js";
import type { Store } from "../store/store.js";
import type { SealingKey } from "../sync/seal.js";
import { type Knocks, type Try, tooOften } from "./knocks.js";
import { accountOf, createMembers, type Members } from "./members.js";
import { guardedFetch } from "./oauth-documents.js";
import { PAGE_HEADERS, renderFailure, renderSignIn } from "./oauth-pages.js";
import { derive, ROUTES, SIGN_IN, type StaticClient, slowDown } from "./oauth-parts.js";
import { hashed, type OauthRecords } from "./oauth-records.js";
import {
  type Addresses,
  resourceAt,
  resourceMetadata,
  resourceOf,
  SERVICE_SCOPE,
  USER_SCOPES,
} from "./oauth-resources.js";
import { createPageSessions, type PageSessions } from "./page-sessions.js";
import { type Report, statusOf } from "./problems.js";
import { trailOf } from "./requests.js";

/** The service's own OAuth server, and the documents by which clients find it. */

export interface OauthDeps {
  readonly addresses: Addresses;
  readonly knocks: Knocks;
  readonly store: Pick<Store, "tenant">;
  readonly records: OauthRecords;
  /** The first seals and signs, all of them open. */
  readonly keys: readonly SealingKey[];
  readonly clients: readonly StaticClient[];
  /** May this address, which a stranger gave, be called? @throws BoardwalkError */
  checkUrl(url: string): Promise<void>;
  /** What such a call goes through; absent where any host may be connected to. */
  readonly reach?: Reach;
  now(): Date;
  readonly report: Report;
  /** Told when somebody was removed, to end what is open for the tenant's clients. */
  removed?(tenantId: string): Promise<void>;
  /** @default Node's own */
  readonly fetch?: typeof fetch;
}

/** What a valid token says of its bearer. */
export interface Bearer {
  /** Absent for a service. */
  readonly person?: { readonly tenant: string; readonly name: string; readonly client: string };
  readonly scopes: readonly string[];
}

export interface Oauth {
  readonly members: Members;
  /** The same codes, for the page. */
  readonly sessions: PageSessions;
  addRoutes(app: Express): void;
  /**
   * The bearer of a token for exactly this resource; nobody for any other token. One round trip to the store.
   * @throws BoardwalkError `unauthorized` for one that was good and has expired, as `isExpired` tells
   */
  bearerOf(token: string, resource: string): Promise<Bearer | undefined>;
}

export function createOauth(deps: OauthDeps): Oauth {
  const [key] = deps.keys;
  if (key === undefined) throw new BoardwalkError("invalid", "Signing in needs an encryption key.");
  const members = createMembers({ ...deps, codeKey: derive(key, "pairing codes") });
  let made: Promise<Provider> | undefined;
  // Made when first asked for: where we listen may only be known then, and commands need no OAuth server.
  const provider = () => {
    made ??= import("./oauth-provider.js").then(({ createProvider }) =>
      createProvider({
        ...deps,
        fetch: guardedFetch(deps),
        findMember: (accountId) => members.find(accountId),
      }),
    );
    return made;
  };
  return {
    members,
    sessions: createPageSessions({ ...deps, members }),
    addRoutes: (app) => addRoutes(app, deps, members, provider),
    bearerOf: (token, resource) => bearerOf(deps, token, resource),
  };
}

/** An access token as the library keeps it, as far as we read it. */
const text = z.string().optional();
const keptToken = z.object({
  aud: z.union([z.string(), z.array(z.string())]).optional(),
  exp: z.number().optional(),
  scope: text,
  extra: z.object({ tenant: text, person: text, client: text }).optional(),
});

async function bearerOf(
  { records, now }: OauthDeps,
  token: string,
  resource: string,
): Promise<Bearer | undefined> {
  const id = hashed(token);
  // Both at once: they share one round trip, and which of the two it is only the store knows.
  const [access, service] = await Promise.all([
    records.get("AccessToken", id),
    records.get("ClientCredentials", id),
  ]);
  const kept = (access ?? service)?.value;
  const found = kept === undefined ? undefined : parseRecord(keptToken, kept, "sign-in", "token");
  if (found?.aud !== resource) return undefined;
  if ((found.exp ?? 0) * 1_000 <= now().getTime()) throw expired();
  const scopes = (found.scope ?? "").split(" ").filter((scope) => scope !== "");
  if (access === undefined) return scopes.includes(SERVICE_SCOPE) ? { scopes } : undefined;
  const { tenant, person, client } = found.extra ?? {};
  if (tenant === undefined || person === undefined) return undefined;
  return { person: { tenant, name: person, client: client ?? "" }, scopes };
}

function expired(): BoardwalkError {
  return new BoardwalkError(
    "unauthorized",
    "This token has expired. Please renew it, or link your account again.",
    {
      data: { expired: true },
    },
  );
}

function addRoutes(app: Express, deps: OauthDeps, members: Members, provider: () => Promise<Provider>): void {
  addMetadata(app, deps);
  const serve = async (request: Request, response: Response) =>
    serveProvider(deps, await provider(), request, response);
  app.get(["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"], serve);
  app.post(ROUTES.registration, limited(deps, "register", forPrograms));
  app.all(ROUTES.authorization, limited(deps, "authorize", forPeople));
  addSignIn(app, deps, members, provider);
  app.all("/oauth/*path", serve);
}

function addMetadata(app: Express, deps: OauthDeps): void {
  const WELL_KNOWN = "/.well-known/oauth-protected-resource";
  const send = (response: Response, path: string) => {
    response.setHeader("access-control-allow-origin", "*");
    const resource = resourceAt(path, deps.addresses);
    if (resource === undefined) return void response.status(404).json({ error: "not_found" });
    response.setHeader("cache-control", "public, max-age=300");
    response.json(resourceMetadata(resource, deps.addresses.publicUrl()));
  };
  // One root speaks of one resource: on Alexa's own host of hers, elsewhere of the address for everybody.
  app.get(WELL_KNOWN, (request, response) => {
    const { host } = new URL(deps.addresses.alexaUrl());
    const alexa = host !== new URL(deps.addresses.publicUrl()).host && request.headers.host === host;
    send(response, alexa ? "/alexa/mcp" : "/mcp");
  });
  app.get(`${WELL_KNOWN}/*path`, (request, response) =>
    send(response, request.path.slice(WELL_KNOWN.length)),
  );
}

function serveProvider(
  { addresses }: OauthDeps,
  provider: Provider,
  request: Request,
  response: Response,
): void {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
  const handle = provider.callback();
  handle(asIssuer(request, addresses), response).catch(() => response.destroy());
}

/**
 * The request as the library is to see it: on the host and scheme that we are known by, whatever its headers say, and
 * without an earlier sign-in, since nobody is remembered.
 */
function asIssuer(request: Request, addresses: Addresses): IncomingMessage {
  const { host, protocol } = new URL(addresses.publicUrl());
  request.url = request.originalUrl;
  request.headers.host = host;
  request.headers["x-forwarded-host"] = host;
  request.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  const { cookie } = request.headers;
  if (cookie !== undefined) {
    request.headers.cookie = cookie
      .split(";")
      .filter((pair) => !/^\s*_session(\.legacy)?(\.sig)?=/.test(pair))
      .join(";");
  }
  return request;
}

type Say = (response: Response, message: string) => void;

const forPeople: Say = (response, message) =>
  void response.set(PAGE_HEADERS).type("html").send(renderFailure(message));
const forPrograms: Say = (response, message) => void response.json(slowDown(message));

/** Turns away who asks too often. @returns middleware */
function limited({ knocks }: Pick<OauthDeps, "knocks">, what: Try, say: Say) {
  return async (request: Request, response: Response, next: () => void): Promise<void> => {
    const waitMs = await knocks.tried(what, request);
    if (waitMs === 0) return next();
    response.setHeader("retry-after", String(Math.ceil(waitMs / 1_000)));
    say(response.status(429), tooOften(waitMs).message);
  };
}

type Interaction = Awaited<ReturnType<Provider["interactionDetails"]>>;

function addSignIn(app: Express, deps: OauthDeps, members: Members, provider: () => Promise<Provider>): void {
  const detailsOf = async (request: Request, response: Response): Promise<Interaction> =>
    (await provider()).interactionDetails(asIssuer(request, deps.addresses), response);
  const path = `${SIGN_IN}/:uid`;
  app.get(path, async (request, response) => {
    response.set(PAGE_HEADERS);
    const details = await detailsOf(request, response);
    response.type("html").send(await signInPage(await provider(), details));
  });
  app.post(path, limited(deps, "signIn", forPeople), FORM, async (request, response) => {
    response.set(PAGE_HEADERS);
    const details = await detailsOf(request, response);
    const { code, answer } = (request.body ?? {}) as { code?: unknown; answer?: unknown };
    const result =
      answer === "allow"
        ? await accept(deps, members, await provider(), details, String(code ?? ""))
        : { error: "access_denied", error_description: "the person did not agree" };
    if (result !== undefined) return await (await provider()).interactionFinished(request, response, result);
    await deps.knocks.wrong("sign_in", request);
    const error = "That code is not right, was used already, or has expired. Please ask for a new one.";
    response
      .status(403)
      .type("html")
      .send(await signInPage(await provider(), details, error));
  });
  app.use(SIGN_IN, (thrown: unknown, request: Request, response: Response, _next: () => void) => {
    const [status, why] = trouble(thrown);
    if (status >= 500) deps.report(BoardwalkError.from(thrown), trailOf(request));
    response.status(status).type("html").send(renderFailure(why));
  });
}

/** What went wrong with a sign-in, as its page says it. */
function trouble(thrown: unknown): readonly [status: number, why: string] {
  if (thrown instanceof Error && thrown.name === "SessionNotFound")
    return [400, "This sign-in has expired, or was begun in another browser."];
  const status = statusOf(thrown) ?? 500;
  if (status >= 500) return [500, "Something went wrong on our side."];
  return [status, "What was sent cannot be read. Please go back and try again."];
}

const FORM = express.urlencoded({ extended: false, limit: "4kb" });

async function signInPage(provider: Provider, details: Interaction, error?: string): Promise<string> {
  const { client_id: id, redirect_uri: to, scope } = details.params as Record<string, string | undefined>;
  const client = id === undefined ? undefined : await provider.Client.find(id);
  return renderSignIn({
    client: client?.clientName ?? id ?? "An app",
    returnsTo: placeOf(to ?? ""),
    mayMove: (scope ?? "").split(" ").includes("mcp:tools"),
    ...(error === undefined ? {} : { error }),
  });
}

/** A web address by its host, an app by its scheme. */
function placeOf(uri: string): string {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url === undefined) return "an unknown place";
  return url.host === "" ? `an app on this device (${url.protocol})` : url.host;
}

/** The grant that her code and her word make; nothing when the code is no good. */
async function accept(
  { addresses }: OauthDeps,
  members: Members,
  provider: Provider,
  { params }: Interaction,
  code: string,
) {
  const urls = [params.resource ?? []].flat().map(String);
  const wanted = urls.map((url) => resourceOf(url, addresses)?.tenant).find((tenant) => tenant !== undefined);
  const who = await members.redeem(code, wanted);
  if (who === undefined) return undefined;
  const accountId = accountOf(who);
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  const asked = String(params.scope ?? "").split(" ");
  const granted = USER_SCOPES.filter((scope) => asked.includes(scope));
  const known: readonly string[] = ["openid", "offline_access", ...granted];
  grant.addOIDCScope(asked.filter((scope) => known.includes(scope)));
  // Said no to, or the library would ask again.
  grant.rejectOIDCScope(asked.filter((scope) => !known.includes(scope)));
  for (const url of urls) grant.addResourceScope(url, granted);
  return { login: { accountId, remember: false }, consent: { grantId: await grant.save() } };
}
