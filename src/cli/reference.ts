import { writeFileSync } from "node:fs";
import type { Argument, Command, Option } from "commander";
import { examplesOf, withExamples } from "./examples.js";

/** The reference of this command, made from its own tree. */

export function addReference(program: Command): void {
  withExamples(
    program
      .command("reference")
      .description("Print the reference of this command as Markdown.")
      .option("--out <file>", "write it to this file instead of printing it"),
    "boardwalk reference --out docs/cli.md",
  ).action(({ out }: { readonly out?: string }) => {
    if (out === undefined) process.stdout.write(referenceOf(program));
    else writeFileSync(out, referenceOf(program));
  });
}

const INTRODUCTION = `Made by \`npm run docs:cli\` from the command itself; do not edit.

Settings come from flags, then the environment, then \`boardwalk.yaml\`, then defaults. Commands that look at or change a
service speak to the one at \`BOARDWALK_URL\` with \`BOARDWALK_ADMIN_TOKEN\`. Answers go to standard output, everything else to
standard error; \`--json\` prints what programs read. Whatever fails ends with 1, and one sentence that says what to do.`;

export function referenceOf(program: Command): string {
  const commands = leavesOf(program);
  const parts = ["# The `boardwalk` command", INTRODUCTION, "For every command:", optionsOf(program)];
  return `${[...parts, ...commands.map(sectionOf)].join("\n\n")}\n`;
}

/** Every command that does something, in the order of the help. */
export function leavesOf(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== "help")
    .flatMap((one) => (one.commands.length === 0 ? [one] : leavesOf(one)));
}

/** `boardwalk tenant add`, as it is typed. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function sectionOf(command: Command): string {
  const usage = [pathOf(command), ...command.registeredArguments.map(typed)].join(" ");
  const examples = examplesOf(command);
  return [
    `## \`${usage}\``,
    command.description(),
    optionsOf(command),
    examples.length === 0 ? "" : `\`\`\`text\n${examples.map((line) => `$ ${line}`).join("\n")}\n\`\`\``,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function typed(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function optionsOf(command: Command): string {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help")
    .map((option) => `- \`${option.flags}\` ${describe(option)}`)
    .join("\n");
}

function describe({ description, argChoices, mandatory, defaultValue }: Option): string {
  const notes = [
    mandatory && defaultValue === undefined ? "required" : "",
    argChoices === undefined ? "" : argChoices.join(", "),
    defaultValue === undefined ? "" : `default: ${String(defaultValue)}`,
  ].filter((note) => note !== "");
  return `${description}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}
