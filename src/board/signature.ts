import { createHmac, timingSafeEqual } from "node:crypto";
import { BoardwalkError } from "../errors.js";

export interface SignatureSpec {
  readonly algorithm: "sha256" | "sha1";
  readonly encoding: "hex" | "base64";
  readonly secret: string;
  /** What was signed: the raw body, for some boards followed by more. */
  readonly signed: readonly (Uint8Array | string)[];
  /** As received, without any `sha256=` before it. */
  readonly signature: string | undefined;
}

/**
 * The one place where a webhook's signature is checked. Fails closed: a missing, short, wrong or unverifiable
 * signature is refused, and so is every delivery when no secret is known.
 * @throws BoardwalkError `unauthorized`
 */
export function verifySignature(spec: SignatureSpec): void {
  if (spec.secret === "" || spec.signature === undefined) throw unsigned();
  const hmac = createHmac(spec.algorithm, spec.secret);
  for (const part of spec.signed) hmac.update(part);
  const expected = hmac.digest();
  const received = Buffer.from(spec.signature, spec.encoding);
  // The length first: timingSafeEqual throws on unequal lengths, and a length is no secret.
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) throw unsigned();
}

/** A signature as a board would send it; for emulators and tests. */
export function sign(spec: Omit<SignatureSpec, "signature">): string {
  const hmac = createHmac(spec.algorithm, spec.secret);
  for (const part of spec.signed) hmac.update(part);
  return hmac.digest(spec.encoding);
}

function unsigned(): BoardwalkError {
  return new BoardwalkError(
    "unauthorized",
    "This delivery is not signed with the secret we know, so it was not believed.",
  );
}
