import { adfFromText } from "../../connectors/jira/adf.js";
import { createJiraApi } from "../../connectors/jira/api.js";
import { createJiraAuth } from "../../connectors/jira/auth.js";
import { describeErrorPaths } from "../support/error-paths.js";
import { quietKit } from "../support/quiet-kit.js";

const credentials = { email: "ann@board.example", apiToken: "canary-of-the-token" };
const comment = "a comment that nobody may log";

describeErrorPaths("Jira's client", ({ timeoutMs, origin = "https://acme.jira.example" } = {}) => {
  const auth = createJiraAuth(credentials, quietKit);
  const timing = timeoutMs === undefined ? {} : { timeoutMs };
  const api = createJiraApi({ baseUrl: origin, auth, kit: quietKit, ...timing });
  return {
    board: "Jira",
    origin,
    canaries: [credentials.apiToken, auth.header(), comment],
    readsPlainText: true,
    needsNoReply: true,
    redirected: "invalid",
    boundsReplies: true,
    read: {
      method: "GET",
      path: "/rest/api/3/myself",
      reply: { accountId: "5b10" },
      call: (signal) => api.myself(signal),
    },
    write: {
      method: "POST",
      path: "/rest/api/3/issue/10001/comment",
      reply: { id: "1" },
      call: (signal) => api.comment("10001", adfFromText(comment), signal),
    },
  };
});
