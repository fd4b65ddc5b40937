import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

/** Kinds of which our collection holds reports; its numbers have gaps. */
const KINDS = [
  ...[1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 13, 14, 15, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 28, 30, 31, 32, 33],
  ...[34, 35, 38, 39, 41, 42, 44, 45, 46, 48, 49, 50, 52, 53, 54, 55, 57, 58, 59, 60, 61, 62, 64, 65, 66, 68],
  ...[69, 71, 72, 73, 74, 75, 76, 78, 80, 81, 82, 85, 86, 88],
];

interface Proof {
  readonly file: string;
  readonly title: string;
}

interface Row {
  readonly kind: number;
  readonly proofs: readonly Proof[];
}

const rows: Row[] = read("docs/cases.md")
  .split("\n")
  .filter((line) => /^\| *\d+ /.test(line))
  .map((line) => {
    const cells = line
      .slice(1, -1)
      .split(" | ")
      .map((cell) => cell.trim());
    const proofs = (cells.at(-1) ?? "").split("<br>").map((cited) => {
      const [, file = "", title = ""] = cited.match(/^`([^`]+)`: (.+)$/) ?? [];
      return { file, title };
    });
    return { kind: Number(cells[0]), proofs };
  });

/** The titles of the tests in a file, as they are written there: `it("title", …)` and `it.each(…)("title", …)`. */
function titlesIn(file: string): ReadonlySet<string> {
  const titles = read(file).matchAll(/(?:\bit|\))\(\s*"((?:[^"\\]|\\.)*)",/g);
  return new Set([...titles].map(([, title = ""]) => JSON.parse(`"${title}"`) as string));
}

describe("docs/cases.md", () => {
  it("has a row for every kind, once, in order", () => {
    expect(rows.map(({ kind }) => kind)).toEqual(KINDS);
  });

  it("proves each by tests that exist", () => {
    const missing = rows.flatMap(({ kind, proofs }) =>
      proofs.filter(({ file, title }) => !titlesIn(file).has(title)).map((proof) => ({ kind, ...proof })),
    );
    expect(missing).toEqual([]);
  });

  it("would notice a test that is gone, and a word that is no title", () => {
    const titles = titlesIn("test/contract/connector/moving.ts");
    expect(titles.size).toBeGreaterThan(5);
    expect(titles.has("a test that nobody wrote")).toBe(false);
    expect(titles.has("board")).toBe(false);
  });
});
