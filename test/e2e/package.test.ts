import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const PATIENCE_MS = 300_000;

/** Node's versions that the package promises to run on. */
const MAJORS = [20, 22, 24];

/** A Node of this major: the one that runs this, else npm's build of the newest. */
async function nodeOf(major: number): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const build = `node-${process.platform}-${process.arch}`;
  const prefix = join(dir, `node-${major}`);
  const quietly = ["--no-save", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
  await run("npm", ["install", ...quietly, "--prefix", prefix, `${build}@${major}`], { cwd: dir });
  return join(prefix, "node_modules", build, "bin", "node");
}

/** The first program in README's chapter on the library, and what it prints. */
async function libraryExample(): Promise<{ readonly code: string; readonly prints: string }> {
  const chapter = (await readFile("README.md", "utf8")).split("## The library")[1] ?? "";
  const code = /```ts\n([\s\S]*?)```/.exec(chapter)?.[1] ?? "";
  const prints = [...code.matchAll(/\/\/ prints: (.*)/g)].map(([, line]) => `${line}\n`).join("");
  return { code, prints };
}

/** The package as people get it, in an empty folder. */
let dir: string;
let app: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "boardwalk-package-"));
  app = join(dir, "app");
  // Packed from a copy, so that a build here gets in nobody's way.
  const source = join(dir, "source");
  const kept = (path: string) => !/(^|\/)(node_modules|\.git|dist|\.boardwalk)$/.test(path);
  await cp(process.cwd(), source, { recursive: true, filter: kept });
  await symlink(resolve("node_modules"), join(source, "node_modules"));
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", dir], { cwd: source });
  const tarball = join(dir, stdout.trim().split("\n").at(-1) ?? "");
  await cp(join(source, "examples"), join(app, "examples"), { recursive: true });
  await writeFile(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", tarball], { cwd: app });
}, PATIENCE_MS);
afterAll(() => rm(dir, { recursive: true, force: true }));

const node = (code: string) => run(process.execPath, ["--input-type=module", "-e", code], { cwd: app });

describe(
  "the packed package",
  () => {
    it("is a library whose entry loads no server and no client of any board", async () => {
      const { stdout } = await node(`
      import { createFsmMcpBridge, fsmFromStatusGraph } from "boardwalk";
      const machine = fsmFromStatusGraph({ id: "ticket", initial: "todo", graph: { todo: ["done"], done: [] } });
      console.log(createFsmMcpBridge(machine).tools.map(({ name }) => name).join());
    `);
      expect(stdout).toBe("ticket_move_to_done\n");
    });

    it("has the service's parts behind an entry of their own", async () => {
      const { stdout } = await node(`
      import { createMemoryStore } from "boardwalk/service";
      const store = createMemoryStore();
      await store.createTenant({ id: "acme", name: "Acme", createdAt: new Date(0).toISOString() });
      console.log((await store.listTenants()).length);
    `);
      expect(stdout).toBe("1\n");
    });

    it.each([
      ["of Node alone", "es2023"],
      ["of a browser beside Node's", "es2023,dom,dom.iterable"],
    ])(
      "brings types that a strict compiler takes, and all they lead to, with those %s",
      async (_what, lib) => {
        await writeFile(
          join(app, "check.ts"),
          'import { createFsmActor, type FsmConfig } from "boardwalk";\n' +
            'import { type ConnectorKit, createApp, through } from "boardwalk/service";\n' +
            'const machine = { initial: "a", states: { a: { on: { GO: "b" } }, b: {} } } as const satisfies FsmConfig;\n' +
            'export const sent = createFsmActor(machine).send({ type: "GO" });\n' +
            "// @ts-expect-error a wrong event name does not compile\n" +
            'export const wrong = createFsmActor(machine).send({ type: "STOP" });\n' +
            "export const app: typeof createApp = createApp;\n" +
            'export const ask = (kit: ConnectorKit) => fetch("https://board.example", { ...through(kit), method: "POST" });\n',
        );
        const options = [
          ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"],
          ...["--module", "nodenext", "--target", "es2023", "--lib", lib, "--types", "node"],
          "check.ts",
        ];
        const checked = run(process.execPath, [resolve("node_modules/typescript/lib/tsc.js"), ...options], {
          cwd: app,
        });
        await expect(
          checked.then(
            () => "",
            (failed: { stdout: string }) => failed.stdout,
          ),
        ).resolves.toBe("");
      },
    );

    it.each(MAJORS)("runs README's library example and the demo on Node %i", async (major) => {
      const binary = await nodeOf(major);
      expect((await run(binary, ["--version"])).stdout).toMatch(new RegExp(`^v${major}\\.`));
      const { code, prints } = await libraryExample();
      expect(prints).not.toBe("");
      const example = await run(binary, ["--input-type=module", "-e", code], { cwd: app });
      expect(example.stdout).toBe(prints);
      const command = join(app, "node_modules/boardwalk/dist/src/cli.js");
      const demo = await run(binary, [command, "demo", "--say", "move the login bug to in review"], {
        cwd: app,
      });
      expect(demo.stdout).toContain("Draft pull request number 1 is open.");
    });

    it("is a command by its name", async () => {
      const { stdout } = await run("npx", ["--no-install", "boardwalk", "--version"], { cwd: app });
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    });

    it("serves the page without what bundled it", async () => {
      const args = ["--no-install", "boardwalk", "demo", "--json", "--port", "0", "--memory"];
      const demo = spawn("npx", args, { cwd: app, stdio: ["ignore", "pipe", "inherit"], detached: true });
      try {
        const [line] = (await once(demo.stdout, "data")) as [Buffer];
        const { admin } = JSON.parse(line.toString()) as { admin: { url: string } };
        const html = await (await fetch(admin.url)).text();
        const [, script = ""] = /src="([^"]+\.js)"/.exec(html) ?? [];
        const response = await fetch(new URL(script, admin.url));
        expect(response.status).toBe(200);
        expect(response.headers.get("content-type")).toContain("javascript");
        expect(response.headers.get("cache-control")).toContain("immutable");
      } finally {
        // npx and what it started are one group.
        process.kill(-(demo.pid ?? 0), "SIGTERM");
        await once(demo, "exit");
      }
    });
  },
  PATIENCE_MS,
);
