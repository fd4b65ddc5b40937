import { createPublicKey, createVerify } from "node:crypto";
import type { NextFunction, Request, Response } from "express";
import { notFound, problem } from "./replies.js";

/** What stands before every route of the emulated GitHub: credentials and limits. */

export interface EmulatedApp {
  readonly appId: string;
  readonly installationId: string;
  /** In PEM. */
  readonly publicKey: string;
}

/** Is this GraphQL, where reads and writes share a path? */
export const isGraphql = (request: Request) => request.path.endsWith("/graphql");

export function isWrite(request: Request): boolean {
  if (!isGraphql(request)) return request.method !== "GET" && request.method !== "HEAD";
  return /^\s*mutation\b/.test(queryOf(request));
}

export function operationOf(request: Request): string | undefined {
  return isGraphql(request) ? /\b(?:query|mutation)\s+(\w+)/.exec(queryOf(request))?.[1] : undefined;
}

function queryOf(request: Request): string {
  const body: unknown = request.body;
  return typeof body === "object" && body !== null && "query" in body ? String(body.query) : "";
}

export function authenticate(tokens: ReadonlySet<string>) {
  return (request: Request, response: Response, next: NextFunction) => {
    const header = request.get("authorization");
    if (header === undefined) return problem(response, 401, "Requires authentication");
    const given = /^(?:bearer|token) (.+)$/i.exec(header)?.[1];
    if (given === undefined || !tokens.has(given)) return problem(response, 401, "Bad credentials");
    next();
  };
}

/** Rate-limit headers on every answer, and refusals when a test asks for them. */
export function createLimits() {
  let pending: { kind: "primary" | "secondary"; seconds: number; times: number } | undefined;
  let used = 0;
  const middleware = (request: Request, response: Response, next: NextFunction) => {
    const graphql = isGraphql(request);
    const limit = 5_000;
    used = (used + 1) % limit;
    const hit = pending;
    if (hit !== undefined) pending = hit.times > 1 ? { ...hit, times: hit.times - 1 } : undefined;
    const resetInSeconds = hit?.kind === "primary" ? hit.seconds : 3_600;
    const remaining = hit?.kind === "primary" ? 0 : limit - used;
    response.set({
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-used": String(limit - remaining),
      "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + resetInSeconds),
      "x-ratelimit-resource": graphql ? "graphql" : "core",
    });
    if (hit === undefined) return next();
    if (hit.kind === "secondary") {
      response.set("retry-after", String(hit.seconds));
      return problem(
        response,
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
      );
    }
    // GraphQL says so within a success.
    if (graphql) {
      return void response.json({
        errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded for user ID 1." }],
      });
    }
    problem(response, 403, "API rate limit exceeded for user ID 1.");
  };
  const limit = (
    kind: "primary" | "secondary",
    { seconds = 60, times = 1 }: { readonly seconds?: number; readonly times?: number } = {},
  ) => {
    pending = { kind, seconds, times };
  };
  return { middleware, limit };
}

/** An App proves itself with a short-lived RS256 token and gets an installation's token for an hour. */
export function appTokenRoute(app: EmulatedApp | undefined, tokens: Set<string>) {
  return (request: Request, response: Response) => {
    const jwt = /^bearer (.+)$/i.exec(request.get("authorization") ?? "")?.[1];
    if (app === undefined || jwt === undefined || !isSignedBy(app, jwt)) {
      return problem(response, 401, "A JSON web token could not be decoded");
    }
    if (request.params.id !== app.installationId) return notFound(response);
    const token = `ghs_${tokens.size}${Date.now().toString(36)}`;
    tokens.add(token);
    response.status(201).json({
      token,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      permissions: { contents: "write", pull_requests: "write", metadata: "read", issues: "read" },
      repository_selection: "all",
    });
  };
}

function isSignedBy(app: EmulatedApp, jwt: string): boolean {
  const [header = "", payload = "", signature = ""] = jwt.split(".");
  const verifier = createVerify("RSA-SHA256").update(`${header}.${payload}`);
  if (!verifier.verify(createPublicKey(app.publicKey), Buffer.from(signature, "base64url"))) return false;
  const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  return typeof claims === "object" && claims !== null && "iss" in claims && String(claims.iss) === app.appId;
}
