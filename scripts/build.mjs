// Builds dist/ from nothing, or what another configuration says into another folder: compiled TypeScript, beside it every file of src/ and connectors/ that is not TypeScript
// (Lua scripts), because the code loads those at run time by a relative path, and the page, bundled.
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [config = "tsconfig.build.json", out = "dist"] = process.argv.slice(2);
const SOURCES = ["src", "connectors"];
const PAGE = join("src", "web");

rmSync(join(root, out), { recursive: true, force: true });
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
run(tsc, "-p", config, "--outDir", out);
for (const folder of SOURCES) copyAssets(folder);
run(join(root, "scripts/build-web.mjs"), `${out}/web`);

function run(...command) {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

function copyAssets(folder) {
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /\.[cm]?tsx?$/.test(entry.name)) continue;
    const from = join(entry.parentPath, entry.name);
    if (from.startsWith(join(root, PAGE, sep))) continue;
    cpSync(from, join(root, out, from.slice(root.length)), { recursive: true });
  }
}
