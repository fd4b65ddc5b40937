import fc from "fast-check";
import { expect, it } from "vitest";
import { BoardwalkError } from "../../src/errors.js";

/** How long each group of parsers is fuzzed, in milliseconds: a minute in CI, a second by hand. */
const FUZZ_MS = Number(process.env.FUZZ_MS ?? (process.env.CI === undefined ? 1_000 : 15_000));

export interface Fuzzed<T = unknown> {
  readonly input: fc.Arbitrary<T>;
  parse(input: T): unknown;
}

/** What nobody's input may cost: processor time beyond this much, and this much more for each byte of it. */
const MOST_MS = { once: 500, eachByte: 0.05 };
/** What may come out for each byte that went in, and once. */
const MOST_BYTES = { once: 100_000, eachByte: 100 };

export function fuzzed<T>(input: fc.Arbitrary<T>, parse: (input: T) => unknown): Fuzzed {
  return { input, parse } as Fuzzed;
}

/** One test, its time shared by the group's parsers: each answers or throws a BoardwalkError, whatever it is given, and in proportion to that. */
export function fuzz(group: string, parsers: Readonly<Record<string, Fuzzed>>): void {
  const names = Object.keys(parsers);
  it(
    group,
    async () => {
      for (const [name, parser] of Object.entries(parsers))
        await fuzzOne(`${group}/${name}`, parser, FUZZ_MS / names.length);
    },
    FUZZ_MS * 3 + 60_000,
  );
}

async function fuzzOne(name: string, { input, parse }: Fuzzed, ms: number): Promise<void> {
  let runs = 0;
  const property = fc.asyncProperty(input, async (given) => {
    runs += 1;
    const size = sizeOf(given);
    const before = process.cpuUsage();
    const out = await answerOf(parse, given);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000, `${name}: milliseconds for ${size} bytes`).toBeLessThan(
      MOST_MS.once + MOST_MS.eachByte * size,
    );
    expect(sizeOf(out), `${name}: bytes made of ${size}`).toBeLessThan(
      MOST_BYTES.once + MOST_BYTES.eachByte * size,
    );
  });
  const params = { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: ms, maxSkipsPerRun: 0 };
  await fc.assert(property, { ...params, markInterruptAsFailure: false });
  expect(runs, name).toBeGreaterThan(0);
}

async function answerOf(parse: (given: unknown) => unknown, given: unknown): Promise<unknown> {
  try {
    return await parse(given);
  } catch (thrown) {
    if (thrown instanceof BoardwalkError) return thrown.message;
    throw thrown;
  }
}

function sizeOf(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    // Circular or beyond JSON: nothing that could be sent on.
    return 0;
  }
}

const NASTY = [
  "__proto__",
  "constructor",
  "toString",
  "\u0000",
  "\ud800",
  "\u202e",
  "../..",
  "%zz",
  "{{",
  "\r\n",
  "",
];

export const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ maxLength: 60 }),
  fc.constantFrom(...NASTY),
  fc
    .tuple(fc.constantFrom("a", " ", "-", ".", "1", "é", "あ", "#", "0"), fc.integer({ min: 1, max: 20_000 }))
    .map(([sign, times]) => sign.repeat(times)),
);

const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, 1e308, -0, 2 ** 53),
);

/** JSON with some of these names in it, so that it comes further than the first check. */
export function jsonOf(keys: readonly string[]): fc.Arbitrary<unknown> {
  const key = keys.length === 0 ? text : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...keys) }, text);
  return fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(key, tie("any"), { maxKeys: 8 }),
    ),
  })).any;
}

/** An example with parts of it put out of shape: taken away, doubled, or replaced by anything. */
export function like(example: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(example)) {
    const items = fc.tuple(...example.map((item) => like(item)));
    return fc.oneof(
      { weight: 6, arbitrary: items },
      items.map((all) => [...all, ...all]),
      leaf,
    );
  }
  if (typeof example !== "object" || example === null)
    return fc.oneof({ weight: 6, arbitrary: fc.constant(example) }, leaf, jsonOf([]));
  const parts = Object.fromEntries(Object.entries(example).map(([key, value]) => [key, like(value)]));
  return fc.oneof(
    { weight: 8, arbitrary: fc.record(parts, { requiredKeys: [] }) },
    { weight: 8, arbitrary: fc.record(parts) },
    leaf,
  );
}
