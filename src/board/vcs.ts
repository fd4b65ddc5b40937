import type { z } from "zod";
import type { ConnectorKit } from "./connector.js";

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly draft: boolean;
  readonly state: "open" | "closed" | "merged";
}

export interface NewPullRequest {
  readonly branch: string;
  /** Left out: the repository's default branch. */
  readonly base?: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

/** Why a pull request could not be opened, as a reason we know what to do about. */
export type PullRequestRefusal =
  | "exists"
  | "no_commits"
  | "draft_unsupported"
  | "invalid_base"
  | "invalid_branch";

export type PullRequestOutcome =
  | { readonly ok: true; readonly pull: PullRequest }
  | { readonly ok: false; readonly reason: PullRequestRefusal; readonly message: string };

/** One repository. */
export interface Vcs {
  /** Branches that carry one of these keys (`AB-1` is not in `feat/AB-12`), or have exactly one of these names. */
  findBranches(
    wanted: { readonly keys: readonly string[]; readonly names: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** Pull requests from exactly this branch, newest first, in every state. */
  listPullRequests(branch: string, signal: AbortSignal): Promise<readonly PullRequest[]>;
  /** A refusal the caller can act on is a value; trouble is thrown as a BoardwalkError. */
  createPullRequest(pull: NewPullRequest, signal: AbortSignal): Promise<PullRequestOutcome>;
  /** Puts an empty commit on the branch, so that a pull request can be opened. */
  pushEmptyCommit?(branch: string, message: string, signal: AbortSignal): Promise<void>;
}

export interface VcsKind<S = unknown, C = unknown> {
  readonly provider: string;
  readonly settings: z.ZodType<S>;
  readonly credentials: z.ZodType<C>;
  create(settings: S, credentials: C, kit: Pick<ConnectorKit, "checkUrl" | "reach" | "turns" | "now">): Vcs;
}
