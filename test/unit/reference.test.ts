import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);

it("every exported name of the library is documented, as the reference needs", async () => {
  // Warnings are errors there, so a name without a docstring fails the command and is named in its output.
  const { stdout, stderr } = await run("npm", [
    "run",
    "--silent",
    "docs:reference",
    "--",
    "--emit",
    "none",
  ]).catch((failed: { stdout: string; stderr: string }) => failed);
  expect(`${stdout}${stderr}`).not.toMatch(/warning|error/i);
}, 240_000);
