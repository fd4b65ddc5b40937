import type { IssueSeed, StatusSeed, TransitionSeed } from "./seed.js";
import { changeWorkflow, first, type Issue, type Project, type Site, SOMEONE_ELSE } from "./site.js";

/** What people do to the board by hand, without asking anybody's workflow. Each sends the webhooks Jira would. */
export interface People {
  createIssue(seed: IssueSeed): Issue;
  /** Drags a card, by id, key or former key, to a status by id or name. */
  moveIssue(issue: string, status: string): void;
  editTitle(issue: string, title: string): void;
  archiveIssue(issue: string, archived?: boolean): void;
  deleteIssue(issue: string): void;
  /** Gives it a new key, and the type and status named, in another project. */
  moveToProject(
    issue: string,
    projectKey: string,
    to: { readonly type: string; readonly status: string },
  ): void;
  archiveProject(archived?: boolean): void;
  renameStatus(status: string, name: string): void;
  /** Adds a status to a workflow, and to a column of its own name unless told otherwise. */
  addStatus(status: StatusSeed, options?: { readonly workflow?: string; readonly column?: false }): void;
  /** Takes a status out of every workflow and column of the project, with the transitions that touch it. */
  removeStatus(status: string): void;
  addTransition(transition: TransitionSeed, workflow?: string): void;
  removeTransition(id: string, workflow?: string): void;
  /** Changes a transition in place: its name, screen, rule or condition. */
  editTransition(id: string, change: Partial<TransitionSeed>, workflow?: string): void;
}

export function createPeople(site: Site): People {
  const project = (): Project => first(site.projects);

  function issueOf(idOrKey: string): Issue {
    const issue = site.issueOf(idOrKey);
    if (issue === undefined) throw new Error(`The emulated site has no issue "${idOrKey}".`);
    return issue;
  }

  function workflowOf(nameOrId: string | undefined) {
    const all = site.projects.flatMap((each) => each.workflows);
    if (nameOrId === undefined) return first(all);
    const found = all.find((workflow) => workflow.name === nameOrId || workflow.id === nameOrId);
    if (found === undefined) throw new Error(`The emulated site has no workflow "${nameOrId}".`);
    return found;
  }

  return {
    createIssue: (seed) => site.addIssue(seed, project(), SOMEONE_ELSE),
    moveIssue: (issue, status) => site.setStatus(issueOf(issue), site.statusNamed(status).id, SOMEONE_ELSE),
    editTitle(idOrKey, title) {
      site.retitle(issueOf(idOrKey), title, SOMEONE_ELSE);
    },
    archiveIssue(issue, archived = true) {
      issueOf(issue).archived = archived;
    },
    deleteIssue: (issue) => site.remove(issueOf(issue), SOMEONE_ELSE),
    moveToProject(idOrKey, projectKey, to) {
      const issue = issueOf(idOrKey);
      const home = site.projectOf(projectKey);
      const type = home?.issueTypes.find((each) => each.id === to.type || each.name === to.type);
      if (home === undefined || type === undefined)
        throw new Error(`No "${to.type}" in project "${projectKey}".`);
      const key = `${home.key}-${home.nextNumber++}`;
      const items = [
        {
          field: "project",
          from: issue.project.id,
          fromString: issue.project.name,
          to: home.id,
          toString: home.name,
        },
        { field: "Key", from: null, fromString: issue.key, to: null, toString: key },
      ];
      issue.formerKeys.push(issue.key);
      Object.assign(issue, { key, project: home, type });
      site.setStatus(issue, site.statusNamed(to.status).id, SOMEONE_ELSE, items);
    },
    archiveProject(archived = true) {
      project().archived = archived;
    },
    ...createAdministrators(site, project, workflowOf),
  };
}

function createAdministrators(
  site: Site,
  project: () => Project,
  workflowOf: (nameOrId: string | undefined) => Project["workflows"][number],
) {
  return {
    renameStatus(nameOrId: string, name: string) {
      const status = site.statusNamed(nameOrId);
      site.statuses.set(status.id, { ...status, name });
    },
    addStatus(status: StatusSeed, options: { readonly workflow?: string; readonly column?: false } = {}) {
      site.statuses.set(status.id, status);
      const workflow = workflowOf(options.workflow);
      changeWorkflow(workflow, { statuses: [...workflow.statuses, status.id] });
      if (options.column !== false) project().columns?.push({ name: status.name, statuses: [status.id] });
    },
    removeStatus(nameOrId: string) {
      const { id } = site.statusNamed(nameOrId);
      for (const workflow of project().workflows) {
        changeWorkflow(workflow, {
          statuses: workflow.statuses.filter((each) => each !== id),
          transitions: workflow.transitions.flatMap((each) => without(each, id)),
        });
      }
      for (const column of project().columns ?? [])
        column.statuses = column.statuses.filter((each) => each !== id);
    },
    addTransition(transition: TransitionSeed, name?: string) {
      const workflow = workflowOf(name);
      changeWorkflow(workflow, { transitions: [...workflow.transitions, transition] });
    },
    removeTransition(id: string, name?: string) {
      const workflow = workflowOf(name);
      changeWorkflow(workflow, { transitions: workflow.transitions.filter((each) => each.id !== id) });
    },
    editTransition(id: string, change: Partial<TransitionSeed>, name?: string) {
      const workflow = workflowOf(name);
      const transitions = workflow.transitions.map((each) =>
        each.id === id ? { ...each, ...change } : each,
      );
      changeWorkflow(workflow, { transitions });
    },
  };
}

function without(transition: TransitionSeed, status: string): TransitionSeed[] {
  if (transition.to === status) return [];
  if (transition.from === "*") return [transition];
  const from = [transition.from].flat().filter((each) => each !== status);
  return from.length === 0 ? [] : [{ ...transition, from }];
}
