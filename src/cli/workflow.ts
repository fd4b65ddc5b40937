import type { Command } from "commander";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { withExamples } from "./examples.js";
import { answer, expected, openService, segment, speaksToService, table } from "./service.js";

interface Flags {
  readonly config?: string;
  readonly json?: boolean;
}

const text = z.string();

export const change = z.object({
  workflow: text,
  kind: text,
  status: text.optional(),
  before: text.optional(),
  after: text.optional(),
});
export type Change = z.infer<typeof change>;
export const workflow = z.object({
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
  withExamples(
    speaksToService(
      command
        .command("show <tenant> [workflow]")
        .description("Statuses and moves of one workflow, or of all."),
    ),
    "boardwalk workflow show acme",
    'boardwalk workflow show acme "Acme engineering"',
  ).action(async (tenant: string, id: string | undefined, flags: Flags) => {
    const found = (await list(tenant, flags)).filter(
      (one) => id === undefined || one.id === id || one.name === id,
    );
    if (found.length === 0)
      throw new BoardwalkError(
        "not_found_or_hidden",
        id === undefined
          ? "This team has no workflow yet. Connect a board: boardwalk connect --help."
          : "There is no such workflow. Run the command without one to see them all.",
      );
    answer(flags.json, { workflows: found }, () => found.map(describeWorkflow).join("\n\n"));
  });
  withExamples(
    speaksToService(
      command.command("diff <tenant> <workflow>").description("What has changed in it, newest first."),
    ),
    "boardwalk workflow diff acme jira.3f2a.10001",
  ).action(async (tenant: string, id: string, flags: Flags) => {
    const { changes: all } = expected(
      changes,
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
  withExamples(
    speaksToService(
      command
        .command("explain <tenant> <workflow>")
        .description("How far its moves can be trusted, and why."),
    ),
    'boardwalk workflow explain acme "Acme engineering"',
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

export const TRUST: Readonly<Record<string, string>> = {
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
  return expected(z.object({ workflows: z.array(workflow) }), answered).workflows;
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

export function describeChange({ kind, before, after, status }: Change): string {
  const what =
    before !== undefined && after !== undefined ? `${before} -> ${after}` : (after ?? before ?? "");
  return `${kind} ${what}${status === undefined ? "" : ` (${status})`}`;
}
