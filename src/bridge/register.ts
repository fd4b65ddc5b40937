import { BoardwalkError } from "../errors.js";
import { snakeCase } from "../machine/index.js";
import { markParsed } from "./arguments.js";
import { callContextOf } from "./call-context.js";
import type { LowLevelServerLike } from "./low-level.js";
import { serveSubscriptions } from "./subscriptions.js";
import type { FsmMcpBridge, FsmMcpCallContext, McpResourceSpec, McpToolSpec } from "./types.js";

/**
 * What is used of a server: `McpServer` of `@modelcontextprotocol/sdk` 1.x and of `@modelcontextprotocol/server` 2.x
 * both have it. Their generic signatures have no common supertype but this one.
 */
export interface McpServerLike {
  /** As `McpServer.registerTool` of either SDK. */
  registerTool(name: string, config: never, handler: never): unknown;
  /** As `McpServer.registerResource` of either SDK. */
  registerResource(name: string, uri: never, config: never, read: never): unknown;
  /** Needed for subscriptions only. */
  readonly server?: LowLevelServerLike;
}

export interface RegisterOptions {
  /** What `getSessionId` is to see of the SDK's request data. @default its session id and the caller's authorization */
  readonly toCallContext?: (extra: unknown) => FsmMcpCallContext | undefined;
  /**
   * Let clients subscribe to the state resource. For a server that serves one 2025-protocol connection and is not
   * connected yet; the 2026-07-28 handler has subscriptions of its own, fed from `bridge.onTransition`.
   * @default false
   */
  readonly subscriptions?: boolean;
}

interface Registered {
  readonly tools: Map<string, string>;
  readonly uris: Set<string>;
}

const registered = new WeakMap<object, Registered>();

/**
 * Puts a bridge's tools and resources on an MCP server. Several bridges may share one: a state resource whose URI is
 * taken gets the machine's id into its own.
 * @throws BoardwalkError `invalid` when two bridges would offer a tool of the same name; nothing is registered then.
 */
export function registerFsmMcpBridge<C extends object>(
  server: McpServerLike,
  bridge: Omit<FsmMcpBridge<C>, "getSnapshot" | "reset">,
  options: RegisterOptions = {},
): void {
  const taken = takenOn(server);
  const owner = bridge.id ?? "a machine without an id";
  for (const { name } of bridge.tools) {
    const other = taken.tools.get(name);
    if (other === undefined) continue;
    throw new BoardwalkError(
      "invalid",
      `Two machines on one server, ${other} and ${owner}, both have a tool "${name}". Give each an id of its own.`,
    );
  }
  const toCallContext = options.toCallContext ?? callContextOf;
  for (const tool of bridge.tools) {
    taken.tools.set(tool.name, owner);
    registerTool(server, tool, toCallContext);
  }
  const uris = registerResources(server, bridge, toCallContext);
  if (options.subscriptions !== true) return;
  if (server.server === undefined) {
    throw new BoardwalkError(
      "invalid",
      "This server has no low-level server in it, so it cannot have subscriptions.",
    );
  }
  serveSubscriptions(server.server, uris, bridge, toCallContext);
}

/** Under URIs that are free on this server. @returns those URIs. */
export function registerResources(
  server: Pick<McpServerLike, "registerResource">,
  { id, resources }: { readonly id?: string; readonly resources: readonly McpResourceSpec[] },
  toCallContext: (extra: unknown) => FsmMcpCallContext | undefined,
): string[] {
  const { uris } = takenOn(server);
  return resources.map((resource) => {
    const free = placed(resource, id, uris);
    registerResource(server, free, toCallContext);
    return free.uri;
  });
}

function takenOn(server: object): Registered {
  const taken = registered.get(server) ?? { tools: new Map<string, string>(), uris: new Set<string>() };
  registered.set(server, taken);
  return taken;
}

function registerTool(
  server: McpServerLike,
  tool: McpToolSpec,
  toCallContext: (extra: unknown) => FsmMcpCallContext | undefined,
): void {
  const { name, handler, ...config } = tool;
  const call = (args: Record<string, unknown>, extra: unknown) =>
    handler(markParsed(args), toCallContext(extra));
  server.registerTool(name, config as never, call as never);
}

function registerResource(
  server: Pick<McpServerLike, "registerResource">,
  { name, uri, read, ...config }: McpResourceSpec,
  toCallContext: (extra: unknown) => FsmMcpCallContext | undefined,
): void {
  const answer = async (_uri: URL, extra: unknown) => {
    try {
      return await read(toCallContext(extra));
    } catch (error) {
      throw withoutCause(error);
    }
  };
  server.registerResource(name, uri as never, config as never, answer as never);
}

/** A server sends a thrown error's text to its client. */
function withoutCause(error: unknown): Error {
  return new Error(BoardwalkError.from(error).message);
}

/** The resource under a name and URI that are free on this server. */
function placed(resource: McpResourceSpec, id: string | undefined, uris: Set<string>): McpResourceSpec {
  let { uri, name } = resource;
  for (let n = 1; uris.has(uri); n++) {
    const suffix = n === 1 && id !== undefined ? id : `${id ?? "fsm"}-${n}`;
    uri = `${resource.uri}/${encodeURIComponent(suffix)}`;
    name = `${resource.name}_${snakeCase(suffix)}`;
  }
  uris.add(uri);
  if (uri === resource.uri) return resource;
  return {
    ...resource,
    uri,
    name,
    async read(ctx) {
      const { contents } = await resource.read(ctx);
      return { contents: contents.map((content) => ({ ...content, uri })) };
    },
  };
}
