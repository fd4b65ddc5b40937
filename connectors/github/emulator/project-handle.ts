import {
  addItem,
  type FieldState,
  type ItemSeed,
  type ItemState,
  newOption,
  optionNamed,
  type ProjectEvent,
  type ProjectState,
  replaceOptions,
  setValue,
} from "./projects.js";
import { now, type Repo } from "./repos.js";

/** One emulated project as its people use it: each of these is what a click on GitHub's own page would do. */
export interface ProjectHandle {
  readonly state: ProjectState;
  /** An item by its id, title or `repo#number`. */
  item(reference: string): ItemState;
  addItem(seed: ItemSeed): ItemState;
  removeItem(reference: string): void;
  /** Drags a card; `null` is No Status. */
  move(reference: string, status: string | null, by?: string): void;
  statusOf(reference: string): string | null;
  /** A change of a field that is not the columns'. */
  setOther(reference: string, field: string, option: string): void;
  archive(reference: string): void;
  restore(reference: string): void;
  /** Its repository is no longer visible to the token. */
  hide(reference: string): void;
  /** GitHub tells nobody that an issue's title has changed: not through a project's webhook. */
  rename(reference: string, title: string): void;
  editDraft(reference: string, text: { readonly title: string; readonly body: string }): void;
  /** Options edited on the page keep their ids. */
  addOption(name: string): string;
  renameOption(from: string, to: string): void;
  removeOption(name: string): void;
  /** Options edited through the API all get new ids, and the items lose theirs. */
  replaceOptions(names: readonly string[]): void;
  renameField(from: string, to: string): void;
  optionId(name: string): string;
  change(facts: Partial<Pick<ProjectState, "title" | "closed" | "template" | "access">>): void;
  /** A rule of the project's own: whoever puts an item there finds it elsewhere. */
  automate(when: string, then: string): void;
}

export function createProjectHandle(
  project: ProjectState,
  repoNamed: (name: string, owner: string) => Repo,
  tell: (event: ProjectEvent) => void,
): ProjectHandle {
  const parts: Parts = { project, repoNamed, tell };
  return { state: project, ...itemActions(parts), ...fieldActions(parts) };
}

interface Parts {
  readonly project: ProjectState;
  readonly repoNamed: (name: string, owner: string) => Repo;
  readonly tell: (event: ProjectEvent) => void;
}

/** Whoever clicks, unless a test says who. */
const PERSON = "octocat";

function columnsOf(project: ProjectState): FieldState {
  return found(project.fields[0], "field of columns");
}

function findItem(project: ProjectState, reference: string): ItemState {
  const item = project.items.find(({ id, content }) => {
    const key = content.repo === undefined ? undefined : `${content.repo.name}#${content.number}`;
    return id === reference || content.title === reference || key === reference;
  });
  return found(item, `item ${reference}`);
}

function found<T>(thing: T | undefined, what: string): T {
  if (thing === undefined) throw new Error(`the emulated project has no ${what}`);
  return thing;
}

function put({ tell }: Parts, item: ItemState, field: FieldState, option: string | null, by = PERSON): void {
  const change = setValue(item, field, option);
  tell({ kind: "item", action: "edited", item, change, by });
}

type ItemActions = Pick<
  ProjectHandle,
  | "item"
  | "addItem"
  | "removeItem"
  | "move"
  | "statusOf"
  | "setOther"
  | "archive"
  | "restore"
  | "hide"
  | "rename"
  | "editDraft"
>;

function itemActions(parts: Parts): ItemActions {
  const { project, repoNamed, tell } = parts;
  const item = (reference: string) => findItem(project, reference);
  const columns = () => columnsOf(project);
  const setArchived = (reference: string, archived: boolean) => {
    const at = now();
    const changed = Object.assign(item(reference), { archivedAt: archived ? at : null, updatedAt: at });
    tell({ kind: "item", action: archived ? "archived" : "restored", item: changed, by: PERSON });
  };
  return {
    item,
    addItem(seed) {
      const repo = seed.repo === undefined ? undefined : repoNamed(seed.repo, project.owner);
      const added = addItem(project, seed, repo);
      tell({ kind: "item", action: "created", item: added, by: PERSON });
      return added;
    },
    removeItem(reference) {
      const removed = item(reference);
      project.items.splice(project.items.indexOf(removed), 1);
      tell({ kind: "item", action: "deleted", item: removed, by: PERSON });
    },
    move(reference, status, by) {
      const option = status === null ? null : optionNamed(columns(), status).id;
      put(parts, item(reference), columns(), option, by);
    },
    statusOf(reference) {
      const id = item(reference).values.get(columns().id);
      return columns().options.find((option) => option.id === id)?.name ?? null;
    },
    setOther(reference, name, option) {
      const field = found(
        project.fields.find((candidate) => candidate.name === name),
        `field ${name}`,
      );
      put(parts, item(reference), field, optionNamed(field, option).id);
    },
    archive: (reference) => setArchived(reference, true),
    restore: (reference) => setArchived(reference, false),
    hide(reference) {
      item(reference).hidden = true;
    },
    rename(reference, title) {
      Object.assign(item(reference).content, { title, updatedAt: now() });
    },
    editDraft(reference, { title, body }) {
      const edited = item(reference);
      const draftBody = { from: edited.content.body, to: body };
      Object.assign(edited.content, { title, body, updatedAt: now() });
      tell({ kind: "item", action: "edited", item: edited, draftBody, by: PERSON });
    },
  };
}

function fieldActions(parts: Parts): Omit<ProjectHandle, keyof ItemActions | "state"> {
  const { project, tell } = parts;
  const columns = () => columnsOf(project);
  return {
    addOption(name) {
      const option = newOption(name);
      columns().options.push(option);
      return option.id;
    },
    renameOption(from, to) {
      optionNamed(columns(), from).name = to;
    },
    removeOption(name) {
      const { id } = optionNamed(columns(), name);
      columns().options = columns().options.filter((option) => option.id !== id);
      for (const { values } of project.items)
        if (values.get(columns().id) === id) values.delete(columns().id);
    },
    replaceOptions: (names) => replaceOptions(project, columns(), names),
    renameField(from, to) {
      const field = project.fields.find(({ name }) => name === from);
      found(field, `field ${from}`).name = to;
    },
    optionId: (name) => optionNamed(columns(), name).id,
    change(facts) {
      Object.assign(project, facts);
      tell({ kind: "project", action: "edited", project, by: PERSON });
    },
    automate(when, then) {
      const [start, end] = [optionNamed(columns(), when).id, optionNamed(columns(), then).id];
      project.automation = (item) => {
        if (item.values.get(columns().id) === start)
          put(parts, item, columns(), end, "github-project-automation");
      };
    },
  };
}
