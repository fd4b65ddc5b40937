#!/usr/bin/env node
import { Command } from "commander";
import { addAlexa } from "./cli/alexa.js";
import { addAudit } from "./cli/audit.js";
import { addBoards, addWorkflow } from "./cli/boards.js";
import { addDemo } from "./cli/demo.js";
import { addDoctor } from "./cli/doctor.js";
import { addMember } from "./cli/member.js";
import { addOpenapi } from "./cli/openapi.js";
import { addReplay } from "./cli/replay.js";
import { addServe } from "./cli/serve.js";
import { addTenant } from "./cli/tenant.js";
import { BoardwalkError } from "./errors.js";
import { VERSION } from "./version.js";

/** The `boardwalk` command. */

const program = new Command("boardwalk")
  .description("Talk your tickets across a real board.")
  .version(VERSION, "--version")
  .showHelpAfterError("(add --help for what this command takes)");

addServe(program);
addDemo(program);
addDoctor(program);
addTenant(program);
addMember(program);
addBoards(program);
addWorkflow(program);
addReplay(program);
addAudit(program);
addAlexa(program);
addOpenapi(program);

try {
  await program.parseAsync();
} catch (error) {
  const known = BoardwalkError.from(error);
  process.stderr.write(`boardwalk: ${known.message}\n`);
  if (known.code === "internal" && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
}
