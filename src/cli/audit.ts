import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import { withExamples } from "./examples.js";
import { openService, segment } from "./service.js";

interface Flags {
  readonly tenant: string;
  readonly format: "ndjson" | "csv";
  readonly out?: string;
  readonly config?: string;
}

/** Who did what, for other tools to keep. */
export function addAudit(program: Command): void {
  const audit = program.command("audit").description("Who did what: the audit log of a team.");
  withExamples(
    audit
      .command("export")
      .description("Write all of a team's audit log that is kept, newest first.")
      .requiredOption("--tenant <id>", "whose")
      .addOption(new Option("--format <format>", "how").choices(["ndjson", "csv"]).default("ndjson"))
      .option("--out <file>", "where to (default: standard output)")
      .option("--config <file>", "settings file (default: ./boardwalk.yaml where there is one)"),
    "boardwalk audit export --tenant acme --out acme.ndjson",
    "boardwalk audit export --tenant acme --format csv",
  ).action(async ({ tenant, format, out, config }: Flags) => {
    const lines = await openService(config).stream(`/tenants/${segment(tenant)}/audit.${format}`);
    if (out === undefined) await pipeline(lines, process.stdout, { end: false });
    else await pipeline(lines, createWriteStream(out));
  });
}
