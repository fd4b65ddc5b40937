import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GithubEmulator, startGithubEmulator } from "../../connectors/github/emulator.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { syncJobFor } from "../../src/tickets/jobs.js";
import type { Conversation } from "../../src/tickets/tickets.js";
import { listening } from "../support/desk.js";
import { until } from "../support/until.js";

/** A GitHub project as the board and a repository of the same GitHub, through the whole service but its front door. */

let emulator: GithubEmulator;
let app: App;
let talk: Conversation;

beforeAll(async () => {
  emulator = await startGithubEmulator({
    repos: [
      {
        owner: "acme",
        name: "web",
        branches: [
          { name: "1-login-fails", commitsAhead: 1 },
          { name: "2-dark-mode", commitsAhead: 1 },
          { name: "12-dark-mode-too", commitsAhead: 1 },
        ],
      },
    ],
    projects: [
      {
        owner: "acme",
        number: 3,
        title: "Roadmap",
        items: [
          { title: "Login fails", repo: "web", status: "Todo", branches: ["1-login-fails"] },
          { title: "Dark mode", repo: "web", status: "Todo", branches: ["2-dark-mode"] },
          { title: "Think about names", status: "Todo" },
          { title: "Old thing", repo: "web", status: "Done", archived: true },
        ],
      },
    ],
  });
  const config = parseConfig({
    HOST: "127.0.0.1",
    PORT: "0",
    LOG_LEVEL: "error",
    BOARDWALK_ADMIN_TOKEN: "an admin token of the test that is long enough",
    BOARDWALK_ENCRYPTION_KEYS: `k:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
  });
  app = await createApp(config, { inMemory: true });
  await app.store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
  const tenant = app.store.tenant("acme");
  talk = { tenant, speaker: { person: "ann" }, conversation: "c", budgetMs: 10_000 };
  await app.connections.add(tenant, {
    id: "roadmap",
    provider: "github",
    settings: {
      owner: "acme",
      project: 3,
      apiUrl: emulator.url,
      vcs: { provider: "github", repo: "acme/web", apiUrl: emulator.url },
      hooks: [{ on: "enter", status: "In Review", run: "draft-pull-request" }],
    },
    credentials: { token: emulator.token, vcs: { token: emulator.token } },
  });
  const reply = await app.hooks.ask(syncJobFor("acme", "roadmap", "test"), 20_000);
  expect(reply).toMatchObject({ ok: true, result: { workflows: 1, tickets: 4 } });
});
afterAll(async () => {
  await app.close();
  await emulator.close();
});

describe("a GitHub project behind the service", () => {
  it("moves an issue by its words and opens a draft pull request from its linked branch", async () => {
    const moved = await listening(app.tickets).move(talk, { ticket: "login fails", to: "in review" });
    expect(moved).toMatchObject({ outcome: "confirmed", to: { name: "In Review" } });
    expect(moved.hooks).toMatchObject([{ state: "done", result: { branch: "1-login-fails", draft: true } }]);
    expect(emulator.project().statusOf("Login fails")).toBe("In Review");
    expect(emulator.pulls("acme/web")).toMatchObject([{ head: "1-login-fails", draft: true }]);
  });

  it("runs the hook once, also when a person drags the card, by the board's webhook", async () => {
    expect(emulator.hooks.all).toHaveLength(1);
    emulator.project().move("Dark mode", "In Review");
    await until(() => emulator.pulls("acme/web").some(({ head }) => head === "2-dark-mode"));
    await emulator.hooks.delivered();
    await until(
      async () => (await app.hooks.counts()).running === 0 && (await app.hooks.counts()).waiting === 0,
    );
    expect(emulator.pulls("acme/web").map(({ head }) => head)).toEqual(["1-login-fails", "2-dark-mode"]);
    const read = await listening(app.tickets).read(talk, { ticket: "web#2" });
    expect(read.ticket?.status.name).toBe("In Review");
  });

  it("goes to No Status only when asked by that name", async () => {
    const moves = await listening(app.tickets).listMoves(talk, { ticket: "think about names" });
    expect(moves.openMoves.map(({ status }) => status.name)).toEqual(["In Progress", "In Review", "Done"]);
    const moved = await listening(app.tickets).move(talk, { ticket: "think about names", to: "no status" });
    expect(moved).toMatchObject({ outcome: "confirmed", to: { id: "none" } });
    expect(emulator.project().statusOf("Think about names")).toBeNull();
  });

  it("says of an archived item that it is archived, and leaves it", async () => {
    const refused = await listening(app.tickets).move(talk, { ticket: "old thing", to: "todo" });
    expect(refused).toMatchObject({ outcome: "refused", spoken: expect.stringMatching(/archived/) });
    expect(emulator.project().statusOf("Old thing")).toBe("Done");
  });
});
