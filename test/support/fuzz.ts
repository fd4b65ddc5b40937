import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import { BoardwalkError } from "../../src/errors.js";
import type { Door } from "../fuzz/parsers.js";
import { HOSTILE, nextValue, withHostile, writeJson } from "./hostile.js";

/** How long the parsers of one door are fuzzed, in milliseconds: a minute in CI, a second by hand. */
const FUZZ_MS = Number(process.env.FUZZ_MS ?? (process.env.CI === undefined ? 1_000 : 60_000));
/** That much of it has to be processor time. */
const LEAST_SHARE = 1 / 4;
/** In CI it runs when nobody else wants the processor: a minute's work may take many minutes. */
const PATIENCE = { once: 10 * 60_000, times: 20 };

/** In CI the commit's: what it has passed once it passes again, and each commit is tried with something else. */
const SEED = process.env.CI === undefined ? undefined : seedOfCommit();

function seedOfCommit(): number | undefined {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : undefined;
}

export interface Fuzzed<T = unknown> {
  readonly input: fc.Arbitrary<T>;
  parse(input: T): unknown;
}

/**
 * What nobody's input may cost of the processor: so many times a fixed piece of work, done beside it so that a busy
 * machine slows both, and this much more for each byte of it.
 */
const MOST_WORK = { once: 200, eachByte: 0.0003 };
/** What may come out for each byte that went in, and once. */
const MOST_BYTES = { once: 100_000, eachByte: 100 };
/** How often each parser is given each kind of hostile value before anything else. */
const HOSTILE_RUNS = 3;
const MOST_SHOWN = 500;

export function fuzzed<T>(input: fc.Arbitrary<T>, parse: (input: T) => unknown): Fuzzed {
  return { input, parse } as Fuzzed;
}

/**
 * One test for each door, its time shared by the parsers behind it: each answers or throws a BoardwalkError, whatever
 * it is given, and in proportion to that.
 */
export function fuzz(door: Door, parsers: Readonly<Record<string, Fuzzed>>): void {
  const all = Object.entries(parsers);
  it(
    door,
    async () => {
      expect(all.length).toBeGreaterThan(0);
      for (const [name, parser] of all) await fuzzOne(`${door}: ${name}`, parser, FUZZ_MS / all.length);
    },
    PATIENCE.once + FUZZ_MS * PATIENCE.times,
  );
}

async function fuzzOne(name: string, parser: Fuzzed, ms: number): Promise<void> {
  const over = clock(ms);
  const property = fc.asyncProperty(parser.input, (given) => hold(parser, given)).afterEach(nextValue);
  let round = 0;
  const run = (numRuns: number) =>
    fc.assert(property, {
      numRuns,
      ...(SEED === undefined ? {} : { seed: SEED + round++ }),
      asyncReporter: (details) => report(name, details),
    });
  for (const kind of HOSTILE) await withHostile(kind, () => run(HOSTILE_RUNS));
  for (let numRuns = 10; !over(); ) {
    const began = performance.now();
    await run(numRuns);
    // Rounds long enough to be worth beginning, and short enough to end in time.
    if (performance.now() - began < 200) numRuns *= 2;
    else numRuns = Math.max(10, Math.floor(numRuns / 2));
  }
}

/** Over when so much time has passed by the clock, and enough of it was ours: CI gives us what others leave of the processor. */
function clock(ms: number): () => boolean {
  const began = performance.now();
  const before = process.cpuUsage();
  return () => performance.now() - began >= ms && spentMs(before) >= LEAST_SHARE * ms;
}

/** About what the fixed work takes where nothing else runs; below it nothing is measured twice. */
const FIXED_MS = 3;

function fixedWork(): number {
  let x = 1;
  for (let i = 0; i < 3_000_000; i++) x = (Math.imul(x, 1_103_515_245) + i) >>> 0;
  return x;
}

async function costOf(work: () => unknown): Promise<number> {
  const began = process.cpuUsage();
  await work();
  return spentMs(began);
}

function spentMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function hold({ parse }: Fuzzed, given: unknown): Promise<void> {
  const size = sizeOf(given);
  const began = process.cpuUsage();
  const out = await answerOf(parse, given);
  const most = MOST_WORK.once + MOST_WORK.eachByte * size;
  if (spentMs(began) > FIXED_MS * most) {
    // It may have been the machine, or the first time that this code ran.
    const [again, fixed] = [await costOf(() => answerOf(parse, given)), await costOf(fixedWork)];
    if (again > fixed * most) throw new Error(`${again / fixed} times the fixed work for ${size} bytes`);
  }
  const made = sizeOf(out);
  if (made > MOST_BYTES.once + MOST_BYTES.eachByte * size) throw new Error(`${made} bytes made of ${size}`);
}

async function answerOf(parse: (given: unknown) => unknown, given: unknown): Promise<unknown> {
  try {
    return await parse(given);
  } catch (thrown) {
    if (thrown instanceof BoardwalkError) return thrown.message;
    throw thrown;
  }
}

/** About as many bytes as it takes to write it down. Without recursion, and once for what is in it twice. */
function sizeOf(value: unknown): number {
  let size = 0;
  const seen = new Set<object>();
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === "string") size += one.length;
    else if (one instanceof Uint8Array) size += one.length;
    else if (typeof one !== "object" || one === null || seen.has(one)) size += 8;
    else {
      seen.add(one);
      for (const [key, inner] of Object.entries(one)) {
        size += key.length;
        left.push(inner);
      }
    }
  }
  return size;
}

/** What went wrong, and for what, cut short: a counterexample may be ten million characters long. */
async function report(name: string, details: fc.RunDetails<[unknown]>): Promise<void> {
  if (!details.failed) return;
  const { seed, counterexamplePath, counterexample, errorInstance } = details;
  const shown = counterexample === null ? "nothing" : writeJson(shownAs(counterexample[0]));
  const cut =
    shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}... (${shown.length} characters)` : shown;
  throw new Error(`${name}: seed ${seed}, path ${counterexamplePath}, given ${cut}`, {
    cause: errorInstance,
  });
}

/** Bytes as the text they are most often. */
function shownAs(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (Array.isArray(value) && value.length < 10) return value.map(shownAs);
  if (
    typeof value !== "object" ||
    value === null ||
    !Object.values(value).some((one) => one instanceof Uint8Array)
  )
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shownAs(one)]));
}
