import { BoardwalkError } from "../errors.js";
import { checkShape } from "./check.js";
import type { FsmConfig, FsmEntryHook, FsmHook, FsmTransition, FsmTransitionConfig } from "./types.js";

/** A state as `transition` wants it: own-property look-ups done once, shorthand spelt out. */
export interface CompiledState<C extends object> {
  readonly events: readonly string[];
  readonly candidates: ReadonlyMap<string, readonly CompiledTransition<C>[]>;
  readonly done: boolean;
}

export interface CompiledTransition<C extends object> {
  readonly config: FsmTransitionConfig<C>;
  /** Everything owed when it is taken: its actions, then its target's entry hooks. */
  readonly hooks: readonly FsmHook<C>[];
}

export interface CompiledMachine<C extends object> {
  readonly states: ReadonlyMap<string, CompiledState<C>>;
  /** Every hook the config names instead of holding, once. */
  readonly namedHooks: readonly string[];
}

const compiled = new WeakMap<object, CompiledMachine<object>>();

/**
 * Checks a config and prepares it, once per config object.
 * @throws BoardwalkError `invalid` naming the first thing wrong with it: its shape, an unknown initial state or target.
 */
export function compile<C extends object>(config: FsmConfig<C>): CompiledMachine<C> {
  const known = compiled.get(config);
  if (known !== undefined) return known as unknown as CompiledMachine<C>;
  checkShape(config);
  if (!Object.hasOwn(config.states, config.initial)) {
    throw new BoardwalkError(
      "invalid",
      `The initial state "${config.initial}" is not one of this machine's states.`,
    );
  }
  const states = new Map<string, CompiledState<C>>();
  for (const [name, state] of Object.entries(config.states)) {
    const candidates = new Map<string, readonly CompiledTransition<C>[]>();
    for (const [event, written] of Object.entries(state.on ?? {})) {
      if (written === undefined) continue;
      candidates.set(
        event,
        spellOut(written).map((t) => compileTransition(config, name, event, t)),
      );
    }
    const events = Object.freeze([...candidates.keys()]);
    states.set(name, { events, candidates, done: state.final === true || state.type === "final" });
  }
  const machine = { states, namedHooks: namedHooks(states.values()) };
  compiled.set(config, machine as unknown as CompiledMachine<object>);
  return machine;
}

function spellOut<C extends object>(written: FsmTransition<C>): readonly FsmTransitionConfig<C>[] {
  if (typeof written === "string") return [{ target: written }];
  return Array.isArray(written) ? written : [written as FsmTransitionConfig<C>];
}

function compileTransition<C extends object>(
  config: FsmConfig<C>,
  from: string,
  event: string,
  transition: FsmTransitionConfig<C>,
): CompiledTransition<C> {
  const { target } = transition;
  if (target !== undefined && !Object.hasOwn(config.states, target)) {
    throw new BoardwalkError(
      "invalid",
      `State "${from}" sends "${event}" to "${target}", which is not a state of this machine.`,
    );
  }
  const hooks: FsmHook<C>[] = [];
  if (transition.actions !== undefined) hooks.push({ on: "transition", run: transition.actions });
  if (target !== undefined) {
    for (const run of entryHooks<C>(config.states[target]?.onEnter)) hooks.push({ on: "enter", run });
  }
  return { config: transition, hooks };
}

function namedHooks<C extends object>(states: Iterable<CompiledState<C>>): readonly string[] {
  const names = new Set<string>();
  for (const state of states) {
    for (const { hooks } of [...state.candidates.values()].flat()) {
      for (const { run } of hooks) if (typeof run !== "function") names.add(run.run);
    }
  }
  return [...names];
}

/** A state's entry hooks as a list. */
export function entryHooks<C extends object>(
  onEnter: FsmEntryHook<C> | readonly FsmEntryHook<C>[] | undefined,
): readonly FsmEntryHook<C>[] {
  if (onEnter === undefined) return [];
  return Array.isArray(onEnter) ? onEnter : [onEnter as FsmEntryHook<C>];
}
