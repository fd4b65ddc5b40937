import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CLI } from "./cli.js";
import { endWithUs } from "./redis.js";

export type Role = "all" | "web" | "worker";

/** One `boardwalk serve` as a process of its own. */
export interface Service {
  readonly role: Role;
  /** Where its web half listens; empty for a worker. */
  readonly url: string;
  readonly pid: number;
  /** What it has logged so far, parsed, oldest first. */
  readonly log: readonly LogLine[];
  /** SIGKILL, as a crash would. Resolves once it is gone. */
  kill(): Promise<void>;
  /** Ends it in good order. @returns its exit code. */
  stop(): Promise<number | null>;
}

export interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly url?: string;
  readonly [field: string]: unknown;
}

export interface ServiceOptions {
  readonly role: Role;
  /** On top of this process's own environment; the port is a free one unless told. */
  readonly env: Readonly<Record<string, string>>;
}

/** Resolves when it has said that it is ready; rejects, with what it said instead, when it ends before. */
export async function startService({ role, env }: ServiceOptions): Promise<Service> {
  const child = spawn(process.execPath, [...CLI, "serve", "--role", role], {
    env: { ...process.env, HOST: "127.0.0.1", PORT: "0", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (child.stderr === null || child.pid === undefined) throw new Error("boardwalk could not be started");
  const guard = endWithUs(child, undefined);
  const ended = once(child, "exit") as Promise<[number | null]>;
  void ended.then(() => guard.kill("SIGKILL"));
  const log: LogLine[] = [];
  const ready = new Promise<LogLine>((resolve) => {
    createInterface(child.stderr).on("line", (text) => {
      const line = parseLine(text);
      log.push(line);
      if (line.msg === "ready") resolve(line);
    });
  });
  const { url = "" } = await Promise.race([ready, failsToStart(child, log)]);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = await ended;
    return code;
  };
  return {
    role,
    url,
    pid: child.pid,
    log,
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
  };
}

function parseLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { msg: text };
  }
}

async function failsToStart(child: ChildProcess, log: readonly LogLine[]): Promise<never> {
  const [code] = (await once(child, "close")) as [number | null];
  throw new Error(
    `boardwalk ended with code ${code} before it was ready:\n${log.map((line) => line.msg).join("\n")}`,
  );
}
