import { BoardwalkError } from "../errors.js";
import { type LowLevelServerLike, onRequest } from "./low-level.js";
import type { FsmMcpCallContext } from "./types.js";

/** Tells when what a session sees has changed. */
export interface Changes {
  sessionIdOf(ctx?: FsmMcpCallContext): string;
  onTransition(listener: (notice: { readonly sessionId: string }) => void): () => void;
}

interface Subscriptions {
  readonly sources: Map<string, Changes>;
  /** What stops each running subscription. */
  readonly running: Map<string, () => void>;
}

const servers = new WeakMap<LowLevelServerLike, Subscriptions>();

/**
 * Lets the server's client subscribe to these resources: `notifications/resources/updated` after each transition of
 * the session it subscribed in. All of it ends with the connection.
 */
export function serveSubscriptions(
  server: LowLevelServerLike,
  uris: readonly string[],
  changes: Changes,
  toCallContext: (extra: unknown) => FsmMcpCallContext | undefined,
): void {
  const { sources } = servers.get(server) ?? install(server, toCallContext);
  for (const uri of uris) sources.set(uri, changes);
}

function install(
  server: LowLevelServerLike,
  toCallContext: (extra: unknown) => FsmMcpCallContext | undefined,
): Subscriptions {
  const subscriptions: Subscriptions = { sources: new Map(), running: new Map() };
  const { sources, running } = subscriptions;
  servers.set(server, subscriptions);
  const stop = (uri: string) => {
    running.get(uri)?.();
    running.delete(uri);
  };

  server.registerCapabilities({ resources: { subscribe: true } } as never);
  onRequest(server, "resources/subscribe", async ({ params }, extra) => {
    const uri = String(params?.uri);
    const changes = sources.get(uri);
    if (changes === undefined)
      throw Object.assign(new Error(`There is no resource "${uri}".`), { code: -32602 });
    stop(uri);
    const sessionId = sessionOf(changes, toCallContext(extra));
    running.set(
      uri,
      changes.onTransition((notice) => {
        // The client may have gone; the transition is none of its business then.
        if (notice.sessionId === sessionId) server.sendResourceUpdated({ uri }).catch(() => undefined);
      }),
    );
    return {};
  });
  onRequest(server, "resources/unsubscribe", async ({ params }) => {
    stop(String(params?.uri));
    return {};
  });

  const { onclose } = server;
  server.onclose = () => {
    for (const uri of [...running.keys()]) stop(uri);
    onclose?.();
  };
  return subscriptions;
}

/** A server sends a thrown error's text to its client. */
function sessionOf(changes: Changes, ctx: FsmMcpCallContext | undefined): string {
  try {
    return changes.sessionIdOf(ctx);
  } catch (error) {
    throw new Error(BoardwalkError.from(error).message);
  }
}
