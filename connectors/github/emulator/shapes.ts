import type { components } from "@octokit/openapi-types";
import { type Commit, commitsBetween, type Pull, type Repo } from "./repos.js";

/** Bodies as GitHub sends them, held to GitHub's published description by their types. */

type Schemas = components["schemas"];

export function userBody(
  api: string,
  login: string,
  type: "User" | "Organization" = "User",
): Schemas["simple-user"] {
  const url = `${api}/users/${login}`;
  return {
    login,
    id: numberOf(login),
    node_id: Buffer.from(`04:User${login}`).toString("base64url"),
    avatar_url: `${api}/avatars/${login}`,
    gravatar_id: "",
    url,
    html_url: `${api}/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type,
    site_admin: false,
  };
}

function numberOf(text: string): number {
  return [...text].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 2_147_483_647, 7);
}

const REPOSITORY_LINKS = {
  archive_url: "/{archive_format}{/ref}",
  assignees_url: "/assignees{/user}",
  blobs_url: "/git/blobs{/sha}",
  branches_url: "/branches{/branch}",
  collaborators_url: "/collaborators{/collaborator}",
  comments_url: "/comments{/number}",
  commits_url: "/commits{/sha}",
  compare_url: "/compare/{base}...{head}",
  contents_url: "/contents/{+path}",
  contributors_url: "/contributors",
  deployments_url: "/deployments",
  downloads_url: "/downloads",
  events_url: "/events",
  forks_url: "/forks",
  git_commits_url: "/git/commits{/sha}",
  git_refs_url: "/git/refs{/sha}",
  git_tags_url: "/git/tags{/sha}",
  issue_comment_url: "/issues/comments{/number}",
  issue_events_url: "/issues/events{/number}",
  issues_url: "/issues{/number}",
  keys_url: "/keys{/key_id}",
  labels_url: "/labels{/name}",
  languages_url: "/languages",
  merges_url: "/merges",
  milestones_url: "/milestones{/number}",
  notifications_url: "/notifications{?since,all,participating}",
  pulls_url: "/pulls{/number}",
  releases_url: "/releases{/id}",
  stargazers_url: "/stargazers",
  statuses_url: "/statuses/{sha}",
  subscribers_url: "/subscribers",
  subscription_url: "/subscription",
  tags_url: "/tags",
  teams_url: "/teams",
  trees_url: "/git/trees{/sha}",
  hooks_url: "/hooks",
} as const;

type RepositoryLinks = Record<keyof typeof REPOSITORY_LINKS, string>;

export function repositoryBody(api: string, repo: Repo): Schemas["repository"] & Schemas["full-repository"] {
  const fullName = `${repo.owner}/${repo.name}`;
  const url = repoUrl(api, repo);
  const html = `${api}/${fullName}`;
  const links = Object.fromEntries(
    Object.entries(REPOSITORY_LINKS).map(([name, path]) => [name, `${url}${path}`]),
  ) as RepositoryLinks;
  const created = repo.commits.values().next().value?.date ?? "1970-01-01T00:00:00Z";
  return {
    ...links,
    ...REPOSITORY_FACTS,
    id: repo.id,
    node_id: `R_${repo.id}`,
    name: repo.name,
    full_name: fullName,
    owner: userBody(api, repo.owner, "Organization"),
    private: repo.private,
    visibility: repo.private ? "private" : "public",
    html_url: html,
    url,
    git_url: `git:${html.replace(/^https?:/, "")}.git`,
    ssh_url: `git@${new URL(api).hostname}:${fullName}.git`,
    clone_url: `${html}.git`,
    svn_url: html,
    open_issues: repo.pulls.filter((pull) => pull.state === "open").length,
    open_issues_count: repo.pulls.filter((pull) => pull.state === "open").length,
    default_branch: repo.defaultBranch,
    permissions: { admin: false, pull: repo.access !== "none", push: repo.access === "write" },
    pushed_at: created,
    created_at: created,
    updated_at: created,
  };
}

const REPOSITORY_FACTS = {
  description: null,
  fork: false,
  mirror_url: null,
  homepage: null,
  language: null,
  license: null,
  forks: 0,
  forks_count: 0,
  stargazers_count: 0,
  watchers: 0,
  watchers_count: 0,
  subscribers_count: 0,
  network_count: 0,
  size: 1,
  topics: [] as string[],
  has_issues: true,
  has_projects: true,
  has_wiki: false,
  has_pages: false,
  has_downloads: true,
  has_discussions: false,
  archived: false,
  disabled: false,
};

export const repoUrl = (api: string, repo: Repo) => `${api}/repos/${repo.owner}/${repo.name}`;

export function branchBody(api: string, repo: Repo, name: string, sha: string): Schemas["short-branch"] {
  return { name, commit: { sha, url: `${repoUrl(api, repo)}/commits/${sha}` }, protected: false };
}

export function refBody(api: string, repo: Repo, name: string, sha: string): Schemas["git-ref"] {
  const url = repoUrl(api, repo);
  return {
    ref: `refs/heads/${name}`,
    node_id: Buffer.from(`REF:${repo.id}:${name}`).toString("base64url"),
    url: `${url}/git/refs/heads/${name}`,
    object: { sha, type: "commit", url: `${url}/git/commits/${sha}` },
  };
}

export function commitBody(api: string, repo: Repo, commit: Commit): Schemas["git-commit"] {
  const url = repoUrl(api, repo);
  const author = { name: repo.owner, email: `${repo.owner}@users.noreply.github.com`, date: commit.date };
  const html = `${api}/${repo.owner}/${repo.name}/commit`;
  return {
    sha: commit.sha,
    node_id: `C_${commit.sha}`,
    url: `${url}/git/commits/${commit.sha}`,
    html_url: `${html}/${commit.sha}`,
    author,
    committer: author,
    message: commit.message,
    tree: { sha: commit.tree, url: `${url}/git/trees/${commit.tree}` },
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${url}/git/commits/${sha}`,
      html_url: `${html}/${sha}`,
    })),
    verification: { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null },
  };
}

export function pullSimpleBody(api: string, repo: Repo, pull: Pull): Schemas["pull-request-simple"] {
  return { ...pullCommon(api, repo, pull), requested_teams: [], labels: [] };
}

export function pullBody(api: string, repo: Repo, pull: Pull): Schemas["pull-request"] {
  return {
    ...pullCommon(api, repo, pull),
    state: pull.state,
    labels: [],
    requested_teams: [],
    merged: pull.mergedAt !== null,
    mergeable: null,
    rebaseable: null,
    mergeable_state: "unknown",
    merged_by: null,
    comments: 0,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: commitsBetween(repo, pull.base, pull.head),
    additions: 0,
    deletions: 0,
    changed_files: 0,
  };
}

function pullCommon(api: string, repo: Repo, pull: Pull) {
  const url = repoUrl(api, repo);
  // An open one follows its branch.
  const headSha = (pull.state === "open" ? repo.refs.get(pull.head) : undefined) ?? pull.headSha;
  const self = `${url}/pulls/${pull.number}`;
  const issue = `${url}/issues/${pull.number}`;
  const html = `${api}/${repo.owner}/${repo.name}/pull/${pull.number}`;
  const urls = {
    url: self,
    html_url: html,
    issue_url: issue,
    commits_url: `${self}/commits`,
    review_comments_url: `${self}/comments`,
    review_comment_url: `${url}/pulls/comments{/number}`,
    comments_url: `${issue}/comments`,
    statuses_url: `${url}/statuses/${headSha}`,
  };
  return {
    ...urls,
    id: pull.id,
    node_id: `PR_${pull.id}`,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    number: pull.number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user: userBody(api, repo.owner),
    body: pull.body,
    milestone: null,
    active_lock_reason: null,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    head: sideBody(api, repo, pull.head, headSha),
    base: sideBody(api, repo, pull.base, repo.refs.get(pull.base) ?? headSha),
    author_association: "OWNER" as const,
    auto_merge: null,
    draft: pull.draft,
    _links: {
      self: { href: urls.url },
      html: { href: urls.html_url },
      issue: { href: urls.issue_url },
      comments: { href: urls.comments_url },
      review_comments: { href: urls.review_comments_url },
      review_comment: { href: urls.review_comment_url },
      commits: { href: urls.commits_url },
      statuses: { href: urls.statuses_url },
    },
  };
}

function sideBody(api: string, repo: Repo, ref: string, sha: string) {
  return {
    label: `${repo.owner}:${ref}`,
    ref,
    sha,
    user: userBody(api, repo.owner, "Organization"),
    repo: repositoryBody(api, repo),
  };
}
