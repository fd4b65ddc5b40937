import type { z } from "zod";
import type { BoardwalkError } from "../errors.js";
import type { FsmActorOptions, FsmEvent, FsmSendResult, FsmSnapshot } from "../machine/index.js";
import type { BoundTool, GateTool, ListedTool } from "./gate-tools.js";
import type { FsmStateStore } from "./state-store.js";
import type { FsmMcpCallContext, McpResourceSpec, McpToolResult } from "./types.js";

export interface StateGateOptions<C extends object> {
  readonly tools?: readonly (GateTool | BoundTool)[];
  /** @default in this process's memory */
  readonly store?: FsmStateStore;
  /** Name of the argument that carries a workflow's handle. @default none: one workflow per session */
  readonly stateHandleKey?: string;
  /** `minted`: only handles from the start tool or `createHandle`. `named`: any name, such as a ticket's. @default "minted" */
  readonly handles?: "minted" | "named";
  /** Whom a workflow belongs to; nobody else reaches it. @default the token's subject, else its client */
  readonly getPrincipal?: (ctx: FsmMcpCallContext | undefined) => string | undefined;
  /** Idle time after which a handle or session expires. @default 604_800_000, a week */
  readonly ttlMs?: number;
  /** How long a call may hold off calls of other processes on its workflow. @default 60_000 */
  readonly claimMs?: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Where a state renamed since it was saved is now, in the form it was saved in. */
  readonly migrate?: (saved: string) => string | undefined;
  /** Carries out the hooks that the machine names instead of holding. */
  readonly hooks?: NonNullable<FsmActorOptions<C>["hooks"]>;
  /** `null` for none. @default `fsm://state` */
  readonly stateResourceUri?: string | null;
  /** Told of errors whose text the caller is not shown. */
  readonly onError?: (error: BoardwalkError, where: { readonly tool?: string }) => void;
}

/** A transition as it happened. */
export interface GateNotice<C extends object> {
  /** Key under which the workflow is kept. */
  readonly key: string;
  readonly event: string;
  /** The tool whose call fired it; absent when the program did. */
  readonly tool?: string;
  readonly from: string;
  readonly snapshot: FsmSnapshot<C>;
  /** Whether the list of tools looks different now. */
  readonly listChanged: boolean;
}

/** Tools bound to the states of a workflow. `call` is the only way to a tool, and asks the machine first. */
export interface StateGate<C extends object = object> {
  readonly id?: string;
  /** @throws BoardwalkError `invalid` naming a misspelt state or event, or both tools of one name. */
  bindState<S extends z.ZodObject>(
    tool: GateTool<S>,
    states: string | readonly string[],
    transition?: string,
  ): StateGate<C>;
  /** Adds tools made with `bindState`, and tools bound to no state, which are always open. */
  add(...tools: readonly (GateTool | BoundTool)[]): StateGate<C>;
  /** The names of all tools, bound or not. */
  toolNames(): readonly string[];
  /** Is there a tool of this name? */
  has(tool: string): boolean;
  /** The tools open to this caller now; or all of them, saying when they are, for lists that may not vary by caller. */
  list(ctx?: FsmMcpCallContext, how?: { readonly all?: boolean }): Promise<readonly ListedTool[]>;
  /** Never rejects but for an unknown tool: a refusal or a failure is an error result that says what is allowed. */
  call(tool: string, args: Record<string, unknown>, ctx?: FsmMcpCallContext): Promise<McpToolResult>;
  /** Sends an event that no tool fires. */
  send(event: FsmEvent, ctx?: FsmMcpCallContext, handle?: string): Promise<FsmSendResult<C>>;
  /** A new workflow's handle: 128 random bits, good for this caller only. */
  createHandle(ctx?: FsmMcpCallContext): Promise<string>;
  /** Where the caller's workflow stands. */
  getSnapshot(ctx?: FsmMcpCallContext, handle?: string): Promise<FsmSnapshot<C>>;
  readonly resources: readonly McpResourceSpec[];
  /** @returns a function that stops the listener. */
  onTransition(listener: (notice: GateNotice<C>) => void): () => void;
}
