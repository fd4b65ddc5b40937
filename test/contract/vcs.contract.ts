import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Faults } from "../../src/board/emulator.js";
import type { NewPullRequest, Vcs } from "../../src/board/vcs.js";
import type { ErrorCode } from "../../src/errors.js";

/** A repository to test against, as its own side sees it. */
export interface VcsHarness {
  readonly vcs: Vcs;
  /** The same repository, with credentials it does not accept. */
  readonly stranger: Vcs;
  readonly defaultBranch: string;
  addBranch(name: string, commitsAhead?: number): void;
  closePull(number: number, merged: boolean): void;
  pulls(): readonly { readonly number: number; readonly draft: boolean; readonly title: string }[];
  /** Requests that changed something. */
  writes(): number;
  requests(): number;
  setAccess(access: "none" | "read" | "write"): void;
  setDraftsSupported(supported: boolean): void;
  setFaults(faults: Faults): void;
  rateLimit(kind: "primary" | "secondary", seconds: number): void;
  close(): Promise<void>;
}

const signal = new AbortController().signal;

/** What every VCS promises, whoever is behind it. */
export function describeVcs(name: string, setup: () => Promise<VcsHarness>): void {
  describe(`${name} as a Vcs`, () => {
    let repo: VcsHarness;
    beforeEach(async () => {
      repo = await setup();
    });
    afterEach(() => repo.close());

    const pull = (branch: string, more: Partial<NewPullRequest> = {}): NewPullRequest => ({
      branch,
      title: "Draft: log in",
      body: "For AB-1.",
      draft: true,
      ...more,
    });
    const find = (keys: readonly string[], names: readonly string[] = []) =>
      repo.vcs.findBranches({ keys, names }, signal);

    describe("finding branches", () => {
      it("finds a key as a word of its own, not as the beginning of a longer one", async () => {
        for (const branch of ["feat/AB-1-login", "feat/AB-12", "CRAB-1", "hotfix/ab-1", "AB-1"])
          repo.addBranch(branch);
        expect([...(await find(["AB-1"]))].sort()).toEqual(["AB-1", "feat/AB-1-login", "hotfix/ab-1"]);
      });

      it("reads a repository's branches to the end", async () => {
        for (let i = 0; i < 230; i++) repo.addBranch(`a/${i}`);
        repo.addBranch("zz/AB-7");
        expect(await find(["AB-7"])).toEqual(["zz/AB-7"]);
      });

      it("takes a branch that was named exactly, without reading the others", async () => {
        repo.addBranch("octo/login");
        repo.addBranch("feat/AB-1");
        const before = repo.requests();
        expect(await find(["AB-1"], ["octo/login"])).toEqual(["octo/login"]);
        expect(repo.requests() - before).toBe(1);
      });

      it("falls back to the keys when a suggested branch does not exist", async () => {
        repo.addBranch("feat/AB-1");
        expect(await find(["AB-1"], ["someone/ab-1-suggested"])).toEqual(["feat/AB-1"]);
      });

      it("finds nothing for no keys and no names, without asking", async () => {
        expect(await find([])).toEqual([]);
        expect(repo.requests()).toBe(0);
      });

      it.each([
        "../../../user",
        "a b",
        "feat/..",
        "x?y=1",
        "a%2f..%2fb",
        "-x",
        "/x",
        "x.lock",
        "a\u0000b",
        "x:y",
        "",
      ])("does not send the hostile name %j anywhere", async (branch) => {
        expect(await find([], [branch])).toEqual([]);
        expect(await repo.vcs.listPullRequests(branch, signal)).toEqual([]);
        expect(await repo.vcs.createPullRequest(pull(branch), signal)).toMatchObject({
          ok: false,
          reason: "invalid_branch",
        });
        expect(repo.requests()).toBe(0);
      });

      it.each(["feat/é-AB-1", "a%2fb/AB-1", "x#y/AB-1", "feat/AB-1+x&y=z", "日本/AB-1", "a'b\"c/AB-1"])(
        "carries the odd but valid name %j through unharmed",
        async (branch) => {
          repo.addBranch(branch, 1);
          expect(await find([], [branch])).toEqual([branch]);
          const made = await repo.vcs.createPullRequest(pull(branch), signal);
          expect(made).toMatchObject({ ok: true, pull: { branch } });
          expect((await repo.vcs.listPullRequests(branch, signal)).map((p) => p.branch)).toEqual([branch]);
        },
      );
    });

    describe("pull requests", () => {
      it("opens a draft against the default branch", async () => {
        repo.addBranch("feat/AB-1", 1);
        const made = await repo.vcs.createPullRequest(pull("feat/AB-1"), signal);
        expect(made).toMatchObject({ ok: true, pull: { branch: "feat/AB-1", draft: true, state: "open" } });
        expect(repo.pulls()).toMatchObject([{ draft: true, title: "Draft: log in" }]);
      });

      it("lists those of exactly one branch, in every state, newest first", async () => {
        repo.addBranch("feat/AB-1", 1);
        repo.addBranch("feat/AB-12", 1);
        await repo.vcs.createPullRequest(pull("feat/AB-1"), signal);
        repo.closePull(1, false);
        await repo.vcs.createPullRequest(pull("feat/AB-1"), signal);
        repo.closePull(2, true);
        await repo.vcs.createPullRequest(pull("feat/AB-12"), signal);
        await repo.vcs.createPullRequest(pull("feat/AB-1"), signal);
        const found = await repo.vcs.listPullRequests("feat/AB-1", signal);
        expect(found.map(({ number, state }) => [number, state])).toEqual([
          [4, "open"],
          [2, "merged"],
          [1, "closed"],
        ]);
      });

      it("says `exists` for a second one from the same branch", async () => {
        repo.addBranch("feat/AB-1", 1);
        await repo.vcs.createPullRequest(pull("feat/AB-1"), signal);
        const again = await repo.vcs.createPullRequest(pull("feat/AB-1"), signal);
        expect(again).toMatchObject({ ok: false, reason: "exists" });
        expect(repo.pulls()).toHaveLength(1);
      });

      it("says `no_commits` for a branch with nothing on it, and can put an empty commit there", async () => {
        repo.addBranch("feat/AB-1");
        expect(await repo.vcs.createPullRequest(pull("feat/AB-1"), signal)).toMatchObject({
          ok: false,
          reason: "no_commits",
        });
        await repo.vcs.pushEmptyCommit?.("feat/AB-1", "Begin AB-1", signal);
        expect(await repo.vcs.createPullRequest(pull("feat/AB-1"), signal)).toMatchObject({ ok: true });
      });

      it("says `draft_unsupported` and does not open an ordinary one instead", async () => {
        repo.addBranch("feat/AB-1", 1);
        repo.setDraftsSupported(false);
        expect(await repo.vcs.createPullRequest(pull("feat/AB-1"), signal)).toMatchObject({
          ok: false,
          reason: "draft_unsupported",
        });
        expect(repo.pulls()).toEqual([]);
        expect(await repo.vcs.createPullRequest(pull("feat/AB-1", { draft: false }), signal)).toMatchObject({
          ok: true,
          pull: { draft: false },
        });
      });

      it("tells a missing branch from a missing base", async () => {
        repo.addBranch("feat/AB-1", 1);
        expect(await repo.vcs.createPullRequest(pull("feat/AB-9"), signal)).toMatchObject({
          ok: false,
          reason: "invalid_branch",
        });
        expect(
          await repo.vcs.createPullRequest(pull("feat/AB-1", { base: "release" }), signal),
        ).toMatchObject({ ok: false, reason: "invalid_base" });
      });

      it("cuts a title that is longer than the board takes, between characters", async () => {
        repo.addBranch("feat/AB-1", 1);
        await repo.vcs.createPullRequest(pull("feat/AB-1", { title: "🚀".repeat(400) }), signal);
        expect(repo.pulls()[0]?.title).toMatch(/^(🚀){100,256}$/u);
      });
    });

    describe("trouble", () => {
      const code = async (work: Promise<unknown>): Promise<ErrorCode | "none"> =>
        work.then(
          () => "none" as const,
          (error) => error.code,
        );
      const list = (on: AbortSignal = signal) => repo.vcs.listPullRequests("feat/AB-1", on);
      const open = () => repo.vcs.createPullRequest(pull("feat/AB-1", { base: repo.defaultBranch }), signal);

      it("knows when its credentials are no longer accepted", async () => {
        expect(await code(repo.stranger.listPullRequests("x", signal))).toBe("auth_expired");
      });

      it("knows hidden from forbidden", async () => {
        repo.addBranch("feat/AB-1", 1);
        repo.setAccess("read");
        expect(await code(open())).toBe("forbidden");
        repo.setAccess("none");
        expect(await code(list())).toBe("not_found_or_hidden");
      });

      it.each(["primary", "secondary"] as const)(
        "hears a %s rate limit, and how long to wait",
        async (kind) => {
          repo.addBranch("feat/AB-1", 1);
          repo.rateLimit(kind, 90);
          const error = await open().catch((thrown) => thrown);
          expect(error.code).toBe("rate_limited");
          expect(error.retryAfterMs).toBeGreaterThan(80_000);
          expect(error.retryAfterMs).toBeLessThanOrEqual(92_000);
          expect(error.message).toMatch(/wait/);
        },
      );

      it("reads again after a passing fault", async () => {
        repo.setFaults({ status: 502, times: 1 });
        expect(await list()).toEqual([]);
      });

      it.each([500, 502, 503])("is `unavailable` while the board answers %i", async (status) => {
        repo.setFaults({ status });
        expect(await code(list())).toBe("unavailable");
      });

      it("never sends a write twice, even when its answer is lost", async () => {
        repo.addBranch("feat/AB-1", 1);
        repo.setFaults({ status: 502, afterWork: true, writesOnly: true });
        expect(await code(open())).toBe("unavailable");
        expect(repo.writes()).toBe(1);
        repo.setFaults({});
        expect(await list()).toHaveLength(1);
      });

      it("does not believe a page of HTML that says 200", async () => {
        repo.setFaults({ status: 200, body: "<html>Sign in</html>" });
        expect(await code(list())).toBe("unavailable");
      });

      it("stops when told to, before and while it waits", async () => {
        expect(await code(list(AbortSignal.abort()))).toBe("timeout");
        expect(repo.requests()).toBe(0);
        repo.setFaults({ latencyMs: 30_000 });
        const stop = new AbortController();
        const waiting = list(stop.signal);
        setTimeout(() => stop.abort(), 20);
        expect(await code(waiting)).toBe("timeout");
      });
    });
  });
}

/** A repository as it stands, with a branch that is there: nothing is made in it. */
export interface StandingVcs {
  readonly vcs: Vcs;
  readonly stranger: Vcs;
  readonly branch: string;
}

/** What of a Vcs a real repository can be asked to show. */
export function describeStandingVcs(name: string, setup: () => Promise<StandingVcs>): void {
  describe(`${name} as a Vcs, as it stands`, () => {
    it("finds a branch by its exact name, and none that is longer", async () => {
      const { vcs, branch } = await setup();
      expect(await vcs.findBranches({ keys: [], names: [branch] }, signal)).toEqual([branch]);
      const other = `${branch}-that-nobody-has-made`;
      expect(await vcs.findBranches({ keys: [], names: [other] }, signal)).toEqual([]);
      expect(await vcs.listPullRequests(other, signal)).toEqual([]);
    });

    it("lists the pull requests of exactly that branch", async () => {
      const { vcs, branch } = await setup();
      const pulls = await vcs.listPullRequests(branch, signal);
      for (const pull of pulls) expect(pull).toMatchObject({ branch });
    });

    it("reads its branches to the end, and finds none for a key that nobody has", async () => {
      const { vcs } = await setup();
      expect(await vcs.findBranches({ keys: ["ZZZZZ-987654321"], names: [] }, signal)).toEqual([]);
    });

    it("does not know the credentials of a stranger", async () => {
      const { stranger, branch } = await setup();
      const asked = stranger.findBranches({ keys: [], names: [branch] }, signal);
      await expect(asked).rejects.toMatchObject({ code: "auth_expired" });
    });
  });
}
