/**
 * (c) a durable move against a board without latency, against the sum of its parts in the same run: one bare BullMQ
 * add-and-wait and the board's three requests by plain fetch. The board has a core of its own where `taskset` exists.
 */
import { fileURLToPath } from "node:url";
import { median, type Row, round3 } from "./harness.js";
import { BenchProcess } from "./process.js";

interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  /** Of the process that makes the moves, for each of them. */
  readonly cpuMs: number;
}
type Side = "ours" | "theirs";

const ROUNDS = 5;
const SLICE_MS = 1_500;

export async function run(): Promise<Row[]> {
  const redisUrl = process.env.REDIS_URL;
  if (redisUrl === undefined) throw new Error("Run this through `npm run bench`, which brings a Redis.");
  const board = new BenchProcess("move-board.ts", [], 1);
  const reach = JSON.parse(await board.line()) as string[];
  const parts = new BenchProcess("move-parts.ts", [redisUrl, ...reach], 0);
  try {
    await parts.line();
    const one = await compare(parts, 1);
    const many = await compare(parts, 64);
    const p50 = one.theirs.p50Ms / one.ours.p50Ms;
    const throughput = many.ours.perSecond / many.theirs.perSecond;
    return [
      {
        name: "durable move, p50 (ours may take 1.4x)",
        unit: "ms",
        ours: one.ours.p50Ms,
        theirs: one.theirs.p50Ms,
        ratio: round3(p50),
        target: 0.714,
      },
      {
        name: "durable moves, 64 in flight",
        unit: "moves/s",
        ours: many.ours.perSecond,
        theirs: many.theirs.perSecond,
        ratio: round3(throughput),
        target: 0.7,
      },
      cpuRow("one in flight", one),
      cpuRow("64 in flight", many),
    ];
  } finally {
    parts.stop();
    board.stop();
  }
}

/** What a busy machine disturbs least. */
function cpuRow(how: string, { ours, theirs }: Record<Side, Figures>): Row {
  const ratio = round3(theirs.cpuMs / ours.cpuMs);
  const name = `durable move, ${how}: CPU of the process`;
  return { name, unit: "ms", ours: ours.cpuMs, theirs: theirs.cpuMs, ratio, target: 0 };
}

async function compare(parts: BenchProcess, inFlight: number): Promise<Record<Side, Figures>> {
  const figures: Record<Side, Figures[]> = { ours: [], theirs: [] };
  // The first round of each only warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const side of round % 2 === 0 ? (["ours", "theirs"] as const) : (["theirs", "ours"] as const)) {
      const answer = JSON.parse(await parts.ask({ side, inFlight, ms: SLICE_MS })) as Figures;
      if (round > 0) figures[side].push(answer);
    }
  }
  const middle = (all: readonly Figures[]): Figures => ({
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
    cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
  });
  return { ours: middle(figures.ours), theirs: middle(figures.theirs) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
