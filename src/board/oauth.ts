import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { parseJson, safeParse } from "../parse.js";
import type { ConnectorKit } from "./connector.js";
import {
  bounded,
  errorFromAnswer,
  errorFromShape,
  errorFromTransport,
  through,
  withTimeout,
} from "./http.js";

/** What connectors share about OAuth: rotating refresh tokens, each spent once and saved before it is used. */

const secret = z.string().min(1).max(8_192);

/** The credentials of an OAuth app's login, for a connector's schema. */
export const oauthFields = {
  accessToken: secret,
  refreshToken: secret.optional(),
  clientId: z.string().min(1).max(256).optional(),
  clientSecret: secret.optional(),
  tokenUrl: z.url().optional(),
};

export interface OAuthCredentials {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly tokenUrl?: string | undefined;
}

export interface OAuthServer {
  /** How the board is called in a sentence. */
  readonly board: string;
  /** Where credentials name no other. */
  readonly tokenUrl: string;
  readonly encoding: "json" | "form";
  /** Said when the login is no longer accepted: what a person does about it. */
  readonly reconnect: string;
}

const tokensShape = z.object({ access_token: secret, refresh_token: secret.optional() });

/**
 * The last refresh of each connection. A refresh token works once: connectors of one connection share the outcome, so
 * that the second to hear a 401 does not spend a token the first has already spent.
 */
const refreshes = new Map<string, { readonly spent: string; readonly result: Promise<unknown> }>();
/** A refused token is not tried again at once by everyone who waits for it: a login that is lost stays lost. */
const REFUSED_FOR_MS = 60_000;

/**
 * New credentials for old, saved through the kit before this resolves.
 * @throws BoardwalkError `auth_expired` when the refresh token is not accepted.
 */
export async function refreshOAuth<C extends OAuthCredentials>(
  server: OAuthServer,
  credentials: C,
  refreshToken: string,
  kit: ConnectorKit,
): Promise<C> {
  const key = `${kit.connection}\n${credentials.tokenUrl ?? server.tokenUrl}`;
  const running = refreshes.get(key);
  if (running?.spent === refreshToken) return running.result as Promise<C>;
  const result = rotateAlone(server, credentials, refreshToken, kit);
  refreshes.set(key, { spent: refreshToken, result });
  result.catch((error: unknown) => {
    const forget = () => {
      if (refreshes.get(key)?.result === result) refreshes.delete(key);
    };
    if (BoardwalkError.from(error).code !== "auth_expired") return forget();
    setTimeout(forget, REFUSED_FOR_MS).unref();
  });
  return result;
}

/** Other processes hold the same token: whoever is first spends it, the rest take what she saved. */
async function rotateAlone<C extends OAuthCredentials>(
  server: OAuthServer,
  credentials: C,
  refreshToken: string,
  kit: ConnectorKit,
): Promise<C> {
  const { shared } = kit;
  if (shared === undefined) return await rotate(server, credentials, refreshToken, kit);
  return await shared.alone(async () => {
    const saved = safeParse(z.looseObject(oauthFields), await shared.credentials());
    const rotated = saved.success && saved.data.refreshToken !== refreshToken;
    if (rotated) return { ...credentials, ...saved.data } as C;
    return await rotate(server, credentials, refreshToken, kit);
  });
}

async function rotate<C extends OAuthCredentials>(
  server: OAuthServer,
  credentials: C,
  refreshToken: string,
  kit: ConnectorKit,
): Promise<C> {
  try {
    const next = await exchange(server, credentials, refreshToken, kit);
    kit.refreshed?.("renewed");
    return next;
  } catch (error) {
    kit.refreshed?.(BoardwalkError.from(error).code === "auth_expired" ? "refused" : "failed");
    throw error;
  }
}

async function exchange<C extends OAuthCredentials>(
  server: OAuthServer,
  credentials: C,
  refreshToken: string,
  kit: ConnectorKit,
): Promise<C> {
  const url = credentials.tokenUrl ?? server.tokenUrl;
  await kit.checkUrl(url);
  const { status, headers, body } = await postToken(server, url, credentials, refreshToken, kit);
  if (status === 400 || status === 401 || status === 403) {
    throw new BoardwalkError("auth_expired", server.reconnect);
  }
  if (status >= 300)
    throw errorFromAnswer(server.board, { status, header: (name) => headers.get(name) ?? undefined });
  const tokens = safeParse(tokensShape, body);
  if (!tokens.success) throw errorFromShape(server.board);
  const next = {
    ...credentials,
    accessToken: tokens.data.access_token,
    refreshToken: tokens.data.refresh_token ?? refreshToken,
  };
  // Saved before use: should we die now, the spent token is not what a restart finds.
  await kit.saveCredentials(next);
  return next;
}

async function postToken(
  { board, encoding }: OAuthServer,
  url: string,
  credentials: OAuthCredentials,
  refreshToken: string,
  kit: ConnectorKit,
) {
  // No caller's signal here: called off half-way, the new token would be lost with the old one spent.
  const never = new AbortController().signal;
  const { clientId, clientSecret } = credentials;
  const form = {
    grant_type: "refresh_token",
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    refresh_token: refreshToken,
  };
  const type = encoding === "json" ? "application/json" : "application/x-www-form-urlencoded";
  try {
    const init: RequestInit = {
      ...through(kit),
      method: "POST",
      redirect: "error",
      headers: { "content-type": type, accept: "application/json" },
      body: encoding === "json" ? JSON.stringify(form) : new URLSearchParams(form).toString(),
      signal: withTimeout(never),
    };
    const response = bounded(await fetch(url, init));
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parseJson(text) };
  } catch (error) {
    throw errorFromTransport(board, error, never);
  }
}
