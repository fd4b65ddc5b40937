import type { FsmActor, FsmSnapshot } from "../machine/index.js";
import { requirePositive } from "./limits.js";
import type { FsmSessionLimits } from "./types.js";

interface Session<C extends object> {
  readonly actor: FsmActor<C>;
  usedAt: number;
  /** Calls under way; such a session is never dropped. */
  calls: number;
  /** It has left its start, so that dropping it loses something. */
  moved: boolean;
}

/** Makes a session's machine, which says when it moves by itself. */
type StartSession<C extends object> = (id: string, moved: () => void) => FsmActor<C>;

/** Ids of dropped sessions kept per session allowed: beyond it the oldest starts over unannounced. */
const REMEMBERED_DROPS = 10;

/**
 * Running machines by session id, bounded in number and in idle time. What is dropped in the middle of something is
 * remembered, so that the next call of that session can be told instead of finding itself at the start.
 */
export class Sessions<C extends object> {
  readonly #start: StartSession<C>;
  readonly #max: number;
  readonly #idleMs: number;
  readonly #now: () => number;
  readonly #onDrop: FsmSessionLimits<C>["onDrop"];
  /** In order of use, the one idle longest first. */
  readonly #sessions = new Map<string, Session<C>>();
  readonly #dropped = new Set<string>();
  /** Where a session is that has not begun. */
  readonly atStart: FsmSnapshot<C>;

  constructor(start: StartSession<C>, limits: FsmSessionLimits<C> = {}) {
    requirePositive({ "sessions.max": limits.max, "sessions.idleMs": limits.idleMs });
    this.#start = start;
    this.#max = limits.max ?? 10_000;
    this.#idleMs = limits.idleMs ?? 86_400_000;
    this.#now = limits.now ?? Date.now;
    this.#onDrop = limits.onDrop;
    const first = start("", () => undefined);
    this.atStart = first.getSnapshot();
    first.stop?.();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Where the session is; reading keeps it alive but makes none. */
  snapshot(id: string): FsmSnapshot<C> {
    this.#dropIdle();
    const session = this.#sessions.get(id);
    if (session === undefined) return this.atStart;
    this.#touch(id, session);
    return session.actor.getSnapshot();
  }

  /** Whether the session was dropped in the middle of something and nobody has been told yet. */
  wasDropped(id: string): boolean {
    this.#dropIdle();
    return this.#dropped.has(id);
  }

  /** Lets the session start over. */
  acknowledge(id: string): void {
    this.#dropped.delete(id);
  }

  /** Runs `work` on the session's machine, made if there is none; it is not dropped meanwhile. */
  async use<T extends { readonly ok: boolean }>(
    id: string,
    work: (actor: FsmActor<C>) => Promise<T>,
  ): Promise<T> {
    this.#dropIdle();
    const session = this.#sessions.get(id) ?? this.#begin(id);
    session.calls += 1;
    this.#touch(id, session);
    this.#dropBeyondMax();
    try {
      const result = await work(session.actor);
      session.moved ||= result.ok;
      return result;
    } finally {
      session.calls -= 1;
      this.#touch(id, session);
    }
  }

  #begin(id: string): Session<C> {
    const actor = this.#start(id, () => {
      session.moved = true;
    });
    const session: Session<C> = { actor, usedAt: 0, calls: 0, moved: false };
    return session;
  }

  reset(id: string): void {
    this.#dropped.delete(id);
    const session = this.#sessions.get(id);
    session?.actor.reset();
    if (session !== undefined) session.moved = false;
  }

  #touch(id: string, session: Session<C>): void {
    session.usedAt = this.#now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
  }

  #dropIdle(): void {
    const before = this.#now() - this.#idleMs;
    for (const [id, session] of this.#sessions) {
      if (session.usedAt >= before) return;
      if (session.calls === 0) this.#drop(id, session);
    }
  }

  #dropBeyondMax(): void {
    if (this.#sessions.size <= this.#max) return;
    for (const [id, session] of this.#sessions) {
      if (this.#sessions.size <= this.#max) return;
      if (session.calls === 0) this.#drop(id, session);
    }
  }

  #drop(id: string, session: Session<C>): void {
    this.#sessions.delete(id);
    const snapshot = session.actor.getSnapshot();
    session.actor.stop?.();
    if (!session.moved) return;
    this.#dropped.add(id);
    const oldest = this.#dropped.values().next().value;
    if (this.#dropped.size > this.#max * REMEMBERED_DROPS && oldest !== undefined)
      this.#dropped.delete(oldest);
    this.#onDrop?.(id, snapshot);
  }
}
