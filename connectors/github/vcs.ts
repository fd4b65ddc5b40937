import { z } from "zod";
import type {
  NewPullRequest,
  PullRequest,
  PullRequestOutcome,
  PullRequestRefusal,
  Vcs,
  VcsKind,
} from "../../src/board/vcs.js";
import { BoardwalkError } from "../../src/errors.js";
import { createGithubApi, type GithubApi, type GithubApiOptions } from "./api.js";
import { carriesKey, isBranchName } from "./branches.js";
import { answerIn, BOARD, faultsOf, wordsOf } from "./errors.js";
import { apiUrlSetting, DEFAULT_API_URL, type GithubCredentials, githubCredentials } from "./settings.js";

/** GitHub's own limits for a pull request. */
const MAX_TITLE = 256;
const MAX_BODY = 65_536;

export const githubVcsSettings = z.object({
  repo: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9_-]*\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/,
      'repo must look like "owner/name".',
    ),
  /** Where pull requests go; left out, the repository's default branch. */
  base: z.string().refine(isBranchName, "base must be the name of a branch.").optional(),
  apiUrl: apiUrlSetting,
});
export type GithubVcsSettings = z.infer<typeof githubVcsSettings>;

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const branchesReply = z.array(z.object({ name: z.string() }));
const refReply = z.object({ ref: z.string(), object: z.object({ sha }) });
const commitReply = z.object({ sha, tree: z.object({ sha }) });
const repositoryReply = z.object({ default_branch: z.string() });
const pullReply = z.object({
  number: z.number().int().positive(),
  html_url: z.url({ protocol: /^https?$/ }),
  state: z.enum(["open", "closed"]),
  draft: z.boolean().optional(),
  merged_at: z.string().nullish(),
  created_at: z.string(),
  head: z.object({
    ref: z.string(),
    label: z.string().nullish(),
    // Null once the fork it came from is gone.
    repo: z.object({ full_name: z.string() }).nullish(),
  }),
});
type PullReply = z.infer<typeof pullReply>;

/** One repository on GitHub or a GitHub Enterprise Server. */
export const githubVcs: VcsKind<GithubVcsSettings, GithubCredentials> = {
  provider: "github",
  settings: githubVcsSettings as z.ZodType<GithubVcsSettings>,
  credentials: githubCredentials as z.ZodType<GithubCredentials>,
  create: (settings, credentials, kit) => createGithubVcs(settings, credentials, kit),
};

export function createGithubVcs(
  settings: GithubVcsSettings,
  credentials: GithubCredentials,
  kit: Parameters<typeof githubVcs.create>[2],
  options: GithubApiOptions = {},
): Vcs {
  const [owner = "", repo = ""] = settings.repo.split("/");
  const api = createGithubApi(settings.apiUrl ?? DEFAULT_API_URL, credentials, kit, options);
  const home = { owner, repo };
  return {
    async findBranches({ keys, names }, signal) {
      const exact = await existing(api, home, names, signal);
      return exact.length > 0 ? exact : branchesWith(api, home, keys, signal);
    },
    listPullRequests: (branch, signal) => listPulls(api, home, branch, signal),
    async createPullRequest(pull, signal) {
      if (!isBranchName(pull.branch)) return refusal("invalid_branch", pull, "");
      const base = pull.base ?? settings.base ?? (await defaultBranch(api, home, signal));
      if (!isBranchName(base)) return refusal("invalid_base", { ...pull, base }, "");
      return createPull(api, home, { ...pull, base }, signal);
    },
    pushEmptyCommit: (branch, message, signal) => pushEmptyCommit(api, home, { branch, message }, signal),
  };
}

type Home = { readonly owner: string; readonly repo: string };

/** Which of these branches exist: one cheap look-up each, so that a large repository need not be listed. */
async function existing(api: GithubApi, home: Home, names: readonly string[], signal: AbortSignal) {
  const found: string[] = [];
  for (const name of new Set(names.filter(isBranchName))) {
    try {
      const { ref } = await api.read(REF, { ...home, ref: `heads/${name}` }, refReply, signal);
      if (ref === `refs/heads/${name}`) found.push(name);
    } catch (error) {
      if (BoardwalkError.from(error).code !== "not_found_or_hidden") throw error;
    }
  }
  return found;
}

/** `matching-refs` finds beginnings only; a key stands anywhere in a name, so all names are read. */
async function branchesWith(api: GithubApi, home: Home, keys: readonly string[], signal: AbortSignal) {
  const found: string[] = [];
  if (!keys.some((key) => key !== "")) return found;
  for await (const { name } of api.pages("GET /repos/{owner}/{repo}/branches", home, branchesReply, signal)) {
    if (keys.some((key) => carriesKey(name, key))) found.push(name);
  }
  return found;
}

async function listPulls(
  api: GithubApi,
  home: Home,
  branch: string,
  signal: AbortSignal,
): Promise<readonly PullRequest[]> {
  if (!isBranchName(branch)) return [];
  const query = {
    ...home,
    head: `${home.owner}:${branch}`,
    state: "all",
    sort: "created",
    direction: "desc",
  };
  const pulls: PullReply[] = [];
  // GitHub ignores a `head` it cannot read and then lists everything: so each one is looked at.
  for await (const pull of api.pages("GET /repos/{owner}/{repo}/pulls", query, z.array(pullReply), signal)) {
    if (isFrom(home, branch, pull)) pulls.push(pull);
  }
  return pulls
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || b.number - a.number)
    .map(pullFromReply);
}

function isFrom(home: Home, branch: string, { head }: PullReply): boolean {
  if (head.ref !== branch) return false;
  const from = head.repo?.full_name ?? (head.label ?? "").replace(/:.*$/s, `/${home.repo}`);
  return from.toLowerCase() === `${home.owner}/${home.repo}`.toLowerCase();
}

async function createPull(
  api: GithubApi,
  home: Home,
  pull: NewPullRequest & { readonly base: string },
  signal: AbortSignal,
): Promise<PullRequestOutcome> {
  const { base, draft } = pull;
  const title = [...pull.title].slice(0, MAX_TITLE).join("");
  const body = [...pull.body].slice(0, MAX_BODY).join("");
  const request = { ...home, head: pull.branch, base, title, body, draft };
  try {
    const reply = await api.write("POST /repos/{owner}/{repo}/pulls", request, pullReply, signal);
    return { ok: true, pull: pullFromReply(reply) };
  } catch (error) {
    const answer = answerIn(error);
    const reason = answer?.status === 422 ? refusalIn(answer.body) : undefined;
    if (reason === undefined) throw error;
    return refusal(reason, pull, wordsOf(answer?.body).join(" "));
  }
}

/** GitHub tells its reasons in words, now in `errors[]`, now in the message above them: both are read. */
export function refusalIn(body: unknown): PullRequestRefusal | undefined {
  const said = wordsOf(body).join("\n");
  const faults = faultsOf(body);
  const names = (field: string) =>
    faults.some((fault) => fault.field === field) ||
    new RegExp(`\\b${field} sha can't be blank`, "i").test(said);
  if (/pull request already exists/i.test(said)) return "exists";
  if (/draft pull requests are not supported/i.test(said)) return "draft_unsupported";
  if (names("base")) return "invalid_base";
  if (names("head") || /no history in common/i.test(said)) return "invalid_branch";
  if (/no commits between/i.test(said)) return "no_commits";
  return undefined;
}

function refusal(reason: PullRequestRefusal, pull: NewPullRequest, said: string): PullRequestOutcome {
  const sentences: Record<PullRequestRefusal, string> = {
    exists: `There is already a pull request from ${pull.branch}.`,
    no_commits: `The branch ${pull.branch} has no commits of its own yet.`,
    draft_unsupported: "This repository does not support draft pull requests.",
    invalid_base: `GitHub cannot open a pull request to ${pull.base ?? "that branch"}: it has no such branch.`,
    invalid_branch: `GitHub cannot open a pull request from ${pull.branch}: it has no such branch, or it is unrelated.`,
  };
  const message =
    said === "" ? sentences[reason] : `${sentences[reason]} ${BOARD} said: ${said.slice(0, 200)}`;
  return { ok: false, reason, message };
}

async function defaultBranch(api: GithubApi, home: Home, signal: AbortSignal): Promise<string> {
  return (await api.read("GET /repos/{owner}/{repo}", { ...home }, repositoryReply, signal)).default_branch;
}

async function pushEmptyCommit(
  api: GithubApi,
  home: Home,
  wanted: { readonly branch: string; readonly message: string },
  signal: AbortSignal,
): Promise<void> {
  if (!isBranchName(wanted.branch)) throw new BoardwalkError("invalid", "This is not the name of a branch.");
  const ref = `heads/${wanted.branch}`;
  const tip = await api.read(REF, { ...home, ref }, refReply, signal);
  const parent = await api.read(
    "GET /repos/{owner}/{repo}/git/commits/{commit_sha}",
    { ...home, commit_sha: tip.object.sha },
    commitReply,
    signal,
  );
  const commit = await api.write(
    "POST /repos/{owner}/{repo}/git/commits",
    { ...home, message: wanted.message, tree: parent.tree.sha, parents: [parent.sha] },
    commitReply,
    signal,
  );
  const update = { ...home, ref, sha: commit.sha, force: false };
  try {
    await api.write("PATCH /repos/{owner}/{repo}/git/refs/{ref}", update, refReply, signal);
  } catch (error) {
    if (!/not a fast forward/i.test(wordsOf(answerIn(error)?.body).join(" "))) throw error;
    throw new BoardwalkError("conflict", `Someone pushed to ${wanted.branch} just now. Please try again.`, {
      cause: error,
    });
  }
}

const REF = "GET /repos/{owner}/{repo}/git/ref/{ref}";

function pullFromReply(pull: PullReply): PullRequest {
  return {
    number: pull.number,
    url: pull.html_url,
    branch: pull.head.ref,
    draft: pull.draft ?? false,
    state: pull.state === "open" ? "open" : pull.merged_at ? "merged" : "closed",
  };
}
