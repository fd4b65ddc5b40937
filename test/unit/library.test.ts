import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Everything that importing `entry` loads: our own files and the packages they name, types left out. */
function loadedBy(entry: string): { readonly files: Set<string>; readonly packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const follow = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, kind = "", from = ""] of text.matchAll(
      /^(?:import|export)( type)?\b[^;]*?from "([^"]+)"/gms,
    )) {
      if (kind !== "") continue;
      if (!from.startsWith(".")) packages.add(from);
      else follow(join(dirname(file), from.replace(/\.js$/, ".ts")));
    }
  };
  follow(join(root, entry));
  return { files, packages };
}

describe("the library", () => {
  it("loads nothing but zod: no server, no store, no board's SDK, and XState only when asked for it", () => {
    const { files, packages } = loadedBy("src/index.ts");
    expect([...packages].sort()).toEqual(["node:module", "zod"]);
    for (const file of files) {
      expect(existsSync(file)).toBe(true);
      expect(relative(root, file)).toMatch(/^src\/(index|errors|parse|machine\/[\w-]+|bridge\/[\w-]+)\.ts$/);
    }
    expect(files.size).toBeGreaterThan(20);
  });

  it("exports by name only", async () => {
    const library = await import("../../src/index.js");
    expect(library).not.toHaveProperty("default");
    expect(readFileSync(join(root, "src/index.ts"), "utf8")).not.toMatch(/export \*|export default/);
  });

  it("works without XState installed, and says what to install when asked for more", () => {
    const script = `
      import Module from "node:module";
      const resolve = Module._resolveFilename;
      Module._resolveFilename = function (name, ...rest) {
        if (name === "xstate") throw Object.assign(new Error("Cannot find module 'xstate'"), { code: "MODULE_NOT_FOUND" });
        return resolve.call(this, name, ...rest);
      };
      const b = await import("./src/index.ts");
      const machine = { id: "m", initial: "a", context: { n: 0 }, states: { a: { on: { GO: "b" } }, b: { final: true } } };
      const bridge = b.createFsmMcpBridge(machine);
      const moved = await bridge.tools[0].handler({});
      const gate = b.createStateGate(machine).bindState({ name: "go", description: "", handler: () => ({ content: [] }) }, "a", "GO");
      await gate.call("go", {});
      const tried = [() => b.fromXstate({ config: {}, root: { states: {}, invoke: [], path: [] }, getPersistedSnapshot() {} }),
        () => b.toXstate({ ...machine, states: { a: { on: { GO: { assign: () => ({}) } } } } })].map((attempt) => {
        try { attempt(); return "did not throw"; } catch (error) { return error.code + " " + error.message; }
      });
      console.log(JSON.stringify({ moved: moved.content[0].text, gated: (await gate.getSnapshot()).value,
        screens: Object.keys(b.toScreens(machine).screens), config: b.toXstate(machine).initial, tried }));
    `;
    const args = ["--import", "tsx", "--input-type=module", "--eval", script];
    const said = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }));
    expect(said).toMatchObject({ moved: 'Now in "b".', gated: "b", screens: ["a", "b"], config: "a" });
    for (const refusal of said.tried) expect(refusal).toMatch(/^invalid .*npm install xstate/);
  });
});
