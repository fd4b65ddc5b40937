import { afterEach, expect, it, vi } from "vitest";
import { createApi } from "../../../src/web/api.js";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The page asks again after so long, where it was answered so. */
async function askedAgainAfter(answer: () => Response): Promise<number> {
  vi.useFakeTimers();
  const asked = vi.fn(async () => answer());
  vi.stubGlobal("fetch", asked);
  const stop = new AbortController();
  createApi("a token", () => {}).follow("acme", () => {}, stop.signal);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toHaveBeenCalledTimes(1);
  let waited = 0;
  for (; asked.mock.calls.length === 1 && waited < 120_000; waited += 500)
    await vi.advanceTimersByTimeAsync(500);
  stop.abort();
  return waited;
}

const problem = (status: number, headers: Record<string, string> = {}) =>
  new Response('{"detail":"No."}', { status, headers });

it("comes back for news when it was told to", async () => {
  expect(await askedAgainAfter(() => problem(429, { "retry-after": "30" }))).toBe(30_000);
});

it("comes back soon where nobody said when", async () => {
  expect(await askedAgainAfter(() => problem(503))).toBe(2_000);
  expect(await askedAgainAfter(() => problem(429, { "retry-after": "soon" }))).toBe(2_000);
});
