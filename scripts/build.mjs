// Builds dist/ from nothing: compiled TypeScript, and beside it every file of src/ and connectors/ that is not
// TypeScript (Lua scripts, the page's assets), because the code loads those at run time by a relative path.
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const SOURCES = ["src", "connectors"];

rmSync(join(root, "dist"), { recursive: true, force: true });
compile();
for (const folder of SOURCES) copyAssets(folder);

function compile() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}

function copyAssets(folder) {
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /\.[cm]?tsx?$/.test(entry.name)) continue;
    const from = join(entry.parentPath, entry.name);
    cpSync(from, join(root, "dist", from.slice(root.length)), { recursive: true });
  }
}
