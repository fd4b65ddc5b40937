import type { FsmMcpCallContext } from "./types.js";

/** Whose workflow a call means, and under what key it is kept. */
export interface GateIdentity {
  readonly kind: "handle" | "session" | "process";
  readonly key: string;
  readonly handle?: string;
}

export interface GateIdentityOptions {
  readonly stateHandleKey?: string;
  readonly getPrincipal?: (ctx: FsmMcpCallContext | undefined) => string | undefined;
}

/** Ids that encoding would not change. */
const PLAIN = /^[\w-]*$/;

/**
 * By the handle in the arguments, else by the session, else one for the whole process. The principal is part of the
 * key, so that no handle or session id, guessed or overheard, leads to another's workflow.
 */
export function createIdentify(options: GateIdentityOptions) {
  const processId = randomId();
  const principalOf = options.getPrincipal ?? principalOfAuth;

  function keyOf(ctx: FsmMcpCallContext | undefined, id: string): string {
    const principal = principalOf(ctx);
    const part = PLAIN.test(id) ? id : encodeURIComponent(id);
    return principal === undefined ? part : `${encodeURIComponent(principal)}/${part}`;
  }

  function identify(
    args: Readonly<Record<string, unknown>>,
    ctx: FsmMcpCallContext | undefined,
  ): GateIdentity {
    const handle = options.stateHandleKey === undefined ? undefined : args[options.stateHandleKey];
    if (typeof handle === "string" && handle !== "")
      return { kind: "handle", key: keyOf(ctx, handle), handle };
    if (ctx?.sessionId) return { kind: "session", key: keyOf(ctx, ctx.sessionId) };
    return { kind: "process", key: keyOf(ctx, processId) };
  }

  return { identify, keyOf };
}

const MAX_FOCUSED_SESSIONS = 10_000;

/** Which workflow each session last worked on, for lists, which carry no handle. */
export class Focus {
  readonly #bySession = new Map<string, GateIdentity>();

  get(sessionKey: string): GateIdentity | undefined {
    return this.#bySession.get(sessionKey);
  }

  set(sessionKey: string, identity: GateIdentity): void {
    this.#bySession.delete(sessionKey);
    this.#bySession.set(sessionKey, identity);
    const [oldest] = this.#bySession.keys();
    if (this.#bySession.size > MAX_FOCUSED_SESSIONS && oldest !== undefined) this.#bySession.delete(oldest);
  }
}

/** The token's subject where there is one: a client may serve several people. */
function principalOfAuth(ctx: FsmMcpCallContext | undefined): string | undefined {
  const auth = ctx?.authInfo as { clientId?: unknown; extra?: { sub?: unknown } } | undefined;
  if (typeof auth?.extra?.sub === "string") return `sub:${auth.extra.sub}`;
  return typeof auth?.clientId === "string" ? `client:${auth.clientId}` : undefined;
}

/** 128 random bits in 22 characters. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
