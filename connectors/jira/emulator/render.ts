import { transitionsOf } from "./rules.js";
import type { AccountSeed, FieldSeed, TransitionSeed } from "./seed.js";
import type { Issue, Project, Site, Workflow } from "./site.js";

/** The emulated state in the shapes of Jira's replies. */

const CATEGORIES = {
  new: { id: 2, key: "new", colorName: "blue-gray", name: "To Do", preview: "TODO" },
  indeterminate: {
    id: 4,
    key: "indeterminate",
    colorName: "yellow",
    name: "In Progress",
    preview: "IN_PROGRESS",
  },
  done: { id: 3, key: "done", colorName: "green", name: "Done", preview: "DONE" },
} as const;

export type Render = ReturnType<typeof createRender>;

export function createRender(site: Site, base: () => string) {
  const api = (path: string) => `${base()}/rest/api/3/${path}`;

  function status(id: string) {
    const found = site.statuses.get(id);
    const { preview: _preview, ...category } = CATEGORIES[found?.category ?? "new"];
    return {
      self: api(`status/${id}`),
      description: "",
      iconUrl: `${base()}/images/icons/status.png`,
      name: found?.name ?? id,
      ...(found?.untranslatedName === undefined ? {} : { untranslatedName: found.untranslatedName }),
      id,
      statusCategory: { self: api(`statuscategory/${category.id}`), ...category },
    };
  }

  function issueType(type: { readonly id: string; readonly name: string; readonly subtask?: boolean }) {
    const subtask = type.subtask ?? false;
    return {
      self: api(`issuetype/${type.id}`),
      id: type.id,
      description: "",
      iconUrl: `${base()}/images/icons/type.png`,
      name: type.name,
      subtask,
      hierarchyLevel: subtask ? -1 : 0,
    };
  }

  function user(account: AccountSeed) {
    return {
      self: api(`user?accountId=${encodeURIComponent(account.accountId)}`),
      accountId: account.accountId,
      displayName: account.displayName,
      active: true,
      timeZone: "America/Los_Angeles",
      accountType: "atlassian" as const,
    };
  }

  function field(each: FieldSeed) {
    return {
      required: each.required ?? false,
      schema: each.schema,
      name: each.name,
      key: each.id,
      operations: ["set"],
      ...(each.allowedValues === undefined
        ? {}
        : {
            allowedValues: each.allowedValues.map((value) => ({
              self: api(`${each.id}/${String(value.id)}`),
              ...value,
            })),
          }),
    };
  }

  function transition(issue: Issue, each: TransitionSeed, available: boolean, withFields: boolean) {
    const shown = (each.fields ?? []).filter((one) => one.undeclared !== true);
    return {
      id: each.id,
      name: each.name,
      to: status(each.to ?? issue.status),
      hasScreen: each.fields !== undefined,
      isGlobal: each.from === "*",
      isInitial: false,
      isAvailable: available,
      isConditional: each.onlyFor !== undefined,
      ...(withFields ? { fields: Object.fromEntries(shown.map((one) => [one.id, field(one)])) } : {}),
      looped: each.to === undefined,
    };
  }

  function transitions(
    issue: Issue,
    account: AccountSeed,
    options: { fields: boolean; unavailable?: boolean },
  ) {
    return transitionsOf(site, issue, account)
      .filter(({ available }) => available || options.unavailable === true)
      .map((each) => transition(issue, each.transition, each.available, options.fields));
  }

  function issueFields(issue: Issue): Record<string, unknown> {
    const { project } = issue;
    return {
      summary: issue.title,
      status: status(issue.status),
      issuetype: issueType(issue.type),
      project: { self: api(`project/${project.id}`), id: project.id, key: project.key, name: project.name },
      created: jiraTime(issue.created),
      updated: jiraTime(issue.updated),
      description: null,
      resolution: null,
      ...(issue.archived ? { archiveddate: jiraTime(issue.updated) } : {}),
      ...Object.fromEntries(issue.values),
    };
  }

  function issue(each: Issue, account: AccountSeed, fields: readonly string[], expand: readonly string[]) {
    const all = issueFields(each);
    const everything = fields.some((name) => name === "*all" || name === "*navigable");
    const chosen = everything
      ? all
      : Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes(name)));
    const withMoves = expand.some((part) => part === "transitions" || part === "transitions.fields");
    return {
      expand: "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations",
      id: each.id,
      self: api(`issue/${each.id}`),
      key: each.key,
      fields: chosen,
      ...(withMoves
        ? { transitions: transitions(each, account, { fields: expand.includes("transitions.fields") }) }
        : {}),
    };
  }

  function project(each: Project) {
    return {
      self: api(`project/${each.id}`),
      id: each.id,
      key: each.key,
      name: each.name,
      description: "",
      issueTypes: each.issueTypes.map(issueType),
      projectTypeKey: "software" as const,
      simplified: each.style === "next-gen",
      style: each.style,
      archived: each.archived,
    };
  }

  function comment(each: Issue["comments"][number], of: Issue) {
    return {
      self: api(`issue/${of.id}/comment/${each.id}`),
      id: each.id,
      author: user(each.author),
      body: each.body,
      created: each.created.toISOString(),
      updated: each.created.toISOString(),
    };
  }

  function changelog(of: Issue) {
    return of.changes.map((change) => ({
      id: change.id,
      author: user(change.author),
      created: change.created.toISOString(),
      items: change.items.map((item) => ({ ...item, fieldtype: "jira", fieldId: item.field })),
    }));
  }

  return { api, status, issueType, user, transitions, issue, issueFields, project, comment, changelog };
}

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

/** `2026-11-29T10:15:00.000+0000`: Jira's fields write the offset without a colon. */
export function jiraTime(date: Date): string {
  return date.toISOString().replace("Z", "+0000");
}
