import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BoardwalkError } from "../../src/errors.js";
import { type Hooks, type Job, type JobHandler, jobId, TryAgain } from "../../src/hooks/hooks.js";
import { until } from "../support/until.js";

export interface HooksUnderTest {
  readonly laneCap?: number;
  readonly drainGraceMs?: number;
  readonly onError?: (error: unknown) => void;
}

/** Opens hooks on an empty queue of their own. */
export type OpenHooks = (options: HooksUnderTest) => Promise<Hooks>;

const WAIT_MS = 10_000;

/** What every implementation of the port promises. */
export function describeHooks(name: string, open: OpenHooks): void {
  describe(name, () => {
    let hooks: Hooks;
    let reported: unknown[];

    const reopen = async (options: HooksUnderTest = {}) => {
      await hooks?.close();
      hooks = await open({ onError: (error) => reported.push(error), ...options });
    };

    beforeEach(async () => {
      reported = [];
      hooks = await open({ onError: (error) => reported.push(error) });
    });
    afterEach(() => hooks.close());

    const job = (fields: Partial<Job> = {}): Job => ({
      id: jobId("test", randomUUID()),
      name: "work",
      data: {},
      lane: "lane",
      ...fields,
    });
    const serve = (work: JobHandler, more: Record<string, JobHandler> = {}) => hooks.serve({ work, ...more });

    describe("replies", () => {
      it("gives the handler the job's data and the caller the handler's result", async () => {
        await serve(async (data) => ({ heard: data.words, at: new Date(0) }));
        const reply = await hooks.ask(job({ data: { words: ["über", 2, null] } }), WAIT_MS);
        expect(reply).toEqual({
          ok: true,
          result: { heard: ["über", 2, null], at: "1970-01-01T00:00:00.000Z" },
        });
      });

      it("answers a handler that returns nothing", async () => {
        await serve(async () => undefined);
        expect(await hooks.ask(job(), WAIT_MS)).toEqual({ ok: true, result: undefined });
      });

      it("answers a refusal with its code, message, data and waiting time", async () => {
        await serve(async () => {
          throw new BoardwalkError("rate_limited", "GitHub asked us to wait a minute.", {
            data: { fields: ["resolution"] },
            retryAfterMs: 60_000,
            cause: new Error("a secret"),
          });
        });
        expect(await hooks.ask(job(), WAIT_MS)).toEqual({
          ok: false,
          code: "rate_limited",
          message: "GitHub asked us to wait a minute.",
          data: { fields: ["resolution"] },
          retryAfterMs: 60_000,
        });
        expect(reported).toEqual([]);
      });

      it("answers a handler's fault as internal, and tells its text to the log only", async () => {
        await serve(async () => {
          throw new Error("redis://user:password@host is down");
        });
        const reply = await hooks.ask(job(), WAIT_MS);
        expect(reply).toMatchObject({ ok: false, code: "internal" });
        expect(JSON.stringify(reply)).not.toContain("password");
        expect(String(reported)).toContain("password");
      });

      it("answers a result that cannot be written down as internal", async () => {
        await serve(async () => ({ count: 1n }));
        expect(await hooks.ask(job(), WAIT_MS)).toMatchObject({ ok: false, code: "internal" });
      });

      it.each(["unheard-of", "toString", "__proto__"])(
        "answers a job nobody does (%s) as internal",
        async (name) => {
          await serve(async () => "done");
          expect(await hooks.ask(job({ name }), WAIT_MS)).toMatchObject({ ok: false, code: "internal" });
        },
      );

      it.each(["", "42", "-42", "a:b"])("refuses the job id %j, which a queue cannot hold", async (id) => {
        await expect(hooks.ask(job({ id }), WAIT_MS)).rejects.toMatchObject({ code: "invalid" });
        await expect(hooks.put(job({ id }))).rejects.toMatchObject({ code: "invalid" });
      });

      it("refuses data that is not JSON", async () => {
        await expect(hooks.put(job({ data: { count: 1n } }))).rejects.toMatchObject({ code: "invalid" });
      });
    });

    describe("waiting", () => {
      it("answers undefined when the time is over, and the reply to who asks the same job later", async () => {
        const gate = createGate();
        await serve(() => gate.opened.then(() => "late"));
        const slow = job();
        expect(await hooks.ask(slow, 50)).toBeUndefined();
        gate.open();
        expect(await hooks.ask(slow, WAIT_MS)).toEqual({ ok: true, result: "late" });
      });

      it("waits for a job that nobody does yet", async () => {
        const reply = hooks.ask(job(), WAIT_MS);
        await until(async () => (await hooks.counts()).waiting === 1);
        await serve(async () => "done");
        expect(await reply).toEqual({ ok: true, result: "done" });
      });

      it("stops waiting when it is closed", async () => {
        const reply = hooks.ask(job(), WAIT_MS);
        await until(async () => (await hooks.counts()).waiting === 1);
        await hooks.close();
        expect(await reply).toBeUndefined();
        await expect(hooks.ask(job(), WAIT_MS)).rejects.toMatchObject({ code: "unavailable" });
      });
    });

    describe("the same id", () => {
      it("is one job, run once, however many ask", async () => {
        let runs = 0;
        await serve(async () => ++runs);
        const same = job();
        const replies = await Promise.all(Array.from({ length: 20 }, () => hooks.ask(same, WAIT_MS)));
        expect(replies).toEqual(Array(20).fill({ ok: true, result: 1 }));
        expect(runs).toBe(1);
      });

      it("answers again with the reply it had, a refusal too", async () => {
        let runs = 0;
        await serve(async () => {
          runs++;
          throw new BoardwalkError("conflict", "It was moved meanwhile.");
        });
        const same = job();
        const first = await hooks.ask(same, WAIT_MS);
        await hooks.put(same);
        expect(await hooks.ask(same, WAIT_MS)).toEqual(first);
        expect(runs).toBe(1);
      });

      it("is another job in another tenant", async () => {
        await serve(async (data) => data.tenant);
        const of = (tenant: string) => job({ id: jobId("move", tenant, "PROJ-1", 7), data: { tenant } });
        const replies = await Promise.all([hooks.ask(of("acme"), WAIT_MS), hooks.ask(of("globex"), WAIT_MS)]);
        expect(replies).toEqual([
          { ok: true, result: "acme" },
          { ok: true, result: "globex" },
        ]);
      });

      it("can be put first and asked for later", async () => {
        let runs = 0;
        await serve(async () => ++runs);
        const same = job();
        await hooks.put(same);
        await until(() => runs === 1);
        expect(await hooks.ask(same, WAIT_MS)).toEqual({ ok: true, result: 1 });
      });

      it("takes whatever jobId makes", async () => {
        await serve(async (data) => data.part);
        const parts = ["a:b", "ÄÖ 😀", "__", "_5f.", "1", "{x}", "../..", "\n\0"];
        const replies = parts.map((part) =>
          hooks.ask(job({ id: jobId("odd", part), data: { part } }), WAIT_MS),
        );
        expect(await Promise.all(replies)).toEqual(parts.map((result) => ({ ok: true, result })));
      });
    });

    describe("TryAgain", () => {
      it("runs the same job again later, its waiters waiting on, and counts the tries", async () => {
        const attempts: number[] = [];
        const times: number[] = [];
        await serve(async (_data, { attempt }) => {
          attempts.push(attempt);
          times.push(performance.now());
          if (attempt < 3) throw new TryAgain(60);
          return "at last";
        });
        expect(await hooks.ask(job(), WAIT_MS)).toEqual({ ok: true, result: "at last" });
        expect(attempts).toEqual([1, 2, 3]);
        expect((times[1] as number) - (times[0] as number)).toBeGreaterThanOrEqual(50);
      });

      it("counts the job as waiting meanwhile", async () => {
        await serve(async (_data, { attempt }) => {
          if (attempt === 1) throw new TryAgain(600_000);
        });
        await hooks.put(job());
        await until(async () => {
          const { waiting, running } = await hooks.counts();
          return waiting === 1 && running === 0;
        });
      });
    });

    describe("lanes", () => {
      it("runs no more jobs of a lane at once than its cap, and all of them in the end", async () => {
        await reopen({ laneCap: 2 });
        let running = 0;
        let most = 0;
        const attempts = new Set<number>();
        await serve(async (_data, { attempt }) => {
          attempts.add(attempt);
          most = Math.max(most, ++running);
          await sleep(5);
          running--;
        });
        const replies = await Promise.all(Array.from({ length: 30 }, () => hooks.ask(job(), 30_000)));
        expect(replies).toEqual(Array(30).fill({ ok: true, result: undefined }));
        expect(most).toBe(2);
        expect([...attempts]).toEqual([1]);
      });

      it("lets other lanes through while one hangs with a thousand jobs queued", async () => {
        await reopen({ laneCap: 3, drainGraceMs: 10 });
        const gate = createGate();
        let hanging = 0;
        await serve(async () => "quick", {
          hang: () => {
            hanging++;
            return gate.opened;
          },
        });
        await Promise.all(
          Array.from({ length: 1_000 }, () => hooks.put(job({ name: "hang", lane: "slow" }))),
        );
        const quick = Array.from({ length: 20 }, (_, i) => hooks.ask(job({ lane: `quick-${i}` }), WAIT_MS));
        expect(await Promise.all(quick)).toEqual(Array(20).fill({ ok: true, result: "quick" }));
        expect(hanging).toBe(3);
        gate.open();
      });
    });

    describe("drain", () => {
      it("finishes running jobs, takes no new ones, and stops", async () => {
        const gate = createGate();
        let runs = 0;
        const drain = await serve(() => {
          runs++;
          return gate.opened.then(() => "finished");
        });
        const asked = hooks.ask(job(), WAIT_MS);
        await until(() => runs === 1);
        const drained = drain();
        await hooks.put(job());
        gate.open();
        await drained;
        expect(await asked).toEqual({ ok: true, result: "finished" });
        expect(runs).toBe(1);
        expect(await hooks.counts()).toMatchObject({ waiting: 1, running: 0 });
        await until(async () => (await hooks.counts()).workers === 0);
      });

      it("aborts what does not end in time and leaves it to the next worker, its waiters waiting on", async () => {
        await reopen({ drainGraceMs: 20 });
        let begun = 0;
        const drain = await serve(async (_data, { signal }) => {
          begun++;
          await new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
          });
        });
        const asked = hooks.ask(job(), WAIT_MS);
        await until(() => begun === 1);
        await drain();
        await serve(async (_data, { attempt }) => attempt);
        expect(await asked).toEqual({ ok: true, result: 1 });
      });
    });

    describe("schedule", () => {
      it("runs the job again and again, soon for the first time", async () => {
        const seen: unknown[] = [];
        await serve(async (data) => seen.push(data.what));
        await hooks.schedule(job({ id: "sweep", data: { what: "sweep" } }), 40);
        await until(() => seen.length >= 4);
        expect(new Set(seen)).toEqual(new Set(["sweep"]));
      });

      it("begins no run while the last one lasts, and goes on after it", async () => {
        const gate = createGate();
        let runs = 0;
        await serve(() => {
          runs++;
          return gate.opened;
        });
        await hooks.schedule(job({ id: "sweep" }), 20);
        await until(() => runs === 1);
        await sleep(200);
        expect(runs).toBe(1);
        gate.open();
        await until(() => runs >= 3);
      });

      it("keeps one schedule under an id, and the interval asked last", async () => {
        let runs = 0;
        await serve(async () => ++runs);
        const sweep = job({ id: "sweep" });
        await Promise.all(Array.from({ length: 5 }, () => hooks.schedule(sweep, 20)));
        await until(() => runs >= 3);
        await hooks.schedule(sweep, 3_600_000);
        await until(async () => (await hooks.counts()).running === 0);
        const before = runs;
        await sleep(200);
        // One run may have been on its way when the interval was changed, and changing it may begin with one.
        expect(runs - before).toBeLessThanOrEqual(2);
        expect(await hooks.counts()).toMatchObject({ waiting: 0 });
      });

      it.each([0, -1, 1.5, Number.NaN])("refuses the interval %j", async (everyMs) => {
        await expect(hooks.schedule(job(), everyMs)).rejects.toMatchObject({ code: "invalid" });
      });
    });

    it("counts workers, waiting and running jobs", async () => {
      await hooks.put(job());
      await hooks.put(job());
      expect(await hooks.counts()).toEqual({ waiting: 2, running: 0, workers: 0 });
      const gate = createGate();
      await serve(() => gate.opened);
      await until(async () => (await hooks.counts()).running === 2);
      expect(await hooks.counts()).toEqual({ waiting: 0, running: 2, workers: 1 });
      gate.open();
    });
  });
}

function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
