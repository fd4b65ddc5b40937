import type { Request, RequestHandler, Response } from "express";
import { keyAsBearer, type LinearFault, rateLimited, unauthenticated } from "./faults.js";
import type { OAuthState } from "./oauth.js";
import type { OAuthSeed } from "./seed.js";
import type { User, Workspace } from "./workspace.js";

/** What stands before the GraphQL endpoint: credentials and limits. */

export interface Login {
  readonly user: User;
  /** A member's own key may all she may; an app only what it was granted. */
  readonly admin: boolean;
}

export function refuse(response: Response, fault: LinearFault, status = 400): void {
  response.status(status).json({ errors: [{ message: fault.message, extensions: fault.extensions }] });
}

/** A personal key comes bare, an app's token as Bearer. */
export function authenticate(
  workspace: Workspace,
  oauth: OAuthState,
  seed: OAuthSeed | undefined,
): RequestHandler {
  return (request, response, next) => {
    const header = request.headers.authorization ?? "";
    const bearer = /^Bearer (.+)$/i.exec(header)?.[1];
    if (bearer?.startsWith("lin_api_")) return refuse(response, keyAsBearer());
    const login =
      bearer === undefined ? keyLogin(workspace, header) : appLogin(workspace, oauth, seed, bearer);
    if (login === undefined) return refuse(response, unauthenticated(), 401);
    response.locals.login = login;
    next();
  };
}

function keyLogin({ users }: Workspace, key: string): Login | undefined {
  const user = users.find(({ apiKey }) => apiKey === key);
  return user && { user, admin: user.admin };
}

function appLogin(
  { users }: Workspace,
  oauth: OAuthState,
  seed: OAuthSeed | undefined,
  token: string,
): Login | undefined {
  if (seed === undefined || token !== oauth.accessToken) return undefined;
  const user = users.find(({ name }) => name === (seed.user ?? users[0]?.name));
  return user && { user, admin: (seed.scopes ?? []).includes("admin") };
}

const ALLOWED_REQUESTS = 5_000;
const ALLOWED_POINTS = 250_000;
const WINDOW_MS = 3_600_000;

export interface Limits {
  readonly middleware: RequestHandler;
  /** Writes down what a request cost, for the headers of its reply. */
  spend(response: Response, points: number): void;
  /** The next `times` requests are over the limit; without a wait, no header tells when that ends. */
  limitRate(limit: { readonly times: number; readonly retryAfterSeconds?: number }): void;
}

export function createLimits(now: () => Date): Limits {
  let pending: { times: number; seconds: number | undefined } | undefined;
  let requests = 0;
  let points = 0;
  const left = (allowed: number, used: number) => String(Math.max(0, Math.floor(allowed - (used % allowed))));

  return {
    middleware(_request: Request, response, next) {
      const hit = pending;
      if (hit !== undefined) pending = hit.times > 1 ? { ...hit, times: hit.times - 1 } : undefined;
      requests += 1;
      const seconds = hit === undefined ? WINDOW_MS / 1000 : hit.seconds;
      response.set({
        "x-ratelimit-requests-limit": String(ALLOWED_REQUESTS),
        "x-ratelimit-requests-remaining": hit === undefined ? left(ALLOWED_REQUESTS, requests) : "0",
        ...(seconds === undefined
          ? {}
          : { "x-ratelimit-requests-reset": String(now().getTime() + seconds * 1000) }),
        "x-ratelimit-complexity-limit": String(ALLOWED_POINTS),
        "x-ratelimit-complexity-remaining": left(ALLOWED_POINTS, points),
        "x-ratelimit-complexity-reset": String(now().getTime() + WINDOW_MS),
      });
      if (hit !== undefined) return refuse(response, rateLimited());
      next();
    },
    spend(response, cost) {
      points += cost;
      response.set({
        "x-complexity": String(cost),
        "x-ratelimit-complexity-remaining": left(ALLOWED_POINTS, points),
      });
    },
    limitRate({ times, retryAfterSeconds }) {
      pending = { times, seconds: retryAfterSeconds };
    },
  };
}
