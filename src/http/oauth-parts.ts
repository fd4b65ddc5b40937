import { hkdfSync } from "node:crypto";
import type { SealingKey } from "../sync/seal.js";

/** What the OAuth server and its pages share; without the library, which is loaded when the first client comes. */

/** A client whose makers were given an id and a secret by hand, as Amazon has it. */
export interface StaticClient {
  readonly id: string;
  readonly secret: string;
  /** Matched exactly. */
  readonly redirectUris: readonly string[];
}

export const ROUTES = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  jwks: "/oauth/jwks",
  end_session: "/oauth/end",
} as const;
export const SIGN_IN = "/oauth/sign-in";

/** The refusal of one more try, as programs read it of an OAuth server. */
export function slowDown(message: string): { readonly error: string; readonly error_description: string } {
  return { error: "slow_down", error_description: message };
}

/** 32 bytes for one purpose, the same in every process that has the key. */
export function derive({ key }: SealingKey, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "boardwalk", purpose, 32));
}
