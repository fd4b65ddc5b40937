import { generateKeyPairSync } from "node:crypto";
import nock from "nock";
import { afterEach, describe, expect, it } from "vitest";
import { startGithubEmulator } from "../../connectors/github/emulator.js";
import { waitSeconds } from "../../connectors/github/errors.js";
import { createGithubVcs, githubVcs, refusalIn } from "../../connectors/github/vcs.js";
import { BoardwalkError } from "../../src/errors.js";

const kit = { checkUrl: async () => {}, now: () => new Date() };
const signal = new AbortController().signal;
const HOST = "https://github.example.com";

function vcsAt(apiUrl: string, token = "t") {
  return createGithubVcs(githubVcs.settings.parse({ repo: "acme/web", apiUrl }), { token }, kit);
}

describe("settings", () => {
  it.each(["acme", "acme/", "a/b/c", "acme/..", "acme/a b", "../x", "acme/web?x"])(
    "refuses the repo %j",
    (repo) => {
      expect(githubVcs.settings.safeParse({ repo }).success).toBe(false);
    },
  );

  it.each(["ftp://x", "http://x/?a=1", "https://u:p@x", "x"])("refuses the apiUrl %j", (apiUrl) => {
    expect(githubVcs.settings.safeParse({ repo: "acme/web", apiUrl }).success).toBe(false);
  });

  it("refuses a private key that is none", () => {
    const given = { appId: "1", installationId: "2", privateKey: "-----BEGIN nonsense" };
    const parsed = githubVcs.credentials.safeParse(given);
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error)).not.toContain("nonsense");
  });
});

describe("GitHub's reasons for not opening a pull request", () => {
  const validation = (...errors: unknown[]) => ({ message: "Validation Failed", errors });
  it.each([
    [validation({ code: "custom", message: "A pull request already exists for acme:x." }), "exists"],
    [validation({ code: "custom", message: "No commits between main and x" }), "no_commits"],
    [{ message: "Draft pull requests are not supported in this repository." }, "draft_unsupported"],
    [
      validation({ code: "custom", message: "Draft pull requests are not supported in this repository." }),
      "draft_unsupported",
    ],
    [validation({ field: "base", code: "invalid" }), "invalid_base"],
    [validation({ field: "head", code: "invalid" }), "invalid_branch"],
    [
      validation(
        { field: "base", code: "invalid" },
        { code: "custom", message: "No commits between  and x" },
      ),
      "invalid_base",
    ],
    [validation({ code: "missing_field", message: "Head sha can't be blank" }), "invalid_branch"],
    [validation("No commits between main and x"), "no_commits"],
    [validation({ field: "title", code: "missing_field" }), undefined],
    ["<html>", undefined],
    [null, undefined],
  ])("%j is %s", (body, reason) => {
    expect(refusalIn(body)).toBe(reason);
  });
});

describe("how long to wait", () => {
  const header = (headers: Record<string, string>) => (name: string) => headers[name];
  it("takes retry-after, then the reset of a spent limit, then a minute for a bare secondary limit", () => {
    expect(waitSeconds(header({ "retry-after": "7", "x-ratelimit-remaining": "0" }), "", 0)).toBe(7);
    expect(waitSeconds(header({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "90" }), "", 30_000)).toBe(
      60,
    );
    expect(waitSeconds(header({}), "You have exceeded a secondary rate limit.", 0)).toBe(60);
    expect(
      waitSeconds(header({ "x-ratelimit-remaining": "12" }), "Must have admin rights", 0),
    ).toBeUndefined();
  });
});

describe("the wire", () => {
  afterEach(() => nock.cleanAll());

  it("is unavailable after half a body", async () => {
    nock(HOST)
      .get("/api/v3/repos/acme/web/pulls")
      .query(true)
      .times(3)
      .reply(200, '[{"number":1,"html', { "content-type": "application/json" });
    await expect(vcsAt(`${HOST}/api/v3`).listPullRequests("x", signal)).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("looks at every pull request, because a filter GitHub cannot read is ignored", async () => {
    const pull = (number: number, ref: string, full_name: string | null) => ({
      number,
      html_url: `${HOST}/acme/web/pull/${number}`,
      state: "open",
      created_at: "2026-11-01T00:00:00Z",
      head: { ref, label: `fork:${ref}`, repo: full_name === null ? null : { full_name } },
    });
    nock(HOST)
      .get("/repos/acme/web/pulls")
      .query((query) => query.head === "acme:AB-1" && query.state === "all")
      .reply(200, [
        pull(1, "AB-1", "Acme/Web"),
        pull(2, "AB-12", "acme/web"),
        pull(3, "AB-1", "fork/web"),
        pull(4, "AB-1", null),
      ]);
    const found = await vcsAt(HOST).listPullRequests("AB-1", signal);
    expect(found.map(({ number }) => number)).toEqual([1]);
  });

  it("follows a renamed repository on the same host, and never a redirect to another", async () => {
    nock(HOST)
      .get("/repos/acme/web/branches")
      .query(true)
      .reply(301, "", { location: `${HOST}/repositories/1/branches` });
    nock(HOST)
      .get("/repositories/1/branches")
      .reply(200, [{ name: "AB-1" }]);
    const wanted = { keys: ["AB-1"], names: [] };
    expect(await vcsAt(HOST).findBranches(wanted, signal)).toEqual(["AB-1"]);

    const elsewhere = nock("https://evil.example")
      .get("/x")
      .reply(200, [{ name: "AB-1" }]);
    nock(HOST)
      .get("/repos/acme/web/branches")
      .query(true)
      .times(3)
      .reply(302, "", { location: "https://evil.example/x" });
    await expect(vcsAt(HOST).findBranches(wanted, signal)).rejects.toMatchObject({ code: "unavailable" });
    expect(elsewhere.isDone()).toBe(false);
  });

  it("does not follow a Link header to another host", async () => {
    const elsewhere = nock("https://evil.example").get("/x").reply(200, []);
    nock(HOST)
      .get("/repos/acme/web/branches")
      .query(true)
      .reply(200, [], { link: '<https://evil.example/x>; rel="next"' });
    await expect(vcsAt(HOST).findBranches({ keys: ["A-1"], names: [] }, signal)).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(elsewhere.isDone()).toBe(false);
  });

  it("asks before calling an address", async () => {
    const refused = new BoardwalkError("forbidden", "That address is private.");
    const vcs = createGithubVcs(
      { repo: "acme/web", apiUrl: HOST },
      { token: "t" },
      {
        ...kit,
        checkUrl: () => Promise.reject(refused),
      },
    );
    await expect(vcs.listPullRequests("x", signal)).rejects.toBe(refused);
  });
});

describe("a GitHub App", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const app = { appId: "42", installationId: "77", publicKey };
  const repos = [{ owner: "acme", name: "web", branches: [{ name: "AB-1", commitsAhead: 1 }] }];
  const pull = { branch: "AB-1", title: "t", body: "", draft: true };

  it("opens pull requests with an installation's token", async () => {
    const emulator = await startGithubEmulator({ repos, app });
    try {
      const credentials = githubVcs.credentials.parse({ appId: "42", installationId: "77", privateKey });
      const vcs = createGithubVcs({ repo: "acme/web", apiUrl: emulator.url }, credentials, kit);
      expect(await vcs.createPullRequest(pull, signal)).toMatchObject({ ok: true });
    } finally {
      await emulator.close();
    }
  });

  it("says so when the App was removed", async () => {
    const emulator = await startGithubEmulator({ repos, app });
    try {
      const credentials = { appId: "42", installationId: "78", privateKey };
      const vcs = createGithubVcs({ repo: "acme/web", apiUrl: emulator.url }, credentials, kit);
      await expect(vcs.createPullRequest(pull, signal)).rejects.toMatchObject({
        code: "auth_expired",
        message: expect.stringContaining("install it again"),
      });
    } finally {
      await emulator.close();
    }
  });
});

/** What the next test looks at, of whichever reply it is. */
interface Reply {
  readonly object: { readonly sha: string };
  readonly commit: { readonly sha: string; readonly parents: readonly { readonly sha: string }[] };
  readonly sha: string;
  readonly message: string;
  readonly merged: boolean;
}

describe("the emulated repository", () => {
  it("takes work the ways GitHub's API does: commits, trees, files, refs, merges", async () => {
    const emulator = await startGithubEmulator({ repos: [{ owner: "acme", name: "web" }] });
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${emulator.url}/repos/acme/web${path}`, {
        method,
        headers: { authorization: emulator.authorization, "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, body: JSON.parse((await response.text()) || "null") as Reply };
    };
    try {
      const main = (await call("GET", "/git/ref/heads/main")).body.object.sha;
      expect((await call("POST", "/git/refs", { ref: "refs/heads/feat/AB-1", sha: main })).status).toBe(201);
      expect((await call("POST", "/git/refs", { ref: "refs/heads/feat/AB-1", sha: main })).body.message).toBe(
        "Reference already exists",
      );
      const file = { message: "Work", content: "eA==", branch: "feat/AB-1" };
      const put = await call("PUT", "/contents/src/a.ts", file);
      expect(put.body.commit.parents[0]?.sha).toBe(main);
      const tree = await call("POST", "/git/trees", {
        tree: [{ path: "b", mode: "100644", type: "blob", content: "b" }],
      });
      const commit = await call("POST", "/git/commits", {
        message: "More",
        tree: tree.body.sha,
        parents: [put.body.commit.sha],
      });
      const update = { sha: commit.body.sha };
      expect((await call("PATCH", "/git/refs/heads/feat/AB-1", update)).body.object.sha).toBe(update.sha);
      expect((await call("PATCH", "/git/refs/heads/feat/AB-1", { sha: main })).status).toBe(422);
      const pull = await call("POST", "/pulls", { title: "t", head: "acme:feat/AB-1", base: "main" });
      expect(pull.body).toMatchObject({ number: 1, commits: 2, draft: false, head: { sha: update.sha } });
      expect((await call("PUT", "/pulls/1/merge")).body.merged).toBe(true);
      expect((await call("GET", "/pulls?state=all&head=acme:feat/AB-1")).body).toMatchObject([
        { merged_at: expect.stringMatching(/^2/) },
      ]);
      expect((await call("GET", "/pulls?state=all&head=other:feat/AB-1")).body).toEqual([]);
      expect((await call("DELETE", "/git/refs/heads/feat/AB-1")).status).toBe(204);
    } finally {
      await emulator.close();
    }
  });
});
