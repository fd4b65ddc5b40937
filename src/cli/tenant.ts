import type { Command } from "commander";
import { z } from "zod";
import { withExamples } from "./examples.js";
import { answer, expected, openService, segment, speaksToService, table } from "./service.js";
import { addSettings } from "./settings.js";

interface Flags {
  readonly config?: string;
  readonly json?: boolean;
}

const tenants = z.object({
  tenants: z.array(z.object({ id: z.string(), name: z.string(), createdAt: z.string() })),
});
const token = z.object({ id: z.string(), token: z.string() });

/** Who may use the service. */
export function addTenant(program: Command): void {
  const tenant = program.command("tenant").description("Teams that use this service, and their tokens.");
  withExamples(
    speaksToService(tenant.command("add <id>").description("Add a team.")).option(
      "--name <name>",
      "what people call it (default: the id)",
    ),
    "boardwalk tenant add acme --name Acme",
  ).action(async (id: string, flags: Flags & { name?: string }) => {
    const made = await openService(flags.config).post("/tenants", { id, name: flags.name ?? id });
    answer(flags.json, made, () => `Added ${id}. Next: boardwalk tenant token ${id} --name NAME`);
  });
  withExamples(
    speaksToService(tenant.command("list").description("List the teams.")),
    "boardwalk tenant list",
    "boardwalk tenant list --json",
  ).action(async (flags: Flags) => {
    const list = expected(tenants, await openService(flags.config).get("/tenants"));
    const rows = list.tenants.map(({ id, name, createdAt }) => [id, name, createdAt]);
    answer(flags.json, list, () => table([["ID", "NAME", "SINCE"], ...rows]));
  });
  withExamples(
    speaksToService(
      tenant
        .command("token <tenant>")
        .description("Make a token for a person or a client of a team; it is shown this once."),
    )
      .requiredOption("--name <name>", "whose it is: moves are made, and kept in the audit, under this name")
      .option("--scope <scope...>", "what it may do (default: everything; mcp:read only looks)"),
    "boardwalk tenant token acme --name ann",
    "boardwalk tenant token acme --name dashboard --scope mcp:read",
  ).action(async (id: string, flags: Flags & { name: string; scope?: string[] }) => {
    const body = { name: flags.name, ...(flags.scope === undefined ? {} : { scopes: flags.scope }) };
    const made = expected(
      token,
      await openService(flags.config).post(`/tenants/${segment(id)}/tokens`, body),
    );
    answer(
      flags.json,
      made,
      () => `${made.token}\n(token ${made.id} of ${flags.name}; it is not shown again)`,
    );
  });
  addSettings(tenant);
}
