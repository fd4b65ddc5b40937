import nock from "nock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adfFromText } from "../../connectors/jira/adf.js";
import { createJiraApi } from "../../connectors/jira/api.js";
import { createJiraAuth } from "../../connectors/jira/auth.js";
import { describeErrorPaths, errorOf } from "../support/error-paths.js";
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

describe("Jira's reason for a limit", () => {
  const origin = "https://acme.jira.example";
  const auth = createJiraAuth(credentials, quietKit);
  const api = createJiraApi({ baseUrl: origin, auth, kit: quietKit });
  beforeEach(() => {
    if (!nock.isActive()) nock.activate();
  });
  afterEach(() => {
    nock.cleanAll();
    nock.restore();
  });

  it.each([
    ["jira-per-issue-on-write", "ticket"],
    ["jira-burst-based", "call"],
    ["jira-quota-tenant-based", undefined],
    ["jira-quota-global-based", undefined],
  ])("%s is about %s", async (reason, only) => {
    nock(origin)
      .get("/rest/api/3/myself")
      .reply(429, "", { "Retry-After": "30", "RateLimit-Reason": reason });
    const error = await errorOf(api.myself(new AbortController().signal), { canaries: [] });
    expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 30_000, data: { reason } });
    expect(error.data?.only).toBe(only);
  });
});
