import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { answer, openService, type Service, segment, speaksToService, table } from "./service.js";

interface Flags {
  readonly config?: string;
  readonly json?: boolean;
}

const text = z.string();
const problems = z.array(z.object({ code: text, message: text, fix: text }));
const connection = z.object({ id: text, provider: text, health: z.object({ state: text, problems }) });
const synced = z.object({
  workflows: z.number(),
  tickets: z.number(),
  changes: z.array(
    z.object({
      workflow: text,
      kind: text,
      status: text.optional(),
      before: text.optional(),
      after: text.optional(),
    }),
  ),
});
type Change = z.infer<typeof synced>["changes"][number];

/** Boards of a team: connecting them and bringing our picture of them up to date. */
export function addBoards(program: Command): void {
  speaksToService(program.command("connect <tenant>").description("Connect a board, and import it."))
    .requiredOption(
      "--file <file>",
      'a JSON file {id, provider, settings, credentials}, or "-" for standard input; see README',
    )
    .action(connect);
  speaksToService(
    program.command("import <tenant> <connection>").description("Pull a board's workflows and tickets anew."),
  ).action(importBoard);
}

async function connect(tenant: string, flags: Flags & { file: string }): Promise<void> {
  const service = openService(flags.config);
  const made = connection.parse(
    await service.post(`/tenants/${segment(tenant)}/connections`, readJson(flags.file)),
  );
  const result = await pull(service, tenant, made.id);
  answer(flags.json, { connection: made, ...result }, () =>
    [
      `Connected ${made.id} (${made.provider}): ${result.workflows} workflows, ${result.tickets} tickets.`,
      ...made.health.problems.map(({ message, fix }) => `${message}\n  ${fix}`),
    ].join("\n"),
  );
}

async function importBoard(tenant: string, id: string, flags: Flags): Promise<void> {
  const result = await pull(openService(flags.config), tenant, id);
  answer(flags.json, result, () =>
    [
      `${result.workflows} workflows, ${result.tickets} tickets read.`,
      ...result.changes.map(describeChange),
    ].join("\n"),
  );
}

async function pull(service: Service, tenant: string, id: string): Promise<z.infer<typeof synced>> {
  process.stderr.write("importing ...\n");
  return synced.parse(
    await service.post(`/tenants/${segment(tenant)}/connections/${segment(id)}/sync?wait=true`),
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8"));
  } catch (cause) {
    throw new BoardwalkError("invalid", `${file} cannot be read as JSON.`, { cause });
  }
}

export function describeChange({ kind, before, after, status }: Change): string {
  const change =
    before !== undefined && after !== undefined ? `${before} -> ${after}` : (after ?? before ?? "");
  return `${kind} ${change}${status === undefined ? "" : ` (${status})`}`;
}

const workflow = z.object({
  id: text,
  connection: text,
  name: text,
  edges: text,
  version: z.number(),
  statuses: z.array(
    z.object({
      id: text,
      name: text,
      category: text,
      order: z.number(),
      retired: z.boolean().optional(),
      offBoard: z.boolean().optional(),
    }),
  ),
  moves: z.array(z.object({ id: text, from: text, to: text, name: text.optional() })),
});
type Workflow = z.infer<typeof workflow>;
const changes = z.object({
  changes: z.array(
    z.object({
      at: text,
      kind: text,
      status: text.optional(),
      before: text.optional(),
      after: text.optional(),
    }),
  ),
});

/** What is known of the boards' rules. */
export function addWorkflow(program: Command): void {
  const command = program.command("workflow").description("The workflows pulled from a team's boards.");
  speaksToService(
    command.command("show <tenant> [workflow]").description("Statuses and moves of one workflow, or of all."),
  ).action(async (tenant: string, id: string | undefined, flags: Flags) => {
    const found = (await list(tenant, flags)).filter(
      (one) => id === undefined || one.id === id || one.name === id,
    );
    if (found.length === 0)
      throw new BoardwalkError(
        "not_found_or_hidden",
        "There is no such workflow. Run the command without one to see them all.",
      );
    answer(flags.json, { workflows: found }, () => found.map(describeWorkflow).join("\n\n"));
  });
  speaksToService(
    command.command("diff <tenant> <workflow>").description("What has changed in it, newest first."),
  ).action(async (tenant: string, id: string, flags: Flags) => {
    const { changes: all } = changes.parse(
      await openService(flags.config).get(`/tenants/${segment(tenant)}/workflows/${segment(id)}/changes`),
    );
    answer(
      flags.json,
      { changes: all },
      () =>
        all.map((change) => `${change.at}  ${describeChange({ workflow: id, ...change })}`).join("\n") ||
        "Nothing has changed since it was imported.",
    );
  });
  speaksToService(
    command.command("explain <tenant> <workflow>").description("How far its moves can be trusted, and why."),
  ).action(async (tenant: string, id: string, flags: Flags) => {
    const found = (await list(tenant, flags)).find((one) => one.id === id || one.name === id);
    if (found === undefined) throw new BoardwalkError("not_found_or_hidden", "There is no such workflow.");
    answer(
      flags.json,
      { edges: found.edges, why: TRUST[found.edges] },
      () => `${found.name}: ${TRUST[found.edges] ?? found.edges}`,
    );
  });
}

const TRUST: Readonly<Record<string, string>> = {
  authoritative: "the board's own workflow, whole: what it does not show cannot be done.",
  preview:
    "the board's read-only view of the workflow: complete, but conditions of single moves are only known at the move.",
  observed:
    "seen from single tickets, because this account may not read the workflow: at least these moves exist. Give it the permission to view workflows for the whole.",
  implied:
    "the board has no rules: every status can be reached from every other, unless your own settings.allowedMoves say otherwise.",
};

async function list(tenant: string, flags: Flags): Promise<Workflow[]> {
  const answered = await openService(flags.config).get(`/tenants/${segment(tenant)}/workflows`);
  return z.object({ workflows: z.array(workflow) }).parse(answered).workflows;
}

function describeWorkflow({ id, name, connection: from, edges, version, statuses, moves }: Workflow): string {
  const nameOf = (status: string) =>
    status === "*" ? "anywhere" : (statuses.find((one) => one.id === status)?.name ?? status);
  const marks = (status: Workflow["statuses"][number]) =>
    [status.retired ? "retired" : "", status.offBoard ? "off the board" : ""]
      .filter((mark) => mark !== "")
      .join(", ");
  const statusRows = statuses.map((status) => [status.name, status.category, status.id, marks(status)]);
  const moveRows = moves.map((move) => [nameOf(move.from), nameOf(move.to), move.name ?? "", move.id]);
  return [
    `${name} (${id}), connection ${from}, version ${version}, edges ${edges}`,
    table([["STATUS", "CATEGORY", "ID", ""], ...statusRows]),
    table([["FROM", "TO", "CALLED", "ID"], ...moveRows]),
  ].join("\n\n");
}
