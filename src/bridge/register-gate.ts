import { BoardwalkError } from "../errors.js";
import { callContextOf, isStatelessEra } from "./call-context.js";
import { changesList, withNext } from "./gate-replies.js";
import type { StateGate } from "./gate-types.js";
import { type LowLevelServerLike, onRequest } from "./low-level.js";
import { type McpServerLike, registerResources } from "./register.js";
import type { FsmMcpCallContext } from "./types.js";

/** A low-level `Server`, or an `McpServer` around one. */
export type GateServerLike =
  | LowLevelServerLike
  | (Pick<McpServerLike, "registerResource"> & { readonly server: LowLevelServerLike });

export interface RegisterGateOptions {
  /** @default the request's session id and authorization */
  readonly toCallContext?: (extra: unknown) => FsmMcpCallContext | undefined;
  /**
   * `dynamic`: lists follow the state. `static`: they name every tool and when it is open, as the 2026-07-28 protocol
   * demands; the call path holds either way.
   * @default by the protocol of each request
   */
  readonly lists?: "dynamic" | "static";
  /** Told when a client could not be notified; it may have gone. */
  readonly onError?: (error: BoardwalkError) => void;
}

/**
 * Serves the tools of these gates, and nothing else, on a server that is not connected yet. All `tools/list` and
 * `tools/call` of that server go through the gates. After a call that changes what is listed, its client is sent
 * `notifications/tools/list_changed`.
 *
 * @throws BoardwalkError `invalid` when two gates have a tool of the same name.
 */
export function registerStateGate(
  server: GateServerLike,
  gates: AnyGate | readonly AnyGate[],
  options: RegisterGateOptions = {},
): void {
  const all = Array.isArray(gates) ? (gates as readonly AnyGate[]) : [gates as AnyGate];
  requireDistinctTools(all);
  const lowLevel = "server" in server ? server.server : server;
  const toCallContext = options.toCallContext ?? callContextOf;
  const varies = (extra: unknown) =>
    options.lists === undefined ? !isStatelessEra(extra) : options.lists === "dynamic";

  lowLevel.registerCapabilities({ tools: { listChanged: true } } as never);
  onRequest(lowLevel, "tools/list", async (_request, extra) => {
    const ctx = toCallContext(extra);
    const lists = await Promise.all(all.map((gate) => gate.list(ctx, { all: !varies(extra) })));
    return { tools: lists.flat() };
  });
  onRequest(lowLevel, "tools/call", async ({ params = {} }, extra) => {
    const name = String(params.name);
    const gate = all.find((candidate) => candidate.has(name));
    if (gate === undefined) throw invalidParams(`There is no tool "${name}".`);
    const args = (params.arguments ?? {}) as Record<string, unknown>;
    const result = await gate.call(name, args, toCallContext(extra));
    if (!varies(extra)) return withNext(result);
    if (changesList(result)) notify(lowLevel, options);
    return result;
  });
  if (!("registerResource" in server)) return;
  for (const gate of all) registerResources(server, gate, toCallContext);
}

type AnyGate = Pick<StateGate, "id" | "toolNames" | "has" | "list" | "call" | "resources">;

function requireDistinctTools(gates: readonly AnyGate[]): void {
  const owners = new Map<string, AnyGate>();
  for (const gate of gates) {
    for (const name of gate.toolNames()) {
      const other = owners.get(name);
      if (other !== undefined) {
        const [a, b] = [other, gate].map(({ id }) => id ?? "one without an id");
        throw new BoardwalkError(
          "invalid",
          `Two gates on one server, ${a} and ${b}, both have a tool "${name}".`,
        );
      }
      owners.set(name, gate);
    }
  }
}

/** Not awaited: a client that has gone must not fail, or hold up, the call that changed the list. */
function notify(server: LowLevelServerLike, { onError }: RegisterGateOptions): void {
  const failed = (error: unknown) => onError?.(BoardwalkError.from(error));
  try {
    server.sendToolListChanged().catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Becomes the JSON-RPC error "invalid params" in either SDK. */
function invalidParams(message: string): Error {
  return Object.assign(new Error(message), { code: -32602 });
}
