import { setTimeout as sleep } from "node:timers/promises";

export interface UntilOptions {
  /** How long the condition may take before the test fails. */
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/**
 * Waits until `check` answers something truthy, and returns it. A check that throws counts as "not yet".
 * @throws Error saying what was last seen when `timeoutMs` (10 seconds by default) have passed.
 */
export async function until<T>(
  check: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Exclude<T, false | null | undefined | 0 | "">> {
  const { timeoutMs = 10_000, everyMs = 10 } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let seen: unknown;
    try {
      const answer = await check();
      if (answer) return answer as Exclude<T, false | null | undefined | 0 | "">;
      seen = answer;
    } catch (error) {
      seen = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`Not within ${timeoutMs} ms; last seen: ${String(seen)}`, { cause: seen });
    }
    await sleep(everyMs);
  }
}
