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

/** Which boards tell of each change, as those do that have our webhook; to whoever has made it. */
interface Hears {
  readonly how: string;
  readonly ours: boolean;
  readonly theirs: boolean;
}

const HEARD: readonly Hears[] = [
  { how: "boards that tell nothing", ours: false, theirs: false },
  { how: "each told of its own move", ours: true, theirs: true },
  { how: "ours told of its own move, theirs not", ours: true, theirs: false },
];

export async function run(): Promise<Row[]> {
  const redisUrl = process.env.REDIS_URL;
  if (redisUrl === undefined) throw new Error("Run this through `npm run bench`, which brings a Redis.");
  const board = new BenchProcess("move-board.ts", [], 1);
  const reach = JSON.parse(await board.line()) as string[];
  const parts = new BenchProcess("move-parts.ts", [redisUrl, ...reach], 0);
  const [ourBoard = "", , , theirBoard = ""] = reach;
  try {
    await parts.line();
    const rows: Row[] = [];
    for (const { how, ours, theirs } of HEARD) {
      await Promise.all([tells(ourBoard, ours), tells(theirBoard, theirs)]);
      // Many first: what makes one move at a time is warm by then, on both sides.
      const many = await compare(parts, 64);
      rows.push(...rowsOf(how, await compare(parts, 1), many));
    }
    return rows;
  } finally {
    parts.stop();
    board.stop();
  }
}

async function tells(board: string, does: boolean): Promise<void> {
  const faults = { dropWebhooks: does ? 0 : Number.MAX_SAFE_INTEGER };
  const response = await fetch(`${board}/__emulator/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(faults),
  });
  if (!response.ok) throw new Error(`The board does not take faults: ${response.status}`);
}

function rowsOf(how: string, one: Record<Side, Figures>, many: Record<Side, Figures>): Row[] {
  return [
    {
      name: `durable move, p50 (ours may take 1.4x); ${how}`,
      unit: "ms",
      ours: one.ours.p50Ms,
      theirs: one.theirs.p50Ms,
      ratio: round3(one.theirs.p50Ms / one.ours.p50Ms),
      target: 0.714,
    },
    {
      name: `durable moves, 64 in flight; ${how}`,
      unit: "moves/s",
      ours: many.ours.perSecond,
      theirs: many.theirs.perSecond,
      ratio: round3(many.ours.perSecond / many.theirs.perSecond),
      target: 0.7,
    },
    cpuRow(`one in flight; ${how}`, one),
    cpuRow(`64 in flight; ${how}`, many),
  ];
}

/** What a busy machine disturbs least. */
function cpuRow(how: string, { ours, theirs }: Record<Side, Figures>): Row {
  const ratio = round3(theirs.cpuMs / ours.cpuMs);
  const name = `CPU of a durable move, ${how}`;
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
