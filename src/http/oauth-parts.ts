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

/** 32 bytes for one purpose, the same in every process that has the key. */
export function derive({ key }: SealingKey, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "boardwalk", purpose, 32));
}
