import { BoardwalkError } from "../errors.js";
import { type CompiledMachine, type CompiledTransition, compile } from "./compile.js";
import type { FsmConfig, FsmEvent, FsmPosition, FsmRefusal, FsmStep } from "./types.js";

const NO_TRANSITION: FsmRefusal = Object.freeze({ ok: false, reason: "no-transition" });

/**
 * The one transition function: where does `event` lead from `position`, and what is owed then?
 * Runs no effect and changes nothing; a shell (`createFsmActor`, the ticket actor) acts on the answer.
 *
 * @throws BoardwalkError `invalid` for a faulty machine, `stale_workflow` for a position the machine does not know.
 */
export function transition<C extends object>(
  machine: FsmConfig<C>,
  position: FsmPosition<C>,
  event: FsmEvent,
): FsmStep<C> | FsmRefusal {
  return decide(compile(machine), position, event);
}

/** As {@link transition}, for whoever has the machine compiled already. */
export function decide<C extends object>(
  machine: CompiledMachine<C>,
  position: FsmPosition<C>,
  event: FsmEvent,
): FsmStep<C> | FsmRefusal {
  const state = machine.states.get(position.value);
  if (state === undefined) throw unknownState(position.value);
  const candidates = state.candidates.get(event.type);
  if (candidates === undefined) return NO_TRANSITION;
  let refused: CompiledTransition<C> | undefined;
  for (const candidate of candidates) {
    if (allows(candidate, position.context, event)) return step(candidate, position, event);
    refused ??= candidate;
  }
  const why = refused?.config.reason;
  return why === undefined
    ? { ok: false, reason: "guard-rejected" }
    : { ok: false, reason: "guard-rejected", why };
}

export function unknownState(value: string): BoardwalkError {
  return new BoardwalkError("stale_workflow", `This machine no longer has a state "${value}".`);
}

function allows<C extends object>(candidate: CompiledTransition<C>, context: C, event: FsmEvent): boolean {
  const { guard } = candidate.config;
  if (guard === undefined) return true;
  const answer: unknown = guard(context, event);
  // A promise is truthy: taking it for a yes would open every asynchronous guard.
  if (typeof answer === "object" && answer !== null && "then" in answer) {
    throw new BoardwalkError(
      "invalid",
      `The guard on "${event.type}" is asynchronous; guards must answer at once.`,
    );
  }
  return Boolean(answer);
}

function step<C extends object>(
  taken: CompiledTransition<C>,
  from: FsmPosition<C>,
  event: FsmEvent,
): FsmStep<C> {
  const { assign, target } = taken.config;
  const context = assign === undefined ? from.context : { ...from.context, ...assign(from.context, event) };
  return {
    ok: true,
    position: { value: target ?? from.value, context },
    hooks: taken.hooks,
    taken: taken.config,
  };
}

/** Event types that some state of the machine declares, each with those states, in order of writing. */
export function collectEventTypes<C extends object>(machine: FsmConfig<C>): Map<string, string[]> {
  const types = new Map<string, string[]>();
  for (const [name, state] of compile(machine).states) {
    for (const event of state.events) {
      const states = types.get(event);
      if (states === undefined) types.set(event, [name]);
      else states.push(name);
    }
  }
  return types;
}
