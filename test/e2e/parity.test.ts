import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BoardEyes, eyesOn } from "../support/board-eyes.js";
import { ERAS, type TestClient } from "../support/clients.js";
import { type DemoProcess, pullRequests, startDemoProcess } from "../support/demo.js";

/** The same script, spoken to each of the four boards by a real client: the same outcomes, whatever board it is. */

interface Stage {
  readonly provider: string;
  readonly tenant: string;
  readonly connection: string;
  /** Of this board's tool that moves to In Review. */
  readonly tool: string;
  /** Words for a ticket in progress that has a branch, and its title. */
  readonly moves: readonly [words: string, title: string, branch: string];
  /** A ticket in progress without a branch. */
  readonly branchless: string;
  /** A ticket that is done, from where no board lets anyone go to In Review. */
  readonly done: string;
  /** Words that fit two tickets. */
  readonly ambiguous: string;
}

const STAGES: readonly Stage[] = [
  {
    provider: "jira",
    tenant: "acme",
    connection: "eng",
    tool: "acme_engineering_move_to_in_review",
    moves: ["the login bug", "Login bug: the second tap is ignored", "feat/ENG-1-second-tap"],
    branchless: "monthly report",
    done: "invite links",
    ambiguous: "login",
  },
  {
    provider: "linear",
    tenant: "acme",
    connection: "mobile",
    tool: "acme_mobile_move_to_in_review",
    moves: ["swipe to archive", "Swipe to archive skips a message", "feat/MOB-1-swipe"],
    branchless: "battery drains",
    done: "contacts import",
    ambiguous: "push notifications",
  },
  {
    provider: "github",
    tenant: "globex",
    connection: "platform",
    tool: "globex_platform_move_to_in_review",
    moves: ["the exchange rates", "Cache the exchange rates", "1-cache-exchange-rates"],
    branchless: "decide how services are named",
    done: "metrics",
    ambiguous: "database",
  },
  {
    provider: "trello",
    tenant: "globex",
    connection: "events",
    tool: "globex_events_move_to_in_review",
    moves: ["the opening hours", "Update the opening hours on the website", "site/card-1-opening-hours"],
    branchless: "newsletter",
    done: "thank the volunteers",
    ambiguous: "open day",
  },
];

describe.each(ERAS)("with a real client of %s", (_era, connect) => {
  let demo: DemoProcess;
  beforeAll(async () => {
    demo = await startDemoProcess();
  });
  afterAll(async () => {
    await demo.stop();
  });

  it("has all four boards", () => {
    const providers = demo.line.tenants.flatMap(({ connections }) =>
      connections.map((each) => each.provider),
    );
    expect(new Set(providers)).toEqual(new Set(STAGES.map(({ provider }) => provider)));
    expect(demo.line.tenants.map(({ connections: [first] }) => first)).toMatchObject([
      { id: "eng", provider: "jira" },
      { id: "eng", provider: "jira" },
    ]);
  });

  describe.each(STAGES)("the script on $provider", (stage) => {
    const [words, title, branch] = stage.moves;
    let client: TestClient;
    let board: BoardEyes;
    beforeAll(async () => {
      const tenant = demo.tenant(stage.tenant);
      client = await connect(tenant);
      board = eyesOn(tenant, stage.connection);
    });
    afterAll(async () => {
      await client.close();
    });
    const statusOnBoard = async () => (await board.statuses()).get(title);
    const pulls = async () =>
      (await pullRequests(demo.tenant(stage.tenant))).filter(({ head }) => head.ref === branch);

    it("what's in progress: what the board itself shows there", async () => {
      const answer = await client.call("find_tickets", { status: "in progress", board: stage.connection });
      const shown = [...(await board.statuses())].filter(([, status]) => status === "In Progress");
      const told = answer.facts.tickets as { title: string }[];
      expect(told.map((ticket) => ticket.title).sort()).toEqual(shown.map(([name]) => name).sort());
      expect(answer.facts.total).toBe(3);
      expect(answer.text).toMatch(/^3 tickets are in In Progress: /);
    });

    it("move it to review: moved, with one draft pull request", async () => {
      const writes = await board.writes();
      const answer = await client.call(stage.tool, { ticket: words });
      expect(answer).toMatchObject({
        isError: false,
        facts: {
          outcome: "confirmed",
          from: { name: "In Progress" },
          to: { name: "In Review" },
          hooks: [{ hook: "draft-pull-request", state: "done", result: { branch, draft: true } }],
        },
      });
      expect(answer.text).toMatch(/^Moved .+ to In Review\. Draft pull request number \d+ is open\.$/);
      expect(await statusOnBoard()).toBe("In Review");
      expect(await board.writes()).toBe(writes + 1);
      expect(await pulls()).toMatchObject([{ draft: true, state: "open" }]);
    });

    it("send it back: where it was, and the pull request stays", async () => {
      const answer = await client.call("undo_move", {});
      expect(answer).toMatchObject({
        isError: false,
        facts: { outcome: "confirmed", from: { name: "In Review" }, to: { name: "In Progress" } },
      });
      expect(await statusOnBoard()).toBe("In Progress");
      expect(await pulls()).toHaveLength(1);
    });

    it("an illegal move: refused with the way that is open, and nothing written", async () => {
      const [before, writes] = [await board.statuses(), await board.writes()];
      const answer = await client.call(stage.tool, { ticket: stage.done });
      expect(answer).toMatchObject({
        isError: true,
        facts: { outcome: "refused", openMoves: [{ status: { name: expect.stringMatching(/^to ?do$/i) } }] },
      });
      expect(answer.text).toMatch(
        / is in Done and cannot go to In Review from there\. .*It can go to To ?do\./i,
      );
      // Jira's workflow says no itself; the others would move it, were it not for the team.
      if (stage.provider !== "jira") expect(answer.text).toContain("your team's own rule, not the board's");
      expect(await board.statuses()).toEqual(before);
      expect(await board.writes()).toBe(writes);
    });

    it("an ambiguous name: asked which one, and nothing written", async () => {
      const [before, writes] = [await board.statuses(), await board.writes()];
      const answer = await client.call(stage.tool, { ticket: stage.ambiguous });
      expect(answer.facts).toMatchObject({
        outcome: "question",
        question: { about: "ticket", options: [{ id: expect.any(String) }, { id: expect.any(String) }] },
      });
      expect(answer.text).toMatch(/^Which one do you mean: .+ or .+\?$/);
      expect(await board.statuses()).toEqual(before);
      expect(await board.writes()).toBe(writes);
    });

    it("without a branch: moved all the same, and told why no pull request is open", async () => {
      const answer = await client.call(stage.tool, { ticket: stage.branchless });
      expect(answer.facts).toMatchObject({
        outcome: "confirmed",
        hooks: [{ hook: "draft-pull-request", state: "waiting", reason: expect.stringMatching(/ branch/) }],
      });
      expect(answer.text).toMatch(
        /^Moved .+ to In Review\. (There is no branch for|This ticket has no key) /,
      );
    });
  });
});
