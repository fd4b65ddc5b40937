import {
  actorFactory,
  collectEventTypes,
  type FsmActor,
  type FsmActorOptions,
  type FsmConfig,
  type FsmPosition,
  type FsmSnapshot,
  type FsmTransition,
  type FsmTransitionConfig,
  moveEvent,
  type Status,
} from "../machine/index.js";

/** What is known of an event before it is sent. */
export interface FsmEventFacts {
  readonly type: string;
  /** What to call the states that declare it, in order of writing. */
  readonly from: readonly string[];
  /** Those states themselves; undefined where a state inherits events from one around it. */
  readonly states?: readonly string[];
  /** Words for it that are better than its type; a board's status names come this way. */
  readonly label?: string;
  /** It leads into a final state: what it does is not taken back by another event. */
  readonly closes: boolean;
  /** Taking it does work outside the machine. */
  readonly effects: boolean;
}

/**
 * What the bridge and the gate need of a machine, whoever interprets it: {@link logicOf} for an `FsmConfig`,
 * `fromXstate` for an XState machine.
 */
export interface FsmLogic<C extends object = object> {
  readonly kind: "boardwalk.logic";
  readonly id?: string;
  readonly initial: string;
  /** Every state a tool may be bound to. */
  readonly states: readonly string[];
  readonly events: readonly FsmEventFacts[];
  /**
   * The machine running, from its start or from where `saved` says.
   * @param moved told of transitions that no send made: delayed ones
   * @throws BoardwalkError `stale_workflow` when it no longer has the saved state.
   */
  start(saved?: string, moved?: (event: string, snapshot: FsmSnapshot<C>) => void): FsmActor<C>;
  /** A snapshot as a string that `start` takes: the state's name alone where that says it all. */
  save(snapshot: FsmSnapshot<C>): string;
  /** Whether the machine is in `state`, or in one inside it. */
  matches(snapshot: FsmSnapshot<C>, state: string): boolean;
  /** What is said on reaching a state. */
  prompt(snapshot: FsmSnapshot<C>): string | undefined;
  /** What to call where it is, when spoken. */
  label(snapshot: FsmSnapshot<C>): string;
}

export function isLogic<C extends object>(value: FsmConfig<C> | FsmLogic<C>): value is FsmLogic<C> {
  return "kind" in value && value.kind === "boardwalk.logic";
}

/** @throws BoardwalkError `invalid` for a faulty config. */
export function logicOf<C extends object>(
  machine: FsmConfig<C> | FsmLogic<C>,
  options: FsmActorOptions<C> = {},
): FsmLogic<C> {
  if (isLogic(machine)) return machine;
  const labelOf = (state: string) => statusOf(machine, state)?.name ?? state;
  // Made once, so that a faulty context or an unknown hook shows now and not with the first call.
  const start = actorFactory(machine, options);
  const { context } = start().getSnapshot();
  return {
    kind: "boardwalk.logic",
    ...(machine.id === undefined ? {} : { id: machine.id }),
    initial: machine.initial,
    states: Object.keys(machine.states),
    events: eventFacts(machine),
    start: (saved) => start(saved === undefined ? undefined : positionOf(machine, saved, context)),
    save: (snapshot) => saveOf(snapshot),
    matches: (snapshot, state) => snapshot.value === state,
    prompt: (snapshot) => machine.states[snapshot.value]?.meta?.prompt,
    label: (snapshot) => labelOf(snapshot.value),
  };
}

/**
 * What a machine's events are, in order of writing.
 * @throws BoardwalkError `invalid` for a faulty config.
 */
export function eventFacts<C extends object>(machine: FsmConfig<C>): FsmEventFacts[] {
  return [...collectEventTypes(machine)].map(([type, from]) => factsOf(machine, type, from));
}

function saveOf<C extends object>({ value, context }: FsmSnapshot<C>): string {
  for (const _ in context) return JSON.stringify({ value, context });
  return value;
}

/** @param first the machine's own first context, for a state saved by its name alone */
function positionOf<C extends object>(machine: FsmConfig<C>, saved: string, first: C): FsmPosition<C> {
  const bare = { value: saved, context: first };
  if (Object.hasOwn(machine.states, saved) || !saved.startsWith("{")) return bare;
  try {
    const { value, context } = JSON.parse(saved) as Partial<FsmPosition<C>>;
    return typeof value === "string" && typeof context === "object"
      ? { value, context: context ?? ({} as C) }
      : bare;
  } catch {
    return bare;
  }
}

function factsOf<C extends object>(
  machine: FsmConfig<C>,
  type: string,
  from: readonly string[],
): FsmEventFacts {
  const taken = from.flatMap((state) => candidates(machine.states[state]?.on?.[type]));
  const targets = [...new Set(taken.flatMap(({ target }) => (target === undefined ? [] : [target])))];
  const label = moveLabel(machine, type, targets);
  return {
    type,
    from: from.map((state) => statusOf(machine, state)?.name ?? state),
    states: from,
    ...(label === undefined ? {} : { label }),
    closes: targets.some((target) => isClosing(machine, target)),
    effects:
      taken.some(({ actions }) => actions !== undefined) ||
      targets.some((target) => machine.states[target]?.onEnter !== undefined),
  };
}

/** A transition as written, in its long form. */
export function candidates<C extends object>(
  written: FsmTransition<C> | undefined,
): readonly FsmTransitionConfig<C>[] {
  if (written === undefined) return [];
  if (typeof written === "string") return [{ target: written }];
  return Array.isArray(written) ? written : [written as FsmTransitionConfig<C>];
}

/** Events made from a board's graph are named by id; people know the status by its name. */
function moveLabel<C extends object>(
  machine: FsmConfig<C>,
  type: string,
  targets: readonly string[],
): string | undefined {
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0 || type !== moveEvent(target)) return undefined;
  const name = statusOf(machine, target)?.name;
  return name === undefined ? undefined : `Move to ${name}`;
}

function isClosing<C extends object>(machine: FsmConfig<C>, target: string): boolean {
  const category = statusOf(machine, target)?.category;
  if (category !== undefined) return category === "done" || category === "canceled";
  const state = machine.states[target];
  return state?.final === true || state?.type === "final";
}

/** The status that `fsmFromStatusGraph` keeps with a state made from a board's graph. */
function statusOf<C extends object>(machine: FsmConfig<C>, state: string): Status | undefined {
  return machine.states[state]?.meta?.status as Status | undefined;
}
