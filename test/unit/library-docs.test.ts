import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Below the repository, so that the blocks find the packages they import. */
const dir = join(root, "node_modules", ".cache", `library-docs-${process.pid}`);

const blocks = [
  ...readFileSync(join(root, "docs/library.md"), "utf8").matchAll(
    /## (.+?)\n(?:(?!## ).)*?```ts\n(.*?)```/gs,
  ),
].map(([, title = "", code = ""]) => ({ title, code }));

/** `expression; // => value` becomes a pair to compare; everything else runs as it stands. */
function runnable(code: string): string {
  const checked = code.replace(/^(.+); \/\/ => (.+)$/gm, "results.push([$1, $2]);");
  const library = pathToFileURL(join(root, "src/index.ts")).href;
  return `const results: unknown[] = [];\n${checked.replaceAll('"boardwalk"', JSON.stringify(library))}
console.log(JSON.stringify(results.map((pair) => (pair as unknown[]).map((value) => value ?? null))));\nprocess.exit(0);\n`;
}

describe("docs/library.md", () => {
  beforeAll(() => mkdirSync(dir, { recursive: true }));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it("has a runnable block in every section", () => {
    expect(blocks.map(({ title }) => title)).toEqual([
      "A machine becomes tools",
      "A board's workflow becomes a machine",
      "Tools that are there only when their time has come",
      "XState",
      "The same machine, shown",
    ]);
  });

  it.each(blocks)("$title: runs and gives what it says", ({ title, code }) => {
    const file = join(dir, `${title.replace(/\W+/g, "-")}.mts`);
    writeFileSync(file, runnable(code));
    const out = execFileSync(process.execPath, ["--import", "tsx", file], { cwd: root, encoding: "utf8" });
    const results = JSON.parse(out) as [unknown, unknown][];
    expect(results.length).toBeGreaterThan(0);
    for (const [actual, said] of results) expect(actual).toEqual(said);
  });
});
