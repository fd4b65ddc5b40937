import { BoardwalkError } from "../errors.js";
import {
  collectEventTypes,
  entryHooks,
  type FsmConfig,
  type FsmEntryHook,
  type FsmStateConfig,
  type FsmTransition,
  type FsmTransitionConfig,
} from "../machine/index.js";
import { xstate } from "./xstate-peer.js";

/** A config for XState's `createMachine`. Plain JSON when the machine holds no functions. */
export interface XstateConfig {
  readonly id?: string;
  readonly initial: string;
  readonly context?: object;
  readonly states: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

type Args<C> = { readonly context: C; readonly event: { type: string } };

/**
 * The machine as XState writes it: same states, events, guards and `assign`s, so that both walk alike. Named hooks
 * become named actions. Effects (`actions`, `onEnter` functions) become actions too, but XState does not wait for
 * them nor merge what they return.
 *
 * @throws BoardwalkError `invalid` for a name XState would read as something else, or when the machine has an
 * `assign` and XState is not installed.
 */
export function toXstate<C extends object>(machine: FsmConfig<C>): XstateConfig {
  for (const event of collectEventTypes(machine).keys()) requireEvent(event);
  const states: Record<string, Record<string, unknown>> = {};
  for (const [name, state] of Object.entries(machine.states))
    states[requireState(name)] = stateOf(name, state);
  return {
    ...(machine.id === undefined ? {} : { id: machine.id }),
    initial: machine.initial,
    ...(machine.context === undefined ? {} : { context: machine.context }),
    states,
  };
}

function stateOf<C extends object>(name: string, state: FsmStateConfig<C>): Record<string, unknown> {
  const on = Object.entries(state.on ?? {}).flatMap(([event, written]) =>
    written === undefined ? [] : [[event, transitionsOf(written)] as const],
  );
  const entry = entryHooks<C>(state.onEnter).map(actionOf);
  const final = state.final === true || state.type === "final";
  if (final && on.length > 0) {
    throw new BoardwalkError(
      "invalid",
      `State "${name}" is final and takes events; in XState a final state takes none.`,
    );
  }
  return {
    ...(final ? { type: "final" } : {}),
    ...(on.length === 0 ? {} : { on: Object.fromEntries(on) }),
    ...(entry.length === 0 ? {} : { entry }),
    ...(state.meta === undefined ? {} : { meta: state.meta }),
  };
}

function transitionsOf<C extends object>(written: FsmTransition<C>): unknown {
  if (typeof written === "string") return transitionOf<C>({ target: written });
  if (Array.isArray(written)) return written.map((one: FsmTransitionConfig<C>) => transitionOf(one));
  return transitionOf(written as FsmTransitionConfig<C>);
}

function transitionOf<C extends object>(written: FsmTransitionConfig<C>): Record<string, unknown> {
  const { target, guard, assign, actions, meta, reason } = written;
  const run: unknown[] = [];
  if (assign !== undefined)
    run.push(xstate().assign(({ context, event }: Args<C>) => assign(context, event)));
  if (actions !== undefined) run.push(actionOf<C>(actions));
  return {
    // Arriving counts as entering, also from the state itself.
    ...(target === undefined ? {} : { target: escaped(target), reenter: true }),
    ...(guard === undefined ? {} : { guard: ({ context, event }: Args<C>) => guard(context, event) }),
    ...(run.length === 0 ? {} : { actions: run }),
    ...(reason === undefined ? {} : { description: reason }),
    ...(meta === undefined ? {} : { meta }),
  };
}

function actionOf<C extends object>(hook: FsmEntryHook<C>): unknown {
  if (typeof hook !== "function")
    return { type: hook.run, ...(hook.with === undefined ? {} : { params: hook.with }) };
  return ({ context, event }: Args<C>) => {
    void hook(context, event);
  };
}

function requireState(name: string): string {
  if (name !== "" && !name.startsWith("#")) return name;
  throw new BoardwalkError("invalid", `XState has no states called "${name}"; give it another name.`);
}

function requireEvent(type: string): void {
  if (type === "" || type === "*" || type.endsWith(".*") || type.startsWith("xstate.")) {
    throw new BoardwalkError(
      "invalid",
      `XState would not take the event "${type}" literally; give it another name.`,
    );
  }
}

/** Dots separate the parts of a path in XState's targets. */
function escaped(target: string): string {
  return target.replace(/[\\.]/g, "\\$&");
}
