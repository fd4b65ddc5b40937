#!/usr/bin/env node
import { createProgram } from "./cli/program.js";
import { BoardwalkError } from "./errors.js";
import { describeError } from "./log.js";

/** The `boardwalk` command. */

const program = createProgram();
try {
  await program.parseAsync();
} catch (error) {
  const known = BoardwalkError.from(error);
  process.stderr.write(`boardwalk: ${known.message}\n`);
  if (program.opts<{ debug?: boolean }>().debug)
    process.stderr.write(`${JSON.stringify(describeError(error), null, 2)}\n`);
  else if (known.code === "internal" && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
}
