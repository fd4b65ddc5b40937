import { z } from "zod";
import { createGithubApi } from "../../connectors/github/api.js";
import { commentDocument } from "../../connectors/github/documents.js";
import { run } from "../../connectors/github/graphql.js";
import { type ClientOptions, describeErrorPaths } from "../support/error-paths.js";
import { quietKit } from "../support/quiet-kit.js";

const credentials = { token: "canary-of-the-token" };
const body = "a comment that nobody may log";
const ORIGIN = "https://github.example";

function client({ timeoutMs, origin = ORIGIN }: ClientOptions = {}) {
  const timing = timeoutMs === undefined ? {} : { timeoutMs };
  return createGithubApi(`${origin}/api/v3`, credentials, quietKit, { mutationSpacingMs: 0, ...timing });
}

const common = {
  board: "GitHub",
  origin: ORIGIN,
  canaries: [credentials.token, body],
  // Its library parses by content type alone.
  readsPlainText: false,
  redirected: "unavailable",
} as const;

describeErrorPaths("GitHub's REST client", (options) => {
  const api = client(options);
  const comment = z.object({ id: z.number() });
  return {
    ...common,
    read: {
      method: "GET",
      path: "/api/v3/user",
      reply: { id: 1 },
      call: (signal) => api.read("GET /user", {}, comment, signal),
    },
    write: {
      method: "POST",
      path: "/api/v3/repos/acme/web/issues/1/comments",
      reply: { id: 1 },
      call: (signal) => {
        const where = { owner: "acme", repo: "web", issue_number: 1 };
        const route = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
        return api.write(route, { ...where, body }, comment, signal);
      },
    },
  };
});

describeErrorPaths("GitHub's GraphQL client", (options) => {
  const api = client(options);
  const viewer = z.object({ viewer: z.object({ login: z.string() }) });
  const query = { kind: "query", query: "query { viewer { login } }", data: viewer } as const;
  return {
    ...common,
    read: {
      method: "POST",
      path: "/api/graphql",
      reply: { data: { viewer: { login: "ann" } } },
      call: (signal) => run(api, query, {}, signal),
    },
    write: {
      method: "POST",
      path: "/api/graphql",
      reply: { data: { addComment: { clientMutationId: null } } },
      call: (signal) => run(api, commentDocument, { subject: "I_1", body }, signal),
    },
  };
});
