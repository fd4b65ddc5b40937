import { z } from "zod";
import type { ConnectorKit } from "../../src/board/connector.js";
import { errorFromAnswer, errorFromShape, errorFromTransport, withTimeout } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";

/** The two ways into Jira Cloud: an account's API token, or an OAuth app's rotating tokens. */

const ATLASSIAN_TOKEN_URL = "https://auth.atlassian.com/oauth/token";
const secret = z.string().min(1).max(8_192);

export const apiTokenCredentials = z.strictObject({
  email: z.string().min(1).max(320),
  apiToken: secret,
  /** Of a webhook made by hand, or made by us and saved. */
  webhookSecret: secret.optional(),
});

export const oauthCredentials = z.strictObject({
  accessToken: secret,
  refreshToken: secret.optional(),
  clientId: z.string().min(1).max(256).optional(),
  clientSecret: secret.optional(),
  tokenUrl: z.url().optional(),
  webhookSecret: secret.optional(),
});

export const jiraCredentials = z.union([apiTokenCredentials, oauthCredentials]);
export type JiraCredentials = z.infer<typeof jiraCredentials>;
type OAuthCredentials = z.infer<typeof oauthCredentials>;

export interface JiraAuth {
  /** As last saved: rotated tokens and a webhook secret of ours included. */
  readonly credentials: JiraCredentials;
  /** The Authorization header now. */
  header(): string;
  /** After a 401: gets a new access token, saved before use. Answers false when there is nothing to refresh with. */
  refresh(staleHeader: string): Promise<boolean>;
  save(credentials: JiraCredentials): Promise<void>;
}

const tokensShape = z.object({ access_token: secret, refresh_token: secret.optional() });

/**
 * The last refresh of each connection. A refresh token works once: connectors of one connection share the outcome, so
 * that the second to hear a 401 does not spend a token the first has already spent.
 */
const refreshes = new Map<string, { readonly spent: string; readonly result: Promise<OAuthCredentials> }>();

export function createJiraAuth(initial: JiraCredentials, kit: ConnectorKit): JiraAuth {
  let credentials = initial;
  const header = () =>
    "apiToken" in credentials
      ? `Basic ${Buffer.from(`${credentials.email}:${credentials.apiToken}`).toString("base64")}`
      : `Bearer ${credentials.accessToken}`;
  return {
    get credentials() {
      return credentials;
    },
    header,
    async refresh(staleHeader) {
      if ("apiToken" in credentials || credentials.refreshToken === undefined) return false;
      // Someone refreshed while this request was on its way.
      if (header() !== staleHeader) return true;
      credentials = await refreshOnce(credentials, credentials.refreshToken, kit);
      return true;
    },
    async save(next) {
      await kit.saveCredentials(next);
      credentials = next;
    },
  };
}

async function refreshOnce(
  credentials: OAuthCredentials,
  refreshToken: string,
  kit: ConnectorKit,
): Promise<OAuthCredentials> {
  const key = `${kit.connection}\n${credentials.tokenUrl ?? ""}`;
  const running = refreshes.get(key);
  if (running?.spent === refreshToken) return running.result;
  // No caller's signal here: called off half-way, the new token would be lost with the old one spent.
  const result = rotate(credentials, refreshToken, kit, new AbortController().signal);
  refreshes.set(key, { spent: refreshToken, result });
  result.catch(() => {
    if (refreshes.get(key)?.result === result) refreshes.delete(key);
  });
  return result;
}

async function rotate(
  credentials: OAuthCredentials,
  refreshToken: string,
  kit: ConnectorKit,
  signal: AbortSignal,
): Promise<OAuthCredentials> {
  const url = credentials.tokenUrl ?? ATLASSIAN_TOKEN_URL;
  await kit.checkUrl(url);
  const { status, headers, body } = await postToken(url, credentials, refreshToken, signal);
  if (status === 400 || status === 401 || status === 403) {
    throw new BoardwalkError(
      "auth_expired",
      "Jira no longer accepts our login. Please reconnect it: sign in to Atlassian again for this connection.",
    );
  }
  if (status >= 300)
    throw errorFromAnswer("Jira", { status, header: (name) => headers.get(name) ?? undefined });
  const tokens = tokensShape.safeParse(body);
  if (!tokens.success) throw errorFromShape("Jira");
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
  url: string,
  credentials: OAuthCredentials,
  refreshToken: string,
  signal: AbortSignal,
) {
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "error",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({
        grant_type: "refresh_token",
        client_id: credentials.clientId,
        client_secret: credentials.clientSecret,
        refresh_token: refreshToken,
      }),
      signal: withTimeout(signal),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parseJson(text) };
  } catch (error) {
    throw errorFromTransport("Jira", error, signal);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
