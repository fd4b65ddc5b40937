import { transitionsOf } from "./rules.js";
import type { AccountSeed, FieldSeed, TransitionSeed } from "./seed.js";
import type { Issue, Project, Site } from "./site.js";

/** The emulated state in the shapes of Jira's replies. */

export const CATEGORIES = {
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

/** @param base where the site is, once it listens. */
export function createRender(site: Site, base: () => string) {
  const basics = createBasics(site, base);
  const issues = createIssues(site, basics);
  return { ...basics, ...issues };
}

type Basics = ReturnType<typeof createBasics>;

function createBasics(site: Site, base: () => string) {
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

  return { api, status, issueType, user, project };
}

function createTransitions(site: Site, { api, status }: Basics) {
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

  return (issue: Issue, account: AccountSeed, options: { fields: boolean; unavailable?: boolean }) =>
    transitionsOf(site, issue, account)
      .filter(({ available }) => available || options.unavailable === true)
      .map((each) => transition(issue, each.transition, each.available, options.fields));
}

function createIssues(site: Site, basics: Basics) {
  const { api, status, issueType, user } = basics;
  const transitions = createTransitions(site, basics);

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

  return { transitions, issue, issueFields, comment, changelog };
}

/** `2026-11-29T10:15:00.000+0000`: Jira's fields write the offset without a colon. */
export function jiraTime(date: Date): string {
  return date.toISOString().replace("Z", "+0000");
}
