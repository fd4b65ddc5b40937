import { writeFileSync } from "node:fs";
import type { Command } from "commander";

/** What Amazon is given of this service. */

export function addAlexa(program: Command): void {
  const alexa = program.command("alexa").description("What an Alexa+ add-on is registered with.");
  alexa
    .command("contract")
    .description(
      "Write down everything that Alexa+ reads of /alexa/mcp and locks when the add-on is published.",
    )
    .option("--out <file>", "write it to this file instead of printing it")
    .action(contract);
}

async function contract(flags: { readonly out?: string }): Promise<void> {
  const { frozenContract } = await import("../mcp/contract.js");
  const text = `${JSON.stringify(await frozenContract(), null, 2)}\n`;
  if (flags.out === undefined) process.stdout.write(text);
  else writeFileSync(flags.out, text);
}
