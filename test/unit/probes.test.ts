import { afterEach, describe, expect, it } from "vitest";
import { demoLinearTeam } from "../../connectors/linear/emulator.js";
import { demoTrelloBoard } from "../../connectors/trello/emulator.js";
import type { Problem } from "../../src/board/connector.js";
import { githubHarness } from "../contract/github.harness.js";
import { jiraHarness } from "../contract/jira.harness.js";
import { linearHarness } from "../contract/linear.harness.js";
import { trelloHarness } from "../contract/trello.harness.js";

/** What each board is told to withhold, and what a person then hears: that it is missing, and what to do. */

type Told = readonly [code: string, message: RegExp, fix: RegExp];

const never = new AbortController().signal;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function kept<T extends { close(): Promise<void> }>(harness: T): T {
  closers.push(() => harness.close());
  return harness;
}

function expectTold(problems: readonly Problem[], told: readonly Told[]): void {
  expect(problems.map(({ code }) => code)).toEqual(told.map(([code]) => code));
  for (const [i, [, message, fix]] of told.entries()) {
    expect(problems[i]?.message).toMatch(message);
    expect(problems[i]?.fix).toMatch(fix);
    expect(problems[i]?.fix).toMatch(/[.!]$/);
  }
}

describe("the probe of Jira", () => {
  const hidden: Told = ["not_found_or_hidden", /ENG/, /"Browse projects"/];
  const unread: Told = ["forbidden", /may not read the workflow/, /"View \(read-only\) workflow"/];
  it.each([
    [["BROWSE_PROJECTS"], [hidden]],
    [
      ["TRANSITION_ISSUES"],
      [["forbidden", /"Transition issues".*no ticket can be moved/, /permission scheme/]],
    ],
    [["ADD_COMMENTS"], [["forbidden", /"Add comments".*comments/, /"Add comments"/]]],
    [["ADMINISTER", "ADMINISTER_PROJECTS", "VIEW_READONLY_WORKFLOW"], [unread]],
    [["CREATE_ISSUES", "EDIT_ISSUES", "ADMINISTER"], []],
  ] as const)("without %j", async (permissions, told) => {
    const { emulator, connect } = kept(await jiraHarness());
    emulator.withhold(permissions);
    expectTold(await connect().probe(never), told);
  });
});

describe("the probe of GitHub", () => {
  it.each([
    [["repo"], [["forbidden", /read:project/, /scope project/]]],
    [["repo", "read:project"], [["read_only", /read this project but not move/, /scopes? project/]]],
    [["repo", "project"], []],
    [undefined, []],
  ] as const)("with the scopes %j", async (scopes, told) => {
    const { emulator, connect } = kept(await githubHarness());
    emulator.setScopes(scopes);
    expectTold(await connect().probe(never), told);
  });
});

describe("the probe of Trello", () => {
  it.each([
    ["none", [["not_found_or_hidden", /that board/, /board's members/]]],
    ["observer", [["forbidden", /only look at the board/, /normal member/]]],
    ["normal", []],
  ] as const)("as a member who is %s", async (membership, told) => {
    const { emulator, connect } = kept(await trelloHarness());
    emulator.setMembership(membership);
    expectTold(await connect().probe(never), told);
  });

  it.each([
    [{ write: false }, [["forbidden", /read Trello and not write/, /with read and write/]]],
    [{ expires: new Date(Date.now() + 3_600_000) }, [["expires_soon", /within a day/, /no expiry/]]],
  ] as const)("with a token that is %j", async (token, told) => {
    const board = { ...demoTrelloBoard({ cards: [] }), token };
    const { connect } = kept(await trelloHarness({ board }));
    expectTold(await connect().probe(never), told);
  });

  it("without the app's secret", async () => {
    const { connect } = kept(await trelloHarness());
    const problems = await connect({ credentials: "without webhook secret" }).probe(never);
    expectTold(problems, [["no_secret", /only polled/, /secret/]]);
  });
});

describe("the probe of Linear", () => {
  it.each([
    ["wrong", [["auth_expired", /does not accept this login/, /personal API key/]]],
    ["right", []],
  ] as const)("with a key that is %s", async (credentials, told) => {
    const { connect } = kept(await linearHarness());
    expectTold(await connect({ credentials }).probe(never), told);
  });

  it.each([
    [{ private: true }, [["not_found_or_hidden", /team "MOB"/, /add this account to it/]]],
    [{ retired: true }, [["archived", /retired/, /Restore the team/]]],
    [
      { gitRules: [{ event: "draft", state: "In Progress" }] },
      [["git_automation", /Linear itself moves the ticket to In Progress/, /no action/]],
    ],
  ] as const)("of a team that is %j", async (change, told) => {
    const [team] = demoLinearTeam().teams;
    if (team === undefined) throw new Error("the demo has a team");
    const { connect } = kept(
      await linearHarness({ teams: [{ ...team, ...change }], users: [{ name: "Robin" }] }),
    );
    expectTold(await connect().probe(never), told);
  });
});
