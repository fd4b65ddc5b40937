import type { IncomingMessage } from "node:http";
import type { Rejection } from "./body.js";

export interface GuardOptions {
  /** Host names under which this server may be called, beside this machine's own; `*` for any. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may call, as `https://host[:port]`; pages of the host that is called always may. */
  readonly allowedOrigins: readonly string[];
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const FORBIDDEN = { status: 403, code: -32000 };

/**
 * Turns away what a browser was tricked into sending: a Host that is not ours (DNS rebinding) and an Origin that we
 * do not know. Clients that are no browsers send no Origin and pass.
 */
export function createGuard(options: GuardOptions): (req: IncomingMessage) => Rejection | undefined {
  const hosts = new Set([...LOOPBACK, ...options.allowedHosts].map((host) => host.toLowerCase()));
  const origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
  const anyHost = hosts.has("*");
  return (req) => {
    const { host, origin } = req.headers;
    if (!anyHost && !(host !== undefined && (hosts.has(nameOf(host)) || hosts.has(host.toLowerCase())))) {
      return { ...FORBIDDEN, message: "This server is not called by that host name." };
    }
    if (origin === undefined || origins.has(origin.toLowerCase())) return undefined;
    if (host !== undefined && hostOf(origin) === nameOf(host)) return undefined;
    return { ...FORBIDDEN, message: "Pages of that origin may not call this server." };
  };
}

/** A Host header without its port. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "");
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).hostname;
  } catch {
    return undefined;
  }
}
