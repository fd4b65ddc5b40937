import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { BoardwalkError } from "../errors.js";

/** Asking before something is taken away for good. */

export function asksFirst(command: Command): Command {
  return command.option("--yes", "do not ask first; needed where nobody can be asked");
}

/** @throws BoardwalkError `invalid` when the answer is not yes, or nobody is at a terminal to give one. */
export async function confirm(question: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return;
  if (!process.stdin.isTTY)
    throw new BoardwalkError("invalid", `${question} Nobody can be asked here: add --yes if that is wanted.`);
  const talk = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const said = await talk.question(`${question} [y/N] `);
    if (!/^y(?:es)?$/i.test(said.trim())) throw new BoardwalkError("invalid", "Nothing was done.");
  } finally {
    talk.close();
  }
}
