import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./until.js";

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  /** Of the process that runs now; `undefined` between `kill` and `restart`. */
  readonly pid: number | undefined;
  /** Ends it in good order and deletes its directory, if it made one. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would. Port and directory stay, for `restart`. */
  kill(): Promise<void>;
  /** Starts it again on the same port and directory, killing it first if it runs. */
  restart(): Promise<void>;
}

export interface RedisServerOptions {
  readonly appendOnly?: boolean;
  readonly dir?: string;
  readonly port?: number;
  /** What else its command line says, of its port and directory. */
  readonly more?: (port: number, dir: string) => readonly string[];
  /** Whether it is there. @default it answers PING */
  readonly answers?: (port: number) => Promise<boolean>;
}

/** A real redis-server of the test's own, once it answers PING. Dies with this process, however that ends. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const port = options.port ?? (await freePort());
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), "boardwalk-redis-"));
  let child: ChildProcess | undefined;
  let guard: ChildProcess | undefined;

  async function start(): Promise<void> {
    const more = options.more?.(port, dir) ?? [];
    child = spawn("redis-server", [...redisArguments(port, dir, options.appendOnly ?? false), ...more], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    child.unref();
    guard = endWithUs(child, options.dir === undefined ? dir : undefined);
    const { answers = ping } = options;
    await Promise.race([until(() => answers(port), { timeoutMs: 20_000 }), diesEarly(child)]);
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = child;
    child = undefined;
    guard?.kill("SIGKILL");
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = once(ending, "exit");
    // Else a program that has nothing else to do ends before it does.
    ending.ref();
    ending.kill(signal);
    await gone;
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    dir,
    get pid() {
      return child?.pid;
    },
    async stop() {
      await end("SIGTERM");
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
    },
    kill: () => end("SIGKILL"),
    async restart() {
      await end("SIGKILL");
      await start();
    },
  };
}

let shared: Promise<RedisServer> | undefined;

/** The Redis for tests that only need one: REDIS_URL, else one server shared by everything in this process. */
export async function redisUrl(): Promise<string> {
  const given = process.env.REDIS_URL;
  if (given) return given;
  shared ??= startRedis();
  return (await shared).url;
}

/**
 * Waits for the end of a pipe that only this process holds, then kills the server and deletes `dir`. An exit handler
 * would not do: test workers are ended by a signal, and crash tests end them by SIGKILL.
 * @returns the process that waits: to be killed once the server has ended, since its pid may then be another's.
 */
export function endWithUs(server: ChildProcess, dir: string | undefined): ChildProcess {
  const script = 'cat >/dev/null; kill -9 "$1"; [ -z "$2" ] || rm -rf "$2"';
  const guard = spawn("sh", ["-c", script, "guard", String(server.pid), dir ?? ""], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return guard;
}

function redisArguments(port: number, dir: string, appendOnly: boolean): string[] {
  return [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", dir],
    // Written through before each answer: with the default a busy disk may lose the last second, as it would in life.
    ...["--save", "", "--appendonly", appendOnly ? "yes" : "no", "--appendfsync", "always"],
    ...["--maxmemory-policy", "noeviction", "--loglevel", "warning", "--daemonize", "no"],
  ];
}

/** Below the range from which the kernel takes outgoing ports, so that nobody gets it between kill and restart. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) return port;
  }
  throw new Error("No free port between 20000 and 32000.");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

function ping(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    const answer = (heard: boolean) => {
      socket.destroy();
      resolve(heard);
    };
    socket.once("data", (data) => answer(data.toString().startsWith("+PONG")));
    socket.once("error", () => answer(false));
    socket.once("close", () => answer(false));
  });
}

function diesEarly(child: ChildProcess): Promise<never> {
  return new Promise((_, reject) => {
    child.once("error", (cause) => reject(new Error("redis-server could not be started.", { cause })));
    child.once("exit", (code) => reject(new Error(`redis-server ended at once, with code ${code}.`)));
  });
}
