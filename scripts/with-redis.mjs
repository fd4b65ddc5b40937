// node scripts/with-redis.mjs [--chromium] <command...>
// Runs the command with REDIS_URL set: the one given, else that of a private redis-server that lives as long as it.
// With --chromium it sees to it first that there is a Chromium for the tests of the page.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { constants, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const wantsChromium = process.argv[2] === "--chromium";
const [command, ...args] = process.argv.slice(wantsChromium ? 3 : 2);
if (command === undefined) fail("Say what to run: node scripts/with-redis.mjs <command...>", 2);

// Where it cannot be installed, the tests that need it say the one command to run, and the others run.
if (wantsChromium && !isInstalled("chromium") && canInstall()) install("chromium");
const redis = process.env.REDIS_URL ? undefined : await startPrivateRedis();
process.exitCode = await run(redis?.url ?? process.env.REDIS_URL);
await redis?.stop();

async function run(redisUrl) {
  const bin = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules", ".bin");
  const env = { ...process.env, REDIS_URL: redisUrl, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` };
  const child = spawn(command, args, { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once("error", (error) => {
      process.stderr.write(`${command} could not be started: ${error.message}\n`);
      resolve(127);
    });
    child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

async function startPrivateRedis() {
  if (!isInstalled("redis-server")) installRedis();
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), "boardwalk-redis-"));
  const server = spawn("redis-server", redisArguments(port, dir), {
    stdio: ["ignore", "ignore", "inherit"],
    // A group of its own: Ctrl-C in a terminal must reach the command first, and Redis only when that is done.
    detached: true,
  });
  guardAgainstOrphans(server, dir);
  await waitUntilReady(server, port);
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const gone = server.exitCode === null ? once(server, "exit") : undefined;
      server.kill("SIGTERM");
      await gone;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Waits for the end of a pipe that only this process holds, so that Redis ends with it even after a SIGKILL. */
function guardAgainstOrphans(server, dir) {
  const script = 'cat >/dev/null; kill -9 "$1"; rm -rf "$2"';
  const guard = spawn("sh", ["-c", script, "guard", String(server.pid), dir], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  guard.stdin.unref();
  server.once("exit", () => guard.kill("SIGKILL"));
}

function redisArguments(port, dir) {
  return [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", ""],
    ...["--appendonly", "yes", "--maxmemory-policy", "noeviction", "--loglevel", "warning"],
  ];
}

async function waitUntilReady(server, port) {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (server.exitCode !== null) fail(`redis-server ended at once, with code ${server.exitCode}.`);
    if (await answersPing(port)) return;
    await sleep(20);
  }
  fail("redis-server did not answer within 10 seconds.");
}

function answersPing(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    const answer = (heard) => {
      socket.destroy();
      resolve(heard);
    };
    socket.once("data", (data) => answer(data.toString().startsWith("+PONG")));
    socket.once("error", () => answer(false));
    socket.once("close", () => answer(false));
  });
}

/** Below the range from which the kernel takes outgoing ports, so that nobody gets it before Redis does. */
async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer();
    const free = await new Promise((resolve) => {
      probe.once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

function isInstalled(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

function canInstall() {
  return process.getuid?.() === 0 && isInstalled("apt-get");
}

function installRedis() {
  if (!canInstall()) {
    const command = isInstalled("brew") ? "brew install redis" : "sudo apt-get install -y redis-server";
    fail(`There is no redis-server on PATH, and REDIS_URL is not set. Run: ${command}`);
  }
  install("redis-server");
}

function install(name) {
  process.stderr.write(`No ${name} on PATH: installing it with apt-get.\n`);
  for (const step of [["update"], ["install", "-y", "--no-install-recommends", name]]) {
    // Its chatter goes to stderr: stdout belongs to the command.
    const { status } = spawnSync("apt-get", step, { stdio: ["ignore", 2, 2] });
    if (status !== 0) fail(`apt-get ${step.join(" ")} failed. Install ${name} by hand.`);
  }
}

function fail(message, code = 1) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
