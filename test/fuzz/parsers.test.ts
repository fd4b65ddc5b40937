import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parsersIn } from "../support/parser-sites.js";
import { sourcesIn } from "../support/sources.js";
import { DOORS, TRUSTED } from "./parsers.js";

/**
 * The page trusts the service that it came from, a demo's boards and its script are one program, and what all others are
 * read by is run by them.
 */
const OWN = /^src\/(?:web|demo|parse\.ts)|\/emulator/;

const sources = [...sourcesIn("src"), ...sourcesIn("connectors")].filter(({ path }) => !OWN.test(path));
const inSources = sources.flatMap((source) => parsersIn(source).map((parser) => `${source.path} ${parser}`));
const inTable = [
  ...Object.values(DOORS).flatMap((files) => namesOf(files)),
  ...namesOf(Object.fromEntries(Object.entries(TRUSTED).map(([file, [, ...parsers]]) => [file, parsers]))),
];

function namesOf(files: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(files).flatMap(([file, parsers]) => parsers.map((parser) => `${file} ${parser}`));
}

describe("the table of parsers", () => {
  it("names every one that the sources have, and no other", () => {
    expect([...new Set(inSources)].sort()).toEqual([...new Set(inTable)].sort());
  });

  it("has a test behind each of its doors", () => {
    const tests = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".test.ts"));
    const text = tests.map((file) => readFileSync(`${import.meta.dirname}/${file}`, "utf8")).join("\n");
    const opened = [...text.matchAll(/\b(?:fuzz|fuzzReplies)\(\s*"([^"]+)"/g)].map((match) => match[1]);
    expect(opened.sort()).toEqual(Object.keys(DOORS).sort());
  });

  it("would be told of a parser that is not in it", () => {
    const text = [
      'import { safeParse } from "../parse.js";',
      "export function parseThing(text: string) { return safeParse(thing, JSON.parse(text)); }",
      "const other = z.object({ a: z.string() }).parse(value);",
      "const third = shape.safeParse(value);",
    ].join("\n");
    const found = ["thing", "z.object({a:z.string()})", "shape", "JSON", "parseThing"];
    expect(parsersIn({ path: "src/x.ts", text })).toEqual(found);
  });
});
