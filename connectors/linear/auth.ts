import { z } from "zod";
import type { ConnectorKit } from "../../src/board/connector.js";
import { type OAuthServer, oauthFields, refreshOAuth } from "../../src/board/oauth.js";

/** The two ways into Linear: a member's personal API key, or an OAuth app's rotating tokens. */

const secret = z.string().min(1).max(8_192);

export const apiKeyCredentials = z.strictObject({
  apiKey: secret,
  /** Of a webhook made by hand, or made by us and saved. */
  webhookSecret: secret.optional(),
});

export const oauthCredentials = z.strictObject({ ...oauthFields, webhookSecret: secret.optional() });

export const linearCredentials = z.union([apiKeyCredentials, oauthCredentials]);
export type LinearCredentials = z.infer<typeof linearCredentials>;

/** What the client library takes: a key goes bare into the Authorization header, a token as Bearer. */
export type LinearLogin = { readonly apiKey: string } | { readonly accessToken: string };

export interface LinearAuth {
  /** As last saved: rotated tokens and a webhook secret of ours included. */
  readonly credentials: LinearCredentials;
  login(): LinearLogin;
  /** After a refusal: gets a new access token, saved before use. False when there is nothing to refresh with. */
  refresh(stale: LinearLogin): Promise<boolean>;
  saveWebhookSecret(webhookSecret: string): Promise<void>;
}

export function createLinearAuth(initial: LinearCredentials, kit: ConnectorKit, apiUrl: string): LinearAuth {
  let credentials = initial;
  const server: OAuthServer = {
    board: "Linear",
    tokenUrl: `${apiUrl}/oauth/token`,
    encoding: "form",
    reconnect:
      "Linear no longer accepts our login. Please reconnect it: sign in to Linear again for this connection.",
  };
  const login = (): LinearLogin =>
    "apiKey" in credentials ? { apiKey: credentials.apiKey } : { accessToken: credentials.accessToken };
  return {
    get credentials() {
      return credentials;
    },
    login,
    async refresh(stale) {
      if ("apiKey" in credentials || credentials.refreshToken === undefined) return false;
      // Someone refreshed while this request was on its way.
      if (!("accessToken" in stale) || credentials.accessToken !== stale.accessToken) return true;
      credentials = await refreshOAuth(server, credentials, credentials.refreshToken, kit);
      return true;
    },
    async saveWebhookSecret(webhookSecret) {
      const next = { ...credentials, webhookSecret };
      await kit.saveCredentials(next);
      credentials = next;
    },
  };
}
