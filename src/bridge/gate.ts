import type { z } from "zod";
import { BoardwalkError } from "../errors.js";
import type { FsmConfig, FsmEvent, FsmSendResult, FsmSnapshot } from "../machine/index.js";
import { parseArguments } from "./arguments.js";
import { GateCatalogue } from "./gate-catalogue.js";
import { Custody, movedMeanwhile, type Place } from "./gate-custody.js";
import { createIdentify, Focus, type GateIdentity, randomId } from "./gate-identity.js";
import { failedResult, forbiddenResult, withPlace } from "./gate-replies.js";
import { handleArgument, startTool } from "./gate-start.js";
import {
  type BoundTool,
  bindState,
  type GateCallContext,
  type GateTool,
  type HandleArgument,
  type ListedTool,
  type PreparedTool,
} from "./gate-tools.js";
import type { GateNotice, StateGate, StateGateOptions } from "./gate-types.js";
import { requirePositive } from "./limits.js";
import { type FsmLogic, logicOf } from "./logic.js";
import { Mailbox } from "./mailbox.js";
import { stateResource } from "./state-resource.js";
import { createMemoryStateStore } from "./state-store.js";
import type { FsmMcpCallContext, McpResourceSpec, McpToolResult } from "./types.js";

/** How often a call looks again because another process was faster. */
const CLAIM_ATTEMPTS = 5;

/** @throws BoardwalkError `invalid` for a faulty machine or binding. */
export function createStateGate<C extends object>(
  machine: FsmConfig<C> | FsmLogic<C>,
  options: StateGateOptions<C> = {},
): StateGate<C> {
  return new Gate(machine, options);
}

class Gate<C extends object> implements StateGate<C> {
  readonly id?: string;
  readonly resources: readonly McpResourceSpec[];
  readonly #logic: FsmLogic<C>;
  readonly #options: StateGateOptions<C>;
  /** Events that do work outside the machine when taken. */
  readonly #effects: ReadonlySet<string>;
  readonly #custody: Custody<C>;
  readonly #mailbox = new Mailbox();
  readonly #catalogue: GateCatalogue<C>;
  readonly #handle: HandleArgument | undefined;
  readonly #startTool: string | undefined;
  readonly #who: ReturnType<typeof createIdentify>;
  readonly #listeners = new Set<(notice: GateNotice<C>) => void>();
  readonly #focus = new Focus();

  constructor(machine: FsmConfig<C> | FsmLogic<C>, options: StateGateOptions<C>) {
    this.#logic = logicOf(machine, options.hooks === undefined ? {} : { hooks: options.hooks });
    if (this.#logic.id !== undefined) this.id = this.#logic.id;
    this.#effects = new Set(this.#logic.events.filter(({ effects }) => effects).map(({ type }) => type));
    requirePositive({ ttlMs: options.ttlMs, claimMs: options.claimMs });
    this.#options = options;
    this.#catalogue = new GateCatalogue(this.#logic);
    this.#who = createIdentify(options);
    const minted = options.handles !== "named";
    const start =
      options.stateHandleKey !== undefined && minted ? startTool(this, options.stateHandleKey) : undefined;
    this.#startTool = start?.name;
    this.#handle = handleArgument(options.stateHandleKey, start?.name);
    this.#custody = new Custody(this.#logic, options.store ?? createMemoryStateStore(), {
      ttlMs: options.ttlMs ?? 604_800_000,
      claimMs: options.claimMs ?? 60_000,
      now: options.now ?? Date.now,
      migrate: options.migrate,
      startTool: start?.name,
      minted,
    });
    const uri = options.stateResourceUri === undefined ? "fsm://state" : options.stateResourceUri;
    this.resources = uri ? [stateResource(uri, (ctx) => this.getSnapshot(ctx))] : [];
    if (start !== undefined) this.#catalogue.add(start, undefined);
    this.add(...(options.tools ?? []));
  }

  bindState<S extends z.ZodObject>(
    tool: GateTool<S>,
    states: string | readonly string[],
    transition?: string,
  ): this {
    return this.add(bindState(tool, states, transition));
  }

  add(...tools: readonly (GateTool | BoundTool)[]): this {
    for (const tool of tools) this.#catalogue.add(tool, this.#handle);
    return this;
  }

  toolNames(): readonly string[] {
    return this.#catalogue.names();
  }

  has(tool: string): boolean {
    return this.#catalogue.get(tool) !== undefined;
  }

  async list(
    ctx?: FsmMcpCallContext,
    { all = false }: { readonly all?: boolean } = {},
  ): Promise<readonly ListedTool[]> {
    return this.#catalogue.list(all ? undefined : await this.#listed(ctx));
  }

  async call(name: string, args: Record<string, unknown>, ctx?: FsmMcpCallContext): Promise<McpToolResult> {
    const tool = this.#catalogue.get(name);
    if (tool === undefined) throw new BoardwalkError("not_found_or_hidden", `There is no tool "${name}".`);
    try {
      const identity = this.#who.identify(args, ctx);
      const context = { ...ctx, ...(identity.handle === undefined ? {} : { handle: identity.handle }) };
      if (tool.states === undefined) return await this.#run(tool, this.#parse(tool, args), context);
      return await this.#mailbox.run(identity.key, () => this.#gated(tool, args, context, identity));
    } catch (error) {
      return this.#failed(name, BoardwalkError.from(error));
    }
  }

  send(event: FsmEvent, ctx?: FsmMcpCallContext, handle?: string): Promise<FsmSendResult<C>> {
    try {
      const identity = this.#identity(ctx, handle);
      return this.#mailbox.run(identity.key, () => this.#send(event, identity));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async createHandle(ctx?: FsmMcpCallContext): Promise<string> {
    const handle = randomId();
    await this.#custody.begin(this.#who.keyOf(ctx, handle));
    return handle;
  }

  async getSnapshot(ctx?: FsmMcpCallContext, handle?: string): Promise<FsmSnapshot<C>> {
    const identity = this.#identity(ctx, handle);
    const { actor } = await this.#custody.take(identity, await this.#custody.fetch(identity), false);
    const snapshot = actor.getSnapshot();
    actor.stop?.();
    return snapshot;
  }

  onTransition(listener: (notice: GateNotice<C>) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Runs alone on its workflow: look, ask the machine, act, move, save. */
  async #gated(
    tool: PreparedTool,
    args: Record<string, unknown>,
    ctx: GateCallContext,
    identity: GateIdentity,
  ): Promise<McpToolResult> {
    const payload = this.#parse(tool, args);
    for (let attempt = 1; attempt <= CLAIM_ATTEMPTS; attempt++) {
      const taken = this.#custody.take(identity, await this.#custody.fetch(identity), true);
      const place = taken instanceof Promise ? await taken : taken;
      try {
        const refusal = this.#refusal(tool, place, payload);
        if (refusal !== undefined) return refusal;
        if (tool.event !== undefined && !(await this.#custody.claim(place))) continue;
        this.#remember(ctx, identity);
        return await this.#act(tool, place, payload, ctx);
      } finally {
        place.actor.stop?.();
      }
    }
    throw contended();
  }

  #refusal(
    tool: PreparedTool,
    { actor }: Place<C>,
    payload: Record<string, unknown>,
  ): McpToolResult | undefined {
    const snapshot = actor.getSnapshot();
    const open = this.#catalogue.isOpen(tool, snapshot);
    if (open && (tool.event === undefined || actor.can({ ...payload, type: tool.event }))) return undefined;
    return forbiddenResult({
      tool: tool.name,
      inState: open,
      state: snapshot.value,
      label: this.#logic.label(snapshot),
      done: snapshot.done,
      allowed: this.#catalogue.allowed(snapshot).filter((call) => call.tool !== tool.name),
    });
  }

  async #act(
    tool: PreparedTool,
    place: Place<C>,
    payload: Record<string, unknown>,
    ctx: GateCallContext,
  ): Promise<McpToolResult> {
    const { value: state } = place.actor.getSnapshot();
    let result: McpToolResult;
    try {
      result = await this.#run(tool, payload, { ...ctx, state });
    } catch (error) {
      await this.#custody.release(place);
      throw error;
    }
    if (tool.event === undefined || result.isError === true) {
      await this.#custody.release(place);
      return result;
    }
    const before = place.actor.getSnapshot();
    const sent = await this.#fire(place, { ...payload, type: tool.event }, tool).catch((error: unknown) => {
      throw doneButStuck(error, state);
    });
    if (!sent.ok) throw doneButStuck(undefined, state);
    const { value, done } = sent.snapshot;
    const listChanged = this.#catalogue.differs(before, sent.snapshot);
    return withPlace(
      result,
      { state: value, done, allowed: this.#catalogue.allowed(sent.snapshot) },
      listChanged,
    );
  }

  async #run(
    tool: PreparedTool,
    payload: Record<string, unknown>,
    ctx: GateCallContext,
  ): Promise<McpToolResult> {
    return tool.tool.handler(payload, ctx);
  }

  async #send(event: FsmEvent, identity: GateIdentity): Promise<FsmSendResult<C>> {
    const effects = this.#effects.has(event.type);
    for (let attempt = 1; attempt <= CLAIM_ATTEMPTS; attempt++) {
      const taken = this.#custody.take(identity, await this.#custody.fetch(identity), true);
      const place = taken instanceof Promise ? await taken : taken;
      try {
        if (effects && !(await this.#custody.claim(place))) continue;
        return await this.#fire(place, event, undefined);
      } finally {
        place.actor.stop?.();
      }
    }
    throw contended();
  }

  /** The one place where a workflow moves. */
  async #fire(place: Place<C>, event: FsmEvent, tool: PreparedTool | undefined): Promise<FsmSendResult<C>> {
    const before = this.#listeners.size === 0 ? undefined : place.actor.getSnapshot();
    let sent: FsmSendResult<C>;
    try {
      const sending = place.actor.sendNow?.(event) ?? place.actor.send(event);
      sent = sending instanceof Promise ? await sending : sending;
    } catch (error) {
      await this.#custody.release(place);
      throw error;
    }
    if (!sent.ok) {
      await this.#custody.release(place);
      return sent;
    }
    const next = this.#custody.next(sent.snapshot);
    let saved: boolean;
    try {
      saved = await this.#custody.put(place, next);
    } catch (error) {
      saved = await this.#custody.insist(place, next, error);
    }
    if (!saved) throw movedMeanwhile();
    if (before !== undefined) this.#announce(place, before, event.type, sent.snapshot, tool);
    return sent;
  }

  #announce(
    place: Place<C>,
    before: FsmSnapshot<C>,
    event: string,
    snapshot: FsmSnapshot<C>,
    tool: PreparedTool | undefined,
  ): void {
    const notice: GateNotice<C> = {
      key: place.identity.key,
      event,
      ...(tool === undefined ? {} : { tool: tool.name }),
      from: before.value,
      snapshot,
      listChanged: this.#catalogue.differs(before, snapshot),
    };
    for (const listener of this.#listeners) {
      try {
        listener(notice);
      } catch (error) {
        // The workflow has moved: a listener's fault is not the caller's.
        this.#options.onError?.(BoardwalkError.from(error), {});
      }
    }
  }

  #parse(tool: PreparedTool, args: Record<string, unknown>): Record<string, unknown> {
    const key = this.#handle?.key;
    if (key === undefined || key in tool.schema.shape || !(key in args))
      return parseArguments(tool.schema, args);
    // The handle is the gate's: a tool that takes nothing it does not know must not stumble over it.
    const { [key]: _, ...own } = args;
    return parseArguments(tool.schema, own);
  }

  #failed(name: string, error: BoardwalkError): McpToolResult {
    this.#options.onError?.(error, { tool: name });
    const lost = error.data?.code !== undefined || error.code === "stale_workflow";
    return failedResult(error, lost && this.#startTool !== undefined ? [{ tool: this.#startTool }] : []);
  }

  #identity(ctx: FsmMcpCallContext | undefined, handle: string | undefined): GateIdentity {
    const { stateHandleKey } = this.#options;
    if (handle === undefined || stateHandleKey === undefined) return this.#who.identify({}, ctx);
    return this.#who.identify({ [stateHandleKey]: handle }, ctx);
  }

  #remember(ctx: GateCallContext, identity: GateIdentity): void {
    if (identity.kind === "handle" && ctx.sessionId)
      this.#focus.set(this.#who.keyOf(ctx, ctx.sessionId), identity);
  }

  /** Where the workflow is that this caller's list is about; undefined where there is none, or no single one. */
  async #listed(ctx: FsmMcpCallContext | undefined): Promise<FsmSnapshot<C> | undefined> {
    const identity = this.#listIdentity(ctx);
    if (identity === undefined) return undefined;
    try {
      return await this.#custody.peek(identity);
    } catch (error) {
      // A list that shows too much is mended by the first call; one that fails leaves a client without tools.
      this.#options.onError?.(BoardwalkError.from(error), {});
      return undefined;
    }
  }

  #listIdentity(ctx: FsmMcpCallContext | undefined): GateIdentity | undefined {
    if (this.#options.stateHandleKey === undefined) return this.#who.identify({}, ctx);
    return ctx?.sessionId ? this.#focus.get(this.#who.keyOf(ctx, ctx.sessionId)) : undefined;
  }
}

/** The tool's own work is done, so no reply may say that nothing was changed. */
function doneButStuck(error: unknown, state: string): BoardwalkError {
  const known = error === undefined ? undefined : BoardwalkError.from(error);
  if (known !== undefined && known.code !== "hook_failed" && known.code !== "internal") return known;
  return new BoardwalkError(
    known?.code ?? "conflict",
    `It was done, but what follows it failed, so the workflow is still in "${state}". Do not repeat it without looking.`,
    { cause: known?.cause },
  );
}

function contended(): BoardwalkError {
  return new BoardwalkError(
    "busy",
    "This workflow is being moved by others just now. Please try again in a moment.",
  );
}
