import { BoardwalkError } from "../errors.js";
import type { FsmActor, FsmEvent, FsmSendResult, FsmSnapshot } from "../machine/index.js";
import { Mailbox } from "./mailbox.js";
import { type XstateAction, type XstateMachine, type XstateSnapshot, xstate } from "./xstate-peer.js";

/** Time for delayed transitions; XState's own clocks fit, its `SimulatedClock` too. */
export interface FsmClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** As the global one: calls back after so many milliseconds. */
  setTimeout(run: () => void, ms: number): unknown;
  /** As the global one: calls it off. */
  clearTimeout(id: never): void;
}

/** A delayed event that has not come yet. */
export interface Timer {
  readonly id: string;
  readonly event: { readonly type: string };
  readonly dueAt: number;
}

/** Everything needed to go on later. */
export interface XstatePosition {
  readonly snapshot: XstateSnapshot;
  readonly timers: readonly Timer[];
  /** Actions that are due and not run yet: of entering the initial state, or of delays that ran out meanwhile. */
  readonly owed: readonly XstateAction[];
  /** The same before time was let pass: it is what to save while actions are owed, for actions cannot be saved. */
  readonly before?: XstatePosition;
}

export interface XstateActorParts<C extends object> {
  readonly machine: XstateMachine;
  readonly clock: FsmClock;
  /** A position as callers see it. */
  readonly show: (position: XstatePosition) => FsmSnapshot<C>;
  readonly begin: () => XstatePosition;
  /** Told of delayed transitions. */
  readonly moved: ((event: string, snapshot: FsmSnapshot<C>) => void) | undefined;
}

type Step = readonly [XstateSnapshot, readonly XstateAction[]];

/**
 * An XState machine driven by XState's own pure transition function: decide, run the actions and wait for them,
 * then move. Sends run one after another. A failing action leaves the machine where it was.
 */
export class XstateActor<C extends object> implements FsmActor<C> {
  readonly #parts: XstateActorParts<C>;
  readonly #mailbox = new Mailbox();
  readonly #running = new Map<string, unknown>();
  #position: XstatePosition;
  #epoch = 0;

  constructor(parts: XstateActorParts<C>, position: XstatePosition) {
    this.#parts = parts;
    this.#position = position;
    this.#passTime();
    this.#arm();
  }

  getSnapshot(): FsmSnapshot<C> {
    return this.#parts.show(this.#position);
  }

  can(event: FsmEvent): boolean {
    return canTake(this.#position.snapshot, event);
  }

  send(event: FsmEvent): Promise<FsmSendResult<C>> {
    return this.#mailbox.run("", async () => {
      const { snapshot } = this.#position;
      if (!canTake(snapshot, event)) return this.#refuse(snapshot, event);
      await this.#take(xstate().transition(this.#parts.machine, snapshot, event), event.type);
      return { ok: true, snapshot: this.getSnapshot() };
    });
  }

  reset(): void {
    this.stop();
    this.#epoch += 1;
    this.#position = this.#parts.begin();
    this.#arm();
  }

  stop(): void {
    for (const running of this.#running.values()) this.#parts.clock.clearTimeout(running as never);
    this.#running.clear();
  }

  #refuse(snapshot: XstateSnapshot, event: FsmEvent): FsmSendResult<C> {
    const declared =
      snapshot.status === "active" &&
      xstate()
        .getNextTransitions(snapshot)
        .some(
          ({ eventType, target, actions }) =>
            eventType === event.type && (target !== undefined || actions.length > 0),
        );
    return { ok: false, reason: declared ? "guard-rejected" : "no-transition", snapshot: this.getSnapshot() };
  }

  async #take([next, actions]: Step, event: string): Promise<void> {
    if (next.status === "error") throw failed(event, next.error);
    const epoch = this.#epoch;
    const { owed } = this.#position;
    for (const action of [...owed, ...actions]) if (!isTiming(action)) await run(action, event);
    if (epoch !== this.#epoch) {
      throw new BoardwalkError(
        "conflict",
        "The machine was reset while this was under way, so nothing was changed.",
      );
    }
    this.#position = {
      snapshot: next,
      timers: this.#timersAfter(actions, this.#parts.clock.now()),
      owed: [],
    };
    this.stop();
    this.#arm();
  }

  /** Delayed transitions that fell due while the machine was put away happen in the order in which they fell due. */
  #passTime(): void {
    const now = this.#parts.clock.now();
    const before = this.#position;
    for (;;) {
      const [due] = this.#position.timers
        .filter(({ dueAt }) => dueAt <= now)
        .sort((a, b) => a.dueAt - b.dueAt);
      if (due === undefined) return;
      this.#position = { ...this.#position, timers: this.#position.timers.filter((timer) => timer !== due) };
      const [next, actions] = xstate().transition(this.#parts.machine, this.#position.snapshot, due.event);
      if (next.status === "error") throw failed(due.event.type, next.error);
      // A delay that starts to run then, started then and not now.
      const timers = this.#timersAfter(actions, due.dueAt);
      const owed = [...this.#position.owed, ...actions.filter((action) => !isTiming(action))];
      this.#position = { snapshot: next, timers, owed, before };
    }
  }

  #timersAfter(actions: readonly XstateAction[], now: number): readonly Timer[] {
    let { timers } = this.#position;
    for (const { type, params } of actions) {
      if (type === "xstate.cancel") {
        const { sendId } = params as { sendId: string };
        timers = timers.filter(({ id }) => id !== sendId);
      }
      if (type === "xstate.raise") {
        const { event, id, delay } = params as { event: { type: string }; id?: string; delay?: number };
        const key = id ?? event.type;
        timers = [
          ...timers.filter((timer) => timer.id !== key),
          { id: key, event, dueAt: now + (delay ?? 0) },
        ];
      }
    }
    return timers;
  }

  #arm(): void {
    const { clock } = this.#parts;
    for (const { id, event, dueAt } of this.#position.timers) {
      this.#running.set(
        id,
        clock.setTimeout(() => this.#fire(id, event), Math.max(0, dueAt - clock.now())),
      );
    }
  }

  #fire(id: string, event: { readonly type: string }): void {
    this.#running.delete(id);
    const taken = this.#mailbox.run("", async () => {
      if (!this.#position.timers.some((timer) => timer.id === id)) return;
      this.#position = {
        ...this.#position,
        timers: this.#position.timers.filter((timer) => timer.id !== id),
      };
      await this.#take(xstate().transition(this.#parts.machine, this.#position.snapshot, event), event.type);
      this.#parts.moved?.(event.type, this.getSnapshot());
    });
    // Nobody waits for it: an action that failed leaves the machine where it was, as after any send.
    taken.catch(() => undefined);
  }
}

/** A finished machine takes nothing, though a root's transitions would still match. */
function canTake(snapshot: XstateSnapshot, event: FsmEvent): boolean {
  return snapshot.status === "active" && snapshot.can(event);
}

function isTiming({ type }: XstateAction): boolean {
  return type === "xstate.raise" || type === "xstate.cancel";
}

async function run({ exec, info, params }: XstateAction, event: string): Promise<void> {
  try {
    await exec?.(info, params);
  } catch (error) {
    throw failed(event, error);
  }
}

function failed(event: string, cause: unknown): BoardwalkError {
  if (cause instanceof BoardwalkError) return cause;
  return new BoardwalkError("hook_failed", `"${event}" could not be finished, so nothing was changed.`, {
    cause,
  });
}
