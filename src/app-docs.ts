import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Docs } from "./http/docs.js";
import type { PageFile } from "./http/page.js";

/** Where what is told of this package lies: two folders up from the built file and one from the source. */
const ROOT = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../" : "../../", import.meta.url));
const FIRST = "llms.txt";

const TYPES: Readonly<Record<string, string>> = {
  txt: "text/plain; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  json: "application/json; charset=utf-8",
};

/** Reads `llms.txt` and every file that it links to, once, at the first request. What failed is tried again at the next. */
export function openDocs(): Docs {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;
  return () => {
    files ??= readAll().catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  };
}

async function readAll(): Promise<ReadonlyMap<string, PageFile>> {
  const first = await readFile(`${ROOT}${FIRST}`);
  const linked = [...first.toString("utf8").matchAll(/\]\(\/?([^):]+)\)/g)].map(([, path = ""]) => path);
  const read = async (path: string): Promise<readonly [string, PageFile]> => [
    path,
    {
      type: TYPES[path.slice(path.lastIndexOf(".") + 1)] ?? "",
      body: await readFile(`${ROOT}${path}`),
      lasting: false,
    },
  ];
  return new Map(await Promise.all([FIRST, ...new Set(linked)].map(read)));
}
