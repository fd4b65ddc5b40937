import type { Command } from "commander";

/** Examples of a command: shown below its help, in docs/cli.md, and held by a test to what the command takes. */

const kept = new WeakMap<Command, readonly string[]>();

/** @param lines each a whole command line, as it is typed */
export function withExamples(command: Command, ...lines: readonly string[]): Command {
  kept.set(command, lines);
  return command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`);
}

export function examplesOf(command: Command): readonly string[] {
  return kept.get(command) ?? [];
}
