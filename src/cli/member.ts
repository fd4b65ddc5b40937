import type { Command } from "commander";
import { z } from "zod";
import { asksFirst, confirm } from "./confirm.js";
import { withExamples } from "./examples.js";
import { answer, expected, openService, segment, speaksToService, table } from "./service.js";

interface Flags {
  readonly tenant: string;
  readonly config?: string;
  readonly json?: boolean;
}

const pairing = z.object({ name: z.string(), code: z.string(), expiresAt: z.string() });
const members = z.object({ members: z.array(z.object({ name: z.string(), createdAt: z.string() })) });

/** The people of a team, who let apps act in their name. */
export function addMember(program: Command): void {
  const member = program
    .command("member")
    .description("People of a team, who sign in where an app asks them to, with a code from here.");
  const of = (command: Command) =>
    speaksToService(command).requiredOption("--tenant <tenant>", "the team they belong to");
  withExamples(
    of(
      member
        .command("add")
        .description(
          "Add a person, or link one again: prints a code that signs them in once, within 15 minutes.",
        ),
    ).requiredOption(
      "--name <name>",
      "who they are: their moves are made, and kept in the audit, under this name",
    ),
    "boardwalk member add --tenant acme --name ann",
  ).action(async (flags: Flags & { name: string }) => {
    const path = `/tenants/${segment(flags.tenant)}/members`;
    const made = expected(pairing, await openService(flags.config).post(path, { name: flags.name }));
    const words = () =>
      `${made.code}\n(signs ${made.name} in once, until ${made.expiresAt}; enter it where the app asks for it)`;
    answer(flags.json, made, words);
  });
  withExamples(
    of(member.command("list").description("List the people of a team.")),
    "boardwalk member list --tenant acme",
  ).action(async (flags: Flags) => {
    const list = expected(
      members,
      await openService(flags.config).get(`/tenants/${segment(flags.tenant)}/members`),
    );
    const rows = list.members.map(({ name, createdAt }) => [name, createdAt]);
    answer(flags.json, list, () => table([["NAME", "SINCE"], ...rows]));
  });
  withExamples(
    asksFirst(
      of(
        member
          .command("remove <name>")
          .description("Remove a person; every app that acts in their name is cut off at once."),
      ),
    ),
    "boardwalk member remove ann --tenant acme",
    "boardwalk member remove ann --tenant acme --yes",
  ).action(async (name: string, flags: Flags & { yes?: boolean }) => {
    await confirm(`Remove ${name} from ${flags.tenant}, and cut off what acts in their name?`, flags.yes);
    await openService(flags.config).delete(`/tenants/${segment(flags.tenant)}/members/${segment(name)}`);
    answer(flags.json, { removed: name }, () => `Removed ${name}.`);
  });
}
