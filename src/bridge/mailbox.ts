class Slot {
  last: Promise<unknown> | undefined;
  waiting = 0;
  readonly settled = (): void => {
    this.waiting -= 1;
    if (this.waiting === 0) this.last = undefined;
  };
}

/** Idle slots kept, because making and deleting one for every piece of work costs more than the bookkeeping itself. */
const MAX_IDLE = 1000;

/** Runs pieces of work one after another per key, and different keys side by side. */
export class Mailbox {
  readonly #slots = new Map<string, Slot>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const slot = this.#slot(key);
    // Whatever became of the work before: its own caller was told.
    const result = slot.last === undefined ? work() : slot.last.then(work, work);
    slot.last = result;
    slot.waiting += 1;
    result.then(slot.settled, slot.settled);
    return result;
  }

  #slot(key: string): Slot {
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    if (this.#slots.size >= MAX_IDLE) this.#sweep();
    const slot = new Slot();
    this.#slots.set(key, slot);
    return slot;
  }

  #sweep(): void {
    for (const [key, { waiting }] of this.#slots) if (waiting === 0) this.#slots.delete(key);
  }
}
