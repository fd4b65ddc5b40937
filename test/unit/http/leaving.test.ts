import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLeaving } from "../../../src/http/leaving.js";

describe("a web process that is to end", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("goes at once where nobody goes by /readyz", async () => {
    const leaving = createLeaving();
    expect(leaving.begun).toBe(false);
    await leaving.begin();
    expect(leaving.begun).toBe(true);
  });

  it("says no for a while first where somebody does", async () => {
    const leaving = createLeaving();
    leaving.asked();
    let over = false;
    const going = leaving.begin().then(() => {
      over = true;
    });
    expect(leaving.begun).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    await going;
    expect(over).toBe(true);
  });

  it("does not wait for who has not asked for a minute", async () => {
    const leaving = createLeaving();
    leaving.asked();
    await vi.advanceTimersByTimeAsync(61_000);
    await leaving.begin();
    expect(leaving.begun).toBe(true);
  });
});
