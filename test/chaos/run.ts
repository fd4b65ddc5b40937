import { runChaos } from "./chaos.js";

/** `npm run chaos`, by hand: CHAOS_MOVES (400), CHAOS_SEED (of the clock). Ends with 1 when anything is not as it should be. */

const moves = Number(process.env.CHAOS_MOVES ?? 400);
const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 2 ** 31);
const report = await runChaos({
  moves,
  movesPerTicket: moves > 1_000 ? 20 : 4,
  atOnce: 6,
  everyMs: [2_000, 5_000],
  seed,
  limitMs: 60_000 + moves * 2_000,
  tell: (line) => console.error(line),
});
console.log(JSON.stringify({ seed, ...report }, null, 2));
process.exitCode = report.faults.length === 0 ? 0 : 1;
