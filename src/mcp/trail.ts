import type { JSONRPCRequest } from "@modelcontextprotocol/server";
import type { Trail } from "../hooks/hooks.js";

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Clients that trace their calls say so in the request's `_meta`. Where their HTTP has not told of the same trace, theirs
 * is the one that goes on.
 */
export function trailOfClient(
  trail: Trail | undefined,
  request: JSONRPCRequest | undefined,
): Trail | undefined {
  // Without a span of ours nothing is traced here.
  const { parent } = trail ?? {};
  if (parent === undefined) return trail;
  const given = request?.params?._meta?.traceparent;
  const trace = typeof given === "string" ? TRACEPARENT.exec(given)?.[1] : undefined;
  if (typeof given !== "string" || trace === undefined || parent.includes(trace)) return trail;
  return { ...trail, parent: given };
}
