import { z } from "zod";
import type { ConnectorKit } from "../../src/board/connector.js";
import { type OAuthServer, oauthFields, refreshOAuth } from "../../src/board/oauth.js";

/** The two ways into Jira Cloud: an account's API token, or an OAuth app's rotating tokens. */

const secret = z.string().min(1).max(8_192);
/** Of a webhook made by hand, or made by us and saved. */
const webhookSecret = secret.optional();

export const jiraCredentials = z.union([
  z.strictObject({ email: z.string().min(1).max(320), apiToken: secret, webhookSecret }),
  z.strictObject({ ...oauthFields, webhookSecret }),
]);
export type JiraCredentials = z.infer<typeof jiraCredentials>;

const ATLASSIAN: OAuthServer = {
  board: "Jira",
  tokenUrl: "https://auth.atlassian.com/oauth/token",
  encoding: "json",
  reconnect:
    "Jira no longer accepts our login. Please reconnect it: sign in to Atlassian again for this connection.",
};

export interface JiraAuth {
  /** As last saved: rotated tokens and a webhook secret of ours included. */
  readonly credentials: JiraCredentials;
  /** The Authorization header now. */
  header(): string;
  /** After a 401: gets a new access token, saved before use. Answers false when there is nothing to refresh with. */
  refresh(staleHeader: string): Promise<boolean>;
  save(credentials: JiraCredentials): Promise<void>;
}

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
      credentials = await refreshOAuth(ATLASSIAN, credentials, credentials.refreshToken, kit);
      return true;
    },
    async save(next) {
      await kit.saveCredentials(next);
      credentials = next;
    },
  };
}
