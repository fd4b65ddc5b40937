import { expect, it } from "vitest";
import { createWaiters } from "../../src/hooks/waiters.js";

const LATER = () => Date.now() + 60_000;

it("gives each who waits its turn to be looked for, however few are looked for at a time", () => {
  const waiters = createWaiters();
  const ids = Array.from({ length: 10 }, (_, n) => `job-${n}`);
  for (const id of ids) waiters.open(id, 1_000).begun();
  const looked = Array.from({ length: 4 }, () => waiters.due(LATER(), 3)).flat();
  expect(new Set(looked)).toEqual(new Set(ids));
  waiters.releaseAll();
});

it("looks for nobody who has not begun to wait, nor before the time, nor again at once", () => {
  const waiters = createWaiters();
  waiters.open("early", 1_000);
  const begun = waiters.open("begun", 1_000);
  begun.begun();
  expect(waiters.due(Date.now())).toEqual([]);
  const soon = Date.now() + 300;
  expect(waiters.due(soon)).toEqual(["begun"]);
  expect(waiters.due(soon)).toEqual([]);
  waiters.releaseAll();
});
