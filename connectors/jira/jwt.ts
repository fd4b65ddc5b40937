import { z } from "zod";
import { verifySignature } from "../../src/board/signature.js";
import { BoardwalkError } from "../../src/errors.js";
import { parseJson, safeParse } from "../../src/parse.js";

const headerShape = z.object({ alg: z.literal("HS256") });
const claimsShape = z.object({ exp: z.number() });

/**
 * The token of an OAuth app's webhook: HS256 with the app's client secret and nothing else, and not expired.
 * @throws BoardwalkError `unauthorized`
 */
export function verifyJwt(token: string, secret: string, now: Date): void {
  const [header = "", claims = "", signature, ...rest] = token.split(".");
  if (rest.length > 0 || !safeParse(headerShape, partOf(header)).success) throw unbelievable();
  verifySignature({
    algorithm: "sha256",
    // Node's base64 reads the URL-safe alphabet too.
    encoding: "base64",
    secret,
    signed: [`${header}.${claims}`],
    signature,
  });
  const parsed = safeParse(claimsShape, partOf(claims));
  if (!parsed.success) throw unbelievable();
  if (parsed.data.exp * 1000 <= now.getTime()) throw expired();
}

function partOf(part: string): unknown {
  return parseJson(Buffer.from(part, "base64url"));
}

function unbelievable(): BoardwalkError {
  return new BoardwalkError("unauthorized", "This delivery's token is not one we can check.");
}

/** Only what was signed with the secret comes as far as this, so it tells nobody else anything. */
function expired(): BoardwalkError {
  return new BoardwalkError(
    "unauthorized",
    "This delivery's token has expired. Please compare the clocks, and how late deliveries come.",
    { data: { expired: true } },
  );
}
