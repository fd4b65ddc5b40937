import { fault, unresolved } from "./paging.js";
import {
  addItem,
  type FieldState,
  type ItemState,
  type ProjectState,
  replaceOptions,
  setValue,
} from "./projects.js";
import { now } from "./repos.js";
import { fieldView, type GraphqlWorld, itemView, nodeView, ownerView } from "./views.js";

/** The root of queries and mutations alike: graphql-js calls its functions by field name. */
export function createRoot(world: GraphqlWorld): object {
  const owned = (login: string) => {
    const project = world.projects.find(({ owner }) => owner.toLowerCase() === login.toLowerCase());
    return project && ownerView(world, project.owner, project.ownerType);
  };
  const needed = (login: string, type: "Organization" | "User") => {
    const owner = owned(login);
    if (owner?.__typename === type) return owner;
    const kind = type === "User" ? "a User" : "an Organization";
    return fault("NOT_FOUND", `Could not resolve to ${kind} with the login of '${login}'.`);
  };
  return {
    viewer: () => ({ __typename: "User", login: world.viewer, id: "U_viewer" }),
    repositoryOwner: ({ login }: { login: string }) => owned(login) ?? null,
    organization: ({ login }: { login: string }) => needed(login, "Organization"),
    user: ({ login }: { login: string }) => needed(login, "User"),
    node: ({ id }: { id: string }) => nodeView(world, id),
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map((id) => nodeView(world, id)),
    rateLimit: () => ({ cost: 1, limit: 5_000, nodeCount: 1, remaining: 4_999, used: 1, resetAt: now() }),
    ...valueMutations(world),
    ...otherMutations(world),
  };
}

interface ItemInput {
  readonly projectId: string;
  readonly itemId: string;
}

interface ValueInput extends ItemInput {
  readonly fieldId: string;
  readonly value?: { readonly singleSelectOptionId?: string | null };
}

interface FieldInput {
  readonly fieldId: string;
  readonly name?: string;
  readonly singleSelectOptions?: readonly { readonly name: string }[];
}

function writable(world: GraphqlWorld, projectId: string, mutation: string): ProjectState {
  const project = world.projects.find(({ id, access }) => id === projectId && access !== "none");
  if (project === undefined) return unresolved(projectId);
  if (project.access === "read" || world.scopes()?.includes("project") === false) {
    return fault(
      "FORBIDDEN",
      `${world.viewer} does not have the correct permissions to execute \`${mutation}\``,
    );
  }
  if (project.closed || project.template) {
    return fault("FORBIDDEN", "The project is closed and cannot be updated");
  }
  return project;
}

function itemOf(project: ProjectState, itemId: string): ItemState {
  return project.items.find(({ id }) => id === itemId) ?? unresolved(itemId);
}

function fieldOf(project: ProjectState, fieldId: string): FieldState {
  return project.fields.find(({ id }) => id === fieldId) ?? unresolved(fieldId);
}

function valueMutations(world: GraphqlWorld) {
  const write = (mutation: string, input: ValueInput, optionId: string | null) => {
    const project = writable(world, input.projectId, mutation);
    const item = itemOf(project, input.itemId);
    const field = fieldOf(project, input.fieldId);
    if (item.archivedAt !== null) fault("VALIDATION", "The item is archived and cannot be updated");
    if (optionId && !field.options.some(({ id }) => id === optionId)) {
      fault("VALIDATION", "The single select option Id does not belong to the field");
    }
    // As on GitHub, an empty option is no error: it wipes the value.
    const change = setValue(item, field, optionId || null);
    if (change.from !== change.to)
      world.tell({ kind: "item", action: "edited", item, change, by: world.viewer });
    project.automation?.(item);
    return { clientMutationId: null, projectV2Item: itemView(world, item) };
  };
  return {
    updateProjectV2ItemFieldValue: ({ input }: { input: ValueInput }) =>
      write("UpdateProjectV2ItemFieldValue", input, input.value?.singleSelectOptionId ?? null),
    clearProjectV2ItemFieldValue: ({ input }: { input: ValueInput }) =>
      write("ClearProjectV2ItemFieldValue", input, null),
  };
}

function otherMutations(world: GraphqlWorld) {
  const setArchived = (input: ItemInput, mutation: string, archived: boolean) => {
    const item = itemOf(writable(world, input.projectId, mutation), input.itemId);
    item.archivedAt = archived ? now() : null;
    item.updatedAt = now();
    world.tell({ kind: "item", action: archived ? "archived" : "restored", item, by: world.viewer });
    return { item: itemView(world, item) };
  };
  return {
    archiveProjectV2Item: ({ input }: { input: ItemInput }) =>
      setArchived(input, "ArchiveProjectV2Item", true),
    unarchiveProjectV2Item: ({ input }: { input: ItemInput }) =>
      setArchived(input, "UnarchiveProjectV2Item", false),
    addProjectV2DraftIssue({ input }: { input: { projectId: string; title: string } }) {
      const project = writable(world, input.projectId, "AddProjectV2DraftIssue");
      const item = addItem(project, { title: input.title }, undefined);
      world.tell({ kind: "item", action: "created", item, by: world.viewer });
      return { projectItem: itemView(world, item) };
    },
    updateProjectV2Field({ input }: { input: FieldInput }) {
      const owner = world.projects.find(({ fields }) => fields.some(({ id }) => id === input.fieldId));
      const project = writable(world, owner?.id ?? input.fieldId, "UpdateProjectV2Field");
      const field = fieldOf(project, input.fieldId);
      if (input.name) field.name = input.name;
      const names = input.singleSelectOptions?.map(({ name }) => name);
      if (names !== undefined) replaceOptions(project, field, names);
      return { projectV2Field: fieldView(field) };
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
