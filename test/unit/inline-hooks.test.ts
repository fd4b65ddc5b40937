import { expect, it } from "vitest";
import { createInlineHooks } from "../../src/hooks/inline.js";

it("answers a finished job with its reply for an hour, and does it anew after that", async () => {
  let time = 0;
  let runs = 0;
  const hooks = createInlineHooks({ now: () => time });
  await hooks.serve({ work: async () => ++runs });
  const job = { id: "job", name: "work", data: {}, lane: "lane" };
  expect(await hooks.ask(job, 1_000)).toEqual({ ok: true, result: 1 });
  time = 3_599_999;
  expect(await hooks.ask(job, 1_000)).toEqual({ ok: true, result: 1 });
  time = 3_600_000;
  expect(await hooks.ask(job, 1_000)).toEqual({ ok: true, result: 2 });
  await hooks.close();
});
