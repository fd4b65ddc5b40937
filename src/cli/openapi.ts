import type { Command } from "commander";
import { withExamples } from "./examples.js";

export function addOpenapi(program: Command): void {
  withExamples(
    program
      .command("openapi")
      .description("Print the description of the admin API, as a running service has it at /openapi.json."),
    "boardwalk openapi > openapi.json",
  ).action(async () => {
    const [{ openapi }, { VERSION }] = await Promise.all([
      import("../http/openapi.js"),
      import("../version.js"),
    ]);
    process.stdout.write(`${JSON.stringify(openapi(VERSION), null, 2)}\n`);
  });
}
