/** Runs pieces of work one after another per key, and different keys side by side. */
export class Mailbox {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    // Whatever became of the work before: its own caller was told.
    const result = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, result);
    result.then(
      () => this.#settled(key, result),
      () => this.#settled(key, result),
    );
    return result;
  }

  #settled(key: string, result: Promise<unknown>): void {
    if (this.#last.get(key) === result) this.#last.delete(key);
  }
}
