import type { IncomingMessage } from "node:http";
import type { Budget } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import { callerAddress } from "./caller-address.js";
import type { Addresses } from "./oauth-resources.js";

/**
 * How often strangers may knock. What could be guessed or costs us something is counted with each try; what is far too
 * long to be guessed (tokens, secrets, signatures) only when it was wrong, so that whoever has the right one is let in
 * from whatever address, and nothing is asked on her way.
 */

const MINUTE_MS = 60_000;

interface Limit {
  readonly requests: number;
  readonly perMs: number;
}

const TRIES = {
  signIn: { each: { requests: 30, perMs: 10 * MINUTE_MS }, all: { requests: 600, perMs: 10 * MINUTE_MS } },
  register: {
    each: { requests: 100, perMs: 60 * MINUTE_MS },
    all: { requests: 1_000, perMs: 60 * MINUTE_MS },
  },
  authorize: { each: { requests: 60, perMs: MINUTE_MS }, all: { requests: 1_200, perMs: MINUTE_MS } },
} as const satisfies Record<string, { readonly each: Limit; readonly all: Limit }>;
export type Try = keyof typeof TRIES;

/** Of one address, at whatever door; and of all addresses at one team's door, one app's or one board's. */
const WRONG = { each: { requests: 60, perMs: MINUTE_MS }, at: { requests: 600, perMs: MINUTE_MS } };

/** How often one person's apps may have new tokens: each leaves a trace of it in the store for months. */
const RENEWALS: Limit = { requests: 60, perMs: MINUTE_MS };

/** Where something was guessed at, as metrics tell it. */
export const DOORS = ["mcp", "admin", "oauth", "sign_in", "webhook"] as const;
export type Door = (typeof DOORS)[number];

export interface Knocks {
  /** Counts one try, right or wrong. @returns 0, or how many milliseconds to wait because it was tried too often */
  tried(what: Try, request: IncomingMessage): Promise<number>;
  /**
   * Counts one that was wrong, by its address, and by what it was guessed `at` where that is one team's, app's or
   * board's own. @returns 0, or how many milliseconds to wait because there were too many
   */
  wrong(door: Door, request: IncomingMessage, at?: string): Promise<number>;
  /** Counts new tokens for the apps of a person. @returns 0, or how many milliseconds to wait */
  renewed(accountId: string): Promise<number>;
}

export interface KnocksDeps {
  readonly addresses: Addresses;
  /** Milliseconds to wait, 0 to go on; counted over all processes. */
  take(budget: Budget): Promise<number>;
  /** Told of each guess, and whether it was told to wait. */
  guessed?(door: Door, result: "refused" | "slowed"): void;
}

export function createKnocks({ addresses, take, guessed }: KnocksDeps): Knocks {
  return {
    async tried(what, request) {
      const { each, all } = TRIES[what];
      const from = callerAddress(request, addresses);
      const waits = await Promise.all([
        take({ key: `oauth/${what}/${from}`, ...each }),
        take({ key: `oauth/${what}`, ...all }),
      ]);
      const waitMs = Math.max(...waits);
      if (what === "signIn" && waitMs > 0) guessed?.("sign_in", "slowed");
      return waitMs;
    },
    async wrong(door, request, at) {
      // Codes that are wrong were counted as tries already.
      const waitMs = door === "sign_in" ? 0 : await counted(door, request, at);
      guessed?.(door, waitMs > 0 ? "slowed" : "refused");
      return waitMs;
    },
    renewed: (accountId) => take({ key: `renewed/${accountId}`, ...RENEWALS }),
  };

  /** One address after another: what an address has left to guess bounds what it can write elsewhere. */
  async function counted(door: Door, request: IncomingMessage, at: string | undefined): Promise<number> {
    const waitMs = await take({ key: `wrong/${callerAddress(request, addresses)}`, ...WRONG.each });
    if (waitMs > 0 || at === undefined) return waitMs;
    return await take({ key: `wrong/${door}/${at}`, ...WRONG.at });
  }
}

/** The refusal of one more guess; it says when to come back. */
export function tooOften(retryAfterMs: number): BoardwalkError {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const message = `That was tried too often. Please wait ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
  return new BoardwalkError("rate_limited", message, { retryAfterMs });
}

/** Whether a token was turned away that had been good before: no guess, and for its bearer to renew. */
export function isExpired({ data }: BoardwalkError): boolean {
  return data?.expired === true;
}
