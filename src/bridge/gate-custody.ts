import { BoardwalkError } from "../errors.js";
import type { FsmActor, FsmSnapshot } from "../machine/index.js";
import type { GateIdentity } from "./gate-identity.js";
import { randomId } from "./gate-identity.js";
import type { FsmLogic } from "./logic.js";
import {
  type FsmStateSnapshot,
  type FsmStateStore,
  parseStateSnapshot,
  sameSnapshot,
} from "./state-store.js";

/** A workflow taken out of the store for one call, running. */
export interface Place<C extends object> {
  readonly identity: GateIdentity;
  readonly actor: FsmActor<C>;
  /** What the store has of it now. */
  stored: FsmStateSnapshot | undefined;
}

export interface CustodyOptions {
  /** Idle time after which a handle or a session is expired. */
  readonly ttlMs: number;
  /** How long a call holds others off before it is taken for dead. */
  readonly claimMs: number;
  readonly now: () => number;
  /** Handles must have been minted by us. */
  readonly minted: boolean;
  /** What to call to get a new workflow, for sentences. */
  readonly startTool: string | undefined;
  /** A saved state this machine no longer has, as one it has; undefined when there is none. */
  readonly migrate: ((saved: string) => string | undefined) | undefined;
}

const SAVE_ATTEMPTS = 3;

/** Takes workflows out of the store and puts them back, so that no two calls act on one and no update is lost. */
export class Custody<C extends object> {
  readonly #logic: FsmLogic<C>;
  readonly #store: FsmStateStore;
  readonly #options: CustodyOptions;
  readonly #by = randomId();
  #claims = 0;
  readonly #now = new IsoTime();
  readonly #oldest = new IsoTime();
  readonly #until = new IsoTime();
  /** What was done but could not be saved; put right before anything else is done with that workflow. */
  readonly #owed = new Map<
    string,
    { readonly from: FsmStateSnapshot | undefined; readonly next: FsmStateSnapshot }
  >();

  constructor(logic: FsmLogic<C>, store: FsmStateStore, options: CustodyOptions) {
    this.#logic = logic;
    this.#store = store;
    this.#options = options;
  }

  /** What is kept of a workflow, for `take`. Two steps, because an `async` one would cost as much as a transition. */
  fetch({ key }: GateIdentity): Promise<FsmStateSnapshot | undefined> {
    return this.#owed.size === 0 ? this.#store.load(key) : this.#loadOwed(key);
  }

  /**
   * The workflow running, from what was fetched.
   * @param toAct false for who only looks: a call under way is no hindrance then
   * @throws BoardwalkError (or rejects with one) with a sentence for the caller: the handle is unknown or expired, the
   * session is expired, another call is under way (`busy`), the machine no longer has that state (`stale_workflow`).
   */
  take(identity: GateIdentity, fetched: unknown, toAct: boolean): Place<C> | Promise<never> {
    const stored = parseStateSnapshot(fetched);
    if (stored === undefined) {
      if (identity.kind === "handle" && this.#options.minted) throw this.#unknownHandle();
      return { identity, stored, actor: this.#logic.start() };
    }
    const now = this.#options.now();
    if (identity.kind !== "process" && this.#isExpired(stored, now)) return this.#expire(identity, stored);
    if (toAct && stored.claim !== undefined && Date.parse(stored.claim.until) > now) throw busy();
    return { identity, stored, actor: this.#restore(stored.state) };
  }

  async #loadOwed(key: string): Promise<FsmStateSnapshot | undefined> {
    await this.#payOwed(key);
    return this.#store.load(key);
  }

  /** Where it is, or undefined where `read` would refuse; changes nothing and uses up no notice of expiry. */
  async peek(identity: GateIdentity): Promise<FsmSnapshot<C> | undefined> {
    const stored = parseStateSnapshot(await this.#store.load(identity.key));
    if (stored !== undefined && identity.kind !== "process" && this.#isExpired(stored, this.#options.now()))
      return undefined;
    if (stored === undefined && identity.kind === "handle" && this.#options.minted) return undefined;
    const actor = this.#restore(stored?.state);
    const snapshot = actor.getSnapshot();
    actor.stop?.();
    return snapshot;
  }

  /** Keeps other processes off while this call acts. @returns false when someone was faster: load again. */
  async claim(place: Place<C>): Promise<boolean> {
    if (this.#store.compareAndSet === undefined) return true;
    const now = this.#options.now();
    this.#claims += 1;
    const claimed: FsmStateSnapshot = {
      state: place.stored?.state ?? this.#logic.save(place.actor.getSnapshot()),
      updatedAt: place.stored?.updatedAt ?? this.#now.of(now),
      claim: { by: `${this.#by}-${this.#claims}`, until: this.#until.of(now + this.#options.claimMs) },
    };
    if (!(await this.#store.compareAndSet(place.identity.key, place.stored, claimed))) return false;
    place.stored = claimed;
    return true;
  }

  /** Lets go of a claim without having changed anything. */
  async release(place: Place<C>): Promise<void> {
    const { stored } = place;
    if (stored?.claim === undefined) return;
    const { claim: _, ...unclaimed } = stored;
    await this.#store.compareAndSet?.(place.identity.key, stored, unclaimed);
  }

  /** How a workflow is kept that is here now. */
  next(snapshot: FsmSnapshot<C>): FsmStateSnapshot {
    return { state: this.#logic.save(snapshot), updatedAt: this.#now.of(this.#options.now()) };
  }

  /** Puts it back. @returns whether it was still as this call found it; nothing is written if not. */
  put({ identity, stored }: Place<C>, next: FsmStateSnapshot): Promise<boolean> {
    return this.#set(identity.key, stored, next);
  }

  /** A new workflow at its start under this key. */
  async begin(key: string): Promise<void> {
    const actor = this.#logic.start();
    const state = this.#logic.save(actor.getSnapshot());
    actor.stop?.();
    await this.#store.save(key, { state, updatedAt: this.#now.of(this.#options.now()) });
  }

  #set(key: string, from: FsmStateSnapshot | undefined, next: FsmStateSnapshot): Promise<boolean> {
    if (this.#store.compareAndSet !== undefined) return this.#store.compareAndSet(key, from, next);
    return this.#store.save(key, next).then(() => true);
  }

  /**
   * Tries again when `put` has failed, for the work itself is done.
   * @returns as `put`.
   * @throws BoardwalkError `unavailable` when it keeps failing; it is kept here then, and saved before this workflow's
   * next call.
   */
  async insist({ identity, stored }: Place<C>, next: FsmStateSnapshot, cause: unknown): Promise<boolean> {
    for (let attempt = 2; attempt <= SAVE_ATTEMPTS; attempt++) {
      try {
        return await this.#setOrFind(identity.key, stored, next);
      } catch {
        // Told below, with the first error as its cause.
      }
    }
    this.#owed.set(identity.key, { from: stored, next });
    throw new BoardwalkError(
      "unavailable",
      "It was done, but where the workflow stands now could not be saved. Do not repeat it; the next call saves it.",
      { cause },
    );
  }

  /** A save whose answer got lost may have landed. */
  async #setOrFind(
    key: string,
    from: FsmStateSnapshot | undefined,
    next: FsmStateSnapshot,
  ): Promise<boolean> {
    if (await this.#set(key, from, next)) return true;
    return sameSnapshot(parseStateSnapshot(await this.#store.load(key)), next);
  }

  async #payOwed(key: string): Promise<void> {
    const owed = this.#owed.get(key);
    if (owed === undefined) return;
    try {
      // Not set, because someone else moved it on: theirs is the newer truth.
      await this.#setOrFind(key, owed.from, owed.next);
    } catch (error) {
      const message = "Where this workflow stands could not be saved yet. Please try again in a moment.";
      throw new BoardwalkError("unavailable", message, { cause: error });
    }
    this.#owed.delete(key);
  }

  #restore(saved: string | undefined): FsmActor<C> {
    try {
      return this.#logic.start(saved);
    } catch (error) {
      const migrated = saved === undefined ? undefined : this.#options.migrate?.(saved);
      if (migrated === undefined) {
        throw new BoardwalkError(
          "stale_workflow",
          `This workflow stands in a state that no longer exists, so nothing was done.${this.#startAgain()}`,
          { cause: error },
        );
      }
      return this.#logic.start(migrated);
    }
  }

  #isExpired({ updatedAt }: FsmStateSnapshot, now: number): boolean {
    const oldest = this.#oldest.of(now - this.#options.ttlMs);
    // Our own times compare as text; parsing them would cost more than the transition.
    if (updatedAt.length === oldest.length && updatedAt.endsWith("Z")) return updatedAt < oldest;
    return now - Date.parse(updatedAt) > this.#options.ttlMs;
  }

  /** A session has nothing but its id to come back with, so it starts over, once it has been told. */
  async #expire(identity: GateIdentity, stored: FsmStateSnapshot): Promise<never> {
    if (identity.kind === "handle") {
      throw new BoardwalkError(
        "not_found_or_hidden",
        `This workflow has expired: it was last used more than ${spokenTime(this.#options.ttlMs)} ago.${this.#startAgain()}`,
        { data: { code: "handle_expired" } },
      );
    }
    await this.begin(identity.key);
    const was = stored.state === "" ? "" : ` It stood in "${stored.state}".`;
    throw new BoardwalkError(
      "not_found_or_hidden",
      `This session was left alone for too long and its place was forgotten, so nothing was done.${was} It starts again from "${this.#logic.initial}".`,
      { data: { code: "session_expired" } },
    );
  }

  #unknownHandle(): BoardwalkError {
    return new BoardwalkError(
      "not_found_or_hidden",
      `There is no such workflow, or it has expired.${this.#startAgain()}`,
      { data: { code: "handle_unknown" } },
    );
  }

  #startAgain(): string {
    const { startTool } = this.#options;
    return startTool === undefined ? "" : ` Call ${startTool} to begin a new one.`;
  }
}

function busy(): BoardwalkError {
  return new BoardwalkError(
    "busy",
    "Another call on this workflow is still under way. Please try again in a moment.",
  );
}

export function movedMeanwhile(): BoardwalkError {
  return new BoardwalkError(
    "conflict",
    "Someone else moved this workflow meanwhile. Look where it is and try again.",
  );
}

/** Making the string costs more than everything else a call does, so the last is kept for its millisecond. */
class IsoTime {
  #ms = Number.NaN;
  #text = "";

  of(ms: number): string {
    if (ms !== this.#ms) {
      this.#text = new Date(ms).toISOString();
      this.#ms = ms;
    }
    return this.#text;
  }
}

function spokenTime(ms: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
    ["second", 1000],
  ] as const;
  const [unit, size] = units.find(([, length]) => ms >= length) ?? units[3];
  const count = Math.max(1, Math.round(ms / size));
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
