import { jira } from "../../connectors/jira/index.js";
import { jiraHarness } from "../contract/jira.harness.js";
import { ASKED, fuzzReplies } from "../support/fuzz-replies.js";

fuzzReplies("replies of Jira", ASKED, async () => {
  const harness = await jiraHarness();
  const { email, apiToken } = harness.emulator.credentials;
  return {
    harness,
    url: harness.emulator.url,
    choose: (baseUrl) => ({ kind: jira, settings: { baseUrl }, credentials: { email, apiToken } }),
  };
});
