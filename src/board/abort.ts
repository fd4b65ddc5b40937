/** What is to be done when a signal aborts, by signal. */
const waiting = new WeakMap<AbortSignal, Waiting>();

interface Waiting {
  readonly acts: Set<() => void>;
  readonly all: () => void;
}

/**
 * Does it when the signal aborts; at once when it has. However many wait under one signal, as when a job looks at a
 * whole board, it has one listener, and none once nobody waits.
 * @returns what stops waiting
 */
export function whenAborted(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act();
    return () => {};
  }
  const { acts, all } = waitingOn(signal);
  // The same may wait several times.
  const own = () => act();
  acts.add(own);
  return () => {
    if (!acts.delete(own) || acts.size > 0) return;
    signal.removeEventListener("abort", all);
    waiting.delete(signal);
  };
}

function waitingOn(signal: AbortSignal): Waiting {
  const known = waiting.get(signal);
  if (known !== undefined) return known;
  const acts = new Set<() => void>();
  const all = () => {
    waiting.delete(signal);
    for (const act of acts) act();
  };
  const made = { acts, all };
  waiting.set(signal, made);
  signal.addEventListener("abort", all, { once: true });
  return made;
}
