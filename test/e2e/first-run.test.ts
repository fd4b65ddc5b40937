import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../src/file-lock.js";
import { CLI } from "../support/cli.js";
import { freePort } from "../support/redis.js";
import { until } from "../support/until.js";

/** The first minutes in an empty folder, without a setting: each thing that is missing is said, with how to have it. */

const PATIENCE_MS = 120_000;
const ROOT = resolve(".");

let dir: string;
let taken: Server;
let running: ChildProcess | undefined;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "boardwalk-first-"));
  taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
});
afterEach(async () => {
  if (running?.exitCode === null) {
    running.kill("SIGKILL");
    await once(running, "exit");
  }
});
afterAll(async () => {
  taken?.close();
  await rm(dir, { recursive: true, force: true });
});

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Nothing of ours in the environment but what is given. */
function environment(env: Record<string, string>): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: dir, ...env };
}

/** What runs the command names files of this repository, and is started elsewhere. */
const command = CLI.map((part) =>
  existsSync(part) ? join(ROOT, part) : part === "tsx" ? import.meta.resolve("tsx") : part,
);

function boardwalk(args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  return new Promise((done) => {
    const options = { cwd: dir, env: environment(env) };
    execFile(process.execPath, [...command, ...args], options, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : error === null ? 0 : 1;
      done({ code, stdout, stderr });
    });
  });
}

async function secrets(): Promise<Record<string, string>> {
  return parseEnv(await readFile(join(dir, ".env"), "utf8")) as Record<string, string>;
}

/** The sentence that a command ends with. */
const lastLine = ({ stderr }: Run) => stderr.trimEnd().split("\n").at(-1) ?? "";

describe("in an empty folder", () => {
  it(
    "the service names all that is missing at once, and the command that makes it",
    async () => {
      const started = await boardwalk(["serve", "--port", "0"]);
      expect(started.code).toBe(1);
      expect(lastLine(started)).toMatch(
        /^boardwalk: BOARDWALK_ADMIN_TOKEN and BOARDWALK_ENCRYPTION_KEYS are not set\. Make them with `boardwalk init-secrets --file \.env`/,
      );
      const made = await boardwalk(["init-secrets", "--file", ".env"]);
      expect(made.stdout).toContain("To run with it: set -a; . ./.env; set +a; boardwalk serve");
      expect(Object.keys(await secrets())).toEqual(["BOARDWALK_ADMIN_TOKEN", "BOARDWALK_ENCRYPTION_KEYS"]);
    },
    PATIENCE_MS,
  );

  it(
    "a port that is taken is said, with no trace of where in the code it was met",
    async () => {
      const { port } = taken.address() as AddressInfo;
      const started = await boardwalk(["serve", "--port", String(port)], await secrets());
      expect(started.code).toBe(1);
      expect(lastLine(started)).toBe(
        `boardwalk: Boardwalk cannot listen at 127.0.0.1, port ${port}. Something else listens there already. End it, or choose another port (--port, or PORT; 0 is any free one).`,
      );
      expect(started.stderr).not.toContain("    at ");
      const elsewhere = await boardwalk(["serve", "--port", "0", "--host", "192.0.2.1"], await secrets());
      expect(lastLine(elsewhere)).toContain("This machine has no such address.");
      const demo = await boardwalk(["demo", "--port", String(port), "--memory"]);
      expect(lastLine(demo)).toContain("Something else listens there already.");
    },
    PATIENCE_MS,
  );

  it(
    "a Redis that is not there is said once, and not at each try",
    async () => {
      const REDIS_URL = `redis://127.0.0.1:${await freePort()}`;
      const started = await boardwalk(["serve", "--port", "0"], { ...(await secrets()), REDIS_URL });
      expect(lastLine(started)).toContain("Nothing listens at the address of REDIS_URL.");
      expect(started.stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(3);
    },
    PATIENCE_MS,
  );

  it(
    "a team without a board, and files that are none, are told what comes next",
    async () => {
      const env = await secrets();
      const port = await freePort();
      running = spawn(process.execPath, [...command, "serve", "--port", String(port)], {
        cwd: dir,
        env: environment({ ...env, LOG_LEVEL: "warn" }),
        stdio: "ignore",
      });
      const settings = { ...env, BOARDWALK_URL: `http://127.0.0.1:${port}` };
      await until(async () => (await boardwalk(["tenant", "add", "acme"], settings)).code === 0, {
        timeoutMs: 30_000,
      });
      expect((await boardwalk(["connections", "acme"], settings)).stdout).toMatch(
        /^acme has no board yet\. Connect one: boardwalk connect acme --file board\.json\n$/,
      );
      expect(lastLine(await boardwalk(["workflow", "show", "acme"], settings))).toContain(
        "has no workflow yet",
      );
      expect(lastLine(await boardwalk(["connect", "acme", "--file", "none.json"], settings))).toBe(
        "boardwalk: There is no file none.json that can be read. Look at its name.",
      );
      expect(lastLine(await boardwalk(["connect", "acme", "--file", ".env"], settings))).toContain(
        ".env is no JSON.",
      );
      running.kill("SIGINT");
      const [code] = (await once(running, "exit")) as [number | null];
      expect(code).toBe(0);
    },
    PATIENCE_MS,
  );

  it(
    "Ctrl-C ends the demo with all that it started, and leaves nothing behind",
    async () => {
      running = spawn(process.execPath, [...command, "demo", "--port", "0", "--json"], {
        cwd: dir,
        env: environment({ TMPDIR: dir }),
        stdio: ["ignore", "pipe", "ignore"],
      });
      await once(running.stdout ?? running, "data");
      const pid = running.pid ?? 0;
      const started = await childrenOf(pid);
      expect(started.length).toBeGreaterThan(0);
      running.kill("SIGINT");
      const [code] = (await once(running, "exit")) as [number | null];
      expect(code).toBe(0);
      await until(() => started.every((child) => !isAlive(child)));
      const left = await readdir(dir);
      expect(left.filter((name) => name.startsWith("boardwalk-"))).toEqual([]);
    },
    PATIENCE_MS,
  );
});

/** The processes that this one has started. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return list.trim().split(/\s+/).filter(Boolean).map(Number);
}
