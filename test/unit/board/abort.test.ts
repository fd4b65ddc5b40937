import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { whenAborted } from "../../../src/board/abort.js";
import { pause, retryRead } from "../../../src/board/http.js";
import { BoardwalkError } from "../../../src/errors.js";

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("waiting under a signal", () => {
  it("is one listener, however many wait, and none once nobody does", async () => {
    const { signal } = new AbortController();
    const pauses = Array.from({ length: 50 }, (_, i) => pause(5 + i, signal));
    expect(listeners(signal)).toBe(1);
    await Promise.all(pauses);
    expect(listeners(signal)).toBe(0);
  });

  it("is over for all when the signal aborts", async () => {
    const controller = new AbortController();
    const pauses = Array.from({ length: 50 }, () => pause(1_000_000, controller.signal));
    controller.abort();
    await Promise.all(pauses);
    expect(listeners(controller.signal)).toBe(0);
    await pause(1_000_000, controller.signal);
  });

  it("does what was to be done once, at once when it has aborted, and not once stopped", () => {
    const controller = new AbortController();
    const done: string[] = [];
    whenAborted(controller.signal, () => done.push("waits"));
    whenAborted(controller.signal, () => done.push("was stopped"))();
    controller.abort();
    whenAborted(controller.signal, () => done.push("is late"))();
    expect(done).toEqual(["waits", "is late"]);
  });

  it("leaves nothing behind after many reads that were tried again", async () => {
    const { signal } = new AbortController();
    const read = async () => {
      let tries = 0;
      return await retryRead(
        async () => {
          expect(listeners(signal)).toBeLessThanOrEqual(1);
          if (++tries < 3) throw new BoardwalkError("unavailable", "It is away.");
        },
        signal,
        { baseDelayMs: 1 },
      );
    };
    await Promise.all(Array.from({ length: 50 }, read));
    expect(listeners(signal)).toBe(0);
  });
});
