import addCompletion from "@bomb.sh/tab/commander";
import { Command } from "commander";
import { VERSION } from "../version.js";
import { addAlexa } from "./alexa.js";
import { addAudit } from "./audit.js";
import { addBoards } from "./boards.js";
import { addConfig } from "./config.js";
import { addDemo } from "./demo.js";
import { addDoctor } from "./doctor.js";
import { withExamples } from "./examples.js";
import { addMember } from "./member.js";
import { addOpenapi } from "./openapi.js";
import { addReference } from "./reference.js";
import { addReplay } from "./replay.js";
import { addInitSecrets } from "./secrets.js";
import { addServe } from "./serve.js";
import { addTenant } from "./tenant.js";
import { addTools } from "./tools.js";
import { addWorkflow } from "./workflow.js";

/** The `boardwalk` command's tree: everything that it takes, and nothing done yet. */
export function createProgram(): Command {
  const program = new Command("boardwalk")
    .description("Talk your tickets across a real board.")
    .version(VERSION, "--version")
    .option("--debug", "where something fails, say as well where and by what")
    .showHelpAfterError("(add --help for what this command takes)");
  addServe(program);
  addDemo(program);
  addInitSecrets(program);
  addDoctor(program);
  addConfig(program);
  addTenant(program);
  addMember(program);
  addBoards(program);
  addWorkflow(program);
  addTools(program);
  addReplay(program);
  addAudit(program);
  addAlexa(program);
  addOpenapi(program);
  addReference(program);
  // Last, for it reads the tree.
  addCompletion(program, { completionCommandName: "completion" });
  for (const command of program.commands) {
    if (command.name() !== "completion") continue;
    command.description("Print the script that lets a shell complete this command.");
    withExamples(
      command,
      "source <(boardwalk completion bash)",
      "boardwalk completion zsh > ~/.zfunc/_boardwalk",
      "boardwalk completion fish > ~/.config/fish/completions/boardwalk.fish",
    );
  }
  return program;
}
