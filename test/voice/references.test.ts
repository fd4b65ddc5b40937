import { beforeAll, describe, expect, it } from "vitest";
import { resolveStatus } from "../../src/tickets/statuses.js";
import type { TenantView } from "../../src/tickets/view.js";
import type { Workflow } from "../../src/tickets/workflow.js";
import { allViews, judge, type Reference, references, type Verdict } from "./ears.js";

let views: ReadonlyMap<string, TenantView>;
beforeAll(async () => {
  views = await allViews();
});

const said: readonly Reference[] = [...references.plain, ...references.talk, ...references.hard];
const verdictOf = (reference: Reference): Verdict => judge(views.get(reference[0]) as TenantView, reference);

function report(list: readonly Reference[]): string[] {
  return list.map(
    (reference) =>
      `${reference[0]}: ${reference[1]} -> ${verdictOf(reference).got}, not ${JSON.stringify(reference[2])}`,
  );
}

describe("what people say for a ticket", () => {
  it("is a fair sample: more than three hundred, a third of them hard", () => {
    expect(said.length).toBeGreaterThanOrEqual(300);
    expect(references.hard.length * 3).toBeGreaterThanOrEqual(said.length - references.talk.length);
  });

  it("never leads to a ticket that was not meant", () => {
    expect(report(said.filter((reference) => verdictOf(reference).wrong))).toEqual([]);
  });

  it.each(["plain", "talk", "hard"] as const)("is understood, or asked about rightly: %s", (kind) => {
    const missed = references[kind].filter((reference) => !verdictOf(reference).right);
    const share = 1 - missed.length / references[kind].length;
    expect(share, report(missed).join("\n")).toBeGreaterThanOrEqual(0.95);
  });
});

describe("what people say for a status", () => {
  it("leads to that status, to the right question, or nowhere", () => {
    const missed = references.statuses.flatMap(([board, words, meant]) => {
      const workflow = views.get(board)?.workflows.get(board) as Workflow;
      const found = resolveStatus(workflow, words);
      const values = found.kind === "one" ? [found.value] : found.kind === "many" ? found.values : [];
      const got = values.map((status) => status.id).join();
      return got === [meant ?? []].flat().join()
        ? []
        : [`${board}: ${words} -> ${got}, not ${String(meant)}`];
    });
    expect(missed).toEqual([]);
  });
});
