import { describe, expect, it } from "vitest";
import { graphFromTeam } from "../../connectors/linear/graph.js";
import { mapMoves, mapTicket } from "../../connectors/linear/map.js";
import { gitProblems } from "../../connectors/linear/probe.js";
import type { LinearIssue, LinearState, LinearWorkflow } from "../../connectors/linear/shapes.js";
import { fsmFromStatusGraph, moveEvent } from "../../src/machine/index.js";

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const TEAM = uuid(900);

function state(n: number, type: string, position = n, more: Partial<LinearState> = {}): LinearState {
  return { id: uuid(n), name: `${type} ${n}`, type, position, ...more };
}

function team(states: LinearState[], more: Partial<LinearWorkflow> = {}): LinearWorkflow {
  return {
    id: TEAM,
    key: "ENG",
    name: "Engineering",
    triageEnabled: false,
    triageIssueState: null,
    defaultIssueState: { id: states[0]?.id ?? "" },
    states: { nodes: states, pageInfo: { hasNextPage: false } },
    ...more,
  };
}

function issue(more: Partial<LinearIssue> = {}): LinearIssue {
  return {
    id: uuid(1_000),
    identifier: "ENG-42",
    previousIdentifiers: [],
    title: "A title",
    branchName: "robin/eng-42-a-title",
    priority: 0,
    updatedAt: "2026-11-29T10:15:00.000Z",
    archivedAt: null,
    trashed: null,
    state: { id: uuid(3) },
    team: { id: TEAM },
    ...more,
  };
}

const SEVEN = ["triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate"];

describe("a Linear team's states as a graph", () => {
  it("orders by type, then by position, however Linear lists them", () => {
    const shuffled = [
      state(1, "duplicate", 0),
      state(2, "started", 2),
      state(3, "canceled", 0),
      state(4, "started", 1.5),
      state(5, "backlog", 9),
      state(6, "triage", 9),
      state(7, "completed", 0),
      state(8, "unstarted", 0),
    ];
    const { statuses } = graphFromTeam("site0000", team(shuffled));
    expect(statuses.map(({ id }) => id)).toEqual([6, 5, 8, 4, 2, 7, 3, 1].map(uuid));
    expect(statuses.map(({ order }) => order)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("knows all seven types, and takes an unknown one to end nothing", () => {
    const states = [...SEVEN, "shipping", "__proto__"].map((type, n) => state(n, type));
    const { statuses } = graphFromTeam("site0000", team(states));
    const categories = Object.fromEntries(
      statuses.map(({ name, category }) => [name.split(" ")[0], category]),
    );
    expect(categories).toEqual(
      Object.fromEntries([
        ["triage", "todo"],
        ["backlog", "todo"],
        ["unstarted", "todo"],
        ["started", "doing"],
        ["completed", "done"],
        ["canceled", "canceled"],
        ["duplicate", "canceled"],
        ["shipping", "unknown"],
        ["__proto__", "unknown"],
      ]),
    );
  });

  it("leads from every state to every other one but Duplicate, which is Linear's own to set", () => {
    const states = SEVEN.map((type, n) => state(n, type));
    const graph = graphFromTeam("site0000", team(states));
    expect(graph.edges).toBe("implied");
    expect(graph.moves.map(({ to }) => to)).toEqual(SEVEN.slice(0, 6).map((_type, n) => uuid(n)));
    const machine = fsmFromStatusGraph(graph);
    const out = Object.keys(machine.states[uuid(6)]?.on ?? {});
    expect(out).toContain(moveEvent(uuid(3)));
    for (const { on } of Object.values(machine.states))
      expect(Object.keys(on ?? {})).not.toContain(moveEvent(uuid(6)));
  });

  it("retires archived states and offers no move to them", () => {
    const states = [state(1, "unstarted"), state(2, "started", 0, { archivedAt: "2026-01-01T00:00:00Z" })];
    const graph = graphFromTeam("site0000", team(states));
    expect(graph.statuses.map(({ retired }) => retired)).toEqual([undefined, true]);
    expect(graph.moves.map(({ to }) => to)).toEqual([uuid(1)]);
  });

  it("starts in triage where that is on, else in the default state", () => {
    const states = [state(1, "triage"), state(2, "backlog")];
    const both = { triageIssueState: { id: uuid(1) }, defaultIssueState: { id: uuid(2) } };
    const initial = (more: Partial<LinearWorkflow>) =>
      graphFromTeam("site0000", team(states, { ...both, ...more })).initial;
    expect(initial({ triageEnabled: true })).toBe(uuid(1));
    expect(initial({ triageEnabled: false })).toBe(uuid(2));
    expect(initial({ defaultIssueState: { id: uuid(77) } })).toBeUndefined();
    expect(initial({ defaultIssueState: null })).toBeUndefined();
  });

  it("knows both spellings of canceled, and the name a state was inherited under", () => {
    const states = [
      state(1, "canceled", 0, { name: "Canceled" }),
      state(2, "canceled", 1, { name: "Cancelled by customer" }),
      state(3, "started", 0, { name: "Doing", inheritedFrom: { name: "In Progress" } }),
      state(4, "started", 1, { name: "In Review", inheritedFrom: { name: "In Review" } }),
    ];
    const aliases = graphFromTeam("site0000", team(states)).statuses.map((each) => [each.name, each.aliases]);
    expect(Object.fromEntries(aliases)).toEqual({
      Canceled: ["Cancelled"],
      "Cancelled by customer": ["Canceled by customer"],
      Doing: ["In Progress"],
      "In Review": [],
    });
  });

  it("is named by the team's UUID, whatever its key and name", () => {
    const ids = ["ENG", "NEW"].map(
      (key) => graphFromTeam("site0000", team([state(1, "backlog")], { key, name: key })).id,
    );
    expect(ids).toEqual([`linear.site0000.${TEAM}`, `linear.site0000.${TEAM}`]);
  });
});

describe("a Linear issue as a ticket", () => {
  it("is known by its UUID; key, former keys and branch are attributes", () => {
    const ticket = mapTicket(issue({ previousIdentifiers: ["OLD-7"] }), "site0000");
    expect(ticket).toMatchObject({
      id: `linear.site0000.${uuid(1_000)}`,
      key: "ENG-42",
      formerKeys: ["OLD-7"],
      branches: ["robin/eng-42-a-title"],
      workflow: `linear.site0000.${TEAM}`,
    });
    expect(ticket.archived).toBeUndefined();
  });

  it.each([
    [{ archivedAt: "2026-11-01T00:00:00.000Z" }, /archived/],
    [{ archivedAt: "2026-11-01T00:00:00.000Z", trashed: true }, /trash/],
    [{ trashed: true }, /trash/],
  ])("cannot be moved when %j", (gone, why) => {
    const ticket = mapTicket(issue(gone), "site0000");
    expect(ticket).toMatchObject({ archived: true, immovable: expect.stringMatching(why) });
    expect(ticket.status).toBe(uuid(3));
  });

  it("offers each other state of its team, but Duplicate and archived ones", () => {
    const states = [
      ...SEVEN.map((type, n) => state(n, type)),
      state(20, "started", 0, { archivedAt: "2026-01-01T00:00:00Z" }),
    ];
    const here = { ...issue(), team: { id: TEAM, requirePriorityToLeaveTriage: true } };
    const moves = mapMoves(here, states);
    expect(moves.map(({ to }) => to)).toEqual([0, 1, 2, 4, 5].map(uuid));
    expect(moves.every(({ fields }) => fields.length === 0)).toBe(true);
    expect(mapMoves({ ...here, archivedAt: "2026-11-01T00:00:00.000Z" }, states)).toEqual([]);
  });

  it.each([
    [true, 0, 1],
    [true, 2, 0],
    [false, 0, 0],
  ])("wants a priority to leave triage: team says %s, priority is %i", (says, priority, fields) => {
    const here = {
      ...issue({ state: { id: uuid(0) }, priority }),
      team: { id: TEAM, requirePriorityToLeaveTriage: says },
    };
    const moves = mapMoves(here, [state(0, "triage"), state(1, "backlog")]);
    expect(moves.map((move) => move.fields.length)).toEqual([fields]);
  });
});

describe("Linear's own git rules", () => {
  const to = { id: uuid(3), name: "In Progress" };

  it("are told of where a draft pull request of ours would set them off", () => {
    const problems = gitProblems([
      { event: "draft", state: to },
      { event: "start", state: to, targetBranch: { branchPattern: "main" } },
      { event: "draft", state: null },
      { event: "review", state: to },
      { event: "merge", state: to },
      { event: "constructor", state: to },
    ]);
    expect(problems.map(({ code }) => code)).toEqual(["git_automation", "git_automation"]);
    expect(problems[0]?.message).toMatch(/draft pull request.*In Progress/);
    expect(problems[1]?.message).toMatch(/towards main/);
  });
});
