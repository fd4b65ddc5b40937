import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { withExamples } from "./examples.js";

/** What Amazon is given of this service. */

export function addAlexa(program: Command): void {
  const alexa = program.command("alexa").description("What an Alexa+ add-on is registered with.");
  withExamples(
    alexa
      .command("contract")
      .description(
        "Write down everything that Alexa+ reads of /alexa/mcp and locks when the add-on is published.",
      )
      .option("--out <file>", "write it to this file instead of printing it"),
    "boardwalk alexa contract --out docs/alexa-contract.json",
  ).action(contract);
  withExamples(
    alexa
      .command("manifest")
      .description("Write down what the add-on is submitted with, from this service's settings.")
      .option("--config <file>", "settings file (default: ./boardwalk.yaml where there is one)")
      .option("--name <name>", "what the add-on is called (default: Boardwalk)")
      .option("--privacy-url <url>", "the address of your privacy policy")
      .option("--terms-url <url>", "the address of your terms of use")
      .option("--images <folder>", "PNG files: six square icons, and pictures of 600 by 900")
      .option("--out <file>", "write it to this file instead of printing it"),
    "boardwalk alexa manifest --privacy-url https://acme.example/privacy --terms-url https://acme.example/terms --images pictures",
  ).action(manifest);
}

async function contract(flags: { readonly out?: string }): Promise<void> {
  const { frozenContract } = await import("../mcp/contract.js");
  write(await frozenContract(), flags.out);
}

interface ManifestFlags {
  readonly config?: string;
  readonly name?: string;
  readonly privacyUrl?: string;
  readonly termsUrl?: string;
  readonly images?: string;
  readonly out?: string;
}

async function manifest({ config: path, images, out, ...wishes }: ManifestFlags): Promise<void> {
  const [{ loadConfig }, { addonManifest }, { frozenContract }] = await Promise.all([
    import("../config.js"),
    import("./alexa-manifest.js"),
    import("../mcp/contract.js"),
  ]);
  const { sha256 } = await frozenContract();
  const pictures = images === undefined ? {} : { images: filesIn(images) };
  write(addonManifest(loadConfig({}, path), { ...wishes, ...pictures }, sha256), out);
}

function filesIn(folder: string): Record<string, Uint8Array> {
  const names = readdirSync(folder).filter((name) => name.toLowerCase().endsWith(".png"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))]));
}

function write(value: unknown, file: string | undefined): void {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else writeFileSync(file, text);
}
