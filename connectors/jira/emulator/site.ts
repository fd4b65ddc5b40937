import { randomUUID } from "node:crypto";
import type {
  AccountSeed,
  IssueSeed,
  IssueTypeSeed,
  JiraSiteSeed,
  Permission,
  ProjectSeed,
  StatusSeed,
  TransitionSeed,
} from "./seed.js";

/** An emulated site's state, in memory, and what can happen to it. No HTTP here. */

export interface Workflow {
  readonly id: string;
  readonly name: string;
  issueTypes: string[];
  initial: string;
  statuses: string[];
  transitions: TransitionSeed[];
  version: number;
}

export interface Project {
  readonly id: string;
  key: string;
  name: string;
  style: "classic" | "next-gen";
  archived: boolean;
  issueTypes: IssueTypeSeed[];
  workflows: Workflow[];
  boardId: number;
  columns: { name: string; statuses: string[] }[] | undefined;
  nextNumber: number;
}

export interface ChangeItem {
  readonly field: string;
  readonly from: string | null;
  readonly fromString: string | null;
  readonly to: string | null;
  readonly toString: string | null;
}

export interface Issue {
  readonly id: string;
  key: string;
  formerKeys: string[];
  project: Project;
  type: IssueTypeSeed;
  title: string;
  status: string;
  created: Date;
  updated: Date;
  archived: boolean;
  readonly values: Map<string, unknown>;
  readonly comments: { id: string; body: unknown; author: AccountSeed; created: Date }[];
  readonly changes: { id: string; author: AccountSeed; created: Date; items: ChangeItem[] }[];
}

export interface IssueEvent {
  readonly kind: "created" | "updated" | "deleted";
  readonly issue: Issue;
  readonly by: AccountSeed;
  readonly items: readonly ChangeItem[];
}

export const DEFAULT_ACCOUNT: AccountSeed = {
  accountId: "5b10a2844c20165700ede21g",
  displayName: "Boardwalk",
  email: "boardwalk@example.com",
  apiToken: "emulated-api-token",
};
/** Someone who drags cards by hand. */
export const SOMEONE_ELSE: AccountSeed = {
  accountId: "5b10ac8d82e05b22cc7d4ef5",
  displayName: "Colleague",
  email: "colleague@example.com",
  apiToken: "emulated-other-token",
};

export type Site = ReturnType<typeof createSite>;

export function createSite(seed: JiraSiteSeed, now: () => Date, emit: (event: IssueEvent) => void) {
  const statuses = new Map<string, StatusSeed>();
  const projects: Project[] = [];
  const issues = new Map<string, Issue>();
  const accounts: AccountSeed[] = [...(seed.accounts ?? [DEFAULT_ACCOUNT]), SOMEONE_ELSE];
  let lastId = 10_000;
  const nextId = () => String(++lastId);

  for (const projectSeed of [seed, ...(seed.otherProjects ?? [])]) addProject(projectSeed);

  function addProject(from: ProjectSeed): void {
    for (const status of from.statuses) statuses.set(status.id, status);
    const typeId = (nameOrId: string) =>
      from.issueTypes.find((type) => type.id === nameOrId || type.name === nameOrId)?.id ?? nameOrId;
    const project: Project = {
      id: from.project.id ?? nextId(),
      key: from.project.key,
      name: from.project.name,
      style: from.project.style ?? "classic",
      archived: from.project.archived ?? false,
      issueTypes: [...from.issueTypes],
      workflows: from.workflows.map((workflow) => ({
        id: workflow.id ?? randomUUID(),
        name: workflow.name,
        issueTypes: workflow.issueTypes.map(typeId),
        initial: workflow.initial,
        statuses: [...(workflow.statuses ?? namedStatuses(from, workflow.transitions, workflow.initial))],
        transitions: [...workflow.transitions],
        version: 1,
      })),
      boardId: projects.length + 1,
      columns: from.columns?.map((column) => ({ name: column.name, statuses: [...column.statuses] })),
      nextNumber: 1,
    };
    projects.push(project);
    for (const issue of from.issues ?? []) addIssue(issue, project);
  }

  function addIssue(from: IssueSeed, project: Project = first(projects), by?: AccountSeed): Issue {
    const type = project.issueTypes.find((each) => each.id === from.type || each.name === from.type);
    const number = from.key === undefined ? project.nextNumber : Number(from.key.split("-")[1]);
    project.nextNumber = Math.max(project.nextNumber, number + 1);
    const updated = from.updated ?? now();
    const issue: Issue = {
      id: nextId(),
      key: from.key ?? `${project.key}-${number}`,
      formerKeys: [],
      project,
      type: type ?? first(project.issueTypes),
      title: from.title,
      status: statusNamed(from.status).id,
      created: updated,
      updated,
      archived: from.archived ?? false,
      values: new Map(),
      comments: [],
      changes: [],
    };
    issues.set(issue.id, issue);
    recallStart(issue, by ?? first(accounts));
    if (by !== undefined) emit({ kind: "created", issue, by, items: [] });
    return issue;
  }

  /** A ticket that starts out elsewhere than its workflow does has been moved before. */
  function recallStart(issue: Issue, author: AccountSeed): void {
    const from = issue.project.workflows.find((each) => each.issueTypes.includes(issue.type.id))?.initial;
    if (from === undefined || from === issue.status) return;
    const item = { field: "status", from, fromString: from, to: issue.status, toString: issue.status };
    issue.changes.push({ id: nextId(), author, created: issue.created, items: [item] });
  }

  function statusNamed(nameOrId: string): StatusSeed {
    const found = statuses.get(nameOrId) ?? [...statuses.values()].find((status) => status.name === nameOrId);
    if (found === undefined) throw new Error(`The emulated site has no status "${nameOrId}".`);
    return found;
  }

  function change(issue: Issue, by: AccountSeed, items: ChangeItem[]): void {
    issue.updated = now();
    issue.changes.push({ id: nextId(), author: by, created: issue.updated, items });
    emit({ kind: "updated", issue, by, items });
  }

  return {
    seed,
    statuses,
    projects,
    issues,
    accounts,
    nextId,
    now,
    addIssue,
    statusNamed,
    change,
    /** By id, key, or a key it once had. */
    issueOf(idOrKey: string): Issue | undefined {
      const all = [...issues.values()];
      return (
        issues.get(idOrKey) ??
        all.find((issue) => issue.key.toLowerCase() === idOrKey.toLowerCase()) ??
        all.find((issue) => issue.formerKeys.includes(idOrKey.toUpperCase()))
      );
    },
    projectOf(idOrKey: string): Project | undefined {
      return projects.find((project) => project.id === idOrKey || project.key === idOrKey);
    },
    workflowOf(issue: Issue): Workflow {
      const own = issue.project.workflows.find((workflow) => workflow.issueTypes.includes(issue.type.id));
      return own ?? first(issue.project.workflows);
    },
    setStatus(issue: Issue, to: string, by: AccountSeed, more: ChangeItem[] = []): void {
      const from = issue.status;
      issue.status = to;
      const name = (id: string) => statuses.get(id)?.name ?? id;
      change(issue, by, [...more, { field: "status", from, fromString: name(from), to, toString: name(to) }]);
    },
    remove(issue: Issue, by: AccountSeed): void {
      issues.delete(issue.id);
      emit({ kind: "deleted", issue, by, items: [] });
    },
    may(account: AccountSeed, permission: Permission): boolean {
      return account.lacks?.includes(permission) !== true;
    },
  };
}

function namedStatuses(from: ProjectSeed, transitions: readonly TransitionSeed[], initial: string): string[] {
  const named = new Set([initial]);
  for (const { from: sources, to } of transitions) {
    for (const id of typeof sources === "string" ? [sources] : sources) if (id !== "*") named.add(id);
    if (to !== undefined) named.add(to);
  }
  // In the project's own order, whatever order its transitions come in.
  return from.statuses.map((status) => status.id).filter((id) => named.has(id));
}

export function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error("The emulated site needs at least one of each.");
  return item;
}
