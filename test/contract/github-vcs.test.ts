import { startGithubEmulator } from "../../connectors/github/emulator.js";
import { createGithubVcs, githubVcs } from "../../connectors/github/vcs.js";
import { describeVcs } from "./vcs.contract.js";

describeVcs("GitHub", async () => {
  const emulator = await startGithubEmulator({ repos: [{ owner: "acme", name: "web" }] });
  const repo = "acme/web";
  const settings = githubVcs.settings.parse({ repo, apiUrl: emulator.url });
  const kit = { checkUrl: async () => {}, now: () => new Date() };
  const requests = () => emulator.journal.length;
  return {
    vcs: createGithubVcs(settings, { token: emulator.token }, kit),
    stranger: createGithubVcs(settings, { token: "someone-else" }, kit),
    defaultBranch: "main",
    addBranch: (name, commitsAhead = 0) => emulator.addBranch(repo, name, { commitsAhead }),
    closePull: (number, merged) => emulator.closePull(repo, number, { merged }),
    pulls: () => emulator.pulls(repo),
    writes: () => emulator.journal.filter(({ method }) => method !== "GET").length,
    requests,
    setAccess: (access) => emulator.setAccess(repo, access),
    setDraftsSupported: (supported) => emulator.setDraftsSupported(repo, supported),
    setFaults: (faults) => emulator.host.setFaults(faults),
    rateLimit: (kind, seconds) => emulator.limit(kind, { seconds }),
    close: () => emulator.close(),
  };
});
