import { BoardwalkError } from "../errors.js";
import { type CompiledMachine, compile } from "./compile.js";
import { lendContext, markOwned, ownContext, ownContextOnce } from "./context.js";
import { decide, unknownState } from "./transition.js";
import type {
  FsmActor,
  FsmConfig,
  FsmEvent,
  FsmHook,
  FsmNamedHook,
  FsmPosition,
  FsmSendResult,
  FsmSnapshot,
  FsmStep,
} from "./types.js";

/** How an actor is run, beside its config. */
export interface FsmActorOptions<C extends object> {
  /** Carries out the hooks that the config names instead of holding. */
  readonly hooks?: Readonly<
    Record<string, (context: C, event: FsmEvent, hook: FsmNamedHook) => Promise<Partial<C> | undefined>>
  >;
  /** Where to begin instead of the initial state: a position saved earlier. */
  readonly from?: FsmPosition<C>;
}

type Hooks<C extends object> = NonNullable<FsmActorOptions<C>["hooks"]>;
type Sent<C extends object> = FsmSendResult<C> | Promise<FsmSendResult<C>>;

/**
 * A machine in memory. Sends run one after another, in order; effects are awaited before the result.
 * When an effect throws, `send` rejects with `hook_failed` (the thrown error is its `cause`) and the machine
 * stands where it stood before that send. Snapshots are frozen copies: writing to one changes nothing.
 * An effect must not await a send to its own machine: that send waits for the effect.
 *
 * @throws BoardwalkError `invalid` for a faulty config, a context that is not plain data, or a named hook nobody
 * carries out; `stale_workflow` for a saved position the machine no longer has.
 */
export function createFsmActor<C extends object, TState extends string, TEvent extends string>(
  config: FsmConfig<C, TState, TEvent>,
  options?: FsmActorOptions<C>,
): FsmActor<C, TEvent>;
export function createFsmActor<C extends object>(
  config: FsmConfig<C>,
  options?: FsmActorOptions<C>,
): FsmActor<C>;
export function createFsmActor<C extends object>(
  config: FsmConfig<C>,
  options: FsmActorOptions<C> = {},
): FsmActor<C> {
  return actorFactory(config, options)(options.from);
}

/**
 * Checks and prepares a config once, for many actors of it.
 * @throws BoardwalkError as `createFsmActor`.
 */
export function actorFactory<C extends object>(
  config: FsmConfig<C>,
  options: Omit<FsmActorOptions<C>, "from"> = {},
): (from?: FsmPosition<C>) => FsmActor<C> {
  const machine = compile(config);
  const hooks = options.hooks ?? {};
  requireNamedHooks(machine, hooks);
  const start = startOf(config);
  return (from) => new Actor(machine, hooks, start, from === undefined ? start : restore(machine, from));
}

/** A class, so that many idle machines share their methods. */
class Actor<C extends object> implements FsmActor<C> {
  readonly #machine: CompiledMachine<C>;
  readonly #hooks: Hooks<C>;
  readonly #start: FsmPosition<C>;
  #position: FsmPosition<C>;
  /** Grows with every reset, so that a send begun before one cannot land after it. */
  #epoch = 0;
  /** Settles when every send accepted so far has; undefined when none is in flight. */
  #tail: Promise<unknown> | undefined;
  /** An effect has been called and has not returned yet. */
  #running = false;
  /** Lets go of the sends that such an effect made. */
  #release: (() => void) | undefined;

  constructor(machine: CompiledMachine<C>, hooks: Hooks<C>, start: FsmPosition<C>, position: FsmPosition<C>) {
    this.#machine = machine;
    this.#hooks = hooks;
    this.#start = start;
    this.#position = position;
  }

  getSnapshot(): FsmSnapshot<C> {
    const { value, context } = this.#position;
    const state = this.#machine.states.get(value);
    return {
      value,
      context: lendContext(context),
      availableEvents: state?.events ?? [],
      done: state?.done === true,
    };
  }

  send(event: FsmEvent): Promise<FsmSendResult<C>> {
    try {
      const result = this.sendNow(event);
      return result instanceof Promise ? result : Promise.resolve(result);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  sendNow(event: FsmEvent): Sent<C> {
    if (this.#tail !== undefined) return this.#queue(event, this.#tail);
    if (this.#running) {
      const until = new Promise<void>((resolve) => {
        this.#release = resolve;
      });
      return this.#queue(event, until);
    }
    try {
      const result = this.#attempt(event);
      if (result instanceof Promise) return this.#follow(result);
      this.#letGo();
      return result;
    } catch (error) {
      this.#letGo();
      throw error;
    }
  }

  can(event: FsmEvent): boolean {
    return decide(this.#machine, this.#position, event).ok;
  }

  reset(): void {
    this.#epoch += 1;
    this.#position = this.#start;
  }

  #attempt(event: FsmEvent): Sent<C> {
    const step = decide(this.#machine, this.#position, event);
    if (!step.ok) return { ...step, snapshot: this.getSnapshot() };
    if (step.hooks.length === 0) return this.#commit(step.position);
    return this.#runHooks({ step, event, epoch: this.#epoch }, step.position.context, 0);
  }

  /** Runs the hooks from `index` on, and stays synchronous as long as they do. */
  #runHooks(run: Run<C>, given: C, index: number): Sent<C> {
    const { hooks, position } = run.step;
    let context = given;
    for (let i = index; i < hooks.length; i++) {
      const update = this.#runHook(hooks[i] as FsmHook<C>, context, run.event);
      if (isThenable(update)) return this.#resume(run, context, i, update);
      if (update !== undefined) context = { ...context, ...update };
    }
    if (run.epoch !== this.#epoch) {
      throw new BoardwalkError(
        "conflict",
        "The machine was reset while this was under way, so nothing was changed.",
      );
    }
    return this.#commit({ value: position.value, context });
  }

  async #resume(
    run: Run<C>,
    context: C,
    index: number,
    pending: PromiseLike<Update<C>>,
  ): Promise<FsmSendResult<C>> {
    const update = await settle(pending, run.event);
    return this.#runHooks(run, update === undefined ? context : { ...context, ...update }, index + 1);
  }

  #runHook({ run }: FsmHook<C>, context: C, event: FsmEvent): Update<C> | PromiseLike<Update<C>> {
    this.#running = true;
    try {
      const update =
        typeof run === "function" ? run(context, event) : this.#hooks[run.run]?.(context, event, run);
      return update as Update<C> | PromiseLike<Update<C>>;
    } catch (error) {
      throw hookFailed(error, event);
    } finally {
      this.#running = false;
    }
  }

  #commit(next: FsmPosition<C>): FsmSendResult<C> {
    this.#position =
      next.context === this.#position.context
        ? next
        : { value: next.value, context: ownContext(next.context) };
    return { ok: true, snapshot: this.getSnapshot() };
  }

  #queue(event: FsmEvent, after: Promise<unknown>): Promise<FsmSendResult<C>> {
    return this.#hold(after.then(() => this.#attempt(event)));
  }

  /** The sends its effects made before it went asynchronous, if any, already hold the tail: they follow it. */
  #follow(result: Promise<FsmSendResult<C>>): Promise<FsmSendResult<C>> {
    if (this.#release === undefined) return this.#hold(result);
    const letGo = () => this.#letGo();
    void result.then(letGo, letGo);
    return result;
  }

  #hold(result: Promise<FsmSendResult<C>>): Promise<FsmSendResult<C>> {
    const clear = () => {
      if (this.#tail === settled) this.#tail = undefined;
    };
    const settled: Promise<void> = result.then(clear, clear);
    this.#tail = settled;
    return result;
  }

  #letGo(): void {
    const release = this.#release;
    this.#release = undefined;
    release?.();
  }
}

type Update<C extends object> = Partial<C> | undefined;

/** A transition whose effects are being run, and the reset it began after. */
interface Run<C extends object> {
  readonly step: FsmStep<C>;
  readonly event: FsmEvent;
  readonly epoch: number;
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === "function";
}

async function settle<T>(pending: PromiseLike<T>, event: FsmEvent): Promise<T> {
  try {
    return await pending;
  } catch (error) {
    throw hookFailed(error, event);
  }
}

function hookFailed(error: unknown, event: FsmEvent): BoardwalkError {
  if (error instanceof BoardwalkError) return error;
  return new BoardwalkError("hook_failed", `"${event.type}" could not be finished, so nothing was changed.`, {
    cause: error,
  });
}

const starts = new WeakMap<object, FsmPosition<object>>();

/** Shared by all actors of a machine: it is frozen all through. */
function startOf<C extends object>(config: FsmConfig<C>): FsmPosition<C> {
  const known = starts.get(config);
  if (known !== undefined) return known as FsmPosition<C>;
  const context = markOwned(ownContext((config.context ?? {}) as C));
  const start: FsmPosition<C> = { value: config.initial, context };
  starts.set(config, start);
  return start;
}

function restore<C extends object>(machine: CompiledMachine<C>, from: FsmPosition<C>): FsmPosition<C> {
  if (!machine.states.has(from.value)) throw unknownState(from.value);
  return { value: from.value, context: ownContextOnce(from.context) };
}

function requireNamedHooks<C extends object>(machine: CompiledMachine<C>, hooks: Hooks<C>): void {
  const missing = machine.namedHooks.find((name) => !Object.hasOwn(hooks, name));
  if (missing !== undefined) {
    throw new BoardwalkError(
      "invalid",
      `The machine names a hook "${missing}" that nobody carries out; pass it in "hooks".`,
    );
  }
}
