/** Runs pieces of work one after another per key, and different keys side by side. */
export class Mailbox {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const result = before === undefined ? work() : before.then(work);
    const clear = () => {
      if (this.#tails.get(key) === settled) this.#tails.delete(key);
    };
    const settled: Promise<void> = result.then(clear, clear);
    this.#tails.set(key, settled);
    return result;
  }

  /** Keys with work under way. */
  get size(): number {
    return this.#tails.size;
  }
}
