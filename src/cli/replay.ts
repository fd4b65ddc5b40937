import type { Command } from "commander";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { replayReply } from "../sync/replay.js";
import { withExamples } from "./examples.js";
import { type Seen, withProgress } from "./progress.js";
import { answer, count, expected, openService, type Service, segment, speaksToService } from "./service.js";

interface Flags {
  readonly config?: string;
  readonly json?: boolean;
  readonly ticket?: string;
  readonly wait?: boolean;
}

/** Once more, by the operator's wish, over the running service. */
export function addReplay(program: Command): void {
  withExamples(
    speaksToService(
      program
        .command("replay <tenant>")
        .description("Try again what was refused, failed or waits, and read the team's boards anew."),
    )
      .option("--ticket <id>", "only what this ticket owes; no board is read anew")
      .option("--wait", "until every board has been read anew"),
    "boardwalk replay acme",
    "boardwalk replay acme --wait",
    "boardwalk replay acme --ticket jira.3f2a9c01.10001",
  ).action(async (tenant: string, flags: Flags) => {
    const service = openService(flags.config);
    const path = `/tenants/${segment(tenant)}`;
    const before = await readsOf(service, path);
    const body = flags.ticket === undefined ? {} : { ticket: flags.ticket };
    const done = expected(replayReply, await service.post(`${path}/replay`, body));
    if (flags.wait && done.connections > 0) await untilRead(service, path, before);
    const { hooks, moves, connections } = done;
    const read = flags.wait && connections > 0 ? " Every board has been read." : "";
    answer(
      flags.json,
      done,
      () =>
        `Begun again: ${count(hooks, "hook")}, ${count(moves, "move")}, ${count(connections, "board")}.${read}`,
    );
  });
}

const connections = z.object({
  connections: z.array(
    z.looseObject({ id: z.string(), imported: z.looseObject({ at: z.string() }).optional() }),
  ),
});

/** When each board was last read, by connection. */
type Reads = ReadonlyMap<string, string | undefined>;

async function readsOf(service: Service, path: string): Promise<Reads> {
  const { connections: all } = expected(connections, await service.get(`${path}/connections`));
  return new Map(all.map(({ id, imported }) => [id, imported?.at]));
}

const WAIT_MS = 15 * 60_000;
const LOOK_EVERY_MS = 500;

/** @throws BoardwalkError `timeout` when a board is still not read after a quarter of an hour. */
async function untilRead(service: Service, path: string, before: Reads): Promise<void> {
  let seen: Seen = { done: 0, total: before.size };
  await withProgress(
    "reading anew",
    "boards",
    async () => seen,
    async () => {
      const deadline = performance.now() + WAIT_MS;
      while (seen.done < before.size) {
        if (performance.now() > deadline)
          throw new BoardwalkError(
            "timeout",
            "Not every board has been read yet. Look at the connections' health, and that workers run.",
          );
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
        const now = await readsOf(service, path);
        const done = [...before].filter(([id, at]) => !now.has(id) || now.get(id) !== at).length;
        seen = { done, total: before.size };
      }
    },
  );
}
