import type { FsmMcpCallContext } from "./types.js";

/** Both SDKs name the session alike; version 2 keeps the caller's authorization under `http`. */
export function callContextOf(extra: unknown): FsmMcpCallContext | undefined {
  if (typeof extra !== "object" || extra === null) return undefined;
  const { sessionId, authInfo, http } = extra as {
    sessionId?: string;
    authInfo?: unknown;
    http?: { authInfo?: unknown };
  };
  const auth = authInfo ?? http?.authInfo;
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(auth === undefined ? {} : { authInfo: auth }),
  };
}

/** Requests of the 2026-07-28 protocol carry their own envelope; its lists may not vary by connection. */
export function isStatelessEra(extra: unknown): boolean {
  const request = (extra as { mcpReq?: { envelope?: unknown } } | undefined)?.mcpReq;
  return request?.envelope !== undefined;
}
