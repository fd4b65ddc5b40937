import type { RequestHandler } from "express";

/** Trello's two windows of ten seconds: one for the app's key, whoever uses it, and one for each token. */

export interface RateLimits {
  /** Counts every request from now on, as the real board does. */
  enforce(limits?: { readonly perKey?: number; readonly perToken?: number }): void;
  /** The next `times` requests are refused. */
  refuseNext(times: number, which?: "key" | "token"): void;
}

const WINDOW_MS = 10_000;

export function createRateLimits(now: () => Date): RateLimits & { readonly handler: RequestHandler } {
  let limits: { readonly key: number; readonly token: number } | undefined;
  let forced = { left: 0, which: "token" as "key" | "token" };
  let window = { start: 0, count: 0 };

  /** One key and one token use this board, so that one count serves both. */
  function exceeded(): "key" | "token" | undefined {
    if (forced.left > 0) {
      forced = { ...forced, left: forced.left - 1 };
      return forced.which;
    }
    if (limits === undefined) return undefined;
    const at = now().getTime();
    if (at - window.start >= WINDOW_MS) window = { start: at, count: 0 };
    window.count += 1;
    if (window.count > limits.token) return "token";
    return window.count > limits.key ? "key" : undefined;
  }

  return {
    enforce({ perKey = 300, perToken = 100 } = {}) {
      limits = { key: perKey, token: perToken };
    },
    refuseNext(times, which = "token") {
      forced = { left: times, which };
    },
    handler(_request, response, next) {
      const which = exceeded();
      if (which === undefined) return next();
      const error = which === "key" ? "API_KEY_LIMIT_EXCEEDED" : "API_TOKEN_LIMIT_EXCEEDED";
      // No `Retry-After`: Trello names no wait.
      response.status(429).json({ error, message: "Rate limit exceeded" });
    },
  };
}
