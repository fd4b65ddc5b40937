import { describe, expect, it } from "vitest";
import { partsOf } from "../../../src/web/call-parts.js";
import type { Answer, Said, Ticket } from "../../../src/web/shapes.js";

const ticket: Ticket = {
  id: "jira.x.1",
  key: "ENG-1",
  title: "Login bug",
  connection: "eng",
  workflow: "w",
  status: { id: "1", name: "In Progress", category: "doing" },
};
const way = { ticket, from: { id: "1", name: "In Progress" }, to: { id: "2", name: "In Review" } };
const moved = (answer: Partial<Answer>): Said => ({
  tool: "move_ticket",
  args: { ticket: "the login bug", to: "review" },
  answer: { spoken: "", ...answer },
});
const states = (said: Said) => partsOf(said).map(({ name, state }) => `${name} ${state}`);

describe("the parts of a call", () => {
  it.each<[string, Partial<Answer>, readonly string[]]>([
    ["a move that was made", { ...way, outcome: "confirmed" }, ["done", "done", "done", "done"]],
    ["a move under way", { ...way, outcome: "accepted" }, ["done", "done", "under way", "done"]],
    ["a move that nobody can tell of", { ...way, outcome: "unknown" }, ["done", "done", "stopped", "done"]],
    ["a refused one", { ...way, outcome: "refused" }, ["done", "stopped", "skipped", "done"]],
    [
      "one that wants a field",
      { ...way, outcome: "question", question: { about: "field", options: [] } },
      ["done", "asks", "skipped", "asks"],
    ],
    [
      "one of several tickets",
      { outcome: "question", question: { about: "ticket", options: [] } },
      ["asks", "skipped", "skipped", "asks"],
    ],
    ["one of no ticket", { outcome: "refused" }, ["stopped", "skipped", "skipped", "done"]],
  ])("say how far %s came", (_what, answer, expected) => {
    const names = ["Resolve", "Decide", "Act", "Reply"];
    expect(states(moved(answer))).toEqual(names.map((name, at) => `${name} ${expected[at]}`));
  });

  it("say what words became, and what was done", () => {
    const [resolve, decide, act] = partsOf(
      moved({ ...way, outcome: "confirmed", hooks: [{ hook: "draft-pull-request", state: "done" }] }),
    );
    expect(resolve?.text).toBe("“the login bug” is ENG-1; “review” is In Review.");
    expect(decide?.text).toBe("In Progress → In Review is allowed.");
    expect(act?.text).toBe("Written to the board and read again. Then: draft pull request done.");
  });

  it("of a read leave the board alone", () => {
    const read: Said = {
      tool: "read_ticket",
      args: { ticket: "the login bug" },
      answer: { spoken: "", ticket },
    };
    expect(states(read)).toEqual(["Resolve done", "Decide done", "Act skipped", "Reply done"]);
  });
});
