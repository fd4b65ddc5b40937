/**
 * (l) what a durable move costs the process that makes it, where there is little and where there is much: a tenant with
 * 1,000 tickets against one with 100,000, and one tenant against 500 that move in turn. CPU time, which a busy machine
 * disturbs least; all in one process, in turns.
 */
import { fileURLToPath } from "node:url";
import type { Cost, Place } from "./flat-parts.js";
import { median, type Row, round3 } from "./harness.js";
import { BenchProcess } from "./process.js";

const FEW = 1_000;
const MANY = 100_000;
const TENANTS = 500;
const MOVABLE = 64;
const ROUNDS = 5;
const MOVES = 512;
/** Flat means: at most 1.2 times as much. */
const FLAT = round3(1 / 1.2);

export async function run(): Promise<Row[]> {
  const redisUrl = process.env.REDIS_URL;
  if (redisUrl === undefined) throw new Error("Run this through `npm run bench`, which brings a Redis.");
  const board = new BenchProcess("move-board.ts", [], 1);
  const [url = "", email = "", apiToken = ""] = JSON.parse(await board.line()) as string[];
  const sizes = [FEW, MANY, TENANTS, MOVABLE].map(String);
  const parts = new BenchProcess("flat-parts.ts", [redisUrl, url, email, apiToken, ...sizes], 0);
  try {
    await parts.line();
    const cost = await measureInTurns(parts);
    const row = (name: string, much: Place): Row => ({
      name,
      unit: "ms of CPU",
      ours: cost[much],
      theirs: cost.small,
      ratio: round3(cost.small / cost[much]),
      target: FLAT,
    });
    return [
      row("a durable move among 100,000 tickets; theirs: among 1,000 (may cost 1.2x)", "large"),
      row("a durable move of 500 tenants in turn; theirs: of one (may cost 1.2x)", "crowd"),
    ];
  } finally {
    parts.stop();
    board.stop();
  }
}

async function measureInTurns(parts: BenchProcess): Promise<Record<Place, number>> {
  const costs: Record<Place, number[]> = { small: [], large: [], crowd: [] };
  const order: Place[] = ["small", "large", "crowd"];
  // The first rounds only warm up: every tenant's view is made in them.
  for (let round = -2; round < ROUNDS; round++) {
    for (const where of order) {
      const cost = JSON.parse(await parts.ask({ where, moves: MOVES })) as Cost;
      if (round >= 0) costs[where].push(cost.cpuMs);
    }
    order.reverse();
  }
  const middle = (where: Place) => median(costs[where]);
  return { small: middle("small"), large: middle("large"), crowd: middle("crowd") };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
