import { startGithubEmulator } from "../../connectors/github/emulator.js";
import { githubVcs } from "../../connectors/github/index.js";
import { BOARDS as KINDS } from "../../connectors/index.js";
import { liveHarness, spoilt } from "../support/live.js";
import { BOARDS, LOGIN } from "../support/sync-boards.js";
import { describeStandingConnector } from "./connector.contract.js";
import { describeStandingVcs } from "./vcs.contract.js";

/** The tests that are run by hand against real accounts, run against the emulators: they themselves must work. */

for (const [name, start] of BOARDS) {
  describeStandingConnector(name, async () => {
    const board = await start();
    const kind = KINDS.find(({ provider }) => provider === board.provider);
    if (kind === undefined) throw new Error(`there is no connector for ${board.provider}`);
    const { settings, credentials } = board;
    const harness = await liveHarness(kind, { settings, credentials, ticket: LOGIN });
    const before = board.statusOf(LOGIN);
    return {
      ...harness,
      async close() {
        await harness.close();
        const after = board.statusOf(LOGIN);
        await board.close();
        if (after !== before) throw new Error(`the ticket was left in ${after}, not put back to ${before}`);
      },
    };
  });
}

describeStandingVcs("GitHub", async () => {
  const emulator = await startGithubEmulator({ repos: [{ owner: "acme", name: "web" }] });
  emulator.addBranch("acme/web", "feat/AB-1", { commitsAhead: 1 });
  const settings = githubVcs.settings.parse({ repo: "acme/web", apiUrl: emulator.url });
  const open = (credentials: Record<string, unknown>) =>
    githubVcs.create(settings, githubVcs.credentials.parse(credentials), {
      checkUrl: async () => {},
      now: () => new Date(),
    });
  const credentials = { token: emulator.token };
  return { vcs: open(credentials), stranger: open(spoilt(credentials)), branch: "feat/AB-1" };
});
