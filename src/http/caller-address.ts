import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Addresses } from "./oauth-resources.js";

/**
 * Whom to count a stranger's tries for. We speak no TLS, so where we are known by https a proxy stands before us, and
 * the last address in its header is the one that it saw itself. Elsewhere that header is the caller's own word.
 */
export function callerAddress(
  { headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
  addresses: Pick<Addresses, "publicUrl">,
): string {
  const proxied = addresses.publicUrl().startsWith("https:");
  const seen = proxied
    ? addressIn(
        String(headers["x-forwarded-for"] ?? "")
          .split(",")
          .at(-1),
      )
    : undefined;
  return householdOf(seen ?? socket.remoteAddress ?? "unknown");
}

/** Some proxies write the port too. What is no address is nobody's: it could be as long, and as new, as a stranger likes. */
function addressIn(word = ""): string | undefined {
  const bare = word.trim().replace(/^\[([^\]]*)\](?::\d+)?$/, "$1");
  const address = bare.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  return isIP(address) === 0 ? undefined : address;
}

/** Of version 6 whoever has one address has all 2^64 that begin alike. */
function householdOf(address: string): string {
  const [plain = ""] = address.split("%");
  if (isIP(plain) !== 6) return plain;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [left = "", right] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split("::");
  const head = left === "" ? [] : left.split(":");
  const tail = right === undefined || right === "" ? [] : right.split(":");
  const groups =
    right === undefined
      ? head
      : [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return `${groups.slice(0, 4).join(":")}::`;
}
