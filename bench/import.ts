/**
 * (d) the first import of a board of 5,000 tickets, whole, against plain fetching of the very pages that it asked for. The
 * board has a core of its own where `taskset` exists. Boards are across a network, so each answer takes 50 ms of waiting
 * beside the board's own work, for both; without it the same is shown and nothing is claimed, since what then is measured
 * is the keeping of tickets against not keeping them.
 */
import { fileURLToPath } from "node:url";
import { median, type Row, round3 } from "./harness.js";
import type { ImportBoard, PageRequest } from "./import-board.js";
import { BenchProcess } from "./process.js";

const PROVIDERS = ["jira", "linear", "github", "trello"];
const TICKETS = 5_000;
const NETWORK_MS = 50;
/** Few, since Trello's budget of a hundred requests in ten seconds is kept to here as well. */
const ROUNDS = 3;

export async function run(): Promise<Row[]> {
  const redisUrl = process.env.REDIS_URL;
  if (redisUrl === undefined) throw new Error("Run this through `npm run bench`, which brings a Redis.");
  const parts = new BenchProcess("import-parts.ts", [redisUrl], 0);
  try {
    await parts.line();
    const rows: Row[] = [];
    for (const provider of PROVIDERS) {
      for (const networkMs of [NETWORK_MS, 0]) rows.push(await compare(parts, provider, networkMs));
    }
    return rows;
  } finally {
    parts.stop();
  }
}

async function compare(parts: BenchProcess, provider: string, networkMs: number): Promise<Row> {
  const args = [provider, String(TICKETS), String(networkMs)];
  const process = new BenchProcess("import-board.ts", args, 1);
  try {
    const board = JSON.parse(await process.line()) as ImportBoard;
    const took = { ours: [] as number[], theirs: [] as number[] };
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      const ours = Number(await parts.ask({ side: "ours", board, tickets: TICKETS }));
      const pages = JSON.parse(await process.ask({})) as PageRequest[];
      const theirs = Number(await parts.ask({ side: "theirs", pages }));
      await process.ask({});
      if (round === 0) continue;
      took.ours.push(ours);
      took.theirs.push(theirs);
    }
    return rowOf(provider, networkMs, median(took.ours), median(took.theirs));
  } finally {
    process.stop();
  }
}

function rowOf(provider: string, networkMs: number, ours: number, theirs: number): Row {
  const claim = networkMs > 0 ? `${networkMs} ms away (ours may take 1.5x)` : "no network between";
  return {
    name: `import of ${TICKETS} tickets from ${provider}, ${claim}`,
    unit: "ms",
    ours: round3(ours),
    theirs: round3(theirs),
    ratio: round3(theirs / ours),
    target: networkMs > 0 ? 0.667 : 0,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
