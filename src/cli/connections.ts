import type { Command } from "commander";
import { z } from "zod";
import { withExamples } from "./examples.js";
import { describeProblem, problems } from "./preview.js";
import { answer, count, expected, openService, segment, speaksToService, table } from "./service.js";

/** Which boards a team has, and how each is. */

const text = z.string();
const connections = z.object({
  connections: z.array(
    z.looseObject({
      id: text,
      provider: text,
      health: z.object({ state: text, problems }),
      imported: z.looseObject({ workflows: z.number(), tickets: z.number(), at: text }).optional(),
      webhook: z.looseObject({ state: text }).optional(),
    }),
  ),
});
type Connection = z.infer<typeof connections>["connections"][number];

export function addConnections(program: Command): void {
  withExamples(
    speaksToService(
      program
        .command("connections <tenant>")
        .description("A team's boards: how each is, what was imported, and what is missing."),
    ),
    "boardwalk connections acme",
    "boardwalk connections acme --json",
  ).action(async (tenant: string, flags: { readonly config?: string; readonly json?: boolean }) => {
    const service = openService(flags.config);
    const found = expected(connections, await service.get(`/tenants/${segment(tenant)}/connections`));
    answer(flags.json, found, () => describe(tenant, found.connections));
  });
}

function describe(tenant: string, all: readonly Connection[]): string {
  if (all.length === 0)
    return `${tenant} has no board yet. Connect one: boardwalk connect ${tenant} --file board.json`;
  const rows = all.map(({ id, provider, health, imported, webhook }) => [
    id,
    provider,
    health.state,
    imported === undefined
      ? "not yet"
      : `${count(imported.workflows, "workflow")}, ${count(imported.tickets, "ticket")}, ${imported.at}`,
    webhook === undefined ? "polled" : `webhook ${webhook.state}`,
  ]);
  const troubles = all.flatMap(({ id, health }) =>
    health.problems.map((problem) => `${id}: ${describeProblem(problem)}`),
  );
  return [table([["ID", "KIND", "HEALTH", "IMPORTED", "NEWS"], ...rows]), ...troubles].join("\n");
}
