import { createHash, hash, randomBytes, timingSafeEqual } from "node:crypto";

/** Bearer tokens: random, shown once, kept only as a hash. */

const PREFIX = "bw_";
const TOKEN_BYTES = 32;
const ID_BYTES = 9;

export interface NewToken {
  /** Names the token in lists; tells nothing about it. */
  readonly id: string;
  /** The token itself, to be shown this once. */
  readonly token: string;
  /** What to keep. */
  readonly hash: string;
}

/** A token of 256 random bits. */
export function createToken(): NewToken {
  const token = `${PREFIX}${randomBytes(TOKEN_BYTES).toString("base64url")}`;
  return { id: randomBytes(ID_BYTES).toString("base64url"), token, hash: hashToken(token) };
}

/** Made by `createToken`, as its form shows: prefix and length. An OAuth token is shorter. */
export function isOurs(token: string): boolean {
  return token.startsWith(PREFIX) && token.length === PREFIX.length + Math.ceil((TOKEN_BYTES * 8) / 6);
}

/**
 * The handle under which a token is looked up. A plain hash is enough: there is no guessing 256 random bits,
 * and a look-up by hash tells its timing to nobody who does not have the token.
 */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** Compares two secrets in a time that does not depend on where, or whether, they differ. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The token of an `Authorization: Bearer ...` header; `undefined` for any other header, or a malformed one. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization ?? "")?.[1];
}
