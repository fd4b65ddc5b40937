// Bundles the page of src/web/ into the folder that is given, which is emptied first.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const [, script, folder] = process.argv;
if (folder === undefined) {
  console.error(`usage: node ${script} <folder>`);
  process.exit(2);
}

await build({
  configFile: false,
  root: join(dirname(fileURLToPath(import.meta.url)), "../src/web"),
  base: "/admin/",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: resolve(folder),
    emptyOutDir: true,
    target: "es2022",
    // Everything as a file of its own: the page's policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
