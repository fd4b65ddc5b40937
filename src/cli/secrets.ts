import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { Command } from "commander";
import { parseConfig } from "../config.js";
import { BoardwalkError } from "../errors.js";
import { withExamples } from "./examples.js";
import { answer } from "./service.js";

/** The secrets that a service cannot start without, made at random. */

interface Flags {
  readonly file?: string;
  readonly json?: boolean;
}

const SECRETS: Readonly<Record<string, () => string>> = {
  BOARDWALK_ADMIN_TOKEN: () => randomBytes(32).toString("base64url"),
  BOARDWALK_ENCRYPTION_KEYS: () => `k1:${randomBytes(32).toString("base64")}`,
};

export function addInitSecrets(program: Command): void {
  withExamples(
    program
      .command("init-secrets")
      .description(
        "Make the secrets that a service needs. Keep the encryption key safe: what it sealed opens with it only.",
      )
      .option("--file <file>", "add to this file what is missing in it, instead of printing")
      .option("--json", "print them, or which were added, as JSON"),
    "boardwalk init-secrets",
    "boardwalk init-secrets --file .env",
  ).action(initSecrets);
}

async function initSecrets({ file, json }: Flags): Promise<void> {
  if (file === undefined) {
    const made = Object.fromEntries(Object.entries(SECRETS).map(([name, make]) => [name, make()]));
    return answer(json, made, () => linesOf(made));
  }
  const added = addMissing(file);
  answer(json, { file, added }, () =>
    added.length === 0
      ? `${file} has them all; nothing was changed.`
      : `Added ${added.join(" and ")} to ${file}. Keep a copy where only you can read it.\nTo run with it: set -a; . ${sourced(file)}; set +a; boardwalk serve`,
  );
}

/** A shell looks for a name without a slash elsewhere. */
function sourced(file: string): string {
  return file.includes("/") ? file : `./${file}`;
}

/**
 * Adds the secrets that the file does not set; what is set stays.
 * @returns the names of those added
 * @throws BoardwalkError `invalid` for one that is set and no secret, such as a placeholder
 */
export function addMissing(file: string): readonly string[] {
  const present = existsSync(file) ? readFileSync(file, "utf8") : "";
  const given = parseEnv(present);
  refuseWeak(file, given);
  const missing = Object.entries(SECRETS).filter(
    ([name]) => (given[name] ?? "") === "" && !given[`${name}_FILE`],
  );
  const made = Object.fromEntries(missing.map(([name, make]) => [name, make()]));
  if (missing.length === 0) return [];
  const gap = present === "" || present.endsWith("\n") ? "" : "\n";
  appendFileSync(file, `${gap}${linesOf(made)}\n`, { mode: 0o600 });
  return Object.keys(made);
}

function refuseWeak(file: string, given: Readonly<Record<string, string | undefined>>): void {
  const own = Object.fromEntries(Object.keys(SECRETS).map((name) => [name, given[name]]));
  try {
    parseConfig(own);
  } catch (cause) {
    const { message } = BoardwalkError.from(cause);
    throw new BoardwalkError("invalid", `${message}\nDelete the line from ${file} and run this again.`, {
      cause,
    });
  }
}

function linesOf(secrets: Readonly<Record<string, string>>): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}
