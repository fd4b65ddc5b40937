import type { z } from "zod";
import type { BoardwalkError } from "../errors.js";
import type { FsmActorOptions, FsmSnapshot } from "../machine/index.js";

/** What is known of a call besides its arguments; the adapter fills it in, and `getSessionId` reads it. */
export interface FsmMcpCallContext {
  readonly sessionId?: string;
  readonly [key: string]: unknown;
}

export interface McpTextContent {
  readonly type: "text";
  readonly text: string;
}

export interface McpToolResult {
  content: McpTextContent[];
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  [key: string]: unknown;
}

export interface McpToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface McpToolSpec<TName extends string = string> {
  readonly name: TName;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  readonly outputSchema?: z.ZodObject;
  readonly annotations?: McpToolAnnotations;
  /** Parses `args` by `inputSchema`; answers with a refusal or an error as a result and never rejects. */
  handler(args: Record<string, unknown>, ctx?: FsmMcpCallContext): Promise<McpToolResult>;
}

export interface McpResourceSpec {
  readonly name: string;
  readonly uri: string;
  readonly title?: string;
  readonly description: string;
  readonly mimeType: string;
  /** Reads the resource as it is now. */
  read(ctx?: FsmMcpCallContext): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }>;
}

export interface FsmSessionLimits<C extends object = object> {
  /** Sessions kept at once; beyond it the one idle longest is dropped. @default 10_000 */
  readonly max?: number;
  /** A session idle for longer is dropped. @default 86_400_000, a day */
  readonly idleMs?: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Told of every session dropped in the middle of something, with where it stood. */
  readonly onDrop?: (sessionId: string, snapshot: FsmSnapshot<C>) => void;
}

export interface FsmMcpOptions<C extends object> {
  /** Whose machine a call means. @default one machine for all callers */
  readonly getSessionId?: (ctx?: FsmMcpCallContext) => string;
  /** @default `<id>_<event in snake_case>` */
  readonly toolName?: (eventType: string) => string;
  /** Arguments an event takes; the default is none. */
  readonly eventSchemas?: Readonly<Record<string, z.ZodObject>>;
  /** The description of an event's tool. @default which event it sends, and from where it can be */
  readonly describeTool?: (eventType: string, fromStates: string[]) => string;
  /** What is said of a state just reached. @default its `meta.prompt`, or its name */
  readonly describeState?: (snapshot: FsmSnapshot<C>) => string;
  /** `null` for none. @default `fsm://state` */
  readonly stateResourceUri?: string | null;
  /** A tool's name for people. @default the event in plain words */
  readonly toolTitle?: (eventType: string) => string;
  /** Laid over what the machine tells by itself. */
  readonly annotations?: Readonly<Record<string, McpToolAnnotations>>;
  /** Carries out the hooks the machine names instead of holding. */
  readonly hooks?: NonNullable<FsmActorOptions<C>["hooks"]>;
  readonly sessions?: FsmSessionLimits<C>;
  /** Told of what the caller is not: the error behind "something went wrong", with its cause. */
  readonly onError?: (
    error: BoardwalkError,
    where: { readonly tool?: string; readonly sessionId?: string },
  ) => void;
}

export interface FsmTransitionNotice<C extends object> {
  readonly sessionId: string;
  readonly event: string;
  readonly snapshot: FsmSnapshot<C>;
}

export interface FsmMcpBridge<C extends object, TTool extends string = string> {
  /** The machine's id, where it has one. */
  readonly id?: string;
  readonly tools: McpToolSpec<TTool>[];
  readonly resources: McpResourceSpec[];
  /** Where the caller's machine stands. */
  getSnapshot(ctx?: FsmMcpCallContext): FsmSnapshot<C>;
  /** The caller's machine back to its initial state. */
  reset(ctx?: FsmMcpCallContext): void;
  /** Whose machine a call with this context means. */
  sessionIdOf(ctx?: FsmMcpCallContext): string;
  /** Calls `listener` after every transition, delayed ones too. @returns a function that stops it. */
  onTransition(listener: (notice: FsmTransitionNotice<C>) => void): () => void;
}
