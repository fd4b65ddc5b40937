import type { Source } from "./layers.js";

/** Where a source reads what came from outside, as `test/fuzz/parsers.ts` names it. */

/** Those that read their second argument by their first. */
const READS =
  /(?<![.\w])(?:safeParse|parseOr|parseRecord|jobData|jobResult|expected|parsePart|parseBody)\(\s*([^,]+),/g;
/** Zod's own methods, and what else goes by their names. */
const METHODS = /\.(?:safeParse|parse)(?:Async)?\(/g;
const NOT_ZOD = new Set(["Date", "JSON", "path", "URL", "program", ""]);
const EXPORTED = /^export (?:async )?function ((?:parse|decode)[A-Z]\w*)/gm;

export function parsersIn({ text }: Source): readonly string[] {
  const code = text
    .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, "")
    // Declared, not called.
    .replace(/\bfunction \w+/g, "function");
  return [
    ...new Set([
      ...[...code.matchAll(READS)].map((match) => plain(match[1])),
      ...[...code.matchAll(METHODS)]
        .map(({ index }) => calledOn(code, index))
        .filter((name) => !NOT_ZOD.has(name)),
      ...(/\b(?:JSON\.parse|parseJson)\(/.test(code) ? ["JSON"] : []),
      ...(/\bparseYaml\(/.test(code) ? ["YAML"] : []),
      ...[...text.matchAll(EXPORTED)].map((match) => plain(match[1])),
    ]),
  ];
}

/** The expression that ends there. */
function calledOn(code: string, end: number): string {
  let open = 0;
  let start = end;
  for (; start > 0; start--) {
    const sign = code[start - 1] ?? "";
    if (sign === ")") open += 1;
    else if (sign === "(" && open === 0) break;
    else if (sign === "(") open -= 1;
    else if (open === 0 && !/[\w.]/.test(sign) && !/^\s+\./.test(code.slice(start - 1, end + 1))) break;
  }
  return plain(code.slice(start, end));
}

function plain(text = ""): string {
  return text.replace(/\s+/g, "").replace(/,\)/g, ")");
}
