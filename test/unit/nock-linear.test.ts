import { createLinearApi } from "../../connectors/linear/api.js";
import { createLinearAuth } from "../../connectors/linear/auth.js";
import { COMMENT, VIEWER } from "../../connectors/linear/documents.js";
import { describeErrorPaths } from "../support/error-paths.js";
import { quietKit } from "../support/quiet-kit.js";

const credentials = { apiKey: "canary-of-the-key" };
const body = "a comment that nobody may log";

describeErrorPaths("Linear's client", ({ timeoutMs, origin = "https://api.linear.example" } = {}) => {
  const auth = createLinearAuth(credentials, quietKit, origin);
  const timing = timeoutMs === undefined ? {} : { timeoutMs };
  const api = createLinearApi({ apiUrl: origin, auth, kit: quietKit, ...timing });
  const issueId = "2b3c0a1e-0000-4000-8000-000000000001";
  return {
    board: "Linear",
    origin,
    canaries: [credentials.apiKey, body],
    readsPlainText: true,
    redirected: "invalid",
    read: {
      method: "POST",
      path: "/graphql",
      reply: { data: { viewer: { id: issueId, name: "Ann" } } },
      call: (signal) => api.run(VIEWER, {}, signal),
    },
    write: {
      method: "POST",
      path: "/graphql",
      reply: { data: { commentCreate: { success: true } } },
      call: (signal) => api.run(COMMENT, { input: { issueId, body } }, signal),
    },
  };
});
