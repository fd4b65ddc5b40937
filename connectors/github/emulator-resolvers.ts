import {
  addItem,
  type FieldState,
  type ItemState,
  type ProjectEvent,
  type ProjectState,
  replaceOptions,
  setValue,
} from "./emulator-projects.js";
import { now } from "./emulator-repos.js";

/** What the emulated GitHub answers to each part of a GraphQL document. */

/** An error as GitHub types it. */
export class GithubFault extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** GitHub gives up on a page this large. */
export class HeavyQuery extends Error {}

export interface GraphqlWorld {
  readonly viewer: string;
  readonly api: () => string;
  readonly projects: readonly ProjectState[];
  readonly scopes: () => readonly string[] | undefined;
  readonly largestPage: () => number;
  tell(event: ProjectEvent): void;
}

interface PageArgs {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

/** The root of queries and mutations alike: graphql-js calls its functions by field name. */
export function createRoot(world: GraphqlWorld): object {
  const views = createViews(world);
  const owned = (login: string, type?: "Organization" | "User") => {
    const project = world.projects.find(
      ({ owner, ownerType }) =>
        owner.toLowerCase() === login.toLowerCase() && (type ?? ownerType) === ownerType,
    );
    return project && views.owner(project.owner, project.ownerType);
  };
  const needed = (login: string, type: "Organization" | "User") => {
    const kind = type === "User" ? "User" : "Organization";
    return (
      owned(login, type) ??
      fault(
        "NOT_FOUND",
        `Could not resolve to ${type === "User" ? "a" : "an"} ${kind} with the login of '${login}'.`,
      )
    );
  };
  return {
    viewer: () => ({ __typename: "User", login: world.viewer, id: "U_viewer" }),
    repositoryOwner: ({ login }: { login: string }) => owned(login) ?? null,
    organization: ({ login }: { login: string }) => needed(login, "Organization"),
    user: ({ login }: { login: string }) => needed(login, "User"),
    node: ({ id }: { id: string }) => views.node(id),
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map((id) => views.node(id)),
    rateLimit: () => ({ cost: 1, limit: 5_000, nodeCount: 1, remaining: 4_999, used: 1, resetAt: now() }),
    ...createMutations(world, views),
  };
}

type Views = ReturnType<typeof createViews>;

function createViews(world: GraphqlWorld) {
  const requireScope = (field: string) => {
    const scopes = world.scopes();
    if (scopes === undefined || scopes.includes("project") || scopes.includes("read:project")) return;
    const held = scopes.map((scope) => `'${scope}'`).join(", ");
    fault(
      "INSUFFICIENT_SCOPES",
      `Your token has not been granted the required scopes to execute this query. The '${field}' field requires one of the following scopes: ['read:project'], but your token has only been granted the: [${held}] scopes.`,
    );
  };
  const views = {
    owner: (login: string, type: "Organization" | "User") => ({
      __typename: type,
      id: `${type === "User" ? "U" : "O"}_${login}`,
      login,
      projectV2({ number }: { number: number }) {
        requireScope("projectV2");
        const found = world.projects.find((project) => project.owner === login && project.number === number);
        if (found !== undefined && found.access !== "none") return views.project(found);
        return fault("NOT_FOUND", `Could not resolve to a ProjectV2 with the number ${number}.`);
      },
      projectsV2: (args: PageArgs) =>
        connection(
          "projectsV2",
          world.projects.filter((project) => project.owner === login && project.access !== "none"),
          args,
          views.project,
        ),
    }),
    project: (project: ProjectState) => ({
      __typename: "ProjectV2",
      id: project.id,
      fullDatabaseId: String(project.databaseId),
      number: project.number,
      title: project.title,
      url: `${world.api()}/${project.ownerType === "User" ? "users" : "orgs"}/${project.owner}/projects/${project.number}`,
      closed: project.closed,
      template: project.template,
      public: false,
      viewerCanUpdate: project.access === "write" && (world.scopes()?.includes("project") ?? true),
      owner: () => views.owner(project.owner, project.ownerType),
      field: ({ name }: { name: string }) => views.field(project.fields.find((field) => field.name === name)),
      fields: (args: PageArgs) => connection("fields", project.fields, args, (field) => views.field(field)),
      items: (args: PageArgs) => {
        if ((args.first ?? 0) > world.largestPage()) throw new HeavyQuery("too many");
        return connection("items", project.items, args, views.item);
      },
    }),
    field: (field: FieldState | undefined) =>
      field && {
        __typename: "ProjectV2SingleSelectField",
        id: field.id,
        name: field.name,
        dataType: "SINGLE_SELECT",
        options: () => field.options.map(optionView),
      },
    item: (item: ItemState) => ({
      __typename: "ProjectV2Item",
      id: item.id,
      fullDatabaseId: String(item.databaseId),
      type: item.hidden ? "REDACTED" : item.type,
      isArchived: item.archivedAt !== null,
      createdAt: item.createdAt,
      updatedAt: item.updatedAt,
      project: () => views.project(item.project),
      content: () => (item.hidden ? null : contentView(world, item)),
      fieldValueByName: ({ name }: { name: string }) =>
        views.value(
          item,
          item.project.fields.find((field) => field.name === name),
        ),
      fieldValues: (args: PageArgs) =>
        connection(
          "fieldValues",
          item.project.fields.filter(({ id }) => item.values.has(id)),
          args,
          (field) => views.value(item, field),
        ),
    }),
    value(item: ItemState, field: FieldState | undefined) {
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
        field: () => views.field(field),
      };
    },
    node(id: string) {
      for (const project of world.projects.filter(({ access }) => access !== "none")) {
        if (project.id === id) return views.project(project);
        const field = project.fields.find((candidate) => candidate.id === id);
        if (field !== undefined) return views.field(field);
        const item = project.items.find((candidate) => candidate.id === id);
        if (item !== undefined) return views.item(item);
        const content = project.items.find((candidate) => candidate.content.id === id && !candidate.hidden);
        if (content !== undefined) return contentView(world, content);
      }
      return fault("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
    },
  };
  return views;
}

function optionView(option: { readonly id: string; readonly name: string }) {
  return {
    id: option.id,
    name: option.name,
    nameHTML: option.name,
    color: "GRAY",
    description: "",
    descriptionHTML: "",
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

interface ItemInput {
  readonly projectId: string;
  readonly itemId: string;
}

interface ValueInput extends ItemInput {
  readonly fieldId: string;
  readonly value?: { readonly singleSelectOptionId?: string | null };
}

function createMutations(world: GraphqlWorld, views: Views) {
  const writable = (projectId: string, mutation: string): ProjectState => {
    const project = world.projects.find(({ id, access }) => id === projectId && access !== "none");
    if (project === undefined) return unresolved(projectId);
    if (project.access === "read" || world.scopes()?.includes("project") === false) {
      return fault(
        "FORBIDDEN",
        `${world.viewer} does not have the correct permissions to execute \`${mutation}\``,
      );
    }
    if (project.closed || project.template)
      return fault("FORBIDDEN", "The project is closed and cannot be updated");
    return project;
  };
  const itemOf = (project: ProjectState, itemId: string) =>
    project.items.find(({ id }) => id === itemId) ?? unresolved(itemId);
  const write = (mutation: string, input: ValueInput, optionId: string | null) => {
    const project = writable(input.projectId, mutation);
    const item = itemOf(project, input.itemId);
    const field = project.fields.find(({ id }) => id === input.fieldId) ?? unresolved(input.fieldId);
    if (item.archivedAt !== null) fault("VALIDATION", "The item is archived and cannot be updated");
    if (optionId && !field.options.some(({ id }) => id === optionId)) {
      fault("VALIDATION", "The single select option Id does not belong to the field");
    }
    // As on GitHub, an empty option is no error: it wipes the value.
    const change = setValue(item, field, optionId || null);
    if (change.from !== change.to)
      world.tell({ kind: "item", action: "edited", item, change, by: world.viewer });
    project.automation?.(item);
    return { clientMutationId: null, projectV2Item: views.item(item) };
  };
  return {
    updateProjectV2ItemFieldValue: ({ input }: { input: ValueInput }) =>
      write("UpdateProjectV2ItemFieldValue", input, input.value?.singleSelectOptionId ?? null),
    clearProjectV2ItemFieldValue: ({ input }: { input: ValueInput }) =>
      write("ClearProjectV2ItemFieldValue", input, null),
    archiveProjectV2Item: ({ input }: { input: ItemInput }) => ({
      item: views.item(
        setArchived(world, itemOf(writable(input.projectId, "ArchiveProjectV2Item"), input.itemId), true),
      ),
    }),
    unarchiveProjectV2Item: ({ input }: { input: ItemInput }) => ({
      item: views.item(
        setArchived(world, itemOf(writable(input.projectId, "UnarchiveProjectV2Item"), input.itemId), false),
      ),
    }),
    addProjectV2DraftIssue({ input }: { input: { projectId: string; title: string } }) {
      const item = addItem(
        writable(input.projectId, "AddProjectV2DraftIssue"),
        { title: input.title },
        undefined,
      );
      world.tell({ kind: "item", action: "created", item, by: world.viewer });
      return { projectItem: views.item(item) };
    },
    updateProjectV2Field({
      input,
    }: {
      input: { fieldId: string; name?: string; singleSelectOptions?: readonly { name: string }[] };
    }) {
      const owner = world.projects.find(({ fields }) => fields.some(({ id }) => id === input.fieldId));
      const project = writable(owner?.id ?? input.fieldId, "UpdateProjectV2Field");
      const field = project.fields.find(({ id }) => id === input.fieldId) ?? unresolved(input.fieldId);
      if (input.name) field.name = input.name;
      if (input.singleSelectOptions)
        replaceOptions(
          project,
          field,
          input.singleSelectOptions.map(({ name }) => name),
        );
      return { projectV2Field: views.field(field) };
    },
    addComment({ input }: { input: { subjectId: string; body: string } }) {
      const items = world.projects.flatMap((project) => project.items);
      const item = items.find(
        ({ content, hidden }) => content.id === input.subjectId && !hidden && content.repo,
      );
      if (item === undefined) return unresolved(input.subjectId);
      item.content.comments.push(input.body);
      item.content.updatedAt = now();
      return { clientMutationId: null };
    },
  };
}

export function setArchived(
  world: Pick<GraphqlWorld, "tell" | "viewer">,
  item: ItemState,
  archived: boolean,
): ItemState {
  item.archivedAt = archived ? now() : null;
  item.updatedAt = now();
  world.tell({ kind: "item", action: archived ? "archived" : "restored", item, by: world.viewer });
  return item;
}

/** A page as GitHub cuts it: `first` or `last` is required and at most a hundred. */
function connection<T, V>(name: string, rows: readonly T[], args: PageArgs, view: (row: T) => V) {
  const size = args.first ?? args.last;
  if (size === undefined || size === null) {
    return fault(
      "MISSING_PAGINATION_BOUNDARIES",
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  }
  if (size > 100) {
    return fault(
      "EXCESSIVE_PAGINATION",
      `Requesting ${size} records on the \`${name}\` connection exceeds the \`first\` limit of 100 records.`,
    );
  }
  const from = args.after
    ? Number(Buffer.from(args.after, "base64").toString().replace("cursor:v2:", ""))
    : 0;
  const page = args.first ? rows.slice(from, from + size) : rows.slice(-size);
  const cursor = (index: number) => Buffer.from(`cursor:v2:${index}`).toString("base64");
  const nodes = page.map(view);
  return {
    nodes,
    edges: nodes.map((node, index) => ({ node, cursor: cursor(from + index + 1) })),
    totalCount: rows.length,
    pageInfo: {
      hasNextPage: from + page.length < rows.length,
      hasPreviousPage: from > 0,
      startCursor: page.length > 0 ? cursor(from) : null,
      endCursor: page.length > 0 ? cursor(from + page.length) : null,
    },
  };
}

function fault(type: string, message: string): never {
  throw new GithubFault(type, message);
}

function unresolved(id: string): never {
  return fault("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
}
