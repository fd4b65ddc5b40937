import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/board/emulator.js";
import { forMode } from "./openapi.js";
import { loadOpenApi, tellAbsent } from "./validate.js";

const FILE = "jira.openapi.json";
const contract = loadOpenApi(FILE);
if (contract === undefined) tellAbsent("The check itself", FILE);

const good: Exchange = {
  method: "GET",
  path: "/rest/api/3/search/jql",
  query: { jql: "project = 1", maxResults: "50", fields: "summary,status" },
  requestBody: undefined,
  status: 200,
  contentType: "application/json; charset=utf-8",
  responseBody: JSON.stringify({ issues: [{ id: "1", key: "ENG-1", fields: {} }], isLast: true }),
  faulty: false,
};
const move: Exchange = {
  ...good,
  method: "POST",
  path: "/rest/api/3/issue/10001/transitions",
  query: {},
  requestBody: { transition: { id: "11" } },
  status: 204,
  responseBody: "",
};

describe.skipIf(contract === undefined)("the check against a published description", () => {
  it("finds nothing wrong with what is right", () => {
    expect(contract?.check(good)).toEqual([]);
    expect(contract?.check(move)).toEqual([]);
  });

  it.each<[string, Exchange, string]>([
    ["a path that is not there", { ...good, path: "/rest/api/3/nothing" }, "path"],
    ["a method that is not there", { ...good, method: "DELETE" }, "path"],
    ["a query parameter nobody knows", { ...good, query: { ...good.query, startAt: "0" } }, "query"],
    ["a number that is none", { ...good, query: { ...good.query, maxResults: "many" } }, "query"],
    ["a body where none belongs", { ...good, requestBody: { jql: "x" } }, "request"],
    ["a body of another shape", { ...move, requestBody: { transition: { id: 11 } } }, "request"],
    [
      "a read-only property that is sent",
      { ...move, requestBody: { transition: { id: "11", name: "x" } } },
      "request",
    ],
    ["a status nobody knows", { ...good, status: 418 }, "status"],
    ["a reply with a property nobody knows", { ...good, responseBody: '{"total":1}' }, "response"],
    ["a reply of another type", { ...good, responseBody: '{"isLast":"yes"}' }, "response"],
    ["a reply that is no JSON", { ...good, contentType: "text/html", responseBody: "<p>" }, "response"],
    ["a 204 with a body", { ...move, responseBody: "{}" }, "response"],
  ])("finds %s", (_what, exchange, part) => {
    expect(contract?.check(exchange)).toEqual([expect.objectContaining({ part })]);
  });
});

describe("OpenAPI's dialect", () => {
  it("becomes plain JSON Schema for one direction", () => {
    const schema = {
      required: ["id", "name"],
      properties: {
        id: { type: "string", readOnly: true },
        name: { type: "string", nullable: true },
        nullable: { type: "boolean" },
      },
    };
    expect(forMode(schema, "request")).toEqual({
      required: ["name"],
      properties: {
        id: false,
        name: { anyOf: [{ type: "string" }, { type: "null" }] },
        nullable: { type: "boolean" },
      },
    });
    expect(forMode(schema, "response")).toMatchObject({ required: ["id", "name"] });
  });
});
