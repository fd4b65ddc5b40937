import { execFileSync, spawnSync } from "node:child_process";
import { median, type Row, round3 } from "./harness.js";

/**
 * Claims: an idle actor takes at most half a kilobyte, and importing the library takes at most 60 ms more than
 * importing zod. Each figure is from a process of its own; smaller is better, so `ratio` is what is allowed over ours.
 */

const ACTORS = 20_000;
const root = new URL("..", import.meta.url).pathname;

/** Bytes of heap for each of many idle actors. */
function heapPerActor(imports: string, make: string): number {
  const code = `
    ${imports}
    const keep = new Array(${ACTORS});
    const warm = Array.from({ length: 200 }, () => { const actor = ${make}; return actor; });
    gc(); gc();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < keep.length; i++) keep[i] = ${make};
    gc(); gc();
    console.log((process.memoryUsage().heapUsed - before) / keep.length, keep.length + warm.length > 0);
  `;
  const outputs = [1, 2, 3].map(() =>
    Number(evaluate(code, ["--expose-gc", "--import", "tsx"]).split(" ")[0]),
  );
  return median(outputs);
}

/** Milliseconds that importing zod takes in a fresh process, and then the library on top of it. */
function importMs(entry: string): { readonly zod: number; readonly own: number } {
  const code = `
    const at = performance.now();
    await import("zod");
    const then = performance.now();
    await import(${JSON.stringify(entry)});
    console.log(then - at, performance.now() - then);
  `;
  const [zod = Number.NaN, own = Number.NaN] = evaluate(code, []).split(" ").map(Number);
  return { zod, own };
}

function evaluate(code: string, flags: readonly string[]): string {
  const args = [...flags, "--input-type=module", "--eval", code];
  return execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }).trim();
}

const CONFIG = `{ id: "t", initial: "a", context: { n: 0 }, states: { a: { on: { GO: "b" } }, b: { on: { GO: "a" } } } }`;

async function runSize(): Promise<Row[]> {
  const ours = heapPerActor(
    `import { createFsmActor } from "./src/index.ts"; const machine = ${CONFIG};`,
    "createFsmActor(machine)",
  );
  const theirs = heapPerActor(
    `import { createActor, createMachine } from "xstate"; const machine = createMachine(${CONFIG});`,
    "createActor(machine).start()",
  );
  return [
    {
      name: "bytes per idle actor (XState's beside)",
      ours: round3(ours),
      theirs: round3(theirs),
      ratio: round3(512 / ours),
      target: 1,
      unit: "bytes",
    },
  ];
}

/** As it is published: compiled, not translated while it loads. Type errors elsewhere do not matter here. */
function compiledEntry(): string {
  const dir = `${root}node_modules/.cache/boardwalk-bench`;
  spawnSync("npx", ["tsc", "-p", "tsconfig.build.json", "--outDir", dir], { cwd: root });
  return `${dir}/src/index.js`;
}

async function runImport(): Promise<Row[]> {
  const entry = compiledEntry();
  const times = Array.from({ length: 7 }, () => importMs(entry));
  const own = median(times.map((time) => time.own));
  return [
    {
      name: "import of the library beyond zod's (zod's beside)",
      ours: round3(own),
      theirs: round3(median(times.map(({ zod }) => zod))),
      ratio: round3(60 / own),
      target: 1,
      unit: "ms",
    },
  ];
}

export async function run(): Promise<Row[]> {
  return [...(await runSize()), ...(await runImport())];
}

if (import.meta.url === `file://${process.argv[1]}`) console.table(await run());
