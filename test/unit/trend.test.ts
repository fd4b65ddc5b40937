import { describe, expect, it } from "vitest";
import { trendOf } from "../soak/trend.js";

/** A row that repeats itself, so that the noise has no trend of its own. */
const noise = (x: number) => [0, 3, -2, 1, -3, 2][x % 6] ?? 0;

describe("a trend", () => {
  it("is none in noise", () => {
    const flat = trendOf(Array.from({ length: 48 }, (_, x) => 100 + noise(x)));
    expect(flat.grows).toBe(false);
    expect(flat.mean).toBeCloseTo(100, 0);
  });

  it("is seen through noise", () => {
    const growing = trendOf(Array.from({ length: 48 }, (_, x) => 100 + noise(x) + x / 4));
    expect(growing.grows).toBe(true);
    expect(growing.slope).toBeCloseTo(0.25, 1);
  });

  it("that comes to nothing is no growth, however sure it is", () => {
    expect(trendOf(Array.from({ length: 48 }, (_, x) => 100 + x / 1_000)).grows).toBe(false);
  });

  it("downwards is no growth", () => {
    expect(trendOf(Array.from({ length: 48 }, (_, x) => 100 - x)).grows).toBe(false);
  });
});
