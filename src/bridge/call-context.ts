import type { FsmMcpCallContext } from "./types.js";

/** What either SDK hands a handler beside its arguments, as far as it is used. */
interface Extra {
  readonly sessionId?: string;
  readonly authInfo?: unknown;
  /** Version 1. */
  readonly requestInfo?: { readonly headers?: Readonly<Record<string, unknown>> };
  /** Version 2. */
  readonly http?: {
    readonly authInfo?: unknown;
    readonly req?: { readonly headers?: { get(name: string): string | null } };
  };
  readonly mcpReq?: { readonly envelope?: unknown };
}

export function callContextOf(extra: unknown): FsmMcpCallContext | undefined {
  if (typeof extra !== "object" || extra === null) return undefined;
  const request = extra as Extra;
  const sessionId = request.sessionId ?? sessionHeader(request);
  const auth = request.authInfo ?? request.http?.authInfo;
  return {
    ...(sessionId ? { sessionId } : {}),
    ...(auth === undefined ? {} : { authInfo: auth }),
  };
}

/** For servers whose transport keeps no sessions while their clients still send one. 2026-07-28 has none to send. */
function sessionHeader(request: Extra): string | undefined {
  if (isStatelessEra(request)) return undefined;
  const header =
    request.requestInfo?.headers?.["mcp-session-id"] ?? request.http?.req?.headers?.get("mcp-session-id");
  return typeof header === "string" ? header : undefined;
}

/** Requests of the 2026-07-28 protocol carry their own envelope; its lists may not vary by connection. */
export function isStatelessEra(extra: unknown): boolean {
  return (extra as Extra | undefined)?.mcpReq?.envelope !== undefined;
}
