import type { Command } from "commander";
import type { Problem } from "../board/connector.js";
import { loadConfig, requireEncryptionKeys } from "../config.js";
import { BoardwalkError } from "../errors.js";

interface DoctorFlags {
  readonly config?: string;
  readonly json?: boolean;
}

/** One thing looked at, and what is wrong with it. */
interface Finding {
  readonly check: string;
  readonly problems: readonly Problem[];
}

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description("Look at this installation and say what to mend, one fix for each fault.")
    .option("--config <file>", "settings file (default: ./boardwalk.yaml where there is one)")
    .option("--json", "print the findings as JSON")
    .action(doctor);
}

async function doctor(flags: DoctorFlags): Promise<void> {
  const findings = await examine(flags.config);
  if (flags.json) process.stdout.write(`${JSON.stringify({ findings })}\n`);
  else for (const finding of findings) process.stdout.write(`${describe(finding)}\n`);
  if (findings.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}

async function examine(path: string | undefined): Promise<Finding[]> {
  const settings = attempt(() => loadConfig({}, path), "Correct the settings it names.");
  if (settings.value === undefined) return [{ check: "settings", problems: settings.problems }];
  const config = settings.value;
  const { inspectRedis } = await import("../app.js");
  const keys = attempt(() => requireEncryptionKeys(config), "Set BOARDWALK_ENCRYPTION_KEYS.");
  const admin: Problem[] =
    config.adminToken === undefined
      ? [
          {
            code: "admin_token",
            message: "BOARDWALK_ADMIN_TOKEN is not set.",
            fix: "Make one with `openssl rand -base64 32`.",
          },
        ]
      : [];
  return [
    { check: "settings", problems: [] },
    { check: "encryption keys", problems: keys.problems },
    { check: "admin token", problems: admin },
    { check: "redis", problems: await inspectRedis(config) },
  ];
}

function attempt<T>(
  run: () => T,
  fix: string,
): { readonly value?: T; readonly problems: readonly Problem[] } {
  try {
    return { value: run(), problems: [] };
  } catch (error) {
    const { code, message } = BoardwalkError.from(error);
    return { problems: [{ code, message, fix }] };
  }
}

function describe({ check, problems }: Finding): string {
  if (problems.length === 0) return `ok    ${check}`;
  return problems.map(({ message, fix }) => `fault ${check}: ${message}\n      ${fix}`).join("\n");
}
