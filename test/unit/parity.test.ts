import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

interface Proof {
  readonly row: string;
  readonly file: string;
  readonly words: string;
}

/** The proofs that docs/parity.md cites: a file, and words from the title of a test in it. */
const proofs: Proof[] = read("docs/parity.md")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (there|-+) /.test(line))
  .flatMap((line) => {
    const cells = line
      .slice(2, -2)
      .split(" | ")
      .map((cell) => cell.trim());
    return (cells.at(-1) ?? "").split("<br>").map((cited) => {
      const [, file = "", words = ""] = cited.match(/^`([^`]+)`: (.+)$/) ?? [];
      return { row: cells[0] ?? line, file, words };
    });
  });

describe("docs/parity.md", () => {
  it("names every fault known of the two systems", () => {
    const text = read("docs/parity.md");
    for (let n = 1; n <= 18; n++) expect(text).toContain(`| V${n} `);
    for (let n = 1; n <= 20; n++) expect(text).toContain(`| F${n} `);
  });

  it("cites only proofs that are there", () => {
    expect(proofs.length).toBeGreaterThan(100);
    for (const { row, file, words } of proofs) {
      expect(file, row).not.toBe("");
      expect(read(file), `${row}: ${words}`).toContain(words);
    }
  });
});
