import { createHash } from "node:crypto";

/** The repositories of the emulated GitHub: refs, commits, pull requests. State only; no HTTP. */

export interface BranchSeed {
  readonly name: string;
  /** Commits of its own on top of the default branch. */
  readonly commitsAhead?: number;
}

export interface RepoSeed {
  readonly owner: string;
  readonly name: string;
  readonly defaultBranch?: string;
  readonly branches?: readonly (string | BranchSeed)[];
  readonly private?: boolean;
  /** False for private repositories of free accounts. */
  readonly draftsSupported?: boolean;
}

export interface Commit {
  readonly sha: string;
  readonly tree: string;
  readonly message: string;
  readonly parents: readonly string[];
  readonly date: string;
}

export interface Pull {
  readonly number: number;
  readonly id: number;
  title: string;
  body: string | null;
  state: "open" | "closed";
  readonly draft: boolean;
  readonly head: string;
  base: string;
  readonly headSha: string;
  readonly createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  mergedAt: string | null;
}

export interface Repo {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly defaultBranch: string;
  readonly private: boolean;
  draftsSupported: boolean;
  /** What the emulator's token may do here; `none` answers 404, as GitHub hides it. */
  access: "none" | "read" | "write";
  readonly refs: Map<string, string>;
  readonly commits: Map<string, Commit>;
  readonly trees: Set<string>;
  readonly pulls: Pull[];
  nextNumber: number;
}

let nextId = 1_000;
/** Numeric ids as GitHub has them: never reused. */
export const takeId = () => nextId++;

export function createRepo(seed: RepoSeed): Repo {
  const defaultBranch = seed.defaultBranch ?? "main";
  const repo: Repo = {
    id: takeId(),
    owner: seed.owner,
    name: seed.name,
    defaultBranch,
    private: seed.private ?? false,
    draftsSupported: seed.draftsSupported ?? true,
    access: "write",
    refs: new Map(),
    commits: new Map(),
    trees: new Set(),
    pulls: [],
    nextNumber: 1,
  };
  const root = addCommit(repo, { message: "Initial commit", tree: hash(`tree:${repo.id}`), parents: [] });
  repo.refs.set(defaultBranch, root.sha);
  for (const branch of seed.branches ?? []) {
    if (typeof branch === "string") growBranch(repo, branch, 0);
    else growBranch(repo, branch.name, branch.commitsAhead ?? 0);
  }
  return repo;
}

/** Creates the branch off the default branch if it is missing, and puts that many commits on it. */
export function growBranch(repo: Repo, name: string, commits: number): void {
  let tip = repo.refs.get(name) ?? repo.refs.get(repo.defaultBranch) ?? "";
  for (let i = 0; i < commits; i++) {
    const tree = hash(`tree:${tip}:${i}`);
    tip = addCommit(repo, { message: `Work on ${name}`, tree, parents: [tip] }).sha;
  }
  repo.refs.set(name, tip);
}

export function addCommit(repo: Repo, parts: Pick<Commit, "message" | "tree" | "parents">): Commit {
  const sha = hash(`commit:${repo.id}:${takeId()}`);
  const commit = { ...parts, sha, date: now() };
  repo.commits.set(sha, commit);
  repo.trees.add(commit.tree);
  return commit;
}

/** Commits that `head` has and `base` has not: none means "No commits between". */
export function commitsBetween(repo: Repo, base: string, head: string): number {
  const known = ancestors(repo, repo.refs.get(base));
  return [...ancestors(repo, repo.refs.get(head))].filter((sha) => !known.has(sha)).length;
}

export function isAncestor(repo: Repo, older: string, newer: string): boolean {
  return ancestors(repo, newer).has(older);
}

function ancestors(repo: Repo, tip: string | undefined): Set<string> {
  const seen = new Set<string>();
  const queue = tip === undefined ? [] : [tip];
  for (let sha = queue.pop(); sha !== undefined; sha = queue.pop()) {
    if (seen.has(sha)) continue;
    seen.add(sha);
    queue.push(...(repo.commits.get(sha)?.parents ?? []));
  }
  return seen;
}

export function addPull(
  repo: Repo,
  wanted: { title: string; body: string | null; head: string; base: string; draft: boolean },
): Pull {
  const at = now();
  const pull: Pull = {
    ...wanted,
    number: repo.nextNumber++,
    id: takeId(),
    state: "open",
    headSha: repo.refs.get(wanted.head) ?? "",
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    mergedAt: null,
  };
  repo.pulls.push(pull);
  return pull;
}

export function closePull(pull: Pull, merged: boolean): void {
  const at = now();
  Object.assign(pull, {
    state: "closed",
    closedAt: at,
    updatedAt: at,
    mergedAt: merged ? at : pull.mergedAt,
  });
}

export function hash(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

/** Whole seconds, as GitHub tells time. */
export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}
