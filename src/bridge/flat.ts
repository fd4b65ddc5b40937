import type { FsmConfig, FsmTransitionConfig, Status } from "../machine/index.js";
import { candidates } from "./logic.js";

/** A transition as the config writes it, with where and on what it is taken. */
export interface WrittenTransition<C extends object> {
  readonly from: string;
  readonly event: string;
  readonly config: FsmTransitionConfig<C>;
}

/** All transitions, in order of writing. */
export function transitionsOf<C extends object>(machine: FsmConfig<C>): WrittenTransition<C>[] {
  return Object.entries(machine.states).flatMap(([from, state]) =>
    Object.entries(state.on ?? {}).flatMap(([event, written]) =>
      candidates(written).map((config) => ({ from, event, config })),
    ),
  );
}

export function isFinal<C extends object>(machine: FsmConfig<C>, name: string): boolean {
  const state = machine.states[name];
  return state?.final === true || state?.type === "final";
}

/** What to call a state: a board's status has a name beside its id. */
export function titleOf<C extends object>(machine: FsmConfig<C>, name: string): string {
  return (machine.states[name]?.meta?.status as Status | undefined)?.name ?? name;
}
