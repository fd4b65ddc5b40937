import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BOARDS, REPOSITORIES } from "../../connectors/index.js";
import { createBudgets } from "../../src/store/redis/budgets.js";
import { openBoard } from "../../src/sync/open-board.js";
import { newConnection } from "../../src/sync/records.js";

/** docs/boards.md: what it tells people to send is what is taken. */

const text = readFileSync(new URL("../../docs/boards.md", import.meta.url), "utf8");
const blocks = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json = ""]) => json);
const bodies = blocks.map((json) => newConnection.parse(JSON.parse(json)));

describe("docs/boards.md", () => {
  it("has a section and a body for every board there is", () => {
    expect(bodies.map(({ provider }) => provider).sort()).toEqual(BOARDS.map((kind) => kind.provider).sort());
    expect([...text.matchAll(/^## /gm)]).toHaveLength(BOARDS.length);
  });

  it.each(bodies)("gives settings and credentials that $provider takes", async (body) => {
    const deps = {
      kinds: BOARDS,
      vcsKinds: REPOSITORIES,
      hooksFor: () => ({}),
      checkUrl: async () => {},
      budgets: createBudgets(),
      now: () => new Date(),
    };
    const board = openBoard(deps, { name: "acme/doc", ...body }, { saveCredentials: async () => {} });
    expect(board.connector.move).toBeTypeOf("function");
  });

  it.each(BOARDS)("says of $provider what its edges mean and what is polled", ({ provider }) => {
    const section = text.split(/^## /m).find((each) => each.includes(`"provider": "${provider}"`));
    expect(section).toContain("**`edges`**");
    expect(section).toContain("**Webhooks**");
    expect(section).toContain("**Polled**");
  });
});
