import type { Command } from "commander";
import { describeConfig, loadConfig } from "../config.js";
import { withExamples } from "./examples.js";
import { answer, table } from "./service.js";

export function addConfig(program: Command): void {
  const config = program.command("config").description("The settings that are in force.");
  withExamples(
    config
      .command("print")
      .description(
        "Print every setting as it is in force, from flags, environment and file; secrets are masked.",
      )
      .option("--config <file>", "settings file (default: ./boardwalk.yaml where there is one)")
      .option("--json", "print them as JSON"),
    "boardwalk config print",
    "boardwalk config print --config /etc/boardwalk.yaml --json",
  ).action(({ config: path, json }: { readonly config?: string; readonly json?: boolean }) => {
    const settings = describeConfig(loadConfig({}, path));
    answer(json, settings, () => table([["SETTING", "VALUE"], ...Object.entries(settings)]));
  });
}
