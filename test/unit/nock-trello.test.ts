import { z } from "zod";
import { createTrelloApi } from "../../connectors/trello/api.js";
import { describeErrorPaths } from "../support/error-paths.js";
import { quietKit } from "../support/quiet-kit.js";

const credentials = { apiKey: "canary-of-the-key", token: "canary-of-the-token" };
const board = z.object({ id: z.string() });

describeErrorPaths("Trello's client", ({ timeoutMs, origin = "https://api.trello.example" } = {}) => {
  const api = createTrelloApi({
    apiUrl: origin,
    credentials,
    kit: quietKit,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return {
    board: "Trello",
    origin,
    canaries: [credentials.apiKey, credentials.token, "a comment that nobody may log"],
    readsPlainText: true,
    redirected: "unavailable",
    boundsReplies: true,
    read: {
      method: "GET",
      path: "/1/boards/abc",
      reply: { id: "abc" },
      call: (signal) => api.read({ path: "/boards/{id}", params: { id: "abc" }, reply: board }, signal),
    },
    write: {
      method: "POST",
      path: /^\/1\/cards\/abc\/actions\/comments/,
      reply: { id: "abc" },
      call: (signal) => {
        const query = { text: "a comment that nobody may log" };
        const path = "/cards/{id}/actions/comments";
        return api.write("POST", { path, params: { id: "abc" }, query, reply: board }, signal);
      },
    },
  };
});
