import type { Command } from "commander";
import type { Problem } from "../board/connector.js";
import { loadConfig } from "../config.js";
import { BoardwalkError } from "../errors.js";
import type { Finding } from "./doctor-smoke.js";
import { withExamples } from "./examples.js";

interface DoctorFlags {
  readonly config?: string;
  readonly json?: boolean;
  readonly smoke?: boolean;
}

export function addDoctor(program: Command): void {
  withExamples(
    program
      .command("doctor")
      .description("Look at this installation and say what to mend, one fix for each fault.")
      .option("--config <file>", "settings file (default: ./boardwalk.yaml where there is one)")
      .option(
        "--smoke",
        "try all that a move needs as well: workers, every board, and a move that is not made",
      )
      .option("--json", "print the findings as JSON"),
    "boardwalk doctor",
    "boardwalk doctor --smoke --json",
  ).action(doctor);
}

async function doctor(flags: DoctorFlags): Promise<void> {
  const findings: Finding[] = [];
  const tell = (finding: Finding) => {
    findings.push(finding);
    // A board may take a while, and people want to see what goes on.
    if (!flags.json) process.stdout.write(`${describe(finding)}\n`);
  };
  await examine(flags, tell);
  if (flags.json) process.stdout.write(`${JSON.stringify({ findings })}\n`);
  if (findings.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}

async function examine(flags: DoctorFlags, tell: (finding: Finding) => void): Promise<void> {
  const settings = attempt(() => loadConfig({}, flags.config), "Correct the settings it names.");
  tell({ check: "settings", problems: settings.problems });
  if (settings.value === undefined) return;
  const config = settings.value;
  const sealed = config.encryptionKeys.length > 0;
  tell({ check: "encryption keys", problems: sealed ? [] : [NO_ENCRYPTION_KEYS] });
  tell({ check: "admin token", problems: config.adminToken === undefined ? [NO_ADMIN_TOKEN] : [] });
  const { inspectRecords, inspectRedis, openInspection } = await import("../app-inspect.js");
  const redis = await inspectRedis(config);
  tell({ check: "redis", problems: redis });
  const isAway = redis.some(({ code }) => code === "unavailable");
  if (config.redisUrl !== undefined && !isAway)
    tell({ check: "records", ...(await inspectRecords(config.redisUrl)) });
  if (flags.smoke !== true || !sealed || isAway) return;
  const [{ smoke }, inspection] = await Promise.all([import("./doctor-smoke.js"), openInspection(config)]);
  try {
    await smoke(inspection, tell);
  } finally {
    await inspection.close();
  }
}

const NO_ENCRYPTION_KEYS: Problem = {
  code: "encryption_keys",
  message: "BOARDWALK_ENCRYPTION_KEYS is not set, so the credentials of boards cannot be sealed.",
  fix: "Make some with `boardwalk init-secrets`.",
};
const NO_ADMIN_TOKEN: Problem = {
  code: "admin_token",
  message: "BOARDWALK_ADMIN_TOKEN is not set.",
  fix: "Make one with `boardwalk init-secrets`.",
};

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

function describe({ check, problems, note }: Finding): string {
  if (problems.length === 0) return `ok    ${check}${note === undefined ? "" : ` (${note})`}`;
  return problems.map(({ message, fix }) => `fault ${check}: ${message}\n      ${fix}`).join("\n");
}
