import addCompletion from "@bomb.sh/tab/commander";
import { Command } from "commander";
import { VERSION } from "../version.js";
import { addAlexa } from "./alexa.js";
import { addAudit } from "./audit.js";
import { addBoards } from "./boards.js";
import { addConfig } from "./config.js";
import { addConnections } from "./connections.js";
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

type Add = (program: Command) => void;

/** In the order in which they are needed. */
const GROUPS: readonly (readonly [heading: string, add: readonly Add[]])[] = [
  ["To begin:", [addDemo, addInitSecrets, addServe, addDoctor, addConfig]],
  ["Teams and people:", [addTenant, addMember]],
  ["Boards:", [addBoards, addConnections, addWorkflow, addTools]],
  ["When something is the matter:", [addReplay, addAudit]],
  ["For programs and papers:", [addAlexa, addOpenapi, addReference]],
];

/** The `boardwalk` command's tree: everything that it takes, and nothing done yet. */
export function createProgram(): Command {
  const program = new Command("boardwalk")
    .description("Talk your tickets across a real board.")
    .version(VERSION, "--version")
    .option("--debug", "where something fails, say as well where and by what")
    .showHelpAfterError("(add --help for what this command takes)");
  for (const [heading, add] of GROUPS) {
    program.commandsGroup(heading);
    for (const command of add) command(program);
  }
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
