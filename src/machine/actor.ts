import { BoardwalkError } from "../errors.js";
import { compile } from "./compile.js";
import { ownContext } from "./context.js";
import { transition } from "./transition.js";
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

export interface FsmActorOptions<C extends object> {
  /** Carries out the hooks that the config names instead of holding. */
  readonly hooks?: Readonly<
    Record<string, (context: C, event: FsmEvent, hook: FsmNamedHook) => Promise<Partial<C> | undefined>>
  >;
}

/**
 * A machine in memory. Sends run one after another, in order; effects are awaited before the result.
 * When an effect throws, `send` rejects with `hook_failed` (the thrown error is its `cause`) and the machine
 * stands where it stood before that send. Snapshots are frozen copies: writing to one changes nothing.
 *
 * @throws BoardwalkError `invalid` for a faulty config, a context that is not plain data, or a named hook nobody carries out.
 */
export function createFsmActor<
  C extends object,
  TState extends string = string,
  TEvent extends string = string,
>(config: FsmConfig<C, TState, TEvent>, options: FsmActorOptions<C> = {}): FsmActor<C, TEvent> {
  const machine = config as unknown as FsmConfig<C>;
  const { states } = compile(machine);
  requireNamedHooks(machine, options);
  const start: FsmPosition<C> = { value: machine.initial, context: ownContext((machine.context ?? {}) as C) };
  let position = start;
  let epoch = 0;
  /** The sends in flight, if any: the next one waits for them. */
  let tail: Promise<unknown> | undefined;

  function snapshotOf(at: FsmPosition<C>): FsmSnapshot<C> {
    const state = states.get(at.value);
    return {
      value: at.value,
      context: at.context,
      availableEvents: state?.events ?? [],
      done: state?.done === true,
    };
  }

  function attempt(event: FsmEvent): FsmSendResult<C> | Promise<FsmSendResult<C>> {
    const step = transition(machine, position, event);
    if (!step.ok) return { ...step, snapshot: snapshotOf(position) };
    if (step.hooks.length === 0) return commit(step.position);
    return runHooks(step, event, epoch);
  }

  function commit(next: FsmPosition<C>): FsmSendResult<C> {
    position =
      next.context === position.context ? next : { value: next.value, context: ownContext(next.context) };
    return { ok: true, snapshot: snapshotOf(position) };
  }

  async function runHooks(step: FsmStep<C>, event: FsmEvent, begunIn: number): Promise<FsmSendResult<C>> {
    let { context } = step.position;
    for (const hook of step.hooks) context = await runHook(hook, context, event, options);
    if (begunIn !== epoch) {
      throw new BoardwalkError(
        "conflict",
        "The machine was reset while this was under way, so nothing was changed.",
      );
    }
    return commit({ value: step.position.value, context });
  }

  function queue(
    run: () => FsmSendResult<C> | Promise<FsmSendResult<C>>,
    after: Promise<unknown>,
  ): Promise<FsmSendResult<C>> {
    const result = after.then(run);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    tail = settled;
    void settled.then(() => {
      if (tail === settled) tail = undefined;
    });
    return result;
  }

  return {
    getSnapshot: () => snapshotOf(position),
    send(event) {
      if (tail !== undefined) return queue(() => attempt(event), tail);
      try {
        const result = attempt(event);
        return result instanceof Promise ? queue(() => result, Promise.resolve()) : Promise.resolve(result);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    reset() {
      epoch += 1;
      position = start;
    },
  };
}

async function runHook<C extends object>(
  hook: FsmHook<C>,
  context: C,
  event: FsmEvent,
  options: FsmActorOptions<C>,
): Promise<C> {
  try {
    const { run } = hook;
    const update =
      typeof run === "function"
        ? await run(context, event)
        : await options.hooks?.[run.run]?.(context, event, run);
    return update === undefined ? context : { ...context, ...update };
  } catch (error) {
    if (error instanceof BoardwalkError) throw error;
    throw new BoardwalkError(
      "hook_failed",
      `"${event.type}" could not be finished, so nothing was changed.`,
      { cause: error },
    );
  }
}

function requireNamedHooks<C extends object>(machine: FsmConfig<C>, options: FsmActorOptions<C>): void {
  for (const state of compile(machine).states.values()) {
    for (const { hooks } of [...state.candidates.values()].flat()) {
      for (const { run } of hooks) {
        if (typeof run !== "function" && !Object.hasOwn(options.hooks ?? {}, run.run)) {
          throw new BoardwalkError(
            "invalid",
            `The machine names a hook "${run.run}" that nobody carries out; pass it in "hooks".`,
          );
        }
      }
    }
  }
}
