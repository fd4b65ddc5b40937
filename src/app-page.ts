import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Page, PageFile } from "./http/page.js";

/** Where the files of the page come from: beside the built service, else bundled when they are first asked for. */

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

const FROM_SOURCE = import.meta.url.endsWith(".ts");
const BUILT = fileURLToPath(new URL("../web/", import.meta.url));
const BUNDLER = fileURLToPath(new URL("../scripts/build-web.mjs", import.meta.url));

/** Reads the files once, at the first request. What failed is tried again at the next. */
export function openPage(): Page {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;
  return () => {
    files ??= (FROM_SOURCE ? bundle() : readFiles(BUILT)).catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  };
}

/** In a process of its own, because a bundler changes the one it runs in. */
async function bundle(): Promise<ReadonlyMap<string, PageFile>> {
  const dir = await mkdtemp(join(tmpdir(), "boardwalk-page-"));
  try {
    await promisify(execFile)(process.execPath, [BUNDLER, dir]);
    return await readFiles(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function readFiles(dir: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      paths.map(async (path): Promise<[string, PageFile]> => {
        const name = relative(dir, path).split(sep).join("/");
        const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
        return [name, { type, body: await readFile(path), lasting: name.startsWith("assets/") }];
      }),
    ),
  );
}
