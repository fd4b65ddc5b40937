/** One measured claim. For `higher` claims `ratio` is ours over theirs; it holds when it is at least `target`. */
export interface Row {
  readonly name: string;
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  readonly target: number;
  readonly unit: string;
}

export interface Duel {
  readonly name: string;
  readonly unit: string;
  readonly target: number;
  /** Does the work `times` times. */
  readonly ours: (times: number) => Promise<void>;
  readonly theirs: (times: number) => Promise<void>;
  /** Measured pairs; the medians are compared. @default 7 */
  readonly rounds?: number;
  /** How long one measurement lasts, about. @default 60 */
  readonly roundMs?: number;
}

/**
 * Times per second of both sides, measured in turn (and in changing order) within one run, so that a busy machine
 * slows both alike.
 */
export async function interleave({
  name,
  unit,
  target,
  ours,
  theirs,
  rounds = 7,
  roundMs = 60,
}: Duel): Promise<Row> {
  const ourTimes = await calibrate(ours, roundMs);
  const theirTimes = await calibrate(theirs, roundMs);
  const our: number[] = [];
  const their: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const pair = [
      async () => our.push(await rate(ours, ourTimes)),
      async () => their.push(await rate(theirs, theirTimes)),
    ];
    for (const measure of round % 2 === 0 ? pair : pair.reverse()) await measure();
  }
  const [a, b] = [median(our), median(their)];
  return { name, ours: round3(a), theirs: round3(b), ratio: round3(a / b), target, unit };
}

/** How often to do it so that it takes about `roundMs`; warms it up as well. */
async function calibrate(work: (times: number) => Promise<void>, roundMs: number): Promise<number> {
  let times = 64;
  for (;;) {
    const startedAt = performance.now();
    await work(times);
    const took = performance.now() - startedAt;
    if (took >= roundMs / 2) return Math.max(1, Math.round((times * roundMs) / took));
    times *= 2;
  }
}

async function rate(work: (times: number) => Promise<void>, times: number): Promise<number> {
  const startedAt = performance.now();
  await work(times);
  return (times / (performance.now() - startedAt)) * 1000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function round3(value: number): number {
  return Number(value.toPrecision(3));
}
