import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { wantedName } from "../mcp/tool-names.js";
import { withExamples } from "./examples.js";
import { answer, expected, openService, type Service, segment, speaksToService, table } from "./service.js";

/** The tools that a team's clients see, with what a person may say, and how they have changed. */

interface Flags {
  readonly config?: string;
  readonly json?: boolean;
  readonly surface?: string;
  readonly since?: string;
}

const text = z.string();
const shown = z.object({
  surfaces: z.array(
    z.looseObject({
      id: text,
      path: text,
      protocolVersions: z.array(text),
      frozen: z.boolean(),
      sha256: text,
      tools: z.array(z.looseObject({ name: text, title: text, description: text, phrases: z.array(text) })),
    }),
  ),
});
type Surface = z.infer<typeof shown>["surfaces"][number];

export function addTools(program: Command): void {
  const tools = program.command("tools").description("The tools that a team's clients see.");
  withExamples(
    speaksToService(
      tools
        .command("list <tenant>")
        .description("The tools of each surface, with a phrase that a person may say for each."),
    ).addOption(new Option("--surface <surface>", "only this one").choices(["2025", "2026", "alexa"])),
    "boardwalk tools list acme",
    "boardwalk tools list acme --surface alexa",
    "boardwalk tools list acme --json",
  ).action(list);
  withExamples(
    speaksToService(
      tools
        .command("diff <tenant>")
        .description(
          "How they have changed: since a list that was kept, or else as the boards' changes made them.",
        ),
    ).option("--since <file>", 'what "tools list --json" printed earlier, or "-" for standard input'),
    "boardwalk tools diff acme",
    "boardwalk tools diff acme --since tools-of-monday.json",
  ).action(diff);
}

async function list(tenant: string, flags: Flags): Promise<void> {
  const all = await surfacesOf(openService(flags.config), tenant);
  const surfaces = all.filter(({ id }) => flags.surface === undefined || id === flags.surface);
  answer(flags.json, { surfaces }, () => surfaces.map(describeSurface).join("\n\n"));
}

async function surfacesOf(service: Service, tenant: string): Promise<readonly Surface[]> {
  return expected(shown, await service.get(`/tenants/${segment(tenant)}/tools`)).surfaces;
}

function describeSurface({ path, protocolVersions, frozen, sha256, tools }: Surface): string {
  const kind = frozen ? "never changes" : "follows the boards";
  const rows = tools.map(({ name, title, phrases: [phrase] }) => [name, title, phrase ?? ""]);
  return [
    `${path} (${protocolVersions.join(", ")}), ${kind}, sha256 ${sha256.slice(0, 12)}`,
    table([["TOOL", "TITLE", "SAY"], ...rows]),
  ].join("\n");
}

export interface ToolChange {
  /** When the board's change was seen; left out where two lists are compared. */
  readonly at?: string;
  readonly surface?: string;
  readonly kind: "added" | "removed" | "renamed" | "changed";
  readonly before?: string;
  readonly after?: string;
}

async function diff(tenant: string, flags: Flags): Promise<void> {
  const service = openService(flags.config);
  const found =
    flags.since === undefined
      ? await changesSeen(service, tenant)
      : compareLists(readList(flags.since), await surfacesOf(service, tenant));
  answer(flags.json, { changes: found }, () =>
    found.length === 0
      ? "The tools are the same."
      : table([["WHEN", "WHAT", "BEFORE", "AFTER"], ...found.map(row)]),
  );
}

function row({ at, surface, kind, before, after }: ToolChange): string[] {
  return [at ?? surface ?? "", kind, before ?? "", after ?? ""];
}

function readList(file: string): readonly Surface[] {
  try {
    return expected(shown, JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8"))).surfaces;
  } catch (cause) {
    const message = `${file} is not what "boardwalk tools list --json" prints. Make one with it, and keep it for later.`;
    throw new BoardwalkError("invalid", message, { cause });
  }
}

/** By name: a renamed tool is one that went and one that came. */
export function compareLists(before: readonly Surface[], now: readonly Surface[]): ToolChange[] {
  return now.flatMap(({ id: surface, tools }) => {
    const old = new Map(before.find(({ id }) => id === surface)?.tools.map((tool) => [tool.name, tool]));
    const known = new Set(tools.map(({ name }) => name));
    const changes: ToolChange[] = [];
    for (const name of old.keys())
      if (!known.has(name)) changes.push({ surface, kind: "removed", before: name });
    for (const tool of tools) {
      const was = old.get(tool.name);
      if (was === undefined) changes.push({ surface, kind: "added", after: tool.name });
      else if (JSON.stringify(was) !== JSON.stringify(tool))
        changes.push({ surface, kind: "changed", before: tool.name, after: tool.name });
    }
    return changes;
  });
}

const workflows = z.object({
  workflows: z.array(
    z.looseObject({ id: text, name: text, statuses: z.array(z.looseObject({ id: text, name: text })) }),
  ),
});
const change = z.looseObject({
  at: text,
  kind: text,
  status: text.optional(),
  before: text.optional(),
  after: text.optional(),
});

/** What the changes of the boards' statuses did to the tools that follow them, newest first. */
async function changesSeen(service: Service, tenant: string): Promise<ToolChange[]> {
  const base = `/tenants/${segment(tenant)}/workflows`;
  const found: ToolChange[] = [];
  for (const { id, name } of expected(workflows, await service.get(base)).workflows) {
    const { changes } = expected(
      z.object({ changes: z.array(change) }),
      await service.get(`${base}/${segment(id)}/changes`),
    );
    for (const one of changes) found.push(...toolChange(id, name, one));
  }
  return found.toSorted((a, b) => ((a.at ?? "") < (b.at ?? "") ? 1 : -1));
}

/** A status that was renamed, came or went, as what it did to its tool. */
export function toolChange(
  workflow: string,
  workflowName: string,
  { at, kind, status, before, after }: z.infer<typeof change>,
): ToolChange[] {
  if (status === undefined) return [];
  const tool = (name: string) => wantedName({ workflow, workflowName, status, statusName: name });
  if (kind === "renamed" && before !== undefined && after !== undefined)
    return [{ at, kind, before: tool(before), after: tool(after) }];
  if ((kind === "added" || kind === "restored") && after !== undefined)
    return [{ at, kind: "added", after: tool(after) }];
  if (kind === "removed" && before !== undefined) return [{ at, kind, before: tool(before) }];
  return [];
}
