import { type Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { LOCALES } from "../tickets/sentences/sentences.js";
import { withExamples } from "./examples.js";
import { answer, expected, openService, segment, speaksToService, table } from "./service.js";

interface Flags {
  readonly config?: string;
  readonly json?: boolean;
  readonly tools?: string;
  readonly gating?: string;
  readonly maxTools?: number | "default";
  readonly locale?: string;
  readonly confirm?: string;
  readonly callsPerMinute?: number | "default";
  readonly sessions?: number | "default";
  readonly streams?: number | "default";
  readonly tickets?: number | "default";
}

const choices = z.record(z.string(), z.union([z.string(), z.number()]));
const settings = z.object({ mcp: choices, speech: choices, budgets: choices });
type Settings = z.infer<typeof settings>;

/** Each setting with the flag that chooses it. */
const GROUPS = {
  mcp: ["tools", "gating", "maxTools"],
  speech: ["locale", "confirm"],
  budgets: ["callsPerMinute", "sessions", "streams", "tickets"],
} as const;
const GROUP_NAMES = ["mcp", "speech", "budgets"] as const;

/** What a team has chosen about its tools and its talks, and how much it may use; `default` takes a choice back. */
export function addSettings(tenant: Command): void {
  const command = tenant.command("settings <tenant>").description("Show what a team has chosen, or choose.");
  withExamples(
    speaksToService(command)
      .addOption(
        oneOf("--tools <which>", "one tool per move, or one for all moves", ["generated", "compact"]),
      )
      .addOption(
        oneOf("--gating <how>", "moves a ticket cannot make: told why, or hidden", ["explain", "hide"]),
      )
      .option("--max-tools <number>", "more tools than this and only the core is shown", wholeNumber)
      .addOption(oneOf("--locale <locale>", "the language to answer in", LOCALES))
      .addOption(oneOf("--confirm <when>", "moves that ask first", ["closing", "never"]))
      .option("--calls-per-minute <number>", "requests over MCP", wholeNumber)
      .option("--sessions <number>", "sessions of MCP clients in use at a time", wholeNumber)
      .option("--streams <number>", "streams of news open at a time", wholeNumber)
      .option("--tickets <number>", "tickets kept", wholeNumber),
    "boardwalk tenant settings acme",
    "boardwalk tenant settings acme --tools compact --locale pt-BR",
    "boardwalk tenant settings acme --tools default",
  ).action(async (id: string, flags: Flags) => {
    const service = openService(flags.config);
    const path = `/tenants/${segment(id)}/settings`;
    let now = expected(settings, await service.get(path));
    for (const group of GROUP_NAMES) {
      const chosen = withFlags(now, group, flags);
      if (chosen !== undefined) now = expected(settings, await service.put(`${path}/${group}`, chosen));
    }
    answer(flags.json, now, () => table([["SETTING", "CHOSEN"], ...rowsOf(now)]));
  });
}

function oneOf(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices([...values, "default"]);
}

function wholeNumber(text: string): number | "default" {
  if (text === "default") return text;
  if (!/^[1-9]\d{0,7}$/.test(text))
    throw new InvalidArgumentError('It is a whole number from 1 on, or "default".');
  return Number(text);
}

/** A group as the flags make it; `undefined` when no flag speaks of it. */
function withFlags(now: Settings, group: keyof Settings, flags: Flags): object | undefined {
  const given = GROUPS[group].filter((name) => flags[name] !== undefined);
  if (given.length === 0) return undefined;
  const chosen = { ...now[group], ...Object.fromEntries(given.map((name) => [name, flags[name]])) };
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== "default"));
}

function rowsOf(now: Settings): string[][] {
  return GROUP_NAMES.flatMap((group) =>
    GROUPS[group].map((name) => [`${group}.${name}`, String(now[group][name] ?? "default")]),
  );
}
