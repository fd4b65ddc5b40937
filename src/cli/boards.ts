import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { asksFirst, confirm } from "./confirm.js";
import { withExamples } from "./examples.js";
import { describePreview, describeProblem, preview, problems } from "./preview.js";
import { withProgress } from "./progress.js";
import { answer, count, expected, openService, type Service, segment, speaksToService } from "./service.js";
import { change, describeChange } from "./workflow.js";

interface Flags {
  readonly config?: string;
  readonly json?: boolean;
}

const text = z.string();
const connection = z.looseObject({
  id: text,
  provider: text,
  health: z.object({ state: text, problems }),
  imported: z.looseObject({ tickets: z.number(), at: text }).optional(),
  progress: z.looseObject({ read: z.number() }).optional(),
});
const synced = z.object({ workflows: z.number(), tickets: z.number(), changes: z.array(change) });
/** Boards of a team: connecting them and bringing our picture of them up to date. */
export function addBoards(program: Command): void {
  withExamples(
    speaksToService(program.command("connect <tenant>").description("Connect a board, and import it."))
      .requiredOption(
        "--file <file>",
        'a JSON file {id, provider, settings, credentials}, or "-" for standard input; see docs/boards.md',
      )
      .option("--dry-run", "try the credentials and show what would be imported, and keep nothing"),
    "boardwalk connect acme --file jira.json --dry-run",
    "boardwalk connect acme --file jira.json",
  ).action(connect);
  withExamples(
    speaksToService(
      program
        .command("import <tenant> <connection>")
        .description("Pull a board's workflows and tickets anew, all of them."),
    ).option("--dry-run", "show what would be imported and what would change, and keep nothing"),
    "boardwalk import acme eng --dry-run",
    "boardwalk import acme eng",
  ).action(importBoard);
  withExamples(
    asksFirst(
      speaksToService(
        program
          .command("disconnect <tenant> <connection>")
          .description("Forget a board, its workflows and its tickets. The board itself is not touched."),
      ),
    ),
    "boardwalk disconnect acme eng",
    "boardwalk disconnect acme eng --yes",
  ).action(disconnect);
}

interface ConnectFlags extends Flags {
  readonly file: string;
  readonly dryRun?: boolean;
}

async function connect(tenant: string, flags: ConnectFlags): Promise<void> {
  const service = openService(flags.config);
  const board = readJson(flags.file);
  const path = `/tenants/${segment(tenant)}/connections`;
  if (flags.dryRun) return await showPreview(service, tenant, board, flags);
  const made = expected(connection, await service.post(path, board));
  const result = await pull(service, tenant, made.id).catch((error: unknown) => {
    throw notImported(BoardwalkError.from(error), tenant, made.id);
  });
  answer(flags.json, { connection: made, ...result }, () =>
    [
      `Connected ${made.id} (${made.provider}): ${count(result.workflows, "workflow")}, ${count(result.tickets, "ticket")}.`,
      ...made.health.problems.map(describeProblem),
    ].join("\n"),
  );
}

/** It is connected all the same, and who tries once more would be told that the name is taken. */
function notImported({ code, message }: BoardwalkError, tenant: string, id: string): BoardwalkError {
  const words = `${id} is connected, and its import did not end: ${message} It is tried again by itself; \`boardwalk disconnect ${tenant} ${id}\` takes it back.`;
  return new BoardwalkError(code, words);
}

/** Of a board to be connected, or of `{connection}`. */
async function showPreview(service: Service, tenant: string, board: unknown, { json }: Flags): Promise<void> {
  const found = expected(
    preview,
    await service.post(`/tenants/${segment(tenant)}/connections/preview`, board),
  );
  answer(json, found, () => describePreview(found));
  if (found.workflows.length === 0) process.exitCode = 1;
}

async function importBoard(tenant: string, id: string, flags: Flags & { dryRun?: boolean }): Promise<void> {
  const service = openService(flags.config);
  if (flags.dryRun) return await showPreview(service, tenant, { connection: id }, flags);
  const result = await pull(service, tenant, id);
  answer(flags.json, result, () =>
    [
      `${count(result.workflows, "workflow")}, ${count(result.tickets, "ticket")} read.`,
      ...result.changes.map(describeChange),
    ].join("\n"),
  );
}

async function pull(service: Service, tenant: string, id: string): Promise<z.infer<typeof synced>> {
  const path = `/tenants/${segment(tenant)}/connections/${segment(id)}`;
  const look = async () => {
    const { progress, imported } = expected(connection, await service.get(path));
    // Until it has read anything there is nothing to tell.
    if (progress === undefined) return undefined;
    return { done: progress.read, ...(imported === undefined ? {} : { total: imported.tickets }) };
  };
  return await withProgress("importing", "tickets", look, async () =>
    expected(synced, await service.post(`${path}/sync?wait=true`)),
  );
}

async function disconnect(tenant: string, id: string, flags: Flags & { yes?: boolean }): Promise<void> {
  await confirm(`Forget the board ${id} of ${tenant}, with its workflows and tickets?`, flags.yes);
  await openService(flags.config).delete(`/tenants/${segment(tenant)}/connections/${segment(id)}`);
  answer(flags.json, { disconnected: id }, () => `Disconnected ${id}.`);
}

function readJson(file: string): unknown {
  const name = file === "-" ? "Standard input" : file;
  const text = textOf(file);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `${name} is no JSON. Write {"id", "provider", "settings", "credentials"} as docs/boards.md shows.`;
    throw new BoardwalkError("invalid", message, { cause });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (cause) {
    throw new BoardwalkError("invalid", `There is no file ${file} that can be read. Look at its name.`, {
      cause,
    });
  }
}
