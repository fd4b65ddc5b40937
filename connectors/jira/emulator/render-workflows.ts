import { CATEGORIES } from "./render.js";
import type { Site, Workflow } from "./site.js";

/** Statuses are named by references that hold within one reply only. */
export function renderWorkflows(
  site: Site,
  workflows: readonly Workflow[],
  kind: "preview" | "read",
  reply: number,
) {
  const reference = (statusId: string) => `ref-${reply}-${statusId}`;
  const ids = [...new Set(workflows.flatMap((workflow) => workflow.statuses))];
  const statuses = ids.flatMap((id) => {
    const found = site.statuses.get(id);
    if (found === undefined) return [];
    return [
      {
        id,
        statusReference: reference(id),
        name: found.name,
        ...(kind === "preview" ? { rawName: found.untranslatedName ?? found.name } : {}),
        statusCategory: CATEGORIES[found.category].preview,
        scope: { type: "GLOBAL" as const },
        description: "",
      },
    ];
  });
  return {
    statuses,
    workflows: workflows.map((workflow) => renderWorkflow(site, workflow, kind, reference)),
  };
}

function renderWorkflow(
  site: Site,
  workflow: Workflow,
  kind: "preview" | "read",
  reference: (id: string) => string,
) {
  const project = site.projects.find((each) => each.workflows.includes(workflow));
  const layout = { x: 0, y: 0 };
  return {
    id: workflow.id,
    name: workflow.name,
    description: "",
    scope: { type: "GLOBAL" as const },
    ...(kind === "preview"
      ? { queryContext: [{ project: project?.id ?? "", issueTypes: workflow.issueTypes }] }
      : { isEditable: true }),
    startPointLayout: layout,
    statuses: workflow.statuses.map((id) => ({ statusReference: reference(id), layout, deprecated: false })),
    transitions: [
      {
        id: "1",
        type: "INITIAL" as const,
        name: "Create",
        description: "",
        toStatusReference: reference(workflow.initial),
        links: [],
      },
      ...workflow.transitions.map((each) => ({
        id: each.id,
        type: each.from === "*" ? ("GLOBAL" as const) : ("DIRECTED" as const),
        name: each.name,
        description: "",
        ...(each.to === undefined ? {} : { toStatusReference: reference(each.to) }),
        links:
          each.from === "*"
            ? []
            : [each.from]
                .flat()
                .map((from) => ({ fromPort: 0, fromStatusReference: reference(from), toPort: 1 })),
      })),
    ],
    version: { id: `${workflow.id}-v${workflow.version}`, versionNumber: workflow.version },
  };
}
