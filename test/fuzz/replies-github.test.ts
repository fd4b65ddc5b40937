import { generateKeyPairSync } from "node:crypto";
import { createGithubVcs, github, githubVcs } from "../../connectors/github/index.js";
import { githubHarness } from "../contract/github.harness.js";
import { ASKED, fuzzReplies } from "../support/fuzz-replies.js";
import { quietKit } from "../support/quiet-kit.js";

/** GraphQL for the project, REST for its webhooks and the repository, by a token and as an App. */

const never = new AbortController().signal;
const REPO = "acme/web";
const BRANCH = "feat/AB-2";
const NEW_PULL = { branch: BRANCH, title: "Fix the login", body: "As asked for.", draft: true };
const REPOSITORY = [
  "branches of these names",
  "branches of this key",
  "an empty commit",
  "pull requests",
  "a pull request",
];

fuzzReplies("replies of GitHub", [...ASKED, ...REPOSITORY, "an App's login"], async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const harness = await githubHarness({
    repos: [{ owner: "acme", name: "web" }],
    app: { appId: "7", installationId: "8", publicKey },
  });
  const { emulator } = harness;
  const { token } = emulator;
  emulator.addBranch(REPO, BRANCH, { commitsAhead: 1 });
  // An issue, since drafts take no comments.
  emulator.project().addItem({ title: "Fix the login", status: "Todo", repo: REPO, branches: [BRANCH] });
  const vcs = (apiUrl: string, credentials: object = { token }) =>
    createGithubVcs(
      githubVcs.settings.parse({ repo: REPO, apiUrl }),
      githubVcs.credentials.parse(credentials),
      quietKit,
    );
  return {
    harness,
    url: emulator.url,
    choose: (apiUrl) => ({ kind: github, settings: { owner: "acme", apiUrl }, credentials: { token } }),
    more: {
      "branches of these names": (url) => vcs(url).findBranches({ keys: [], names: [BRANCH] }, never),
      "branches of this key": (url) => vcs(url).findBranches({ keys: ["AB-2"], names: [] }, never),
      "an empty commit": async (url) => vcs(url).pushEmptyCommit?.(BRANCH, "Begin.", never),
      "a pull request": (url) => vcs(url).createPullRequest(NEW_PULL, never),
      "pull requests": (url) => vcs(url).listPullRequests(BRANCH, never),
      "an App's login": (url) =>
        vcs(url, { appId: "7", installationId: "8", privateKey }).listPullRequests(BRANCH, never),
    },
  };
});
