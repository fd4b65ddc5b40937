import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GithubEmulator, startGithubEmulator } from "../../connectors/github/emulator.js";
import {
  demoTrelloBoard,
  startTrelloEmulator,
  type TrelloEmulator,
} from "../../connectors/trello/emulator.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { syncJobFor } from "../../src/tickets/jobs.js";
import type { Conversation } from "../../src/tickets/tickets.js";
import { until } from "../support/until.js";

/** A Trello board and a repository of GitHub, through the whole service but its front door. */

let board: TrelloEmulator;
let github: GithubEmulator;
let app: App;
let talk: Conversation;

beforeAll(async () => {
  board = await startTrelloEmulator({ board: demoTrelloBoard() });
  github = await startGithubEmulator({
    repos: [
      {
        owner: "acme",
        name: "web",
        branches: [
          { name: "feat/card-1-tickets", commitsAhead: 1 },
          { name: "feat/card-10-speaker", commitsAhead: 1 },
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
    id: "house",
    provider: "trello",
    settings: {
      board: "bwDemo01",
      apiUrl: board.url,
      vcs: { provider: "github", repo: "acme/web", apiUrl: github.url },
      hooks: [{ on: "enter", status: "In Review", run: "draft-pull-request" }],
    },
    credentials: { ...board.credentials, vcs: { token: github.token } },
  });
  const reply = await app.hooks.ask(syncJobFor("acme", "house", "test"), 20_000);
  expect(reply).toMatchObject({ ok: true, result: { workflows: 1, tickets: 10 } });
});
afterAll(async () => {
  await app.close();
  await Promise.all([board.close(), github.close()]);
});

const statusOf = (title: string) =>
  [...board.world.cards.values()].find((card) => card.name === title)?.list.name;

describe("a Trello board behind the service", () => {
  it("moves a card by its number and opens a draft pull request from the branch that has it", async () => {
    const moved = await app.tickets.move(talk, { ticket: "card 1", to: "in review" });
    expect(moved).toMatchObject({ outcome: "confirmed", to: { name: "In Review" } });
    expect(moved.hooks).toMatchObject([
      { state: "done", result: { branch: "feat/card-1-tickets", draft: true } },
    ]);
    expect(statusOf("Print the tickets for the summer concert")).toBe("In Review");
  });

  it("moves a card by words of its title", async () => {
    const moved = await app.tickets.move(talk, { ticket: "the coffee machine", to: "done" });
    expect(moved).toMatchObject({ outcome: "confirmed", ticket: { key: "card-4" } });
    expect(statusOf("Repair the coffee machine on the second floor")).toBe("Done");
  });

  it("runs the hook once, also when a person drags the card, by the board's webhook", async () => {
    expect(board.webhooks.registered).toMatchObject([{ active: true, idModel: board.boardId }]);
    board.moveCard("Find a speaker for the winter evening", "In Review");
    await until(() => github.pulls("acme/web").some(({ head }) => head === "feat/card-10-speaker"));
    expect(github.pulls("acme/web").map(({ head }) => head)).toEqual([
      "feat/card-1-tickets",
      "feat/card-10-speaker",
    ]);
  });

  it("knows a new list as soon as someone adds it", async () => {
    board.addList({ name: "Waiting for the printer" });
    const names = async () =>
      (await app.tickets.listMoves(talk, { ticket: "card 5" })).openMoves.map(({ status }) => status.name);
    await until(async () => (await names()).includes("Waiting for the printer"));
    const moved = await app.tickets.move(talk, { ticket: "card 5", to: "waiting for the printer" });
    expect(moved).toMatchObject({ outcome: "confirmed" });
  });

  it("says of an archived card that it is archived, and leaves it", async () => {
    board.archiveCard("Choose photos for the anniversary poster");
    const refused = await app.tickets.move(talk, { ticket: "card 7", to: "done" });
    expect(refused).toMatchObject({ outcome: "refused", spoken: expect.stringMatching(/archived/) });
    expect(statusOf("Choose photos for the anniversary poster")).toBe("Backlog");
  });
});
