import { createECDH } from "node:crypto";
import Provider, {
  type ClientMetadata,
  type Configuration,
  errors,
  type Grant,
  interactionPolicy,
  type KoaContextWithOIDC,
} from "oidc-provider";
import { BoardwalkError } from "../errors.js";
import { createSealer, type SealingKey } from "../sync/seal.js";
import { type Knocks, tooOften } from "./knocks.js";
import { accountMember, type Member } from "./members.js";
import { createAdapter } from "./oauth-adapter.js";
import { renderFailure } from "./oauth-pages.js";
import { derive, ROUTES, SIGN_IN, type StaticClient, slowDown } from "./oauth-parts.js";
import type { OauthRecords } from "./oauth-records.js";
import { type Addresses, resourceOf, SERVICE_SCOPE, USER_SCOPES } from "./oauth-resources.js";
import type { Report } from "./problems.js";
import { trailOf } from "./requests.js";

/** OAuth 2.1 by `oidc-provider`: what we switch on, what we forbid, and whom we let sign in. */

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

export interface ProviderOptions {
  readonly addresses: Addresses;
  readonly records: OauthRecords;
  /** Cookies and ID tokens are signed with keys made of these. */
  readonly keys: readonly SealingKey[];
  readonly clients: readonly StaticClient[];
  readonly knocks: Pick<Knocks, "wrong" | "renewed">;
  /** Fetches a client's metadata document. @throws for an address that may not be called. */
  readonly fetch: typeof fetch;
  findMember(accountId: string): Promise<Member | undefined>;
  readonly report: Report;
}

export function createProvider(options: ProviderOptions): Provider {
  const provider = new Provider(options.addresses.publicUrl(), configurationOf(options));
  // Its own idea of host and scheme is told to it with each request; see `oauth.ts`.
  provider.proxy = true;
  provider.use((ctx, next) => slowGuesses(options.knocks, ctx as KoaContextWithOIDC, next));
  provider.on("server_error", (ctx, error) => options.report(BoardwalkError.from(error), trailOf(ctx.req)));
  return provider;
}

/** Answers to a secret, a code or a refresh token that was wrong. What cannot be read is no guess. */
const GUESSES: ReadonlySet<unknown> = new Set(["invalid_client", "invalid_grant"]);

/** Only the answers to wrong ones are counted, so that the right one is taken whoever else guesses. */
async function slowGuesses(
  knocks: Pick<Knocks, "wrong">,
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  await next();
  if (ctx.path !== ROUTES.token && ctx.path !== ROUTES.revocation) return;
  if (!GUESSES.has((ctx.body as { readonly error?: unknown } | undefined)?.error)) return;
  // Known only where there is such a client: what else was named is a stranger's word.
  const waitMs = await knocks.wrong("oauth", ctx.req, ctx.oidc?.client?.clientId);
  if (waitMs > 0) tellToWait(ctx, waitMs);
}

/** Each renewal leaves a used token in the store for as long as it would have been good. */
async function refuseTooMany(
  knocks: Pick<Knocks, "renewed">,
  ctx: KoaContextWithOIDC,
  accountId: string,
): Promise<void> {
  const waitMs = await knocks.renewed(accountId);
  if (waitMs === 0) return;
  const { error, error_description } = slowDown(tooOften(waitMs).message);
  ctx.set("retry-after", String(Math.ceil(waitMs / 1_000)));
  throw Object.assign(new errors.CustomOIDCProviderError(error, error_description), { statusCode: 429 });
}

function tellToWait(ctx: KoaContextWithOIDC, waitMs: number): void {
  ctx.status = 429;
  ctx.set("retry-after", String(Math.ceil(waitMs / 1_000)));
  ctx.body = slowDown(tooOften(waitMs).message);
}

function configurationOf(options: ProviderOptions): Configuration {
  return {
    adapter: createAdapter(
      options.records,
      createSealer(options.keys),
      (why) => new errors.InvalidGrant(why),
    ),
    clients: options.clients.map(staticMetadata),
    routes: { ...ROUTES },
    scopes: ["openid", "offline_access", ...USER_SCOPES, SERVICE_SCOPE],
    responseTypes: ["code"],
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "none"],
    pkce: { required: () => true },
    features: featuresOf(options),
    interactions: { url: (_ctx, { uid }) => `${SIGN_IN}/${uid}`, policy: alwaysAsk() },
    findAccount: async (ctx, accountId, token) => {
      if (token?.kind === "RefreshToken") await refuseTooMany(options.knocks, ctx, accountId);
      const member = await options.findMember(accountId);
      return member === undefined ? undefined : { accountId, claims: () => ({ sub: accountId }) };
    },
    loadExistingGrant,
    extraTokenClaims: (ctx, token) => ("accountId" in token ? claimsOf(ctx, token.accountId) : {}),
    extraClientMetadata: { properties: ["boardwalk"], validator: safeClients(options.clients) },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    clientBasedCORS: () => true,
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    jwks: { keys: options.keys.map(signingKey) },
    cookies: {
      keys: options.keys.map((key) => derive(key, "cookies").toString("base64url")),
      long: { httpOnly: true, sameSite: "lax", signed: true },
      short: { httpOnly: true, sameSite: "lax", signed: true },
    },
    ttl: {
      AccessToken: HOUR_S,
      ClientCredentials: HOUR_S,
      AuthorizationCode: 60,
      IdToken: HOUR_S,
      Interaction: 15 * 60,
      Session: 15 * 60,
      RefreshToken: 90 * DAY_S,
      Grant: 400 * DAY_S,
    },
    formats: { bitsOfOpaqueRandomness: 256 },
    fetch: options.fetch,
    renderError: (ctx, out) => {
      ctx.type = "html";
      ctx.body = renderFailure(out.error_description ?? "This request cannot be carried out.");
    },
  };
}

function featuresOf({ addresses }: ProviderOptions): NonNullable<Configuration["features"]> {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    introspection: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? `${addresses.publicUrl()}/mcp`,
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, url) => ({
        audience: url,
        accessTokenFormat: "opaque",
        accessTokenTTL: HOUR_S,
        scope: scopeAt(ctx, url, addresses),
      }),
    },
  };
}

/** What may be asked for at this address, and what is meant when nothing was asked for. */
function scopeAt(ctx: KoaContextWithOIDC, url: string, addresses: Addresses): string {
  const resource = resourceOf(url, addresses);
  if (resource === undefined) throw new errors.InvalidTarget("that resource is not one of this server's");
  const params = ctx.oidc.params ?? {};
  const service = params.grant_type === "client_credentials";
  const scope = service ? SERVICE_SCOPE : USER_SCOPES.join(" ");
  if (service && resource.surface !== "frozen") {
    throw new errors.InvalidTarget("a service may only use the address of Alexa");
  }
  const asked = typeof params.scope === "string" ? params.scope.split(" ") : [];
  if (asked.length === 0 && params.grant_type !== "refresh_token") params.scope = scope;
  if (service && asked.length > 0 && !asked.includes(SERVICE_SCOPE)) {
    throw new errors.InvalidScope("a service may only have this scope", SERVICE_SCOPE);
  }
  return scope;
}

/** Nobody is remembered: each time someone says who she is, and agrees. So a second link never takes the first one's account. */
function alwaysAsk(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  policy
    .get("login")
    ?.checks.add(
      new Check("always", "End-User authentication is required", (ctx) =>
        ctx.oidc.result?.login === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}

/** Only what has been agreed to in this very sign-in. */
async function loadExistingGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const grantId = ctx.oidc.result?.consent?.grantId;
  return grantId === undefined ? undefined : await ctx.oidc.provider.Grant.find(grantId);
}

/** Whose token it is, kept in the token: a call then needs no second look-up. */
function claimsOf(ctx: KoaContextWithOIDC, accountId: string): Record<string, string> {
  const member = accountMember(accountId);
  if (member === undefined) return {};
  const { client } = ctx.oidc;
  return {
    tenant: member.tenant,
    person: member.name,
    client: client?.clientName ?? client?.clientId ?? "",
  };
}

/**
 * Codes are sent over https, to this machine itself, or to an app of its own; never over plain http to another host.
 * And only who was given a secret by hand is a service.
 */
function safeClients(known: readonly StaticClient[]) {
  return (_ctx: unknown, _key: string, _value: unknown, metadata: ClientMetadata): void => {
    // Asked before the library has looked at anything: what is no list is its to refuse.
    const uris = listOf(metadata.redirect_uris);
    // The library then takes http for this machine alone, there on any port, as RFC 8252 has it.
    if (uris.some((uri) => typeof uri === "string" && !uri.startsWith("https:")))
      metadata.application_type = "native";
    const service = listOf(metadata.grant_types).includes("client_credentials");
    if (service && !known.some(({ id }) => id === metadata.client_id)) {
      throw new errors.InvalidClientMetadata("grant_types may not hold client_credentials");
    }
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function staticMetadata({ id, secret, redirectUris }: StaticClient): ClientMetadata {
  return {
    client_id: id,
    client_secret: secret,
    client_name: "Alexa",
    redirect_uris: [...redirectUris],
    response_types: redirectUris.length === 0 ? [] : ["code"],
    grant_types: [
      ...(redirectUris.length === 0 ? [] : ["authorization_code", "refresh_token"]),
      "client_credentials",
    ],
    token_endpoint_auth_method: "client_secret_basic",
  };
}

/** A P-256 key for ID tokens, the same in every process, so that none has to be kept. */
function signingKey(key: SealingKey) {
  const pair = createECDH("prime256v1");
  const d = derive(key, "id tokens");
  pair.setPrivateKey(d);
  const point = pair.getPublicKey();
  const text = (bytes: Buffer) => bytes.toString("base64url");
  return {
    kty: "EC",
    crv: "P-256",
    alg: "ES256",
    use: "sig",
    kid: text(derive(key, "id of the key for id tokens")).slice(0, 16),
    x: text(point.subarray(1, 33)),
    y: text(point.subarray(33)),
    d: text(d),
  } as const;
}
