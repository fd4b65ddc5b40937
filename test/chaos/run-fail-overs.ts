import { startLife } from "../support/life.js";
import { startRedisSentinels } from "../support/redis-groups.js";
import { type Blow, runFailOvers } from "./fail-overs.js";

/**
 * `npm run chaos:primary`, by hand: BLOWS (20) to the primary of a Redis that sentinels watch, KIND ("killed", "frozen"
 * or "asked"; else in turn). Ends with 1 when anything is not as it should be.
 */

const count = Number(process.env.BLOWS ?? 20);
/** Shorter than the sentinels wait, about as long, and long enough for another to have taken over. */
const FREEZES_MS = [700, 1_500, 2_500, 6_000];
const frozen = (n: number): Blow => ({ kind: "frozen", ms: FREEZES_MS[n % FREEZES_MS.length] ?? 0 });
const KINDS: Readonly<Record<string, (n: number) => Blow>> = {
  killed: () => ({ kind: "killed" }),
  frozen,
  asked: () => ({ kind: "asked" }),
};
const inTurn = (n: number): Blow =>
  n % 3 === 0 ? { kind: "killed" } : n % 3 === 1 ? frozen(n) : { kind: "asked" };
const blowOf = KINDS[process.env.KIND ?? ""] ?? inTurn;

const sentinels = await startRedisSentinels();
const life = await startLife({
  redisUrl: sentinels.url,
  replicas: 2,
  env: { BOARDWALK_SWEEP_MS: "500", LOG_LEVEL: "fatal" },
});
const blows = Array.from({ length: count }, (_, n) => blowOf(n));
const report = await runFailOvers(sentinels, life, blows, (round) => console.error(JSON.stringify(round)));
console.log(JSON.stringify({ ...report, rounds: undefined }, null, 2));
await life.close();
await sentinels.stop();
process.exitCode = report.faults.length === 0 ? 0 : 1;
