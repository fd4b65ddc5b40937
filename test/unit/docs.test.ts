import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CONFIG_VARIABLES } from "../../src/config.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (name: string) => readFileSync(join(root, name), "utf8");
const names = z.record(z.string(), z.string());
const manifest = z
  .object({ scripts: names, dependencies: names, devDependencies: names })
  .parse(JSON.parse(read("package.json")));

const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  ...docs.map((name) => `docs/${name}`),
];

describe.each(pages)("%s", (name) => {
  const text = read(name);

  it("names only npm scripts that exist", () => {
    const named = [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(test|start)\b)/g)].map(
      ([, run, own]) => run ?? own,
    );
    for (const script of named) expect(Object.keys(manifest.scripts)).toContain(script);
  });

  it("names only files that exist", () => {
    const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
    const quoted = [...text.matchAll(/`((?:src|test|scripts|connectors|\.ci)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    for (const path of [...linked.map((link) => join(dirname(name), link)), ...quoted])
      expect(existsSync(join(root, path)), path).toBe(true);
  });

  it("names only settings that are read", () => {
    for (const [variable] of text.matchAll(/\bBOARDWALK_[A-Z_]+\b/g))
      expect(CONFIG_VARIABLES).toContain(variable);
  });
});

describe("README.md", () => {
  it("prints what it says it prints", () => {
    const blocks = [...read("README.md").matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
    expect(blocks.length).toBeGreaterThan(0);
    for (const code of blocks) {
      const expected = [...code.matchAll(/\/\/ prints: (.*)/g)].map(([, line]) => line);
      expect(expected.length).toBeGreaterThan(0);
      expect(run(code.replaceAll('"boardwalk"', JSON.stringify(join(root, "src/index.ts"))))).toEqual(
        expected,
      );
    }
  });
});

function run(code: string): readonly string[] {
  const dir = mkdtempSync(join(tmpdir(), "boardwalk-readme-"));
  try {
    const file = join(dir, "block.mts");
    writeFileSync(file, code);
    const { stdout, stderr, status } = spawnSync(process.execPath, ["--import", "tsx", file], {
      cwd: root,
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    return stdout.trimEnd().split("\n");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

describe("CONTRIBUTING.md", () => {
  it("gives a reason for every dependency, and for no other", () => {
    const section = /## Dependencies\n(.*?)\n## /s.exec(read("CONTRIBUTING.md"))?.[1] ?? "";
    const rows = section.split("\n").filter((line) => line.startsWith("| `"));
    const listed = rows.flatMap((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    const needed = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)];
    expect([...listed].sort()).toEqual(needed.sort());
    for (const row of rows) expect(row.split("|")[2]?.trim(), row).not.toBe("");
  });
});

describe("npm run check", () => {
  it("is what continuous integration runs, step by step", () => {
    const steps = [...read(".ci/run").matchAll(/^step "(npm (?:run \w+|test))" \1(?= |$)/gm)].map(
      ([, step]) => step,
    );
    expect(manifest.scripts.check?.split(" && ")).toEqual(steps);
  });
});
