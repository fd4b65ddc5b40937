import type { GitRuleSeed, IssueSeed, StateSeed } from "./seed.js";
import { type Issue, identifierOf, type State, type Team, type Workspace } from "./workspace.js";

/** What people do to the board by hand. Each change of an issue sends the webhooks Linear would. */
export interface People {
  createIssue(seed: IssueSeed): Issue;
  /** Moves an issue, by UUID, identifier or former one, to a state by id or name. */
  moveIssue(issue: string, state: string): void;
  editTitle(issue: string, title: string): void;
  setPriority(issue: string, priority: number): void;
  archiveIssue(issue: string, archived?: boolean): void;
  trashIssue(issue: string): void;
  /** For good, as Linear does with what lay in the trash for thirty days. */
  deleteIssue(issue: string): void;
  /** Gives it a new identifier, and a state of the other team. */
  moveToTeam(issue: string, teamKey: string, state?: string): void;
  renameTeam(team: string, change: { readonly key?: string; readonly name?: string }): void;
  retireTeam(team: string): void;
  setGitRules(team: string, rules: readonly GitRuleSeed[]): void;
  /** What Linear's own automation does when this happens in git: moves the issue where the team's rule says. */
  gitEvent(issue: string, event: GitRuleSeed["event"]): void;
  setTriage(team: string, change: { readonly enabled?: boolean; readonly requirePriority?: boolean }): void;
  addState(state: StateSeed, team?: string): State;
  renameState(state: string, name: string): void;
  archiveState(state: string, archived?: boolean): void;
  reorderState(state: string, position: number): void;
  /** A state by id, or by name in a team. */
  state(nameOrId: string, team?: string): State;
  /** An issue by UUID, identifier or former one. */
  issue(id: string): Issue;
}

export function createPeople(workspace: Workspace): People {
  const { someoneElse: by, now } = workspace;

  function issueOf(id: string): Issue {
    const found =
      workspace.issues.get(id) ??
      [...workspace.issues.values()].find(
        (issue) => identifierOf(issue) === id || issue.previousIdentifiers.includes(id),
      );
    if (found === undefined) throw new Error(`The emulated workspace has no issue "${id}".`);
    return found;
  }

  return {
    createIssue: (seed) => workspace.addIssue(seed, by),
    moveIssue(id, state) {
      const issue = issueOf(id);
      workspace.change(issue, { state: workspace.stateNamed(issue.team, state) }, by);
    },
    editTitle: (id, title) => workspace.change(issueOf(id), { title }, by),
    setPriority: (id, priority) => workspace.change(issueOf(id), { priority }, by),
    archiveIssue: (id, archived = true) =>
      workspace.change(issueOf(id), { archivedAt: archived ? now() : undefined, trashed: false }, by),
    trashIssue: (id) => workspace.change(issueOf(id), { archivedAt: now(), trashed: true }, by),
    deleteIssue: (id) => workspace.remove(issueOf(id), by),
    moveToTeam(id, teamKey, state) {
      const issue = issueOf(id);
      const team = teamNamed(workspace, teamKey);
      issue.previousIdentifiers.push(identifierOf(issue));
      const target = state === undefined ? team.defaultState : workspace.stateNamed(team, state);
      workspace.change(issue, { team, number: team.nextNumber++, state: target }, by);
    },
    gitEvent(id, event) {
      const issue = issueOf(id);
      const rule = issue.team.gitRules.find((each) => each.event === event);
      if (rule?.state === undefined) return;
      workspace.change(issue, { state: workspace.stateNamed(issue.team, rule.state) }, by);
    },
    issue: issueOf,
    ...createAdministrators(workspace),
  };
}

function teamNamed(workspace: Workspace, idOrKey: string | undefined): Team {
  const team = idOrKey === undefined ? workspace.teams[0] : workspace.teamOf(idOrKey);
  if (team === undefined) throw new Error(`The emulated workspace has no team "${idOrKey}".`);
  return team;
}

function createAdministrators(workspace: Workspace) {
  const stateIn = (nameOrId: string, team?: string): State =>
    workspace.stateOf(nameOrId) ?? workspace.stateNamed(teamNamed(workspace, team), nameOrId);
  return {
    renameTeam(idOrKey: string, change: { readonly key?: string; readonly name?: string }) {
      const team = teamNamed(workspace, idOrKey);
      if (change.key !== undefined && change.key !== team.key) {
        for (const issue of workspace.issues.values())
          if (issue.team === team) issue.previousIdentifiers.push(identifierOf(issue));
      }
      Object.assign(team, change);
    },
    retireTeam(idOrKey: string) {
      teamNamed(workspace, idOrKey).retiredAt = workspace.now();
    },
    setGitRules(idOrKey: string, rules: readonly GitRuleSeed[]) {
      teamNamed(workspace, idOrKey).gitRules = rules;
    },
    setTriage(idOrKey: string, change: { readonly enabled?: boolean; readonly requirePriority?: boolean }) {
      const team = teamNamed(workspace, idOrKey);
      team.triageEnabled = change.enabled ?? team.triageEnabled;
      team.requirePriorityToLeaveTriage = change.requirePriority ?? team.requirePriorityToLeaveTriage;
    },
    addState: (state: StateSeed, team?: string) => workspace.addState(teamNamed(workspace, team), state),
    renameState(nameOrId: string, name: string) {
      stateIn(nameOrId).name = name;
    },
    archiveState(nameOrId: string, archived = true) {
      stateIn(nameOrId).archivedAt = archived ? workspace.now() : undefined;
    },
    reorderState(nameOrId: string, position: number) {
      stateIn(nameOrId).position = position;
    },
    state: stateIn,
  };
}
