import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { examplesOf } from "../../../src/cli/examples.js";
import { createProgram } from "../../../src/cli/program.js";
import { leavesOf, pathOf, referenceOf } from "../../../src/cli/reference.js";

const program = createProgram();
const leaves = leavesOf(program);
const byPath = new Map(leaves.map((command) => [pathOf(command), command]));

describe.each([...byPath])("%s", (path, command) => {
  it("says what it does, and shows how", () => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/);
    expect(examplesOf(command)).not.toEqual([]);
    for (const option of command.options) expect(option.description, option.flags).not.toBe("");
  });

  it("takes what its examples give it", () => {
    for (const example of examplesOf(command)) {
      const line = example.replace(/^source <\((.*)\)$/, "$1").replace(/ > .*$/, "");
      expect(line.startsWith(path), line).toBe(true);
      expect(faultsOf(command, wordsOf(line.slice(path.length))), line).toEqual([]);
    }
  });

  it("prints JSON for programs, unless that or a file is all that it makes", () => {
    const others = /^boardwalk (?:serve|audit export|alexa \w+|openapi|reference|completion)$/;
    expect(others.test(path) !== command.options.some(({ long }) => long === "--json")).toBe(true);
  });
});

/** As a shell would part them, for lines without anything harder than quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

function faultsOf(command: Command, words: readonly string[]): string[] {
  const { operands, unknown } = command.parseOptions([...words]);
  const { registeredArguments, options } = command;
  const needed = registeredArguments.filter(({ required }) => required).length;
  const most = registeredArguments.length;
  return [
    ...unknown.map((word) => `unknown: ${word}`),
    ...(operands.length < needed || operands.length > most ? [`${operands.length} arguments`] : []),
    ...options
      .filter((option) => option.mandatory && !words.includes(option.long ?? option.flags))
      .map(({ flags }) => `missing: ${flags}`),
  ];
}

describe("docs/cli.md", () => {
  it("is what the command itself says (npm run docs:cli)", () => {
    expect(readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8")).toBe(
      referenceOf(createProgram()),
    );
  });
});

describe("the command's tree", () => {
  it("has what DESIGN names", () => {
    const names = [...byPath.keys()].map((path) => path.replace("boardwalk ", ""));
    for (const name of [
      "serve",
      "demo",
      "doctor",
      "tenant add",
      "tenant list",
      "tenant token",
      "connect",
      "import",
      "workflow show",
      "workflow diff",
      "workflow explain",
      "tools list",
      "tools diff",
      "replay",
      "openapi",
      "init-secrets",
      "config print",
      "completion",
    ])
      expect(names).toContain(name);
  });
});
