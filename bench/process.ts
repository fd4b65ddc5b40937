import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUILT = ".bench";

/**
 * A process of a benchmark, pinned to a core where `taskset` exists, that is asked and answers in lines. It runs what was
 * compiled as the package is: the loader that runs the sources gives every function its name, each time one is made.
 */
export class BenchProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor(file: string, args: readonly string[], core: number) {
    build();
    const path = join(ROOT, BUILT, "bench", file.replace(/\.ts$/, ".js"));
    const command = [process.execPath, path, ...args];
    const pinned = hasTaskset() ? ["taskset", "-c", String(core), ...command] : command;
    this.#child = spawn(pinned[0] as string, pinned.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    this.#reader = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("The process ended before it answered.");
    return value;
  }

  async ask(question: object): Promise<string> {
    this.#child.stdin?.write(`${JSON.stringify(question)}\n`);
    return await this.line();
  }

  stop(): void {
    this.#reader.close();
    this.#child.kill();
  }
}

let isBuilt = false;
function build(): void {
  if (isBuilt) return;
  const command = ["scripts/build.mjs", "tsconfig.bench.json", BUILT];
  const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("The benchmarks could not be compiled.");
  isBuilt = true;
}

let taskset: boolean | undefined;
function hasTaskset(): boolean {
  taskset ??= spawnSync("taskset", ["-c", "1", "true"]).status === 0;
  return taskset;
}
