import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A process of a benchmark, pinned to a core where `taskset` exists, that is asked and answers in lines. */
export class BenchProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor(file: string, args: readonly string[], core: number) {
    const path = fileURLToPath(new URL(file, import.meta.url));
    const command = [process.execPath, "--import", "tsx", path, ...args];
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

let taskset: boolean | undefined;
function hasTaskset(): boolean {
  taskset ??= spawnSync("taskset", ["-c", "1", "true"]).status === 0;
  return taskset;
}
