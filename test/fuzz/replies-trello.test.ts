import { trello } from "../../connectors/trello/index.js";
import { trelloHarness } from "../contract/trello.harness.js";
import { ASKED, fuzzReplies } from "../support/fuzz-replies.js";

fuzzReplies("replies of Trello", ASKED, async () => {
  const harness = await trelloHarness();
  const { apiKey, token } = harness.emulator.credentials;
  return {
    harness,
    url: harness.emulator.url,
    choose: (apiUrl) => ({ kind: trello, settings: { apiUrl }, credentials: { apiKey, token } }),
  };
});
