import type { Request } from "express";
import type { Budget } from "../board/connector.js";
import type { Addresses } from "./oauth-resources.js";

/** How often strangers may knock: by address that asks, so that a code cannot be guessed; all together, likewise. */

const MINUTE_MS = 60_000;

const LIMITS = {
  signIn: { each: { requests: 30, perMs: 10 * MINUTE_MS }, all: { requests: 600, perMs: 10 * MINUTE_MS } },
  register: {
    each: { requests: 100, perMs: 60 * MINUTE_MS },
    all: { requests: 1_000, perMs: 60 * MINUTE_MS },
  },
  authorize: { each: { requests: 60, perMs: MINUTE_MS }, all: { requests: 1_200, perMs: MINUTE_MS } },
  token: { each: { requests: 120, perMs: MINUTE_MS }, all: { requests: 6_000, perMs: MINUTE_MS } },
} as const;
export type Knock = keyof typeof LIMITS;

export interface KnockDeps {
  readonly addresses: Addresses;
  /** Milliseconds to wait, 0 to go on; counted over all processes. */
  take(budget: Budget): Promise<number>;
}

/** Counts one try. @returns 0, or how many milliseconds to wait because it was tried too often. */
export async function knock(deps: KnockDeps, what: Knock, request: Request): Promise<number> {
  const { each, all } = LIMITS[what];
  const from = callerAddress(request, deps.addresses);
  const waits = await Promise.all([
    deps.take({ key: `oauth/${what}/${from}`, ...each }),
    deps.take({ key: `oauth/${what}`, ...all }),
  ]);
  return Math.max(...waits);
}

/**
 * We speak no TLS, so where we are known by https a proxy stands before us, and the last address in its header is the
 * one that it saw itself. Elsewhere that header is the caller's own word.
 */
function callerAddress(request: Request, addresses: Addresses): string {
  const proxied = addresses.publicUrl().startsWith("https:");
  const seen = proxied
    ? String(request.headers["x-forwarded-for"] ?? "")
        .split(",")
        .at(-1)
        ?.trim()
    : "";
  return seen || request.socket.remoteAddress || "unknown";
}
