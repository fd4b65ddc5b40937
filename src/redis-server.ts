import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { BoardwalkError } from "./errors.js";
import { createFileLock, isAlive } from "./file-lock.js";
import type { Log } from "./log.js";

/** A Redis of Boardwalk's own, for a folder on one machine: private port, random password, append-only file. */

export interface OwnRedis {
  /** With its password. */
  readonly url: string;
  /** It belongs to another Boardwalk in the same folder, and ends with that one. */
  readonly shared: boolean;
  /** Ends it in good order, everything written; leaves a shared one alone. */
  close(): Promise<void>;
}

export interface OwnRedisOptions {
  /** Boardwalk's own folder; Redis' files go into `redis` below it. */
  readonly dir: string;
  readonly log: Log;
  /** Tried in this order, on PATH. */
  readonly programs?: readonly string[];
  readonly timeoutMs?: number;
}

const PROGRAMS = ["redis-server", "valkey-server"];
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 20;
const PORT_TRIES = 3;

const runningFile = z.object({
  port: z.number().int(),
  password: z.string(),
  /** The Boardwalk it ends with. */
  owner: z.number().int(),
  /** The process around Redis, gone when Redis is. */
  keeper: z.number().int(),
});
type Running = z.infer<typeof runningFile>;

/** Folders whose Redis this very process keeps: an old file may name our own process id, as in restarted containers. */
const kept = new Set<string>();

/**
 * Starts a Redis, or joins the one that another Boardwalk keeps in this folder.
 * @returns `undefined` when none of the programs is installed.
 * @throws BoardwalkError `unavailable` when it does not start, `busy` when another start does not finish.
 */
export async function startOwnRedis(options: OwnRedisOptions): Promise<OwnRedis | undefined> {
  const program = await firstInstalled(options.programs ?? PROGRAMS);
  if (program === undefined) return undefined;
  const dir = resolve(options.dir, "redis");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = createFileLock(join(dir, "starting"));
  const deadline = performance.now() + (options.timeoutMs ?? START_TIMEOUT_MS);
  for (;;) {
    const running = readRunning(dir);
    const answers = running !== undefined && (await ping(running));
    if (answers && isKept(running, dir)) {
      options.log.info({ dir, owner: running.owner }, "using the Redis of another Boardwalk in this folder");
      return { url: urlOf(running), shared: true, close: async () => undefined };
    }
    // One that is kept by nobody, or does not answer, is on its way in or out: its files are not used before it is gone.
    if (!answers && !isKeeper(running?.keeper) && lock.take()) {
      try {
        return await start(program, dir, options.log);
      } finally {
        lock.release();
      }
    }
    if (performance.now() > deadline) throw stuck(dir);
    await sleep(POLL_MS);
  }
}

async function start(program: string, dir: string, log: Log): Promise<OwnRedis> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const password = randomBytes(24).toString("hex");
    const child = launch(program, dir, { port, password });
    const running = { port, password, owner: process.pid, keeper: child.pid ?? 0 };
    if (await becomesReady(child, running)) {
      kept.add(dir);
      writeFileSync(runningPath(dir), JSON.stringify(running), { mode: 0o600 });
      log.info({ dir, port, program }, "started a Redis of our own");
      return keep(child, running, dir, log);
    }
    if (attempt >= PORT_TRIES || child.exitCode === null) {
      await end(child);
      throw new BoardwalkError(
        "unavailable",
        `${program} did not start. ${join(dir, "redis.log")} says why; or set REDIS_URL to a Redis that runs.`,
      );
    }
  }
}

function keep(child: ChildProcess, running: Running, dir: string, log: Log): OwnRedis {
  let closing: Promise<void> | undefined;
  const forget = () => {
    kept.delete(dir);
    rmSync(runningPath(dir), { force: true });
  };
  child.once("exit", (code) => {
    if (closing === undefined) {
      log.error({ dir, code }, "our Redis ended by itself");
      forget();
    }
  });
  return {
    url: urlOf(running),
    shared: false,
    close() {
      closing ??= end(child).then(forget);
      return closing;
    },
  };
}

/**
 * Redis' keeper: a shell whose stdin is a pipe from us. The pipe ends when we do, however we do, and then Redis is
 * told to end in good order. So a killed service leaves no Redis behind, and loses nothing that was written.
 */
const KEEPER = `
exec 3<&0
"$@" </dev/null 3<&- & redis=$!
(read -r _ <&3; kill -TERM $redis 2>/dev/null) & watch=$!
wait $redis; code=$?
kill $watch 2>/dev/null
exit $code`;

function launch(program: string, dir: string, running: Pick<Running, "port" | "password">): ChildProcess {
  const config = join(dir, "redis.conf");
  // A file and not arguments: those can be read by every user of the machine.
  writeFileSync(config, configText(dir, running), { mode: 0o600 });
  const child = spawn("/bin/sh", ["-c", KEEPER, "boardwalk-redis", program, config], {
    stdio: ["pipe", "ignore", "ignore"],
    // A session of its own: Ctrl-C in a terminal must reach the service first, and Redis only when that is done.
    detached: true,
  });
  child.stdin?.on("error", () => undefined);
  return child;
}

function configText(dir: string, { port, password }: Pick<Running, "port" | "password">): string {
  const quoted = (value: string) => `"${value.replace(/["\\]/g, "\\$&")}"`;
  const lines = [
    ...["bind 127.0.0.1", `port ${port}`, `requirepass ${password}`, `dir ${quoted(dir)}`],
    ...['save ""', "appendonly yes", "appendfsync everysec", "maxmemory-policy noeviction"],
    ...["daemonize no", `logfile ${quoted(join(dir, "redis.log"))}`],
  ];
  return `${lines.join("\n")}\n`;
}

async function becomesReady(child: ChildProcess, running: Running): Promise<boolean> {
  let failed = false;
  child.once("error", () => {
    failed = true;
  });
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!failed && child.exitCode === null && performance.now() < deadline) {
    if (await ping(running)) return true;
    await sleep(POLL_MS);
  }
  return false;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, "exit");
  child.stdin?.end();
  const group = -child.pid;
  const timer = setTimeout(() => process.kill(group, "SIGKILL"), STOP_TIMEOUT_MS);
  await gone;
  clearTimeout(timer);
}

function isKept(running: Running, dir: string): boolean {
  return running.owner === process.pid ? kept.has(dir) : isAlive(running.owner);
}

/** Is this process id still that of a keeper, and not long since somebody else's? */
function isKeeper(pid: number | undefined): boolean {
  if (pid === undefined || !isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("boardwalk-redis");
  } catch {
    // No /proc, as on macOS: Redis that does not answer is then taken to be gone.
    return false;
  }
}

/** Redis answers, knows the password, and has read its files. */
function ping({ port, password }: Pick<Running, "port" | "password">): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    let heard = "";
    const answer = () => {
      socket.destroy();
      done(heard === "+OK\r\n+PONG\r\n");
    };
    socket.setTimeout(1_000, answer);
    socket.on("data", (data) => {
      heard += data.toString();
      if (heard.split("\r\n").length > 2) answer();
    });
    socket.once("error", answer);
    socket.once("close", answer);
  });
}

async function firstInstalled(programs: readonly string[]): Promise<string | undefined> {
  for (const program of programs) {
    const installed = await new Promise<boolean>((done) => {
      execFile(program, ["--version"], (error) => done(error === null));
    });
    if (installed) return program;
  }
  return undefined;
}

/** Below the range from which the kernel takes outgoing ports, so that nobody gets it before Redis does. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer();
    const free = await new Promise<boolean>((done) => {
      probe.once("error", () => done(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
    });
    if (free) return port;
  }
}

function runningPath(dir: string): string {
  return join(dir, "running.json");
}

function readRunning(dir: string): Running | undefined {
  try {
    return runningFile.parse(JSON.parse(readFileSync(runningPath(dir), "utf8")));
  } catch {
    // Not there, or half written by one that died: then nobody keeps a Redis here.
    return undefined;
  }
}

function urlOf({ port, password }: Running): string {
  return `redis://:${password}@127.0.0.1:${port}`;
}

function stuck(dir: string): BoardwalkError {
  return new BoardwalkError(
    "busy",
    `Another Boardwalk is starting or ending its Redis in ${dir} and does not finish. ` +
      "Stop it and try again, or set REDIS_URL to a Redis that both can use.",
  );
}
