import { now, type Repo, takeId } from "./repos.js";

/** The projects of the emulated GitHub: fields, options, items. State only; no HTTP, no GraphQL. */

export interface ProjectSeed {
  readonly owner: string;
  readonly ownerType?: "Organization" | "User";
  readonly number?: number;
  readonly title?: string;
  readonly closed?: boolean;
  readonly template?: boolean;
  /** Single-select fields with their options' names. By default one Status field. */
  readonly fields?: readonly { readonly name: string; readonly options: readonly string[] }[];
  readonly items?: readonly ItemSeed[];
}

export interface ItemSeed {
  readonly type?: "ISSUE" | "PULL_REQUEST" | "DRAFT_ISSUE";
  readonly title: string;
  /** Name of a repository of the same owner, or `owner/name`. Drafts have none. */
  readonly repo?: string;
  /** Name of an option of the first field; left out, No Status. */
  readonly status?: string;
  readonly archived?: boolean;
  /** In a repository the token cannot see. */
  readonly hidden?: boolean;
  readonly branches?: readonly string[];
}

export interface OptionState {
  id: string;
  name: string;
}

export interface FieldState {
  readonly id: string;
  name: string;
  options: OptionState[];
}

export interface ItemState {
  readonly id: string;
  readonly databaseId: number;
  readonly project: ProjectState;
  readonly type: "ISSUE" | "PULL_REQUEST" | "DRAFT_ISSUE";
  readonly content: ContentState;
  hidden: boolean;
  archivedAt: string | null;
  readonly createdAt: string;
  updatedAt: string;
  /** Option id by field id. */
  readonly values: Map<string, string>;
}

export interface ContentState {
  readonly id: string;
  title: string;
  readonly number: number;
  readonly repo: Repo | undefined;
  readonly branches: readonly string[];
  body: string;
  readonly comments: string[];
  updatedAt: string;
}

export interface ProjectState {
  readonly id: string;
  readonly databaseId: number;
  readonly owner: string;
  readonly ownerType: "Organization" | "User";
  readonly number: number;
  title: string;
  closed: boolean;
  template: boolean;
  /** What the emulator's token may do with it. */
  access: "none" | "read" | "write";
  readonly fields: FieldState[];
  readonly items: ItemState[];
  /** A rule of the board's own, run after a value was set. */
  automation: ((item: ItemState) => void) | undefined;
}

/** Something happened to an item or a project, and webhooks are told. */
export type ProjectEvent =
  | {
      readonly kind: "item";
      readonly action: ItemAction;
      readonly item: ItemState;
      readonly by: string;
      readonly change?: ValueChange;
      readonly draftBody?: TextChange;
    }
  | {
      readonly kind: "project";
      readonly action: "edited" | "closed" | "reopened";
      readonly project: ProjectState;
      readonly by: string;
    };

export type ItemAction = "created" | "edited" | "archived" | "restored" | "deleted" | "reordered";

export interface TextChange {
  readonly from: string;
  readonly to: string;
}

export interface ValueChange {
  readonly field: FieldState;
  readonly from: OptionState | null;
  readonly to: OptionState | null;
}

const DEFAULT_FIELDS = [{ name: "Status", options: ["Todo", "In Progress", "In Review", "Done"] }];

export function createProject(seed: ProjectSeed, number: number): ProjectState {
  const databaseId = takeId();
  return {
    id: nodeId("PVT_kwDO", databaseId),
    databaseId,
    owner: seed.owner,
    ownerType: seed.ownerType ?? "Organization",
    number: seed.number ?? number,
    title: seed.title ?? "Roadmap",
    closed: seed.closed ?? false,
    template: seed.template ?? false,
    access: "write",
    fields: (seed.fields ?? DEFAULT_FIELDS).map(({ name, options }) => ({
      id: nodeId("PVTSSF_lADO", takeId()),
      name,
      options: options.map(newOption),
    })),
    items: [],
    automation: undefined,
  };
}

/** Option ids are eight hex digits. */
export function newOption(name: string): OptionState {
  return { id: (takeId() * 2_654_435_761).toString(16).slice(-8).padStart(8, "0"), name };
}

export function addItem(project: ProjectState, seed: ItemSeed, repo: Repo | undefined): ItemState {
  const type = seed.type ?? (repo === undefined ? "DRAFT_ISSUE" : "ISSUE");
  const databaseId = takeId();
  const at = now();
  const item: ItemState = {
    id: nodeId("PVTI_lADO", databaseId),
    databaseId,
    project,
    type,
    content: {
      id: nodeId({ ISSUE: "I_kwDO", PULL_REQUEST: "PR_kwDO", DRAFT_ISSUE: "DI_lADO" }[type], takeId()),
      title: seed.title,
      number: repo === undefined ? 0 : repo.nextNumber++,
      repo,
      branches: seed.branches ?? [],
      body: "",
      comments: [],
      updatedAt: at,
    },
    hidden: seed.hidden ?? false,
    archivedAt: seed.archived ? at : null,
    createdAt: at,
    updatedAt: at,
    values: new Map(),
  };
  const field = project.fields[0];
  if (seed.status !== undefined && field !== undefined)
    item.values.set(field.id, optionNamed(field, seed.status).id);
  project.items.push(item);
  return item;
}

export function optionNamed(field: FieldState, name: string): OptionState {
  const option = field.options.find((candidate) => candidate.name === name);
  if (option === undefined) throw new Error(`the emulator's field ${field.name} has no option ${name}`);
  return option;
}

/** Sets or clears a value, and says what changed. */
export function setValue(item: ItemState, field: FieldState, optionId: string | null): ValueChange {
  const option = (id: string | null | undefined) =>
    field.options.find((candidate) => candidate.id === id) ?? null;
  const change = { field, from: option(item.values.get(field.id)), to: option(optionId) };
  if (change.to === null) item.values.delete(field.id);
  else item.values.set(field.id, change.to.id);
  item.updatedAt = now();
  return change;
}

/** What GitHub's API does when options are edited: all ids are new, and every item loses its value. */
export function replaceOptions(project: ProjectState, field: FieldState, names: readonly string[]): void {
  field.options = names.map(newOption);
  for (const item of project.items) item.values.delete(field.id);
}

function nodeId(prefix: string, id: number): string {
  const bytes = Buffer.alloc(9);
  bytes.writeUInt32BE(id, 5);
  return `${prefix}${bytes.toString("base64url")}`;
}
