import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import type { FsmActor, FsmConfig, FsmSendResult, FsmSnapshot, FsmToolName } from "../machine/index.js";
import { parseArguments } from "./arguments.js";
import { type EventTool, eventTools } from "./event-tools.js";
import { type FsmLogic, logicOf } from "./logic.js";
import {
  type AllowedCall,
  describeSnapshot,
  type FsmReply,
  refusalSentence,
  replySchema,
  toolResult,
} from "./replies.js";
import { Sessions } from "./sessions.js";
import { stateResource } from "./state-resource.js";
import type {
  FsmMcpBridge,
  FsmMcpCallContext,
  FsmMcpOptions,
  FsmTransitionNotice,
  McpToolResult,
  McpToolSpec,
} from "./types.js";

const NO_ARGUMENTS = z.object({});

/**
 * One machine as MCP tools, one per event, and a resource that shows where it is.
 * Calls of one session run one after another. A refused call is a normal result that says what is open instead;
 * an effect that failed is an error result that says nothing of the error itself (see `onError`).
 *
 * @throws BoardwalkError `invalid` for a faulty machine or a tool name no client would take.
 */
export function createFsmMcpBridge<
  C extends object,
  TState extends string,
  TEvent extends string,
  const TId extends string = string,
>(
  machine: FsmConfig<C, TState, TEvent> & { readonly id?: TId },
  options?: FsmMcpOptions<C> & { readonly toolName?: undefined },
): FsmMcpBridge<C, FsmToolName<TId, TEvent>>;
export function createFsmMcpBridge<C extends object>(
  machine: FsmConfig<C> | FsmLogic<C>,
  options?: FsmMcpOptions<C>,
): FsmMcpBridge<C>;
export function createFsmMcpBridge<C extends object>(
  machine: FsmConfig<C> | FsmLogic<C>,
  options: FsmMcpOptions<C> = {},
): FsmMcpBridge<C> {
  return new Bridge(machine, options).face();
}

class Bridge<C extends object> {
  readonly #logic: FsmLogic<C>;
  readonly #options: FsmMcpOptions<C>;
  readonly #tools: readonly EventTool[];
  readonly #toolOf: ReadonlyMap<string, string>;
  readonly #sessions: Sessions<C>;
  readonly #listeners = new Set<(notice: FsmTransitionNotice<C>) => void>();
  readonly #labels: ReadonlyMap<string, string>;

  constructor(machine: FsmConfig<C> | FsmLogic<C>, options: FsmMcpOptions<C>) {
    this.#logic = logicOf(machine, options.hooks === undefined ? {} : { hooks: options.hooks });
    this.#options = options;
    this.#tools = eventTools(this.#logic, options);
    this.#toolOf = new Map(this.#tools.map(({ event, name }) => [event, name]));
    this.#labels = new Map(this.#logic.events.map(({ type, label }) => [type, label ?? type]));
    this.#sessions = new Sessions(
      (sessionId, moved) =>
        this.#logic.start(undefined, (event, snapshot) => {
          moved();
          this.#announce({ sessionId, event, snapshot });
        }),
      options.sessions,
    );
  }

  face(): FsmMcpBridge<C> {
    const { id } = this.#logic;
    const uri = this.#options.stateResourceUri === undefined ? "fsm://state" : this.#options.stateResourceUri;
    return {
      ...(id === undefined ? {} : { id }),
      tools: this.#tools.map((tool) => this.#spec(tool)),
      resources: uri ? [stateResource(uri, (ctx) => this.#view(ctx))] : [],
      getSnapshot: (ctx) => this.#sessions.snapshot(this.#sessionId(ctx)),
      reset: (ctx) => this.#sessions.reset(this.#sessionId(ctx)),
      sessionIdOf: (ctx) => this.#sessionId(ctx),
      onTransition: (listener) => {
        this.#listeners.add(listener);
        return () => {
          this.#listeners.delete(listener);
        };
      },
    };
  }

  #spec(tool: EventTool): McpToolSpec {
    const { event, ...shown } = tool;
    const schemas = this.#options.eventSchemas;
    const inputSchema = schemas !== undefined && Object.hasOwn(schemas, event) ? schemas[event] : undefined;
    const spec: McpToolSpec = {
      ...shown,
      inputSchema: inputSchema ?? NO_ARGUMENTS,
      outputSchema: replySchema,
      handler: async (args, ctx) => {
        try {
          return await this.#call(tool, spec.inputSchema, args, ctx);
        } catch (error) {
          return this.#failed(tool, BoardwalkError.from(error), ctx);
        }
      },
    };
    return spec;
  }

  async #call(
    tool: EventTool,
    schema: z.ZodObject,
    args: Record<string, unknown>,
    ctx: FsmMcpCallContext | undefined,
  ): Promise<McpToolResult> {
    const sessionId = this.#sessionId(ctx);
    if (this.#sessions.wasDropped(sessionId)) return this.#startsOver(tool, sessionId);
    const payload = parseArguments(schema, args);
    // The type goes last: an argument called "type" must not turn one event into another.
    const result = await this.#sessions.use(sessionId, (actor: FsmActor<C>) =>
      actor.send({ ...payload, type: tool.event }),
    );
    if (!result.ok) return this.#refused(tool, result);
    this.#announce({ sessionId, event: tool.event, snapshot: result.snapshot });
    return toolResult(this.#speak(result.snapshot), this.#reply(tool, result.snapshot));
  }

  #refused(tool: EventTool, result: FsmSendResult<C> & { readonly ok: false }): McpToolResult {
    const text = refusalSentence(tool.event, result, this.#logic.label(result.snapshot), (e) =>
      this.#label(e),
    );
    return toolResult(text, {
      ...this.#reply(tool, result.snapshot, tool.event),
      ok: false,
      code: "no_such_move",
      reason: result.reason,
      ...(result.why === undefined ? {} : { why: result.why }),
    });
  }

  #startsOver(tool: EventTool, sessionId: string): McpToolResult {
    this.#sessions.acknowledge(sessionId);
    const snapshot = this.#sessions.snapshot(sessionId);
    const open = snapshot.availableEvents.map((event) => this.#label(event)).join(", ");
    const text =
      "This conversation was left alone for too long and its place was forgotten, so nothing was done. " +
      `It starts again from "${this.#logic.label(snapshot)}".${open === "" ? "" : ` You can: ${open}.`}`;
    return toolResult(text, { ...this.#reply(tool, snapshot), ok: false, code: "session_expired" });
  }

  #failed(tool: EventTool, error: BoardwalkError, ctx: FsmMcpCallContext | undefined): McpToolResult {
    let sessionId: string | undefined;
    try {
      sessionId = this.#sessionId(ctx);
    } catch {
      // It is what failed.
    }
    this.#options.onError?.(error, { tool: tool.name, ...(sessionId === undefined ? {} : { sessionId }) });
    const snapshot = sessionId === undefined ? this.#sessions.atStart : this.#sessions.snapshot(sessionId);
    return toolResult(error.message, { ...this.#reply(tool, snapshot), ok: false, code: error.code }, true);
  }

  #reply(tool: EventTool, snapshot: FsmSnapshot<C>, refused?: string): FsmReply {
    const allowed: AllowedCall[] = snapshot.availableEvents
      .filter((event) => event !== refused)
      .map((event) => ({ tool: this.#toolOf.get(event) ?? event, event }));
    return { ok: true, event: tool.event, state: snapshot.value, done: snapshot.done, allowed };
  }

  #speak(snapshot: FsmSnapshot<C>): string {
    const { describeState } = this.#options;
    if (describeState !== undefined) {
      try {
        return describeState(snapshot);
      } catch (error) {
        // The transition has happened: its reply may not say that it has not.
        this.#options.onError?.(BoardwalkError.from(error), {});
      }
    }
    const label = this.#logic.label(snapshot);
    return describeSnapshot(snapshot, this.#logic.prompt(snapshot), label, (event) => this.#label(event));
  }

  #announce(notice: FsmTransitionNotice<C>): void {
    for (const listener of this.#listeners) {
      try {
        listener(notice);
      } catch (error) {
        this.#options.onError?.(BoardwalkError.from(error), { sessionId: notice.sessionId });
      }
    }
  }

  #view(ctx: FsmMcpCallContext | undefined): object {
    const sessionId = this.#sessionId(ctx);
    const startsOver = this.#sessions.wasDropped(sessionId);
    return { ...this.#sessions.snapshot(sessionId), ...(startsOver ? { startsOver } : {}) };
  }

  #sessionId(ctx: FsmMcpCallContext | undefined): string {
    return this.#options.getSessionId?.(ctx) ?? "default";
  }

  #label(event: string): string {
    return this.#labels.get(event) ?? event;
  }
}
