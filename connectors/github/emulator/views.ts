import { connection, fault, HeavyQuery, type PageArgs, unresolved } from "./paging.js";
import type { FieldState, ItemState, OptionState, ProjectEvent, ProjectState } from "./projects.js";

/** What the emulated GitHub shows of its projects: objects whose functions graphql-js calls by field name. */

export interface GraphqlWorld {
  readonly viewer: string;
  readonly api: () => string;
  readonly projects: readonly ProjectState[];
  readonly scopes: () => readonly string[] | undefined;
  readonly largestPage: () => number;
  tell(event: ProjectEvent): void;
}

export function ownerView(world: GraphqlWorld, login: string, type: "Organization" | "User") {
  const visible = world.projects.filter(({ owner, access }) => owner === login && access !== "none");
  return {
    __typename: type,
    id: `${type === "User" ? "U" : "O"}_${login}`,
    login,
    projectV2({ number }: { number: number }) {
      requireScope(world, "projectV2");
      const found = visible.find((project) => project.number === number);
      if (found !== undefined) return projectView(world, found);
      return fault("NOT_FOUND", `Could not resolve to a ProjectV2 with the number ${number}.`);
    },
    projectsV2(args: PageArgs) {
      requireScope(world, "projectsV2");
      return connection("projectsV2", visible, args, (project) => projectView(world, project));
    },
  };
}

function requireScope(world: GraphqlWorld, field: string): void {
  const scopes = world.scopes();
  if (scopes === undefined || scopes.includes("project") || scopes.includes("read:project")) return;
  const held = scopes.map((scope) => `'${scope}'`).join(", ");
  fault(
    "INSUFFICIENT_SCOPES",
    `Your token has not been granted the required scopes to execute this query. The '${field}' field requires one of the following scopes: ['read:project'], but your token has only been granted the: [${held}] scopes.`,
  );
}

export function projectView(world: GraphqlWorld, project: ProjectState): object {
  const { owner, ownerType, number } = project;
  return {
    __typename: "ProjectV2",
    id: project.id,
    fullDatabaseId: String(project.databaseId),
    number,
    title: project.title,
    url: `${world.api()}/${ownerType === "User" ? "users" : "orgs"}/${owner}/projects/${number}`,
    closed: project.closed,
    template: project.template,
    public: false,
    viewerCanUpdate: project.access === "write" && (world.scopes()?.includes("project") ?? true),
    owner: () => ownerView(world, owner, ownerType),
    field: ({ name }: { name: string }) => fieldView(project.fields.find((field) => field.name === name)),
    fields: (args: PageArgs) => connection("fields", project.fields, args, fieldView),
    items(args: PageArgs) {
      if ((args.first ?? 0) > world.largestPage()) throw new HeavyQuery("too many items on a page");
      return connection("items", project.items, args, (item) => itemView(world, item));
    },
  };
}

export function fieldView(field: FieldState | undefined) {
  return (
    field && {
      __typename: "ProjectV2SingleSelectField",
      id: field.id,
      name: field.name,
      dataType: "SINGLE_SELECT",
      options: () => field.options.map(optionView),
    }
  );
}

function optionView({ id, name }: OptionState) {
  return { id, name, nameHTML: name, color: "GRAY", description: "", descriptionHTML: "" };
}

export function itemView(world: GraphqlWorld, item: ItemState): object {
  const { fields } = item.project;
  const filled = () => fields.filter(({ id }) => item.values.has(id));
  return {
    __typename: "ProjectV2Item",
    id: item.id,
    fullDatabaseId: String(item.databaseId),
    type: item.hidden ? "REDACTED" : item.type,
    isArchived: item.archivedAt !== null,
    createdAt: item.createdAt,
    updatedAt: item.updatedAt,
    project: () => projectView(world, item.project),
    content: () => (item.hidden ? null : contentView(world, item)),
    fieldValueByName: ({ name }: { name: string }) =>
      valueView(
        item,
        fields.find((field) => field.name === name),
      ),
    fieldValues: (args: PageArgs) =>
      connection("fieldValues", filled(), args, (field) => valueView(item, field)),
  };
}

function valueView(item: ItemState, field: FieldState | undefined) {
  const option = field?.options.find(({ id }) => id === item.values.get(field.id));
  if (field === undefined || option === undefined) return null;
  return {
    __typename: "ProjectV2ItemFieldSingleSelectValue",
    id: `PVTFSV_${item.databaseId}`,
    optionId: option.id,
    name: option.name,
    color: "GRAY",
    createdAt: item.createdAt,
    updatedAt: item.updatedAt,
    field: () => fieldView(field),
  };
}

function contentView(world: GraphqlWorld, { type, content }: ItemState) {
  const { repo } = content;
  const common = { id: content.id, title: content.title, updatedAt: content.updatedAt, body: content.body };
  if (type === "DRAFT_ISSUE" || repo === undefined) return { __typename: "DraftIssue", ...common };
  const repository = {
    __typename: "Repository",
    name: repo.name,
    nameWithOwner: `${repo.owner}/${repo.name}`,
    isPrivate: repo.private,
  };
  const numbered = { ...common, number: content.number, repository, state: "OPEN" };
  const url = `${world.api()}/${repository.nameWithOwner}/${type === "ISSUE" ? "issues" : "pull"}/${content.number}`;
  if (type === "PULL_REQUEST") {
    return {
      __typename: "PullRequest",
      ...numbered,
      url,
      headRefName: content.branches[0] ?? `pull-${content.number}`,
    };
  }
  const linkedBranches = (args: PageArgs) =>
    connection("linkedBranches", content.branches, args, (name) => ({
      id: `LB_${name}`,
      ref: { id: `REF_${name}`, name },
    }));
  return { __typename: "Issue", ...numbered, url, linkedBranches };
}

export function nodeView(world: GraphqlWorld, id: string) {
  for (const project of world.projects.filter(({ access }) => access !== "none")) {
    if (project.id === id) return projectView(world, project);
    const field = project.fields.find((candidate) => candidate.id === id);
    if (field !== undefined) return fieldView(field);
    const item = project.items.find((candidate) => candidate.id === id);
    if (item !== undefined) return itemView(world, item);
    const content = project.items.find((candidate) => candidate.content.id === id && !candidate.hidden);
    if (content !== undefined) return contentView(world, content);
  }
  return unresolved(id);
}
