import { randomBytes } from "node:crypto";
import type { Express } from "express";
import type { OAuthSeed } from "./seed.js";

/** Atlassian's token endpoint with rotation: a refresh token works once. */
export interface OAuthState {
  accessToken: string;
  refreshToken: string;
  /** How many times tokens were rotated. */
  rotations: number;
  expireAccessToken(): void;
  revoke(): void;
}

export function createOAuth(app: Express, seed: OAuthSeed | undefined): OAuthState {
  const fresh = () => randomBytes(16).toString("hex");
  const state: OAuthState = {
    accessToken: seed?.accessToken ?? fresh(),
    refreshToken: seed?.refreshToken ?? fresh(),
    rotations: 0,
    expireAccessToken() {
      state.accessToken = fresh();
    },
    revoke() {
      state.accessToken = fresh();
      state.refreshToken = fresh();
    },
  };
  app.post("/oauth/token", (request, response) => {
    const body = (request.body ?? {}) as Record<string, unknown>;
    const client = body.client_id === seed?.clientId && body.client_secret === seed?.clientSecret;
    if (seed === undefined || !client) {
      return void response.status(401).json({ error: "invalid_client", error_description: "Unauthorized" });
    }
    if (body.grant_type !== "refresh_token" || body.refresh_token !== state.refreshToken) {
      const error_description = "Unknown or invalid refresh token.";
      return void response.status(403).json({ error: "invalid_grant", error_description });
    }
    state.accessToken = fresh();
    state.refreshToken = fresh();
    state.rotations += 1;
    response.json({
      access_token: state.accessToken,
      refresh_token: state.refreshToken,
      expires_in: 3600,
      token_type: "Bearer",
      scope: "read:jira-work write:jira-work manage:jira-webhook offline_access",
    });
  });
  return state;
}
