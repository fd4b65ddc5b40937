import { randomBytes } from "node:crypto";
import express, { type Express } from "express";
import type { OAuthSeed } from "./seed.js";

/** Linear's token endpoint with rotation: a refresh token works once. */
export interface OAuthState {
  accessToken: string;
  refreshToken: string;
  /** How many times tokens were rotated. */
  rotations: number;
  expireAccessToken(): void;
  revoke(): void;
}

export function createOAuth(app: Express, seed: OAuthSeed | undefined): OAuthState {
  const fresh = () => `lin_oauth_${randomBytes(16).toString("hex")}`;
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
  // Linear reads forms here; what comes as JSON has no grant in it.
  app.post("/oauth/token", express.urlencoded({ extended: false }), (request, response) => {
    const isForm = request.is("application/x-www-form-urlencoded");
    const body = (isForm ? (request.body ?? {}) : {}) as Record<string, unknown>;
    const client = body.client_id === seed?.clientId && body.client_secret === seed?.clientSecret;
    if (body.grant_type !== "refresh_token") {
      return void response.status(400).json({ error: "unsupported_grant_type" });
    }
    if (seed === undefined || !client) return void response.status(401).json({ error: "invalid_client" });
    if (body.refresh_token !== state.refreshToken) {
      const error_description = "Refresh token is invalid or has been used.";
      return void response.status(400).json({ error: "invalid_grant", error_description });
    }
    state.accessToken = fresh();
    state.refreshToken = fresh();
    state.rotations += 1;
    response.json({
      access_token: state.accessToken,
      refresh_token: state.refreshToken,
      expires_in: 86_399,
      token_type: "Bearer",
      scope: (seed.scopes ?? ["read", "write"]).join(" "),
    });
  });
  return state;
}
