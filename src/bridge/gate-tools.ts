import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import type { FsmLogic } from "./logic.js";
import type { FsmMcpCallContext, McpToolAnnotations, McpToolResult } from "./types.js";

/** What a gated tool's handler is told besides its arguments. */
export interface GateCallContext extends FsmMcpCallContext {
  /** Where the workflow is while the handler runs. */
  readonly state?: string;
  /** The workflow's handle, where the call carried one. */
  readonly handle?: string;
}

/** A tool as its author writes it, knowing nothing of gates. */
export interface GateTool<S extends z.ZodObject = z.ZodObject> {
  /** Dots and spaces become `_`. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** Shown instead of `description` while the workflow is in its initial state. */
  readonly compactDescription?: string;
  readonly inputSchema?: S;
  readonly outputSchema?: z.ZodObject;
  readonly annotations?: McpToolAnnotations;
  /** An error result, like a throw, leaves the workflow where it is. It must not call its own workflow's gate: that call waits for it. */
  handler(args: z.output<S>, ctx: GateCallContext): Promise<McpToolResult> | McpToolResult;
}

export interface BoundTool extends GateTool {
  readonly binding: {
    readonly states: readonly string[];
    /** The event a successful call fires. */
    readonly transition?: string;
  };
}

/** The tool is offered in these states only, and a successful call of it fires `transition`. */
export function bindState<S extends z.ZodObject>(
  tool: GateTool<S>,
  states: string | readonly string[],
  transition?: string,
): BoundTool {
  const list = typeof states === "string" ? [states] : [...states];
  const binding = { states: list, ...(transition === undefined ? {} : { transition }) };
  return { ...(tool as unknown as GateTool), binding };
}

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: McpToolAnnotations;
}

/** A tool checked against its machine, its listings made once. */
export interface PreparedTool {
  readonly name: string;
  readonly tool: GateTool;
  readonly schema: z.ZodObject;
  readonly states: readonly string[] | undefined;
  readonly event: string | undefined;
  /** For lists that follow the state. */
  readonly full: ListedTool;
  readonly compact: ListedTool;
  /** For lists that do not: it says itself when it is available. */
  readonly always: ListedTool;
}

export interface HandleArgument {
  readonly key: string;
  readonly description: string;
}

type Checkable = Pick<FsmLogic, "states" | "events">;

/** @throws BoardwalkError `invalid` naming the misspelt state or event. */
export function prepareTool(
  tool: GateTool | BoundTool,
  logic: Checkable,
  handle: HandleArgument | undefined,
): PreparedTool {
  const binding = "binding" in tool ? tool.binding : undefined;
  if (binding !== undefined) checkBinding(tool.name, binding, logic);
  const name = tool.name.replace(/[^a-zA-Z0-9_-]+/g, "_");
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw new BoardwalkError("invalid", `The tool name "${tool.name}" must have 1 to 64 characters.`);
  }
  const schema = tool.inputSchema ?? z.object({});
  const full: ListedTool = {
    name,
    ...(tool.title === undefined ? {} : { title: tool.title }),
    description: tool.description,
    inputSchema: inputJson(schema, handle),
    ...(tool.outputSchema === undefined ? {} : { outputSchema: toJson(tool.outputSchema, "output") }),
    ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
  };
  const when = binding === undefined ? "" : ` Available in: ${binding.states.join(", ")}.`;
  return {
    name,
    tool,
    schema,
    states: binding?.states,
    event: binding?.transition,
    full,
    compact: { ...full, description: tool.compactDescription ?? tool.description },
    always: { ...full, description: `${tool.description}${when}` },
  };
}

function checkBinding(name: string, binding: BoundTool["binding"], logic: Checkable): void {
  const { states, transition } = binding;
  if (states.length === 0) throw new BoardwalkError("invalid", `Tool "${name}" is bound to no state.`);
  for (const state of states) {
    if (!logic.states.includes(state)) {
      throw new BoardwalkError(
        "invalid",
        `Tool "${name}" is bound to "${state}", which is not a state. The states are: ${logic.states.join(", ")}.`,
      );
    }
  }
  if (transition === undefined) return;
  const event = logic.events.find(({ type }) => type === transition);
  if (event === undefined) {
    const known = logic.events.map(({ type }) => type).join(", ");
    throw new BoardwalkError(
      "invalid",
      `Tool "${name}" fires "${transition}", which no state knows. The events are: ${known}.`,
    );
  }
  const deaf =
    event.states === undefined ? undefined : states.find((state) => !event.states?.includes(state));
  if (deaf !== undefined) {
    throw new BoardwalkError(
      "invalid",
      `Tool "${name}" fires "${transition}" from "${deaf}", where it leads nowhere.`,
    );
  }
}

function inputJson(schema: z.ZodObject, handle: HandleArgument | undefined): Record<string, unknown> {
  if (handle === undefined || handle.key in schema.shape) return toJson(schema, "input");
  return toJson(schema.extend({ [handle.key]: z.string().describe(handle.description).optional() }), "input");
}

function toJson(schema: z.ZodObject, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return { ...json, type: "object" };
}
