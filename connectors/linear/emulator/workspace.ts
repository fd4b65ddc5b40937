import { randomBytes, randomUUID } from "node:crypto";
import type { GitRuleSeed, IssueSeed, LinearWorkspaceSeed, StateSeed, TeamSeed, UserSeed } from "./seed.js";

/** A workspace kept in memory. */

export interface State {
  readonly id: string;
  readonly team: Team;
  name: string;
  readonly type: string;
  position: number;
  archivedAt: Date | undefined;
  readonly inheritedFrom: string | undefined;
}

export interface Team {
  readonly id: string;
  key: string;
  name: string;
  readonly states: State[];
  defaultState: State;
  triageEnabled: boolean;
  requirePriorityToLeaveTriage: boolean;
  readonly private: boolean;
  retiredAt: Date | undefined;
  gitRules: readonly GitRuleSeed[];
  nextNumber: number;
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  readonly admin: boolean;
  readonly memberOf: readonly string[];
}

export interface Issue {
  readonly id: string;
  team: Team;
  number: number;
  readonly previousIdentifiers: string[];
  title: string;
  state: State;
  priority: number;
  readonly comments: string[];
  readonly createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | undefined;
  trashed: boolean;
}

/** `before` holds what changed, as it was. */
export interface IssueEvent {
  readonly action: "create" | "update" | "remove";
  readonly issue: Issue;
  readonly by: User;
  readonly before: Readonly<Record<string, unknown>>;
}

type Change = Partial<
  Pick<Issue, "title" | "state" | "priority" | "team" | "number" | "archivedAt" | "trashed">
>;

export interface Workspace {
  readonly teams: Team[];
  readonly issues: Map<string, Issue>;
  readonly users: readonly User[];
  /** Who moves things about when nobody says who. */
  readonly someoneElse: User;
  readonly now: () => Date;
  teamOf(idOrKey: string): Team | undefined;
  stateOf(id: string): State | undefined;
  /** By id, or by name within a team. */
  stateNamed(team: Team, nameOrId: string): State;
  addState(team: Team, seed: StateSeed): State;
  addIssue(seed: IssueSeed, by: User): Issue;
  change(issue: Issue, change: Change, by: User): void;
  remove(issue: Issue, by: User): void;
  /** Makes the next `times` updates come to nothing, which Linear tells by `success: false` alone. */
  ignoreUpdates(times: number): void;
  /** Whether the update at hand is one of those. */
  ignoresUpdate(): boolean;
}

export function identifierOf({ team, number }: Pick<Issue, "team" | "number">): string {
  return `${team.key}-${number}`;
}

export function createWorkspace(
  seed: LinearWorkspaceSeed,
  now: () => Date,
  tell: (event: IssueEvent) => void,
): Workspace {
  const teams = seed.teams.map((team) => teamFrom(team, now));
  const issues = new Map<string, Issue>();
  const users = (seed.users ?? [{ name: "Robin", admin: true }]).map(userFrom);
  const someoneElse = userFrom({ name: "Someone else", admin: true });

  let ignored = 0;

  const workspace: Workspace = {
    teams,
    issues,
    users,
    someoneElse,
    now,
    teamOf: (idOrKey) => teams.find((team) => team.id === idOrKey || team.key === idOrKey),
    stateOf: (id) => teams.flatMap((team) => team.states).find((state) => state.id === id),
    stateNamed,
    addState: (team, state) => addState(team, state, now()),
    addIssue(issue, by) {
      const made = issueFrom(issue, workspace);
      issues.set(made.id, made);
      tell({ action: "create", issue: made, by, before: {} });
      return made;
    },
    change(issue, change, by) {
      const before = beforeOf(issue, change);
      Object.assign(issue, change, { updatedAt: now() });
      if (Object.keys(before).length > 0) tell({ action: "update", issue, by, before });
    },
    remove(issue, by) {
      issues.delete(issue.id);
      tell({ action: "remove", issue, by, before: {} });
    },
    ignoreUpdates(times) {
      ignored = times;
    },
    ignoresUpdate: () => ignored > 0 && ignored-- > 0,
  };
  for (const issue of seed.issues ?? []) workspace.addIssue(issue, someoneElse);
  return workspace;
}

function teamFrom(seed: TeamSeed, now: () => Date): Team {
  const team = {
    id: seed.id ?? randomUUID(),
    key: seed.key,
    name: seed.name,
    states: [] as State[],
    triageEnabled: seed.triageEnabled === true,
    requirePriorityToLeaveTriage: seed.requirePriorityToLeaveTriage === true,
    private: seed.private === true,
    retiredAt: seed.retired === true ? now() : undefined,
    gitRules: seed.gitRules ?? [],
    nextNumber: 1,
  } as Omit<Team, "defaultState"> as Team;
  for (const state of seed.states) addState(team, state, now());
  const usual = team.states.find(({ type }) => type === "unstarted" || type === "backlog") ?? team.states[0];
  const chosen = seed.defaultState === undefined ? usual : stateNamed(team, seed.defaultState);
  if (chosen === undefined) throw new Error(`The emulated team ${seed.key} needs a state.`);
  team.defaultState = chosen;
  return team;
}

function addState(team: Team, seed: StateSeed, at: Date): State {
  const last = Math.max(-1, ...team.states.filter(({ type }) => type === seed.type).map((s) => s.position));
  const state = {
    id: seed.id ?? randomUUID(),
    team,
    name: seed.name,
    type: seed.type,
    position: seed.position ?? last + 1,
    archivedAt: seed.archived === true ? at : undefined,
    inheritedFrom: seed.inheritedFrom,
  };
  team.states.push(state);
  return state;
}

function stateNamed(team: Team, nameOrId: string): State {
  const found =
    team.states.find(({ id }) => id === nameOrId) ?? team.states.find(({ name }) => name === nameOrId);
  if (found === undefined) throw new Error(`The emulated team ${team.key} has no state "${nameOrId}".`);
  return found;
}

function userFrom(seed: UserSeed): User {
  return {
    id: seed.id ?? randomUUID(),
    name: seed.name,
    apiKey: seed.apiKey ?? `lin_api_${randomBytes(20).toString("hex")}`,
    admin: seed.admin === true,
    memberOf: seed.memberOf ?? [],
  };
}

function issueFrom(seed: IssueSeed, { teams, teamOf, now }: Workspace): Issue {
  const team = seed.team === undefined ? teams[0] : teamOf(seed.team);
  if (team === undefined) throw new Error(`The emulated workspace has no team "${seed.team}".`);
  const at = now();
  return {
    id: seed.id ?? randomUUID(),
    team,
    number: team.nextNumber++,
    previousIdentifiers: [],
    title: seed.title,
    state: seed.state === undefined ? team.defaultState : stateNamed(team, seed.state),
    priority: seed.priority ?? 0,
    comments: [],
    createdAt: at,
    updatedAt: at,
    archivedAt: seed.archived === true ? at : undefined,
    trashed: false,
  };
}

/** Linear's names for what changed. */
function beforeOf(issue: Issue, change: Change): Record<string, unknown> {
  const before: Record<string, unknown> = {};
  if (change.title !== undefined && change.title !== issue.title) before.title = issue.title;
  if (change.state !== undefined && change.state !== issue.state) before.stateId = issue.state.id;
  if (change.team !== undefined && change.team !== issue.team) before.teamId = issue.team.id;
  if (change.priority !== undefined && change.priority !== issue.priority) before.priority = issue.priority;
  if ("archivedAt" in change) before.archivedAt = issue.archivedAt ?? null;
  return before;
}
