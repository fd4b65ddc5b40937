import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  bounded,
  errorFromAnswer,
  parseRetryAfter,
  rateLimited,
  rereading,
  retryRead,
  withTimeout,
} from "../../../src/board/http.js";
import { BoardwalkError } from "../../../src/errors.js";

const never = new AbortController().signal;
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** How long each pause before another try was, with the dice always falling so. */
async function pausesOf(random: number, attempts: number): Promise<number[]> {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(random);
  const at: number[] = [];
  const read = () => {
    at.push(Date.now());
    return Promise.reject(new BoardwalkError("unavailable", "It is away."));
  };
  const ended = retryRead(read, never, { attempts, maxDelayMs: 60_000 }).catch(() => undefined);
  await vi.runAllTimersAsync();
  await ended;
  return at.slice(1).map((time, i) => time - (at[i] ?? 0));
}

describe("the time for a request", () => {
  it("ends although the garbage was collected meanwhile", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const ended = new Promise((resolve) => {
      withTimeout(never, 100).addEventListener("abort", (event) => resolve(event.target));
    });
    for (let i = 0; i < 3; i++) {
      await sleep(5);
      collect();
    }
    expect(await ended).toMatchObject({ aborted: true, reason: { name: "TimeoutError" } });
  });
});

describe("trying a read again", () => {
  it("waits twice as long each time, half less or half more by chance", async () => {
    expect(await pausesOf(0, 4)).toEqual([100, 200, 400]);
    expect(await pausesOf(0.5, 4)).toEqual([200, 400, 800]);
    expect((await pausesOf(0.999, 4)).map((ms) => Math.round(ms / 100))).toEqual([3, 6, 12]);
  });

  it("sits out a short wait that the board named, and hands on a long one", async () => {
    vi.useFakeTimers();
    const read = vi.fn().mockRejectedValueOnce(rateLimited("Jira", 1_000)).mockResolvedValueOnce("read");
    const answer = retryRead(read, never);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe("read");
    const long = vi.fn().mockRejectedValue(rateLimited("Jira", 60_000));
    await expect(retryRead(long, never)).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterMs: 60_000,
    });
    expect(long).toHaveBeenCalledTimes(1);
  });

  it("tries nothing again that cannot pass, and nothing once it is called off", async () => {
    const refused = vi.fn().mockRejectedValue(new BoardwalkError("forbidden", "Not you."));
    await expect(retryRead(refused, never)).rejects.toMatchObject({ code: "forbidden" });
    const away = vi.fn().mockRejectedValue(new BoardwalkError("unavailable", "It is away."));
    await expect(retryRead(away, AbortSignal.abort())).rejects.toMatchObject({ code: "unavailable" });
    expect([refused.mock.calls.length, away.mock.calls.length]).toEqual([1, 1]);
  });
});

describe("how long to wait", () => {
  const now = Date.parse("2026-11-30T00:00:00Z");
  it.each([
    ["0", 0],
    ["1.5", 1_500],
    [" 30 ", 30_000],
    ["Mon, 30 Nov 2026 00:01:30 GMT", 90_000],
    ["2026-11-30T00:01:30Z", 90_000],
    ["Sun, 29 Nov 2026 00:00:00 GMT", 0],
    ["999999999", 86_400_000],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 86_400_000],
    ["-5", undefined],
    ["soon", undefined],
    ["Infinity", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("is read from %j as %s", (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });

  it.each([
    [500, "GitHub asked us to wait a second. Please try again then."],
    [30_000, "GitHub asked us to wait 30 seconds. Please try again then."],
    [60_000, "GitHub asked us to wait a minute. Please try again then."],
    [3_600_000, "GitHub asked us to wait 60 minutes. Please try again then."],
  ])("is said of %i ms in words", (ms, said) => {
    expect(rateLimited("GitHub", ms).message).toBe(said);
  });

  it("is a minute when the board names none", () => {
    const error = errorFromAnswer("GitHub", { status: 429, header: () => undefined });
    expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 60_000 });
  });
});

describe("a reply", () => {
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
      }),
    );

  it("is cut off when it is larger than anything we read", async () => {
    await expect(bounded(endless(), 10_000).text()).rejects.toThrow("too large");
  });

  it("of a common size is what it was, headers and status too", async () => {
    const reply = bounded(new Response("é".repeat(5_000), { status: 201, headers: { "x-a": "b" } }), 10_000);
    expect([reply.status, reply.headers.get("x-a"), (await reply.text()).length]).toEqual([201, "b", 5_000]);
    expect(bounded(new Response(null, { status: 204 })).status).toBe(204);
  });
});

describe("the read after a write", () => {
  it("that must wait does not pass for a write that was not made", async () => {
    const waiting = rereading("Trello", () => Promise.reject(rateLimited("Trello", 9_000)));
    await expect(waiting).rejects.toMatchObject({ code: "unavailable", retryAfterMs: 9_000 });
    const gone = new BoardwalkError("not_found_or_hidden", "It is gone.");
    await expect(rereading("Trello", () => Promise.reject(gone))).rejects.toBe(gone);
    expect(await rereading("Trello", async () => "there")).toBe("there");
  });
});
