import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

const rows = read("SECURITY.md")
  .split("\n")
  .filter((line) => line.startsWith("| ") && line.includes("`test/"));
const proofs = rows.flatMap((row) => [...row.matchAll(/`(test\/[^`]+)`: (.+?)(?=<br>| +\|)/g)]);

/** As they are written in the file: `it("title", …)`, `it.each(…)("title", …)`, `fuzz("title", …)` and `fuzzReplies("title", …)`. */
function titlesIn(file: string): ReadonlySet<string> {
  const titles = read(file).matchAll(/(?:\bit|\bfuzz|\bfuzzReplies|\))\(\s*"((?:[^"\\]|\\.)*)",/g);
  return new Set([...titles].map(([, title = ""]) => JSON.parse(`"${title}"`) as string));
}

describe("the threats in SECURITY.md", () => {
  it("each name tests that exist", () => {
    expect(rows.length).toBeGreaterThan(15);
    expect(proofs.length).toBeGreaterThanOrEqual(rows.length);
    const missing = proofs.filter(([, file = "", title = ""]) => !titlesIn(file).has(title));
    expect(missing.map(([cited]) => cited)).toEqual([]);
  });

  it("would be found without a proof", () => {
    const table = read("SECURITY.md")
      .split("\n")
      .filter((line) => line.startsWith("| "));
    // Its head and its rule, and nothing else, have none.
    expect(table.length - rows.length).toBe(2);
    expect(titlesIn("test/unit/security-doc.test.ts").has("a test that nobody wrote")).toBe(false);
  });
});
