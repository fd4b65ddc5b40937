import type {
  NewPullRequest,
  PullRequest,
  PullRequestOutcome,
  PullRequestRefusal,
  Vcs,
} from "../board/vcs.js";
import type { ErrorCode } from "../errors.js";
import { pullRequestText } from "./pull-request-text.js";

/** How the hook ended. Reasons are sentences that can be spoken: no addresses, no signs. */
export type DraftPullRequestResult =
  | { readonly state: "done"; readonly result: OpenedPullRequest }
  /** Cannot be done yet; worth another try when something is pushed. */
  | { readonly state: "waiting"; readonly reason: string }
  | { readonly state: "failed"; readonly code: ErrorCode; readonly reason: string };

export type OpenedPullRequest = {
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly draft: boolean;
  /** It was there before us. */
  readonly existing: boolean;
};

export interface DraftPullRequestInput {
  readonly ticket: {
    readonly key?: string;
    readonly formerKeys?: readonly string[];
    readonly title: string;
    /** Branches the board itself names for it; they go before those found by key. */
    readonly branches?: readonly string[];
  };
  readonly statusName: string;
}

export interface DraftPullRequestOptions {
  /** Where to merge into. Left out: the repository's default branch. */
  readonly base?: string;
  /** What to do where drafts are not offered: nothing, or a normal pull request, which asks for reviews. @default "none" */
  readonly draftFallback?: "none" | "ready";
  /** Whether a branch without commits gets an empty one. @default false */
  readonly emptyCommit?: boolean;
}

export type DraftPullRequest = (
  input: DraftPullRequestInput,
  signal: AbortSignal,
) => Promise<DraftPullRequestResult>;

/**
 * The hook that opens a draft pull request for the ticket's branch, or finds the one there is.
 * Safe to run again: what it did before is found, not done twice.
 * The returned function throws BoardwalkError `rate_limited`, `unavailable` and the like for the caller to retry.
 */
export function createDraftPullRequest(vcs: Vcs, options: DraftPullRequestOptions = {}): DraftPullRequest {
  return async (input, signal) => {
    const name = spokenName(input);
    const found = await findBranch(vcs, input, signal);
    if ("state" in found) return found;
    const run: Run = { vcs, options, signal, name, branch: found.branch };
    const existing = await findExisting(run);
    if (existing) return existing;
    const outcome = await openDraft(run, input);
    if (outcome.ok) return opened(outcome.pull, false);
    return explain(run, outcome.reason);
  };
}

interface Run {
  readonly vcs: Vcs;
  readonly options: DraftPullRequestOptions;
  readonly signal: AbortSignal;
  /** What the ticket is called in a sentence. */
  readonly name: string;
  readonly branch: string;
}

async function findBranch(
  vcs: Vcs,
  { ticket }: DraftPullRequestInput,
  signal: AbortSignal,
): Promise<{ readonly branch: string } | DraftPullRequestResult> {
  const keys = [ticket.key ?? "", ...(ticket.formerKeys ?? [])].filter((key) => key !== "");
  const names = ticket.branches ?? [];
  if (keys.length === 0 && names.length === 0) {
    return waiting(
      "This ticket has no key and no branch linked to it, so I cannot tell which branch is meant. " +
        "The draft pull request will follow when a branch is linked.",
    );
  }
  const branches = [...new Set(await vcs.findBranches({ keys, names }, signal))];
  const linked = branches.filter((branch) => names.includes(branch));
  const candidates = linked.length > 0 ? linked : branches;
  const [branch] = candidates;
  const name = spokenName({ ticket });
  if (branch === undefined) {
    return waiting(
      `There is no branch for ${name} yet. The draft pull request will follow when one is pushed.`,
    );
  }
  if (candidates.length === 1) return { branch };
  return failed(
    "conflict",
    `There are ${candidates.length} branches for ${name}: ${spokenList(candidates)}. ` +
      "Which one is meant? Link that branch to the ticket, or delete the others.",
  );
}

/** The pull request that is there already, or why its end forbids another. `undefined`: there is none. */
async function findExisting({ vcs, branch, name, signal }: Run): Promise<DraftPullRequestResult | undefined> {
  const pulls = (await vcs.listPullRequests(branch, signal)).filter((pull) => pull.branch === branch);
  const open = pulls.find((pull) => pull.state === "open");
  if (open) return opened(open, true);
  const [last] = pulls;
  if (!last) return undefined;
  return last.state === "merged"
    ? failed(
        "conflict",
        `The pull request for ${name} was merged already. Push a new branch if there is more to do.`,
      )
    : failed("conflict", `The pull request for ${name} was closed. Reopen it, or push a new branch.`);
}

/** Draft first, always: a normal pull request asks people for reviews, which cannot be taken back. */
async function openDraft(run: Run, input: DraftPullRequestInput): Promise<PullRequestOutcome> {
  const { vcs, options, signal, branch } = run;
  const { key, title } = input.ticket;
  const draft: NewPullRequest = {
    branch,
    draft: true,
    ...(options.base === undefined ? {} : { base: options.base }),
    ...pullRequestText({
      ticketTitle: title,
      statusName: input.statusName,
      ...(key === undefined ? {} : { key }),
    }),
  };
  const outcome = await createWithCommits(run, draft);
  if (outcome.ok || outcome.reason !== "draft_unsupported" || options.draftFallback !== "ready")
    return outcome;
  signal.throwIfAborted();
  return vcs.createPullRequest({ ...draft, draft: false }, signal);
}

/** Creates it; for want of commits, once more after an empty one, where that is wished and possible. */
async function createWithCommits(
  { vcs, options, signal, branch, name }: Run,
  pull: NewPullRequest,
): Promise<PullRequestOutcome> {
  const outcome = await vcs.createPullRequest(pull, signal);
  if (outcome.ok || outcome.reason !== "no_commits") return outcome;
  if (!options.emptyCommit || !vcs.pushEmptyCommit) return outcome;
  await vcs.pushEmptyCommit(branch, `Begin ${name}`, signal);
  return vcs.createPullRequest(pull, signal);
}

async function explain(run: Run, reason: PullRequestRefusal): Promise<DraftPullRequestResult> {
  const { name } = run;
  switch (reason) {
    case "exists":
      return (
        (await findExisting(run)) ??
        waiting(`The pull request for ${name} seems to be there, but it is not listed yet.`)
      );
    case "no_commits":
      return waiting(
        `The branch for ${name} has no commits of its own yet. The draft pull request will follow after the first one.`,
      );
    case "draft_unsupported":
      return failed(
        "forbidden",
        "This repository does not offer draft pull requests. Allow normal ones in the connection, or open it by hand.",
      );
    case "invalid_base":
      return failed(
        "invalid",
        "The branch to merge into does not exist. Correct the base branch in the connection.",
      );
    case "invalid_branch":
      return failed(
        "invalid",
        `The repository did not accept the branch for ${name}. Check that it is still there, and in this repository.`,
      );
  }
}

function opened(pull: PullRequest, existing: boolean): DraftPullRequestResult {
  const { number, url, branch, draft } = pull;
  return { state: "done", result: { number, url, branch, draft, existing } };
}

const waiting = (reason: string): DraftPullRequestResult => ({ state: "waiting", reason });

const failed = (code: ErrorCode, reason: string): DraftPullRequestResult => ({
  state: "failed",
  code,
  reason,
});

function spokenName({ ticket }: Pick<DraftPullRequestInput, "ticket">): string {
  return ticket.key ? spoken(ticket.key) : "this ticket";
}

/** At most three of them, and how many more. */
function spokenList(branches: readonly string[]): string {
  const named = branches.slice(0, 3).map(spoken);
  const more = branches.length - named.length;
  if (more > 0) return `${named.join(", ")} and ${more} more`;
  return `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
}

/** A name as it can be read aloud: letters, digits, hyphens and dots, and not too many of them. */
function spoken(name: string): string {
  const words = name.replace(/[^\p{L}\p{M}\p{N}.-]+/gu, " ").trim();
  return [...words].slice(0, 60).join("");
}
