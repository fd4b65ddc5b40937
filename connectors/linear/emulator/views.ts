import { invalidArgument } from "./faults.js";
import { type Issue, identifierOf, type State, type Team, type Workspace } from "./workspace.js";

/** The workspace as GraphQL sees it: objects whose fields are values, or functions where there is more behind. */

const DEFAULT_PAGE = 50;
const MOST = 250;

export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly includeArchived?: boolean | null;
}

/** One page of what is listed in this order. A cursor is the id of the last node of the page before. */
export function connection<T extends { readonly id: string }, V>(
  items: readonly T[],
  { first, after }: PageArguments,
  view: (item: T) => V,
) {
  const size = first ?? DEFAULT_PAGE;
  if (size < 1 || size > MOST) throw invalidArgument(`first must be between 1 and ${MOST}.`);
  const start = after ? items.findIndex(({ id }) => id === after) + 1 : 0;
  if (after && start === 0) throw invalidArgument("after must be a cursor of this list.");
  const page = items.slice(start, start + size);
  return {
    nodes: page.map(view),
    pageInfo: { endCursor: page.at(-1)?.id ?? null, hasNextPage: start + size < items.length },
  };
}

export function viewState(workspace: Workspace, state: State): object {
  const { id, name, type, position } = state;
  return {
    id,
    name,
    type,
    position,
    archivedAt: time(state.archivedAt),
    inheritedFrom: () => {
      const parent = state.inheritedFrom === undefined ? undefined : workspace.stateOf(state.inheritedFrom);
      return parent === undefined ? null : viewState(workspace, parent);
    },
  };
}

export function viewTeam(workspace: Workspace, team: Team): object {
  const state = (each: State) => viewState(workspace, each);
  const triage = team.states.find(({ type }) => type === "triage");
  const rules = team.gitRules.map((rule, index) => ({ ...rule, id: String(index) }));
  return {
    id: team.id,
    key: team.key,
    name: team.name,
    archivedAt: null,
    retiredAt: time(team.retiredAt),
    visibility: team.private ? "private" : "public",
    triageEnabled: team.triageEnabled,
    requirePriorityToLeaveTriage: team.requirePriorityToLeaveTriage,
    triageIssueState: () => (team.triageEnabled && triage !== undefined ? state(triage) : null),
    defaultIssueState: () => state(team.defaultState),
    // In the order of their making: which order is the board's own, the client works out.
    states: (page: PageArguments) => connection(unarchived(team.states, page), page, state),
    gitAutomationStates: (page: PageArguments) =>
      connection(rules, page, (rule) => ({
        event: rule.event,
        state: rule.state === undefined ? null : state(workspace.stateNamed(team, rule.state)),
        targetBranch: rule.branch === undefined ? null : { branchPattern: rule.branch },
      })),
  };
}

export function viewIssue(workspace: Workspace, issue: Issue): object {
  return {
    id: issue.id,
    identifier: identifierOf(issue),
    previousIdentifiers: issue.previousIdentifiers,
    title: issue.title,
    branchName: branchName(issue),
    priority: issue.priority,
    updatedAt: time(issue.updatedAt),
    archivedAt: time(issue.archivedAt),
    trashed: issue.trashed ? true : null,
    state: () => viewState(workspace, issue.state),
    team: () => viewTeam(workspace, issue.team),
  };
}

export function unarchived<T extends { readonly archivedAt: Date | undefined }>(
  items: readonly T[],
  { includeArchived }: PageArguments,
): readonly T[] {
  return includeArchived ? items : items.filter(({ archivedAt }) => archivedAt === undefined);
}

export function branchName(issue: Issue): string {
  const slug = issue.title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 40);
  return `robin/${identifierOf(issue).toLowerCase()}${slug === "" ? "" : `-${slug}`}`;
}

export function time(date: Date | undefined): string | null {
  return date === undefined ? null : date.toISOString();
}
