import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NewPullRequest, PullRequest, PullRequestRefusal, Vcs } from "../../src/board/vcs.js";
import { BoardwalkError } from "../../src/errors.js";
import { createDraftPullRequest, type DraftPullRequestOptions } from "../../src/hooks/draft-pull-request.js";
import { pullRequestText } from "../../src/hooks/pull-request-text.js";

interface Repository extends Vcs {
  readonly created: NewPullRequest[];
  readonly asked: unknown[];
  readonly pushed: { branch: string; message: string }[];
}

interface RepositoryState {
  /** Branches, and whether each has commits of its own. */
  branches?: Record<string, boolean>;
  pulls?: PullRequest[];
  drafts?: boolean;
  bases?: string[];
  /** Somebody opens a pull request between our look and our try. */
  race?: PullRequest;
  refuses?: PullRequestRefusal;
  canPush?: boolean;
}

/** One repository in memory that keeps the promises of the port. */
function createRepository(state: RepositoryState): Repository {
  const branches = new Map(Object.entries(state.branches ?? {}));
  const pulls = [...(state.pulls ?? [])];
  const created: NewPullRequest[] = [];
  const asked: unknown[] = [];
  const pushed: { branch: string; message: string }[] = [];

  function refusal(wanted: NewPullRequest): PullRequestRefusal | undefined {
    if (state.race) pulls.unshift(state.race);
    if (state.refuses) return state.refuses;
    if (!branches.has(wanted.branch)) return "invalid_branch";
    if (wanted.base !== undefined && !(state.bases ?? ["main"]).includes(wanted.base)) return "invalid_base";
    if (pulls.some((pull) => pull.branch === wanted.branch && pull.state === "open")) return "exists";
    if (!branches.get(wanted.branch)) return "no_commits";
    return wanted.draft && state.drafts === false ? "draft_unsupported" : undefined;
  }

  return {
    created,
    asked,
    pushed,
    async findBranches(wanted) {
      asked.push(wanted);
      const carries = (branch: string) =>
        wanted.keys.some((key) => new RegExp(`(^|[/_-])${key}(?!\\d)`, "i").test(branch));
      return [...branches.keys()].filter((branch) => wanted.names.includes(branch) || carries(branch));
    },
    listPullRequests: async (branch) => pulls.filter((pull) => pull.branch === branch),
    async createPullRequest(wanted) {
      created.push(wanted);
      const reason = refusal(wanted);
      if (reason) return { ok: false, reason, message: `https://api.example.com says ${reason}` };
      const pull = pullRequest({ number: 7, branch: wanted.branch, draft: wanted.draft });
      pulls.unshift(pull);
      return { ok: true, pull };
    },
    ...(state.canPush === false
      ? {}
      : {
          async pushEmptyCommit(branch: string, message: string) {
            pushed.push({ branch, message });
            branches.set(branch, true);
          },
        }),
  };
}

function pullRequest(fields: Partial<PullRequest> = {}): PullRequest {
  const number = fields.number ?? 3;
  return {
    number,
    url: `https://github.example/acme/web/pull/${number}`,
    branch: "feat/ENG-42-login",
    draft: true,
    state: "open",
    ...fields,
  };
}

const BRANCH = "feat/ENG-42-login";
const ticket = { key: "ENG-42", title: "Log in with a passkey" };
const input = { ticket, statusName: "In Review" };
const { signal } = new AbortController();

const run = (repository: Vcs, options?: DraftPullRequestOptions, asked = input) =>
  createDraftPullRequest(repository, options)(asked, signal);

/** Every reason must be fit to be spoken. */
function speakable(reason: string): string {
  expect(reason).toMatch(/^[\p{L}\p{N} .,:?'-]+[.?]$/u);
  expect(reason).not.toMatch(/https?|undefined|\bnull\b/);
  expect(reason.length).toBeLessThan(260);
  return reason;
}

describe("the draft pull request hook", () => {
  it("opens a draft for the ticket's only branch", async () => {
    const repository = createRepository({ branches: { main: true, [BRANCH]: true, "feat/ENG-421": true } });
    expect(await run(repository)).toEqual({
      state: "done",
      result: {
        number: 7,
        url: "https://github.example/acme/web/pull/7",
        branch: BRANCH,
        draft: true,
        existing: false,
      },
    });
    expect(repository.created).toEqual([
      {
        branch: BRANCH,
        draft: true,
        title: "ENG-42: Log in with a passkey",
        body: "Opened by Boardwalk when ENG-42 entered “In Review”.\n\n> Log in with a passkey\n",
      },
    ]);
  });

  it("opens it against the base asked for", async () => {
    const repository = createRepository({ branches: { [BRANCH]: true }, bases: ["develop"] });
    expect(await run(repository, { base: "develop" })).toMatchObject({ state: "done" });
    expect(repository.created[0]).toMatchObject({ base: "develop" });
  });

  it("finds what it opened when it is run again", async () => {
    const repository = createRepository({ branches: { [BRANCH]: true } });
    const first = await run(repository);
    const second = await run(repository);
    expect(second).toEqual({ state: "done", result: { ...resultOf(first), existing: true } });
    expect(repository.created).toHaveLength(1);
  });

  it("reuses an open one, a closed one beside it notwithstanding", async () => {
    const pulls = [pullRequest({ number: 5, state: "closed" }), pullRequest({ number: 4, draft: false })];
    const repository = createRepository({ branches: { [BRANCH]: true }, pulls });
    expect(await run(repository)).toMatchObject({
      state: "done",
      result: { number: 4, draft: false, existing: true },
    });
    expect(repository.created).toEqual([]);
  });

  it("reuses one that somebody opened at the same moment", async () => {
    const repository = createRepository({ branches: { [BRANCH]: true }, race: pullRequest({ number: 9 }) });
    expect(await run(repository)).toMatchObject({ state: "done", result: { number: 9, existing: true } });
  });

  it("waits when one is said to exist but is not listed yet", async () => {
    const result = await run(createRepository({ branches: { [BRANCH]: true }, refuses: "exists" }));
    speakable(reasonOf(result, "waiting"));
  });

  it.each(["merged", "closed"] as const)("opens no second one when the last was %s", async (state) => {
    const repository = createRepository({ branches: { [BRANCH]: true }, pulls: [pullRequest({ state })] });
    const result = await run(repository);
    expect(speakable(reasonOf(result, "failed"))).toContain(state);
    expect(result).toMatchObject({ code: "conflict" });
    expect(repository.created).toEqual([]);
  });

  describe("finding the branch", () => {
    it("waits when there is none, saying what it waits for", async () => {
      const result = await run(createRepository({ branches: { "feat/ENG-421-other": true } }));
      expect(speakable(reasonOf(result, "waiting"))).toBe(
        "There is no branch for ENG-42 yet. The draft pull request will follow when one is pushed.",
      );
    });

    it("asks by former keys and by linked names too", async () => {
      const repository = createRepository({ branches: { "fix/OLD-9": true } });
      const moved = { ...ticket, formerKeys: ["OLD-9"], branches: ["login"] };
      const result = await run(repository, {}, { ...input, ticket: moved });
      expect(result).toMatchObject({ state: "done", result: { branch: "fix/OLD-9" } });
      expect(repository.asked).toEqual([{ keys: ["ENG-42", "OLD-9"], names: ["login"] }]);
    });

    it("prefers a linked branch to those that merely carry the key", async () => {
      const repository = createRepository({ branches: { [BRANCH]: true, login: true } });
      const linked = { ...ticket, branches: ["login"] };
      const result = await run(repository, {}, { ...input, ticket: linked });
      expect(result).toMatchObject({ state: "done", result: { branch: "login" } });
    });

    it("asks which of several is meant", async () => {
      const repository = createRepository({ branches: { "feat/ENG-42-a": true, "feat/ENG-42-b": true } });
      const result = await run(repository);
      expect(speakable(reasonOf(result, "failed"))).toContain(
        "There are 2 branches for ENG-42: feat ENG-42-a and feat ENG-42-b.",
      );
      expect(repository.created).toEqual([]);
    });

    it("names at most three of many", async () => {
      const names = ["a", "b", "c", "d", "e"].map((name) => [`ENG-42-${name}`, true]);
      const result = await run(createRepository({ branches: Object.fromEntries(names) }));
      expect(speakable(reasonOf(result, "failed"))).toContain("ENG-42-a, ENG-42-b, ENG-42-c and 2 more");
    });

    it("waits for a linked branch when the ticket has no key, asking nobody", async () => {
      const repository = createRepository({ branches: { main: true } });
      const result = await run(repository, {}, { ...input, ticket: { title: "A card" } as typeof ticket });
      expect(speakable(reasonOf(result, "waiting"))).toContain("has no key");
      expect(repository.asked).toEqual([]);
    });

    it("takes the linked branch of a ticket without a key", async () => {
      const repository = createRepository({ branches: { "card-9": true } });
      const card = { title: "A card", branches: ["card-9"] };
      const result = await run(repository, {}, { ...input, ticket: card as unknown as typeof ticket });
      expect(result).toMatchObject({ state: "done", result: { branch: "card-9" } });
      expect(repository.created[0]).toMatchObject({ title: "A card" });
    });
  });

  describe("a branch without commits", () => {
    it("is waited for", async () => {
      const repository = createRepository({ branches: { [BRANCH]: false } });
      speakable(reasonOf(await run(repository), "waiting"));
      expect(repository.pushed).toEqual([]);
    });

    it("gets an empty one where that is wished, once", async () => {
      const repository = createRepository({ branches: { [BRANCH]: false } });
      expect(await run(repository, { emptyCommit: true })).toMatchObject({ state: "done" });
      await run(repository, { emptyCommit: true });
      expect(repository.pushed).toEqual([{ branch: BRANCH, message: "Begin ENG-42" }]);
    });

    it("is waited for where that is wished but cannot be done", async () => {
      const repository = createRepository({ branches: { [BRANCH]: false }, canPush: false });
      expect(await run(repository, { emptyCommit: true })).toMatchObject({ state: "waiting" });
    });
  });

  describe("a repository without drafts", () => {
    it("gets no pull request unless normal ones are allowed", async () => {
      const repository = createRepository({ branches: { [BRANCH]: true }, drafts: false });
      const result = await run(repository);
      expect(result).toMatchObject({ code: "forbidden" });
      speakable(reasonOf(result, "failed"));
      expect(repository.created.map((pull) => pull.draft)).toEqual([true]);
    });

    it("gets a normal one where allowed, a draft having been tried first", async () => {
      const repository = createRepository({ branches: { [BRANCH]: true }, drafts: false });
      const result = await run(repository, { draftFallback: "ready" });
      expect(result).toMatchObject({ state: "done", result: { draft: false, existing: false } });
      expect(repository.created.map((pull) => pull.draft)).toEqual([true, false]);
    });

    it("is not given a normal one for any other refusal", async () => {
      const repository = createRepository({ branches: { [BRANCH]: false }, drafts: false });
      expect(await run(repository, { draftFallback: "ready" })).toMatchObject({ state: "waiting" });
      expect(repository.created.map((pull) => pull.draft)).toEqual([true]);
    });
  });

  it.each(["invalid_base", "invalid_branch"] as const)("says what to correct on %s", async (refuses) => {
    const result = await run(createRepository({ branches: { [BRANCH]: true }, refuses }));
    expect(result).toMatchObject({ state: "failed", code: "invalid" });
    speakable(reasonOf(result, "failed"));
  });

  it.each(["findBranches", "listPullRequests", "createPullRequest"] as const)(
    "leaves trouble in %s to its caller",
    async (method) => {
      const trouble = new BoardwalkError("rate_limited", "GitHub asked us to wait a minute.");
      const repository = createRepository({ branches: { [BRANCH]: true } });
      const limited = { ...repository, [method]: () => Promise.reject(trouble) };
      await expect(run(limited)).rejects.toBe(trouble);
    },
  );

  it("speaks of the oddest names without signs", () => {
    return fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (name) => {
        const repository = createRepository({});
        const odd: Vcs = { ...repository, findBranches: async () => [`x/${name}`, `y/${name}`] };
        const result = await run(odd);
        expect(reasonOf(result, "failed")).toMatch(/^[\p{L}\p{M}\p{N} .,:?-]+$/u);
      }),
    );
  });
});

describe("pull request text", () => {
  const text = (ticketTitle: string, statusName = "Done") =>
    pullRequestText({ key: "ENG-42", ticketTitle, statusName });
  /** What GitHub and the trackers would find in it. */
  const live =
    /@[\p{L}\p{N}]|#\d|\bGH-\d|https?:\/\/|www\.|(?<![\p{L}\p{N}])(?!ENG-42(?!\d))\p{L}[\p{L}\p{N}]*-\d/iu;

  it.each([
    ["a mention", "ask @acme/owners and @torvalds"],
    ["a reference", "closes #1, fixes acme/web#2, resolves GH-3"],
    ["an address", "fixes https://github.com/acme/web/issues/1 and www.example.com"],
    ["another ticket", "Closes ENG-43 and eng-420"],
  ])("disarms %s", (_what, title) => {
    const { title: shown, body } = text(title, title);
    expect(title).toMatch(live);
    expect(shown).not.toMatch(live);
    expect(body).not.toMatch(live);
    // A reader still sees the same words.
    expect(shown.replaceAll("\u200b", "").replaceAll("\u2011", "-")).toBe(`ENG-42: ${title}`);
  });

  it("keeps the ticket's own key live", () => {
    expect(text("part two of ENG-42").title).toBe("ENG-42: part two of ENG-42");
  });

  it("escapes what Markdown and HTML would act upon", () => {
    const { body } = text("<img src=x> [a](b) **bold** `code`");
    expect(body).toContain("\\<img src\\=x\\> \\[a\\]\\(b\\) \\*\\*bold\\*\\* \\`code\\`");
  });

  it("is one bounded line, whatever the ticket is called", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (title) => {
        const { title: shown, body } = text(title, title);
        expect([...shown].length).toBeLessThanOrEqual(200);
        expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(shown).not.toMatch(live);
        expect(body.split("\n").length).toBeLessThanOrEqual(4);
        expect(body.length).toBeLessThan(5_000);
        expect(body).not.toMatch(live);
      }),
      { numRuns: 500 },
    );
  });

  it("leaves no mention or reference alive, in any order of signs", () => {
    const signs = fc.constantFrom(
      "@",
      "#",
      "1",
      "a",
      "-",
      "_",
      ":",
      "/",
      "\\",
      "http",
      "www.",
      "GH",
      " ",
      "\u200b",
      "\u2011",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 30 }), (pieces) => {
        const { title, body } = text(pieces.join(""));
        expect(title).not.toMatch(live);
        expect(body).not.toMatch(live);
      }),
      { numRuns: 5_000 },
    );
  });

  it("calls a ticket without words by its key, and one without either something", () => {
    expect(text(" \n").title).toBe("ENG-42");
    expect(pullRequestText({ ticketTitle: "", statusName: "Done" }).title).toBe("Untitled ticket");
  });
});

type Result = Awaited<ReturnType<typeof run>>;

function resultOf(result: Result) {
  if (result.state !== "done") throw new Error(`not done: ${JSON.stringify(result)}`);
  return result.result;
}

function reasonOf(result: Result, state: "waiting" | "failed"): string {
  if (result.state === "done" || result.state !== state) {
    throw new Error(`not ${state}: ${JSON.stringify(result)}`);
  }
  return result.reason;
}
