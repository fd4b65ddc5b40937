import { isUuid } from "../keys.js";
import { discrepancy, invalidArgument, needsPriority, notFound } from "./faults.js";
import type { Login } from "./gate.js";
import { connection, type PageArguments, unarchived, viewIssue, viewTeam } from "./views.js";
import type { createWebhookResolvers } from "./webhook-resolvers.js";
import { type Issue, identifierOf, type Team, type Workspace } from "./workspace.js";

/** Linear's queries and mutations over the workspace, for one login. */

interface StringFilter {
  readonly eq?: string | null;
  readonly eqIgnoreCase?: string | null;
}
interface TeamFilter {
  readonly id?: { readonly eq?: string | null } | null;
  readonly key?: StringFilter | null;
  readonly name?: StringFilter | null;
  readonly or?: readonly TeamFilter[] | null;
}
interface IssueFilter {
  readonly team?: TeamFilter | null;
  readonly updatedAt?: { readonly gte?: string | null } | null;
}
type Ordered = PageArguments & { readonly orderBy?: "createdAt" | "updatedAt" | null };

export function createResolvers(
  workspace: Workspace,
  webhooks: ReturnType<typeof createWebhookResolvers>,
): Readonly<Record<string, unknown>> {
  const shown = (team: Team, { user }: Login) => !team.private || user.memberOf.includes(team.key);
  const view = (issue: Issue) => viewIssue(workspace, issue);

  function issueFor(id: string, login: Login): Issue {
    const issue =
      workspace.issues.get(id) ?? [...workspace.issues.values()].find((each) => identifierOf(each) === id);
    if (issue === undefined || !shown(issue.team, login)) throw notFound("Issue");
    return issue;
  }

  return {
    viewer: (_arguments: unknown, { user }: Login) => ({ id: user.id, name: user.name }),
    team({ id }: { id: string }, login: Login) {
      const team = workspace.teams.find((each) => each.id === id);
      if (team === undefined || !shown(team, login)) throw notFound("Team");
      return viewTeam(workspace, team);
    },
    teams({ filter, ...page }: PageArguments & { filter?: TeamFilter | null }, login: Login) {
      const found = workspace.teams.filter(
        (team) =>
          shown(team, login) &&
          matchesTeam(team, filter) &&
          (page.includeArchived === true || team.retiredAt === undefined),
      );
      return connection(found, page, (team) => viewTeam(workspace, team));
    },
    issue: ({ id }: { id: string }, login: Login) => view(issueFor(id, login)),
    issues({ filter, orderBy, ...page }: Ordered & { filter?: IssueFilter | null }, login: Login) {
      const all = [...workspace.issues.values()].filter(
        (issue) => shown(issue.team, login) && matchesIssue(issue, filter),
      );
      return connection(newestFirst(unarchived(all, page), orderBy ?? "createdAt"), page, view);
    },
    issueUpdate({ id, input }: { id: string; input: IssueInput }, login: Login) {
      const issue = issueFor(id, login);
      // It can be read, yet to a write it is not there.
      if (issue.archivedAt !== undefined) throw notFound("Issue");
      const change = changeFrom(workspace, issue, input);
      const success = !workspace.ignoresUpdate();
      if (success) workspace.change(issue, change, login.user);
      return { success, lastSyncId: 1, issue: view(issue) };
    },
    commentCreate({ input }: { input: { issueId?: string | null; body?: string | null } }, login: Login) {
      const issue = issueFor(input.issueId ?? "", login);
      if (issue.archivedAt !== undefined) throw notFound("Issue");
      if (!input.body) throw invalidArgument("body must not be empty.");
      issue.comments.push(input.body);
      return { success: true, lastSyncId: 1 };
    },
    ...webhooks,
  };
}

interface IssueInput {
  readonly stateId?: string | null;
  readonly priority?: number | null;
  readonly title?: string | null;
}

function changeFrom(workspace: Workspace, issue: Issue, { stateId, priority, title }: IssueInput) {
  if (typeof priority === "number" && (priority < 0 || priority > 4))
    throw invalidArgument("priority must not be greater than 4.");
  const change = {
    ...(typeof priority === "number" ? { priority } : {}),
    ...(typeof title === "string" ? { title } : {}),
  };
  if (typeof stateId !== "string") return change;
  if (!isUuid(stateId)) throw invalidArgument("stateId must be a UUID.");
  const state = workspace.stateOf(stateId);
  if (state === undefined || state.archivedAt !== undefined) throw notFound("WorkflowState");
  if (state.team !== issue.team) throw discrepancy();
  const leaves = issue.state.type === "triage" && state.type !== "triage";
  if (leaves && issue.team.requirePriorityToLeaveTriage && (change.priority ?? issue.priority) === 0)
    throw needsPriority();
  return { ...change, state };
}

function matchesTeam(team: Team, filter: TeamFilter | null | undefined): boolean {
  if (!filter) return true;
  const { id, key, name, or } = filter;
  if (id?.eq && team.id !== id.eq) return false;
  if (key && !matchesText(team.key, key)) return false;
  if (name && !matchesText(team.name, name)) return false;
  return !or || or.some((each) => matchesTeam(team, each));
}

function matchesText(text: string, { eq, eqIgnoreCase }: StringFilter): boolean {
  if (typeof eq === "string" && text !== eq) return false;
  return typeof eqIgnoreCase !== "string" || text.toLowerCase() === eqIgnoreCase.toLowerCase();
}

function matchesIssue(issue: Issue, filter: IssueFilter | null | undefined): boolean {
  if (!filter) return true;
  const since = filter.updatedAt?.gte;
  if (since && issue.updatedAt.getTime() < Date.parse(since)) return false;
  return matchesTeam(issue.team, filter.team);
}

/** Of several made at once, the one made last comes first. */
function newestFirst(issues: readonly Issue[], by: "createdAt" | "updatedAt"): readonly Issue[] {
  return issues.toReversed().toSorted((a, b) => b[by].getTime() - a[by].getTime());
}
