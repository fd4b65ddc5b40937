import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { BoardwalkError } from "./errors.js";

/** `boardwalk serve --role worker` as a process of its own, which can truly die. */

export interface WorkerProcess {
  readonly pid: number;
  /** Ends it at once, in the middle of whatever it does (SIGKILL); resolves when it is gone. */
  kill(): Promise<void>;
}

const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";

/**
 * Starts one with these settings and nothing else of ours in its environment; resolves when it takes work.
 * @throws BoardwalkError `unavailable` when it ends before that.
 */
export async function startWorkerProcess(
  settings: Readonly<Record<string, string>>,
  dir: string,
): Promise<WorkerProcess> {
  const loader = EXTENSION === "ts" ? ["--import", import.meta.resolve("tsx")] : [];
  const cli = fileURLToPath(new URL(`./cli.${EXTENSION}`, import.meta.url));
  const child = spawn(process.execPath, [...loader, cli, "serve", "--role", "worker"], {
    // A folder without a boardwalk.yaml.
    cwd: dir,
    env: { ...settings, LOG_LEVEL: "info", LOG_FORMAT: "json" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = once(child, "exit");
  const killIt = () => void child.kill("SIGKILL");
  process.once("exit", killIt);
  void gone.then(() => process.off("exit", killIt));
  const ready = new Promise<void>((resolve) => {
    createInterface(child.stderr).on("line", (line) => {
      if (line.includes('"msg":"ready"')) resolve();
    });
  });
  const ended = gone.then(() => {
    throw new BoardwalkError(
      "unavailable",
      "The worker process ended before it was ready. Please try again.",
    );
  });
  await Promise.race([ready, ended]);
  ended.catch(() => {});
  return {
    pid: child.pid ?? 0,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
