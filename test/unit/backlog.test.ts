import { expect, it } from "vitest";
import { createBacklog } from "../../src/hooks/backlog.js";

it("counts what each lane has outstanding, each job once", () => {
  const backlog = createBacklog();
  expect([
    backlog.add("a", "1"),
    backlog.add("a", "2"),
    backlog.add("a", "2"),
    backlog.add("b", "3"),
  ]).toEqual([0, 1, 2, 0]);
  backlog.done("1");
  backlog.done("1");
  backlog.done("never put");
  expect(backlog.add("a", "4")).toBe(1);
});

it("forgets what was not heard of for a minute", () => {
  let now = 0;
  const backlog = createBacklog(() => now);
  for (let n = 0; n < 10; n++) backlog.add("a", String(n));
  now = 59_999;
  expect(backlog.add("a", "late")).toBe(10);
  now = 60_000;
  expect(backlog.add("a", "later")).toBe(1);
});
