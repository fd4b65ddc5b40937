import { whenAborted } from "./abort.js";
import type { HoldTurn, Turn, Turns } from "./connector.js";
import { pause } from "./http.js";

interface Line {
  tail: Promise<unknown>;
  waiting: number;
  freeAt: number;
}

/** One after another in this process, first come first served; over all of them where `hold` asks the others. */
export function createTurns(hold: HoldTurn = async () => () => {}): Turns {
  const lines = new Map<string, Line>();

  function lineOf(key: string): Line {
    for (const [other, { waiting, freeAt }] of lines)
      if (waiting === 0 && freeAt < Date.now()) lines.delete(other);
    const line = lines.get(key) ?? { tail: Promise.resolve(), waiting: 0, freeAt: 0 };
    lines.set(key, line);
    return line;
  }

  async function run<T>(turn: Turn, line: Line, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await settledOrAborted(line.tail, signal);
    await pause(line.freeAt - Date.now(), signal);
    const leave = await hold(turn, signal);
    // Work that is called off refuses to begin, so it cannot run beside the one it no longer waits for.
    return await work().finally(() => {
      line.freeAt = Date.now() + turn.spacingMs;
      leave();
    });
  }

  return {
    take(turn, work, signal) {
      const line = lineOf(turn.key);
      const before = line.tail;
      line.waiting += 1;
      const running = run(turn, line, work, signal);
      line.tail = Promise.allSettled([before, running]).finally(() => {
        line.waiting -= 1;
      });
      return running;
    },
  };
}

function settledOrAborted(before: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const unheed = whenAborted(signal, resolve);
    const go = () => {
      unheed();
      resolve();
    };
    before.then(go, go);
  });
}
