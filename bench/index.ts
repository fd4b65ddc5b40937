import { availableParallelism, cpus } from "node:os";
import { run as actorMemory } from "./actor-memory.js";
import { run as alexa } from "./alexa.js";
import { run as flat } from "./flat.js";
import { run as gate } from "./gate.js";
import { run as guards } from "./guards.js";
import type { Row } from "./harness.js";
import { run as imports } from "./import.js";
import { run as librarySize } from "./library-size.js";
import { run as mcp } from "./mcp.js";
import { run as move } from "./move.js";
import { run as neighbours } from "./neighbours.js";
import { run as notice } from "./notice.js";
import { run as page } from "./page.js";
import { run as references } from "./references.js";
import { run as sync } from "./sync.js";
import { run as transitions } from "./transitions.js";

/** Every claim about speed, in one table: each row a ratio of two things measured side by side in this run. */

const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  transitions,
  librarySize,
  guards,
  gate,
  mcp,
  move,
  flat,
  actorMemory,
  neighbours,
  sync,
  notice,
  import: imports,
  page,
  references,
  alexa,
};

const wanted = process.argv.slice(2);
const rows: Row[] = [];
for (const [name, run] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`measuring ${name} ...\n`);
  rows.push(...(await run()));
}

process.stdout.write(
  `${cpus()[0]?.model ?? "unknown processor"}, ${availableParallelism()} cores, Node ${process.version}\n\n`,
);
process.stdout.write(
  "| claim | ours | theirs | unit | ratio | target | holds |\n|---|---:|---:|---|---:|---:|---|\n",
);
for (const { name, ours, theirs, unit, ratio, target } of rows) {
  const holds = target === 0 ? "-" : ratio >= target ? "yes" : "NO";
  process.stdout.write(
    `| ${name} | ${ours} | ${theirs} | ${unit} | ${ratio} | ${target === 0 ? "-" : target} | ${holds} |\n`,
  );
}
