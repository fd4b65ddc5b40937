import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { resolveTicket } from "../../src/tickets/resolve.js";
import { resolveStatus } from "../../src/tickets/statuses.js";
import type { TenantView } from "../../src/tickets/view.js";
import type { Workflow } from "../../src/tickets/workflow.js";
import { allViews, boards, judge, type Reference, references, type Verdict } from "./ears.js";

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

/** A key as it may be said. */
function sayings(key: string): string[] {
  const [letters = "", number = ""] = key.split("-");
  const spelled = [...letters].join(" ");
  return [
    key.toLowerCase(),
    `${letters}${number}`,
    `${spelled} ${number}`,
    `${letters} ${inWords(Number(number))}`,
    `the ticket ${spelled.toLowerCase()} ${inWords(Number(number))} please`,
    `${letters} ${[...number].map((digit) => inWords(Number(digit))).join(" ")}`,
  ];
}

const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

function inWords(n: number): string {
  if (n < 20) return SMALL[n] ?? "";
  if (n < 100) return [TENS[Math.floor(n / 10) - 2], n % 10 === 0 ? "" : SMALL[n % 10]].join(" ").trim();
  return `${SMALL[Math.floor(n / 100)]} hundred${n % 100 === 0 ? "" : ` and ${inWords(n % 100)}`}`;
}

describe("every ticket", () => {
  const all = Object.values(boards).flatMap(({ tickets }) => Object.entries(tickets));
  const taken = (words: string) => {
    const got = resolveTicket(views.get("all") as TenantView, words);
    return got.kind === "one" ? got.value.ticket.key : got.kind;
  };

  it("is found by its key, however that is said", () => {
    const missed = all.flatMap(([key]) => sayings(key).filter((words) => taken(words) !== key));
    expect(missed).toEqual([]);
  });

  it("is found by its whole title, however that is cased, and by nothing of another's", () => {
    const missed = all.flatMap(([key, title]) =>
      [title, title.toUpperCase(), `the ticket ${title}`, `${title}!`].filter(
        (words) => taken(words) !== key,
      ),
    );
    expect(missed).toEqual([]);
  });

  it("is left alone by noise, which never breaks anything", () => {
    const view = views.get("all") as TenantView;
    const noise = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.string({ unit: "grapheme", maxLength: 40 }),
    );
    fc.assert(
      fc.property(noise, (words) => {
        expect(["one", "many", "none"]).toContain(resolveTicket(view, words).kind);
      }),
      { numRuns: 300 },
    );
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
