import { describe, expect, it } from "vitest";
import { type Chance, createChance } from "../chaos/chance.js";
import { runChaos } from "../chaos/chaos.js";

/** The short form of `npm run chaos`; docs/reliability.md has the figures of the long one. */
describe("under kills, pauses and a Redis that comes and goes", () => {
  it("keeps every acknowledged move, makes none twice and opens one pull request each", async () => {
    const report = await runChaos({
      moves: 64,
      movesPerTicket: 4,
      atOnce: 3,
      everyMs: [1_000, 2_500],
      seed: Math.floor(Math.random() * 2 ** 31),
      limitMs: 150_000,
    });
    expect(report.faults, JSON.stringify(report)).toEqual([]);
    expect(report.moves).toBe(64);
    expect(report.pullRequests).toBe(16);
    // Else it would prove nothing.
    const happened = Object.values(report.happened).reduce((a, b) => a + b, 0);
    expect(happened, JSON.stringify(report.happened)).toBeGreaterThan(1);
  }, 240_000);
});

describe("chance", () => {
  const draws = (chance: Chance) => Array.from({ length: 50 }, () => chance.between(2, 5));

  it("comes the same way again for the same seed, and another way for another", () => {
    expect(draws(createChance(7))).toEqual(draws(createChance(7)));
    expect(draws(createChance(7))).not.toEqual(draws(createChance(8)));
    for (const drawn of draws(createChance(9))) {
      expect(drawn).toBeGreaterThanOrEqual(2);
      expect(drawn).toBeLessThan(5);
    }
  });
});
