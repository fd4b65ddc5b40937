import { spawnSync } from "node:child_process";

/** Builds the command for the tests that start it, once before all of them; see `cli.ts`. Set up by vitest. */
export default function build(): void {
  if (process.env.CI === undefined || process.env.TESTS_BUILT !== undefined) return;
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
  if (status !== 0) throw new Error("the build failed");
  process.env.TESTS_BUILT = "yes";
}
