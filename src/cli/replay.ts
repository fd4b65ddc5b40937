import type { Command } from "commander";
import { replayReply } from "../sync/replay.js";
import { answer, openService, segment, speaksToService } from "./service.js";

interface Flags {
  readonly config?: string;
  readonly json?: boolean;
  readonly ticket?: string;
}

/** Once more, by the operator's wish, over the running service. */
export function addReplay(program: Command): void {
  speaksToService(
    program
      .command("replay <tenant>")
      .description("Try again what was refused, failed or waits, and read the team's boards anew."),
  )
    .option("--ticket <id>", "only what this ticket owes; no board is read anew")
    .action(async (tenant: string, { config, json, ticket }: Flags) => {
      const body = ticket === undefined ? {} : { ticket };
      const done = replayReply.parse(
        await openService(config).post(`/tenants/${segment(tenant)}/replay`, body),
      );
      const { hooks, moves, connections } = done;
      answer(json, done, () => `Begun again: ${hooks} hooks, ${moves} moves, ${connections} boards.`);
    });
}
