import { createRequire } from "node:module";
import { z } from "zod";

/** This package's version. The manifest is two folders up from the built file and one from the source. */
export const VERSION: string = readVersion();

function readVersion(): string {
  const require = createRequire(import.meta.url);
  for (const path of ["../package.json", "../../package.json"]) {
    try {
      const manifest = z.object({ name: z.literal("boardwalk"), version: z.string() }).parse(require(path));
      return manifest.version;
    } catch {
      // Not there: the other place.
    }
  }
  return "0.0.0";
}
