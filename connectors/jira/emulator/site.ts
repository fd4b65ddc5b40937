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

export class Site {
  readonly statuses = new Map<string, StatusSeed>();
  readonly projects: Project[] = [];
  readonly issues = new Map<string, Issue>();
  readonly accounts: AccountSeed[];
  readonly seed: JiraSiteSeed;
  readonly now: () => Date;
  readonly #emit: (event: IssueEvent) => void;
  #lastId = 10_000;

  constructor(seed: JiraSiteSeed, now: () => Date, emit: (event: IssueEvent) => void) {
    this.seed = seed;
    this.now = now;
    this.#emit = emit;
    this.accounts = [...(seed.accounts ?? [DEFAULT_ACCOUNT]), SOMEONE_ELSE];
    for (const project of [seed, ...(seed.otherProjects ?? [])]) this.#addProject(project);
  }

  nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  #addProject(from: ProjectSeed): void {
    for (const status of from.statuses) this.statuses.set(status.id, status);
    const { id = this.nextId(), key, name, style = "classic", archived = false } = from.project;
    const project: Project = {
      id,
      key,
      name,
      style,
      archived,
      issueTypes: [...from.issueTypes],
      workflows: workflowsFrom(from),
      boardId: this.projects.length + 1,
      columns: from.columns?.map((column) => ({ name: column.name, statuses: [...column.statuses] })),
      nextNumber: 1,
    };
    this.projects.push(project);
    for (const issue of from.issues ?? []) this.addIssue(issue, project);
  }

  /** `by` left out, it was there before anybody looked: no webhook tells of it. */
  addIssue(from: IssueSeed, project: Project = first(this.projects), by?: AccountSeed): Issue {
    const type = project.issueTypes.find((each) => each.id === from.type || each.name === from.type);
    const number = from.key === undefined ? project.nextNumber : Number(from.key.split("-")[1]);
    project.nextNumber = Math.max(project.nextNumber, number + 1);
    const updated = from.updated ?? this.now();
    const issue: Issue = {
      id: this.nextId(),
      key: from.key ?? `${project.key}-${number}`,
      formerKeys: [],
      project,
      type: type ?? first(project.issueTypes),
      title: from.title,
      status: this.statusNamed(from.status).id,
      created: updated,
      updated,
      archived: from.archived ?? false,
      values: new Map(),
      comments: [],
      changes: [],
    };
    this.issues.set(issue.id, issue);
    this.#recallStart(issue, by ?? first(this.accounts));
    if (by !== undefined) this.#emit({ kind: "created", issue, by, items: [] });
    return issue;
  }

  /** A ticket that starts out elsewhere than its workflow does has been moved before. */
  #recallStart(issue: Issue, author: AccountSeed): void {
    const from = this.workflowOf(issue).initial;
    if (from === issue.status) return;
    const item = { field: "status", from, fromString: from, to: issue.status, toString: issue.status };
    issue.changes.push({ id: this.nextId(), author, created: issue.created, items: [item] });
  }

  statusNamed(nameOrId: string): StatusSeed {
    const byName = () => [...this.statuses.values()].find((status) => status.name === nameOrId);
    const found = this.statuses.get(nameOrId) ?? byName();
    if (found === undefined) throw new Error(`The emulated site has no status "${nameOrId}".`);
    return found;
  }

  /** By id, key, or a key it once had. */
  issueOf(idOrKey: string): Issue | undefined {
    const byId = this.issues.get(idOrKey);
    if (byId !== undefined) return byId;
    const key = idOrKey.toUpperCase();
    const all = [...this.issues.values()];
    return all.find((issue) => issue.key === key) ?? all.find((issue) => issue.formerKeys.includes(key));
  }

  projectOf(idOrKey: string): Project | undefined {
    return this.projects.find((project) => project.id === idOrKey || project.key === idOrKey);
  }

  workflowOf(issue: Issue): Workflow {
    const own = issue.project.workflows.find((workflow) => workflow.issueTypes.includes(issue.type.id));
    return own ?? first(issue.project.workflows);
  }

  may(account: AccountSeed, permission: Permission): boolean {
    return account.lacks?.includes(permission) !== true;
  }

  change(issue: Issue, by: AccountSeed, items: ChangeItem[]): void {
    issue.updated = this.now();
    issue.changes.push({ id: this.nextId(), author: by, created: issue.updated, items });
    this.#emit({ kind: "updated", issue, by, items });
  }

  setStatus(issue: Issue, to: string, by: AccountSeed, more: ChangeItem[] = []): void {
    const from = issue.status;
    issue.status = to;
    const name = (id: string) => this.statuses.get(id)?.name ?? id;
    this.change(issue, by, [
      ...more,
      { field: "status", from, fromString: name(from), to, toString: name(to) },
    ]);
  }

  retitle(issue: Issue, title: string, by: AccountSeed): void {
    const item = { field: "summary", from: null, fromString: issue.title, to: null, toString: title };
    issue.title = title;
    this.change(issue, by, [item]);
  }

  /** The old keys keep leading to the issues. */
  rekey(project: Project, key: string): void {
    project.key = key;
    for (const issue of this.issues.values()) {
      if (issue.project !== project) continue;
      issue.formerKeys.push(issue.key);
      issue.key = `${key}-${issue.key.split("-")[1]}`;
    }
  }

  remove(issue: Issue, by: AccountSeed): void {
    this.issues.delete(issue.id);
    this.#emit({ kind: "deleted", issue, by, items: [] });
  }
}

function workflowsFrom(from: ProjectSeed): Workflow[] {
  const typeId = (nameOrId: string) =>
    from.issueTypes.find((type) => type.id === nameOrId || type.name === nameOrId)?.id ?? nameOrId;
  return from.workflows.map((workflow) => ({
    id: workflow.id ?? randomUUID(),
    name: workflow.name,
    issueTypes: workflow.issueTypes.map(typeId),
    initial: workflow.initial,
    statuses: [...(workflow.statuses ?? namedStatuses(from, workflow.transitions, workflow.initial))],
    transitions: [...workflow.transitions],
    version: 1,
  }));
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

export function changeWorkflow(
  workflow: Workflow,
  change: Partial<Pick<Workflow, "statuses" | "transitions" | "initial">>,
): void {
  Object.assign(workflow, change);
  workflow.version += 1;
}
