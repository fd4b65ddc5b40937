import {
  addItem,
  type ItemSeed,
  type ItemState,
  newOption,
  optionNamed,
  type ProjectEvent,
  type ProjectState,
  replaceOptions,
  setValue,
} from "./emulator-projects.js";
import { now, type Repo } from "./emulator-repos.js";

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
  const person = "octocat";
  const columns = () => {
    const field = project.fields[0];
    if (field === undefined) throw new Error("the emulated project has no field");
    return field;
  };
  const item = (reference: string): ItemState => {
    const found = project.items.find(({ id, content }) => {
      const key = content.repo === undefined ? undefined : `${content.repo.name}#${content.number}`;
      return id === reference || content.title === reference || key === reference;
    });
    if (found === undefined) throw new Error(`the emulated project has no item ${reference}`);
    return found;
  };
  const say = (
    action: "created" | "edited" | "archived" | "restored" | "deleted",
    of: ItemState,
    by = person,
  ) => tell({ kind: "item", action, item: of, by });
  const put = (of: ItemState, field = columns(), option: string | null, by = person) => {
    const change = setValue(of, field, option);
    tell({ kind: "item", action: "edited", item: of, change, by });
  };
  const setArchived = (reference: string, archived: boolean) => {
    const found = item(reference);
    found.archivedAt = archived ? now() : null;
    found.updatedAt = now();
    say(archived ? "archived" : "restored", found);
  };
  return {
    state: project,
    item,
    addItem(seed) {
      const added = addItem(
        project,
        seed,
        seed.repo === undefined ? undefined : repoNamed(seed.repo, project.owner),
      );
      say("created", added);
      return added;
    },
    removeItem(reference) {
      const found = item(reference);
      project.items.splice(project.items.indexOf(found), 1);
      say("deleted", found);
    },
    move: (reference, status, by) =>
      put(item(reference), columns(), status === null ? null : optionNamed(columns(), status).id, by),
    statusOf(reference) {
      const id = item(reference).values.get(columns().id);
      return columns().options.find((option) => option.id === id)?.name ?? null;
    },
    setOther(reference, name, option) {
      const field = project.fields.find((candidate) => candidate.name === name);
      if (field === undefined) throw new Error(`the emulated project has no field ${name}`);
      put(item(reference), field, optionNamed(field, option).id);
    },
    archive: (reference) => setArchived(reference, true),
    restore: (reference) => setArchived(reference, false),
    hide(reference) {
      item(reference).hidden = true;
    },
    rename(reference, title) {
      const { content } = item(reference);
      Object.assign(content, { title, updatedAt: now() });
    },
    editDraft(reference, { title, body }) {
      const found = item(reference);
      const draftBody = { from: found.content.body, to: body };
      Object.assign(found.content, { title, body, updatedAt: now() });
      tell({ kind: "item", action: "edited", item: found, draftBody, by: person });
    },
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
      if (field !== undefined) field.name = to;
    },
    optionId: (name) => optionNamed(columns(), name).id,
    change(facts) {
      Object.assign(project, facts);
      tell({ kind: "project", action: "edited", project, by: person });
    },
    automate(when, then) {
      project.automation = (moved) => {
        if (moved.values.get(columns().id) === optionNamed(columns(), when).id)
          put(moved, columns(), optionNamed(columns(), then).id, "github-project-automation");
      };
    },
  };
}
