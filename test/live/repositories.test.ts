import { describe } from "vitest";
import { githubVcs } from "../../connectors/github/index.js";
import { describeStandingVcs } from "../contract/vcs.contract.js";
import { liveRepository, spoilt } from "../support/live.js";

const VARIABLE = "LIVE_GITHUB_VCS";
const given = liveRepository(VARIABLE);
const NAME = "a repository on GitHub";

if (given === undefined) {
  console.info(`${NAME} is skipped: set ${VARIABLE}, as CONTRIBUTING.md says under "Live tests".`);
  describe.skip(NAME, () => {
    describeStandingVcs(NAME, () => Promise.reject(new Error(`${VARIABLE} is not set`)));
  });
} else {
  const kit = { checkUrl: async () => {}, now: () => new Date() };
  const settings = githubVcs.settings.parse(given.settings);
  const open = (credentials: unknown) =>
    githubVcs.create(settings, githubVcs.credentials.parse(credentials), kit);
  describeStandingVcs(NAME, async () => ({
    vcs: open(given.credentials),
    stranger: open(spoilt(given.credentials)),
    branch: given.branch,
  }));
}
