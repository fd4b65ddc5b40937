import { describe, expect, it } from "vitest";
import { readingsFrom, statusFromJira } from "../../connectors/jira/graph.js";
import { mapField, mapMoves, mapTicket } from "../../connectors/jira/map.js";
import { issueShape, type JiraField, type JiraTransition } from "../../connectors/jira/shapes.js";
import { transitionInput } from "../../connectors/jira/values.js";
import type { Move } from "../../src/board/connector.js";

const issue = issueShape.parse({
  id: "10042",
  key: "ENG-42",
  fields: {
    summary: null,
    status: { id: "3", name: "В работе", statusCategory: { key: "indeterminate", name: "В работе" } },
    issuetype: { id: "7" },
    project: { id: "10000" },
    updated: "2026-11-29T10:15:00.000+0100",
  },
});

describe("a Jira issue", () => {
  it("is a ticket with ids for what it is and a time in UTC", () => {
    expect(mapTicket(issue, "0123abcd", "w")).toEqual({
      id: "jira.0123abcd.10042",
      key: "ENG-42",
      title: "",
      workflow: "w",
      status: "3",
      updatedAt: "2026-11-29T09:15:00.000Z",
      ref: { project: "10000", issueType: "7" },
    });
  });

  it("says that it is archived, alone or with its project", () => {
    const alone = { ...issue, fields: { ...issue.fields, archiveddate: "2026-01-01T00:00:00.000+0000" } };
    const withProject = { ...issue, fields: { ...issue.fields, project: { id: "10000", archived: true } } };
    for (const each of [alone, withProject]) {
      expect(mapTicket(each, "0123abcd", "w")).toMatchObject({
        archived: true,
        immovable: expect.any(String),
      });
    }
  });

  it("is refused when its ids are not what ids are", () => {
    expect(issueShape.safeParse({ ...issue, id: "1/../2" }).success).toBe(false);
  });
});

describe("a Jira status", () => {
  it.each([
    ["new", "todo"],
    ["indeterminate", "doing"],
    ["done", "done"],
    ["undefined", "unknown"],
    ["toString", "unknown"],
  ])("of the category key %s is %s, whatever the category is called", (key, category) => {
    expect(statusFromJira({ id: "1", name: "Готово", statusCategory: { key } }).category).toBe(category);
  });
});

describe("Jira transitions", () => {
  const to = { id: "3", name: "In Progress" };

  it("are moves by their target's id, not by what they are called", () => {
    expect(mapMoves([{ id: "21", name: "Start work", to }])).toEqual([
      { id: "21", to: "3", name: "Start work", fields: [] },
    ]);
  });

  it("are none when they loop, lead nowhere or are not open to us", () => {
    const none: JiraTransition[] = [
      { id: "1", to, looped: true },
      { id: "2" },
      { id: "3", to, isAvailable: false },
    ];
    expect(mapMoves(none)).toEqual([]);
  });

  it("without a target in a workflow, or from a status that is not told, are dropped", () => {
    const [reading] = readingsFrom(
      {
        statuses: [{ id: "3", name: "In Progress", statusReference: "a", statusCategory: "IN_PROGRESS" }],
        workflows: [
          {
            id: "w",
            statuses: [{ statusReference: "a" }, { statusReference: "not told" }],
            transitions: [
              { id: "1", type: "INITIAL", toStatusReference: "a" },
              { id: "2", type: "GLOBAL" },
              {
                id: "3",
                type: "DIRECTED",
                toStatusReference: "a",
                links: [{ fromStatusReference: "a" }, null],
              },
              {
                id: "4",
                type: "DIRECTED",
                toStatusReference: "a",
                links: [{ fromStatusReference: "not told" }],
              },
              { id: "5", type: "GLOBAL", toStatusReference: "a" },
            ],
          },
        ],
      },
      "10000",
    );
    expect(reading).toMatchObject({ initial: "3", moves: [{ id: "5", from: "*", to: "3" }] });
    expect(reading?.statuses.map((status) => status.id)).toEqual(["3"]);
  });
});

describe("a Jira field", () => {
  const field = (schema: JiraField["schema"], allowedValues?: unknown[]): JiraField => ({
    required: true,
    name: "Field",
    schema,
    ...(allowedValues === undefined ? {} : { allowedValues }),
  });

  it.each<[JiraField, object]>([
    [
      field({ type: "resolution" }, [{ id: "1", name: "Done" }]),
      { type: "option", allowed: [{ id: "1", label: "Done" }] },
    ],
    [
      field({ type: "option" }, [{ id: 1, value: "A" }]),
      { type: "option", allowed: [{ id: "1", label: "A" }] },
    ],
    [
      field({ type: "array", items: "version" }, [{ id: "1", name: "1.0" }]),
      { type: "option", multiple: true },
    ],
    [field({ type: "option" }, []), { type: "unsupported" }],
    [field({ type: "option-with-child" }, [{ id: "1" }]), { type: "unsupported" }],
    [field({ type: "string", system: "environment" }), { type: "rich_text" }],
    [field({ type: "string" }), { type: "text" }],
    [field({ type: "datetime" }), { type: "unsupported" }],
    [field({ type: "timetracking" }), { type: "unsupported" }],
    [field({ type: "array", items: "attachment" }), { type: "unsupported" }],
    [field({ type: "user" }), { type: "user" }],
  ])("of schema %j is told as far as it can be filled in", (from, told) => {
    expect(mapField("f", from)).toMatchObject({ id: "f", name: "Field", required: true, ...told });
  });
});

describe("what goes with a move", () => {
  const move: Move = { id: "1", to: "2", fields: [] };

  it("is nothing where nothing was given", () => {
    const input = { comment: "  ", fields: { a: undefined, b: null } };
    expect(transitionInput({ ...move, takesComment: true }, input)).toEqual({ fields: {}, update: {} });
  });

  it("names a resolution by its name where the screen did not list them", () => {
    expect(transitionInput(move, { fields: { resolution: "Done" } }).fields).toEqual({
      resolution: { name: "Done" },
    });
  });

  it.each(["__proto__", "a b", "x/../y", ""])("refuses %j as a field's id", (id) => {
    const fields = Object.fromEntries([[id, "x"]]);
    expect(() => transitionInput(move, { fields })).toThrow(/not the id of a Jira field/);
  });

  it("refuses what is no plain value", () => {
    expect(() => transitionInput(move, { fields: { customfield_1: { set: "x" } } })).toThrow(/plain text/);
  });
});
