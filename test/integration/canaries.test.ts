import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CanaryWorld, canary, startCanaryWorld } from "../support/canary-world.js";
import { until } from "../support/until.js";

/**
 * None of what people wrote may be found in the log, and no secret in the log or in any reply. What is kept and shown
 * elsewhere is hunted through in `canaries-kept.test.ts`.
 */

let world: CanaryWorld;
beforeAll(async () => {
  world = await startCanaryWorld();
});
afterAll(() => world?.close());

async function expectNothingTold(): Promise<void> {
  const all = world.log.join("");
  const { titles, words, secrets, replies } = world;
  for (const word of [...Object.values(titles), ...Object.values(words)]) expect(all).not.toContain(word);
  for (const secret of secrets) {
    expect(all).not.toContain(secret);
    for (const reply of replies) expect(reply).not.toContain(secret);
  }
}

describe("what is secret, and what people wrote", () => {
  it("is told to whoever may know it, so that the hunt has something to find", async () => {
    const { text } = await world.tool("find_tickets", {});
    for (const title of Object.values(world.titles)) expect(text).toContain(title);
    expect(world.secrets.size).toBeGreaterThan(6);
  });

  it("is in no log when all goes well", async () => {
    await world.moveAll("In Review");
    for (const title of Object.values(world.titles)) {
      await world.tool("read_ticket", { ticket: title });
      await world.tool("list_moves", { ticket: title });
      await world.tool("move_ticket", { ticket: title, to: "In Progress", comment: world.words.comment });
    }
    await world.tool("find_tickets", { query: world.words.query });
    await world.call("GET", `/tickets?query=${world.words.query}`);
    await world.call("GET", "/audit");
    await expectNothingTold();
  });

  it("is in none of the lines of requests, jobs, moves and calls to boards, all of which there are", async () => {
    const lines = world.log.map(
      (line) => JSON.parse(line) as { event?: string; job?: string; host?: string },
    );
    for (const event of ["request", "job", "move", "call"])
      expect(lines.map((line) => line.event)).toContain(event);
    expect(lines.map(({ job }) => job)).toEqual(expect.arrayContaining(["move", "hook", "sync"]));
  });

  it("is in no log when boards break, refuse and quote it", async () => {
    for (const status of [400, 401, 403, 404, 409, 500, 502]) {
      // Boards repeat what they were sent.
      const body = JSON.stringify({
        errorMessages: Object.values(world.titles),
        message: world.words.comment,
      });
      await world.faults({ status, body });
      await world.moveAll("In Review");
      await world.call("POST", "/connections/jira/sync", {});
      const [jira] = world.boards;
      const { provider, settings, credentials } = jira ?? {};
      await world.call("POST", "/connections", { id: `late-${status}`, provider, settings, credentials });
    }
    const job = { id: "canary", name: world.titles.jira, data: { title: world.titles.jira }, lane: "canary" };
    await world.app.hooks.ask(job, 10_000);
    await world.faults(undefined);
    // The trouble is logged: a silent log would hold no canary either.
    await until(() => world.log.some((line) => line.includes("trouble in the job queue")));
    await expectNothingTold();
  }, 120_000);

  it.each([
    ["jira", { baseUrl: "URL", project: "ENG" }, ["email", "apiToken", "webhookSecret"]],
    [
      "jira",
      { baseUrl: "URL", project: "ENG" },
      ["accessToken", "refreshToken", "clientId", "clientSecret", "webhookSecret"],
    ],
    ["linear", { team: "MOB", apiUrl: "URL" }, ["apiKey", "webhookSecret"]],
    ["linear", { team: "MOB", apiUrl: "URL" }, ["accessToken", "refreshToken", "clientId", "clientSecret"]],
    ["github", { owner: "acme", project: 1, apiUrl: "URL" }, ["token", "webhookSecret"]],
    ["github", { owner: "acme", project: 1, apiUrl: "URL" }, ["appId", "privateKey", "installationId"]],
    ["trello", { board: "bwDemo01", apiUrl: "URL" }, ["apiKey", "token", "secret"]],
  ] as const)(
    "is in no reply to wrong credentials for %s, nor in the log (%#)",
    async (provider, settings, names) => {
      const at = world.boards.find((board) => board.provider === provider)?.boardUrl ?? world.github.url;
      const credentials = Object.fromEntries(names.map((name) => [name, canary(name)]));
      world.keep(credentials);
      const vcsToken = canary("vcs");
      world.keep(vcsToken);
      const wrong: readonly object[] = [
        credentials,
        { ...credentials, vcs: { token: vcsToken } },
        { ...credentials, unknown: vcsToken },
        Object.fromEntries(names.map((name) => [name, { nested: credentials[name] }])),
        Object.fromEntries(names.map((name) => [name, [credentials[name]]])),
      ];
      for (const [index, given] of wrong.entries()) {
        const filled = Object.fromEntries(
          Object.entries(settings).map(([name, value]) => [name, value === "URL" ? at : value]),
        );
        const id = `wrong-${index}-${randomBytes(3).toString("hex")}`;
        await world.call("POST", "/connections", { id, provider, settings: filled, credentials: given });
        await world.call("GET", `/connections/${id}`);
      }
      await world.call("GET", "/connections");
      await expectNothingTold();
    },
  );

  it("is in no reply to strangers", async () => {
    const before = world.replies.length;
    for (const bearer of ["", "x", canary("bearer")]) {
      await world.send("POST", "/mcp", bearer, { title: world.titles.jira });
      await world.send("GET", "/api/v1/tenants/acme/tickets", bearer);
      await world.send("POST", "/webhooks/jira/x", bearer, { title: world.titles.jira });
    }
    for (const reply of world.replies.slice(before)) {
      for (const title of Object.values(world.titles)) expect(reply).not.toContain(title);
    }
    await expectNothingTold();
  });
});
