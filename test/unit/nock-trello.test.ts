import nock from "nock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createTrelloApi } from "../../connectors/trello/api.js";
import { describeErrorPaths, errorOf } from "../support/error-paths.js";
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
    redirected: "invalid",
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

describe("Trello's one address that holds a token", () => {
  beforeEach(() => {
    if (!nock.isActive()) nock.activate();
  });
  afterEach(() => {
    nock.cleanAll();
    nock.restore();
  });

  it("stands in no error, though the network's own message repeats it", async () => {
    const apiUrl = "https://api.trello.example";
    const path = `/1/tokens/${credentials.token}`;
    const said = `request to ${apiUrl}${path}?key=${credentials.apiKey} failed`;
    const failure = Object.assign(new Error(said), { code: "ECONNRESET" });
    nock(apiUrl).persist().get(path).replyWithError(failure);
    const api = createTrelloApi({ apiUrl, credentials, kit: quietKit });
    const call = { path: "/tokens/{token}", params: { token: credentials.token }, reply: board };
    const error = await errorOf(api.read(call, new AbortController().signal), {
      canaries: Object.values(credentials),
    });
    expect(error).toMatchObject({ code: "unavailable" });
  });
});
