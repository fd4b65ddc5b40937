import { linear } from "../../connectors/linear/index.js";
import { linearHarness } from "../contract/linear.harness.js";
import { ASKED, fuzzReplies } from "../support/fuzz-replies.js";

fuzzReplies("replies of Linear", ASKED, async () => {
  const harness = await linearHarness();
  const { apiKey } = harness.emulator.credentials;
  return {
    harness,
    url: harness.emulator.url,
    choose: (apiUrl) => ({ kind: linear, settings: { apiUrl }, credentials: { apiKey } }),
  };
});
