import { z } from "zod";
import { count, table } from "./service.js";
import { change, describeChange, TRUST, workflow } from "./workflow.js";

/** What an import would bring, for people. */

const text = z.string();
const problem = z.object({ code: text, message: text, fix: text });
export const problems = z.array(problem);

export const preview = z.looseObject({
  problems,
  warnings: problems,
  workflows: z.array(workflow),
  tickets: z.looseObject({
    counted: z.number(),
    more: z.boolean(),
    boards: z.array(
      z.object({ workflow: text, statuses: z.array(z.object({ id: text, tickets: z.number() })) }),
    ),
    fresh: z.number(),
    moved: z.number(),
  }),
  changes: z.array(change).optional(),
  tools: z.array(z.looseObject({ name: text })),
});
export type Preview = z.infer<typeof preview>;
type Workflow = Preview["workflows"][number];

export function describePreview(found: Preview): string {
  const { workflows, tools, changes, problems: lacking, warnings } = found;
  const parts = [
    workflows.length === 0 ? "Nothing was kept, and nothing could be imported." : summary(found),
    ...workflows.map((one) => describeWorkflow(one, found)),
    chapter("What would change:", changes?.map(describeChange)),
    chapter("Tools:", workflows.length === 0 ? [] : [tools.map(({ name }) => name).join(" ")]),
    chapter("What this account may not do:", lacking.map(describeProblem)),
    chapter("Worth knowing:", warnings.map(describeProblem)),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

export function describeProblem({ message, fix }: z.infer<typeof problem>): string {
  return `${message}\n  ${fix}`;
}

function summary({ workflows, tickets: { counted, more, fresh, moved }, changes, tools }: Preview): string {
  const kept = changes !== undefined;
  const news = kept ? ` (${fresh} new, ${moved} in another status than is known)` : "";
  const tickets = `${more ? "more than " : ""}${count(counted, "ticket")}${news}`;
  const same = kept && changes.length === 0 ? " No workflow would change." : "";
  return `Nothing was kept. The import would bring ${count(workflows.length, "workflow")}, ${tickets} and ${count(tools.length, "tool")}.${same}`;
}

function describeWorkflow({ id, name, edges, statuses, moves }: Workflow, { tickets }: Preview): string {
  const inEach = new Map(
    tickets.boards.find((board) => board.workflow === id)?.statuses.map((one) => [one.id, one.tickets]),
  );
  const names = new Map(statuses.map((status) => [status.id, status.name]));
  const targets = (from: string) => {
    const to = moves.filter((move) => move.to !== from && (move.from === from || move.from === "*"));
    return [...new Set(to.map((move) => names.get(move.to) ?? move.to))].join(", ");
  };
  return [
    `${name}, moves ${edges}: ${TRUST[edges] ?? ""}`,
    table([
      ["STATUS", "CATEGORY", "TICKETS", "CAN GO TO"],
      ...statuses.map((status) => [
        status.name,
        status.category,
        String(inEach.get(status.id) ?? 0),
        targets(status.id) || "nowhere",
      ]),
    ]),
  ].join("\n");
}

function chapter(title: string, lines: readonly string[] = []): string {
  return lines.length === 0 ? "" : [title, ...lines].join("\n");
}
