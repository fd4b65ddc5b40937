import { requireCursor, requireLimit, wholeTtl } from "./checks.js";
import type { Page } from "./store.js";

/** A bounded list, numbered from 1, so that a cursor keeps its place while new items come in. */
export class Log<T> {
  readonly #limit: number;
  #items: T[] = [];
  #dropped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: T): void {
    this.#items.push(item);
    // Cut in lumps: shifting a long array on each addition would cost its whole length.
    if (this.#items.length >= this.#limit * 2) {
      this.#dropped += this.#items.length - this.#limit;
      this.#items = this.#items.slice(-this.#limit);
    }
  }

  page<U>(page: { readonly cursor?: string; readonly limit: number }, read: (item: T) => U): Page<U> {
    requireLimit(page.limit);
    const end = this.#dropped + this.#items.length;
    const oldest = Math.max(this.#dropped, end - this.#limit);
    const before = page.cursor === undefined ? end : Number(requireCursor(page.cursor, /^\d{1,15}$/)) - 1;
    const top = Math.max(oldest, Math.min(before, end));
    const from = Math.max(oldest, top - page.limit);
    const items = this.#items
      .slice(from - this.#dropped, top - this.#dropped)
      .reverse()
      .map(read);
    return from > oldest ? { items, next: String(from + 1) } : { items };
  }
}

/** Text by key, each for its time. */
export class Expiring {
  readonly #entries = new Map<string, { readonly text: string; readonly until: number }>();
  #sweepAt = 1024;

  get(key: string): string | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > performance.now() ? entry.text : undefined;
  }

  set(key: string, text: string, ttlMs: number): void {
    this.#entries.set(key, { text, until: performance.now() + wholeTtl(ttlMs) });
    if (this.#entries.size >= this.#sweepAt) this.#sweep();
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #sweep(): void {
    const now = performance.now();
    for (const [key, entry] of this.#entries) if (entry.until <= now) this.#entries.delete(key);
    this.#sweepAt = Math.max(1024, this.#entries.size * 2);
  }
}
