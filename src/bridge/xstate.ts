import { BoardwalkError } from "../errors.js";
import type { FsmSnapshot } from "../machine/index.js";
import type { FsmEventFacts, FsmLogic } from "./logic.js";
import { type FsmClock, type Timer, XstateActor, type XstatePosition } from "./xstate-actor.js";
import {
  type XstateMachine,
  type XstateNode,
  type XstateSnapshot,
  type XstateValue,
  xstate,
} from "./xstate-peer.js";

export interface FromXstateOptions {
  /** @default the real time */
  readonly clock?: FsmClock;
  /** Handed to the machine's context factory. */
  readonly input?: unknown;
}

const REAL_TIME: FsmClock = {
  now: () => Date.now(),
  // A delayed transition is no reason to keep a process from ending.
  setTimeout: (run, ms) => setTimeout(run, ms).unref(),
  clearTimeout: (id) => clearTimeout(id),
};

/**
 * An XState machine, made by `createMachine` or `setup`, for the bridge and the gate: nested and parallel states,
 * guards, `always`, delays and history work as in XState, because XState's own transition function decides. Actions
 * are awaited. A state is called by its path (`editing.bold`; parallel ones joined by ` + `). Saved positions hold
 * everything, running delays included.
 *
 * @throws BoardwalkError `invalid` when XState is not installed, or for a machine that invokes actors: work with the
 * outside world belongs into a tool or an action.
 */
export function fromXstate<C extends object = object>(
  machine: XstateMachine,
  { clock = REAL_TIME, input }: FromXstateOptions = {},
): FsmLogic<C> {
  if (typeof machine?.getPersistedSnapshot !== "function") {
    throw new BoardwalkError(
      "invalid",
      "fromXstate takes a machine made by XState 5's createMachine or setup().",
    );
  }
  const nodes = nodesBelow(machine.root);
  requireNoInvoke([machine.root, ...nodes]);
  const byPath = new Map(nodes.map((node) => [node.path.join("."), node]));
  const positions = new WeakMap<object, XstatePosition>();

  function show(position: XstatePosition): FsmSnapshot<C> {
    const { snapshot } = position;
    const shown: FsmSnapshot<C> = {
      value: nameOf(snapshot.value),
      context: ownCopy(snapshot.context) as C,
      availableEvents: availableEvents(snapshot),
      done: snapshot.status === "done",
    };
    positions.set(shown, position);
    return shown;
  }

  function begin(): XstatePosition {
    const [snapshot, actions] = xstate().initialTransition(machine, input);
    const delayed = actions.filter(({ type }) => type === "xstate.raise");
    const timers = delayed.map(({ params }) => timerOf(params as never, clock.now()));
    return { snapshot, timers, owed: actions.filter((action) => !delayed.includes(action)) };
  }

  function positionOf(shown: FsmSnapshot<C>): XstatePosition {
    const position = positions.get(shown);
    if (position === undefined) throw new BoardwalkError("internal", "This snapshot is not of this machine.");
    return position;
  }

  return {
    kind: "boardwalk.logic",
    // XState gives a machine without an id one of its own, which is no name for a tool.
    ...(machine.config.id === undefined ? {} : { id: machine.config.id }),
    initial: nameOf(begin().snapshot.value),
    states: [...byPath.keys()],
    events: eventFacts(machine, [machine.root, ...nodes]),
    start(saved, moved) {
      const position = saved === undefined ? begin() : restore(machine, saved, begin);
      return new XstateActor({ machine, clock, show, begin, moved }, position);
    },
    save: (shown) => save(machine, positionOf(shown)),
    matches(shown, state) {
      const node = byPath.get(state);
      return node !== undefined && positionOf(shown).snapshot.matches(stateValue(node.path));
    },
    prompt: (shown) => promptOf(positionOf(shown).snapshot, nodes),
    label: (shown) => shown.value,
  };
}

function timerOf(
  { event, id, delay }: { event: { type: string }; id?: string; delay?: number },
  now: number,
): Timer {
  return { id: id ?? event.type, event, dueAt: now + (delay ?? 0) };
}

/** `fresh`: the initial state's own actions have not been run yet, so it is begun again when taken up. */
interface Saved {
  readonly snapshot: unknown;
  readonly timers: readonly Timer[];
  readonly fresh?: boolean;
}

function save(machine: XstateMachine, position: XstatePosition): string {
  const { snapshot, timers, owed } = position.before ?? position;
  const saved: Saved = {
    snapshot: machine.getPersistedSnapshot(snapshot as never),
    timers,
    ...(owed.length > 0 ? { fresh: true } : {}),
  };
  return JSON.stringify(saved);
}

function restore(machine: XstateMachine, text: string, begin: () => XstatePosition): XstatePosition {
  const saved = parse(text);
  if (saved.fresh) return { ...begin(), timers: saved.timers };
  let snapshot: XstateSnapshot;
  try {
    snapshot = xstate().createActor(machine, { snapshot: saved.snapshot }).getSnapshot();
  } catch (cause) {
    throw stale(cause);
  }
  if (snapshot.status === "error") throw stale(snapshot.error);
  return { snapshot, timers: saved.timers, owed: [] };
}

function parse(text: string): Saved {
  try {
    const saved = JSON.parse(text) as Partial<Saved>;
    if (typeof saved.snapshot === "object" && Array.isArray(saved.timers)) return saved as Saved;
  } catch {
    // Said below, as for any other text.
  }
  throw stale(text);
}

function stale(cause: unknown): BoardwalkError {
  return new BoardwalkError("stale_workflow", "What was saved does not fit this machine any more.", {
    cause,
  });
}

function nodesBelow(node: XstateNode): XstateNode[] {
  return Object.values(node.states).flatMap((child) => [child, ...nodesBelow(child)]);
}

function requireNoInvoke(nodes: readonly XstateNode[]): void {
  const node = nodes.find(({ invoke }) => invoke.length > 0);
  if (node === undefined) return;
  throw new BoardwalkError(
    "invalid",
    `State "${node.id}" invokes an actor, which only XState's own actors can run. Do that work in a tool or an action.`,
  );
}

/** A state's value as one name: a path, and for parallel states the paths of all of them. */
function nameOf(value: XstateValue): string {
  return pathsOf(value).join(" + ");
}

function pathsOf(value: XstateValue): string[] {
  if (typeof value === "string") return [value];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = inner === undefined ? [] : pathsOf(inner);
    return below.length === 0 ? [key] : below.map((path) => `${key}.${path}`);
  });
}

function stateValue(path: readonly string[]): XstateValue {
  const [key = "", ...below] = path;
  return below.length === 0 ? key : { [key]: stateValue(below) };
}

/** Without XState's own events, wildcards, and events a state forbids by naming them without a transition. */
function availableEvents(snapshot: XstateSnapshot): string[] {
  if (snapshot.status !== "active") return [];
  const open = xstate()
    .getNextTransitions(snapshot)
    .filter(({ target, actions }) => target !== undefined || actions.length > 0)
    .map(({ eventType }) => eventType);
  return [...new Set(open)].filter(isOwnEvent);
}

function isOwnEvent(type: string): boolean {
  return type !== "" && !type.includes("*") && !type.startsWith("xstate.");
}

function eventFacts(machine: XstateMachine, nodes: readonly XstateNode[]): FsmEventFacts[] {
  return machine.events.filter(isOwnEvent).map((type) => {
    const declaring = nodes.filter((node) => node.transitions.has(type));
    const taken = declaring.flatMap((node) => node.transitions.get(type) ?? []);
    const targets = taken.flatMap(({ target }) => target ?? []);
    return {
      type,
      from: declaring.map((node) => node.path.join(".") || node.key),
      closes: targets.some((target) => target.type === "final" && target.parent === machine.root),
      effects:
        taken.some(({ actions }) => actions.length > 0) || targets.some(({ entry }) => entry.length > 0),
    };
  });
}

/** What the innermost states with a prompt say, one after another where several are active. */
function promptOf(snapshot: XstateSnapshot, nodes: readonly XstateNode[]): string | undefined {
  const meta = snapshot.getMeta();
  const speaking = nodes.filter(({ id }) => typeof meta[id]?.prompt === "string");
  const innermost = speaking.filter((node) => !speaking.some((other) => isInside(other, node)));
  return innermost.length === 0 ? undefined : innermost.map(({ id }) => String(meta[id]?.prompt)).join(" ");
}

function isInside(node: XstateNode, outer: XstateNode): boolean {
  return node.parent !== undefined && (node.parent === outer || isInside(node.parent, outer));
}

/** Nobody who holds a snapshot may change the machine; what cannot be copied is shown as it is. */
function ownCopy(context: object): object {
  try {
    return Object.freeze(structuredClone(context));
  } catch {
    return Object.freeze({ ...context });
  }
}
