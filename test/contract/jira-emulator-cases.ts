import { afterEach, describe, expect, it } from "vitest";
import {
  type JiraEmulator,
  type JiraEmulatorOptions,
  startJiraEmulator,
} from "../../connectors/jira/emulator.js";
import { jira } from "../../connectors/jira/index.js";
import { quietKit } from "./jira.harness.js";

/** That the emulated Jira answers a script with curl as the real one would. */

const never = new AbortController().signal;

export function describeJiraEmulator(
  name: string,
  extra: Pick<JiraEmulatorOptions, "onExchange"> = {},
): void {
  describe(name, () => {
    const running: JiraEmulator[] = [];
    afterEach(async () => {
      await Promise.all(running.splice(0).map((emulator) => emulator.close()));
    });
    const start: Start = async () => {
      const emulator = await startJiraEmulator(extra);
      running.push(emulator);
      return { emulator, call: (method, path, body) => call(emulator, method, path, body) };
    };
    describeReading(start);
    describeChanging(start);
  });
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}
type Start = () => Promise<{
  readonly emulator: JiraEmulator;
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>;
}>;

async function call(emulator: JiraEmulator, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${emulator.url}${path}`, {
    method,
    headers: { authorization: emulator.authorization, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function graphOf(emulator: JiraEmulator) {
  const connector = jira.create(
    jira.settings.parse({ baseUrl: emulator.url, project: "ENG" }),
    jira.credentials.parse(emulator.credentials),
    quietKit,
  );
  const [graph] = await connector.pullWorkflows(never);
  if (graph === undefined) throw new Error("no workflow");
  return graph;
}

function describeReading(start: Start): void {
  it("lets nobody in without credentials", async () => {
    const { emulator } = await start();
    const response = await fetch(`${emulator.url}/rest/api/3/myself`);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      errorMessages: [expect.stringContaining("authenticated")],
    });
  });

  it("answers the old search with 410 and unbounded questions with 400", async () => {
    const { call } = await start();
    expect(await call("GET", "/rest/api/3/search?jql=project%3DENG")).toMatchObject({ status: 410 });
    expect(await call("GET", "/rest/api/3/search/jql?jql=order+by+key")).toMatchObject({ status: 400 });
    expect(await call("GET", "/rest/api/3/search/jql?jql=project%3DNONE")).toMatchObject({ status: 400 });
    expect(await call("GET", "/rest/api/3/search/jql?jql=updated%3E%3D%222026-01-01T00:00%22")).toMatchObject(
      {
        status: 400,
      },
    );
  });

  it("gives ids alone unless asked for fields, in pages, without a total", async () => {
    const { call } = await start();
    const jql = "project = ENG AND status in (10000, 10001) AND updated >= -1d ORDER BY key DESC";
    const first = await call("POST", "/rest/api/3/search/jql", { jql, maxResults: 4 });
    expect(first.body).toEqual({
      issues: Array.from({ length: 4 }, () => ({ id: expect.stringMatching(/^\d+$/) })),
      nextPageToken: expect.any(String),
      isLast: false,
    });
    const { nextPageToken } = first.body as { nextPageToken: string };
    const second = await call("POST", "/rest/api/3/search/jql", { jql, nextPageToken, fields: ["summary"] });
    expect(second.body).toMatchObject({
      isLast: true,
      issues: [{ fields: { summary: expect.any(String) } }, {}],
    });
    expect(
      await call("POST", "/rest/api/3/search/jql", { jql: "project = ENG", nextPageToken }),
    ).toMatchObject({
      status: 400,
    });
  });

  it("reads many issues at once, their comments and their history", async () => {
    const { emulator, call } = await start();
    emulator.moveIssue("ENG-1", "In Review");
    const many = await call("POST", "/rest/api/3/issue/bulkfetch", {
      issueIdsOrKeys: ["ENG-1", "ENG-2", "ENG-99"],
    });
    expect(many.body).toMatchObject({ issues: [{ key: "ENG-1" }, { key: "ENG-2" }] });
    const history = await call("GET", "/rest/api/3/issue/ENG-1/changelog");
    expect(history.body).toMatchObject({ values: [{}, { items: [{ field: "status", to: "10002" }] }] });
    const comments = await call("GET", "/rest/api/3/issue/ENG-1/comment");
    expect(comments.body).toMatchObject({ total: 0 });
  });

  it("lists its projects, workflows and boards", async () => {
    const { call } = await start();
    for (const [path, body] of [
      ["/rest/api/3/serverInfo", { deploymentType: "Cloud" }],
      ["/rest/api/3/project/search?keys=ENG", { total: 1, values: [{ key: "ENG" }] }],
      ["/rest/api/3/workflows/search?expand=values.transitions", { total: 1, isLast: true }],
      ["/rest/api/3/workflowscheme/project?projectId=10001", { values: [{ projectIds: ["10001"] }] }],
      ["/rest/api/3/statuses/search?searchString=review", { total: 1, values: [{ id: "10002" }] }],
      ["/rest/api/3/statuses?id=10000&id=10003", [{ name: "To Do" }, { name: "Done" }]],
      ["/rest/agile/1.0/board", { values: [{ type: "kanban" }] }],
    ] as const) {
      expect(await call("GET", path), path).toMatchObject({ status: 200, body });
    }
  });
}

function describeChanging(start: Start): void {
  it("makes, edits and deletes issues", async () => {
    const { emulator, call } = await start();
    const fields = { project: { key: "ENG" }, issuetype: { name: "Bug" }, summary: "New" };
    const made = await call("POST", "/rest/api/3/issue", { fields });
    expect(made).toMatchObject({ status: 201, body: { key: "ENG-11" } });
    expect(await call("PUT", "/rest/api/3/issue/ENG-11", { fields: { summary: "Newer" } })).toMatchObject({
      status: 204,
    });
    expect(emulator.site.issueOf("ENG-11")).toMatchObject({ title: "Newer", status: "10000" });
    expect(await call("PUT", "/rest/api/3/issue/ENG-11", { fields: { status: "x" } })).toMatchObject({
      status: 400,
    });
    expect(await call("DELETE", "/rest/api/3/issue/ENG-11")).toMatchObject({ status: 204 });
    expect(await call("GET", "/rest/api/3/issue/ENG-11")).toMatchObject({ status: 404 });
    const bad = await call("POST", "/rest/api/3/issue", { fields: { project: { key: "NONE" } } });
    expect(bad).toMatchObject({
      status: 400,
      body: { errors: { project: expect.any(String), summary: expect.any(String) } },
    });
  });

  it("renames a status and a project, and the next pull shows it", async () => {
    const { emulator, call } = await start();
    const before = await graphOf(emulator);
    const renamed = { statuses: [{ id: "10002", name: "Peer check", statusCategory: "IN_PROGRESS" }] };
    expect(await call("PUT", "/rest/api/3/statuses", renamed)).toMatchObject({ status: 204 });
    expect(await call("PUT", "/rest/api/3/project/ENG", { name: "Platform" })).toMatchObject({ status: 200 });
    const after = await graphOf(emulator);
    expect(after).toMatchObject({ id: before.id, name: "Platform" });
    expect(after.statuses.find((status) => status.id === "10002")?.name).toBe("Peer check");
    await call("PUT", "/rest/api/3/project/ENG", { key: "PLAT" });
    expect(emulator.site.issueOf("ENG-1")?.key).toBe("PLAT-1");
  });

  it("adds a status and an edge to it by a workflow update, unless someone else was faster", async () => {
    const { emulator, call } = await start();
    const scope = { type: "GLOBAL" };
    const statuses = [{ name: "Released", statusCategory: "DONE" }];
    const made = await call("POST", "/rest/api/3/statuses", { scope, statuses });
    const [{ id }] = made.body as [{ id: string }];
    expect(await call("POST", "/rest/api/3/statuses", { scope, statuses })).toMatchObject({ status: 409 });

    const read = await call("POST", "/rest/api/3/workflows", {
      projectAndIssueTypes: [{ projectId: "10001", issueTypeId: "10101" }],
    });
    const site = read.body as {
      statuses: { id: string; name: string; statusReference: string; statusCategory: string }[];
      workflows: { id: string; version: object; statuses: object[]; transitions: object[] }[];
    };
    const [workflow] = site.workflows;
    const done = site.statuses.find((status) => status.id === "10003")?.statusReference;
    const update = {
      statuses: [...site.statuses, { id, name: "Released", statusCategory: "DONE", statusReference: "new" }],
      workflows: [
        {
          ...workflow,
          statuses: [...(workflow?.statuses ?? []), { statusReference: "new" }],
          transitions: [
            ...(workflow?.transitions ?? []),
            {
              id: "61",
              name: "Release",
              type: "DIRECTED",
              toStatusReference: "new",
              links: [{ fromStatusReference: done }],
            },
          ],
        },
      ],
    };
    expect(await call("POST", "/rest/api/3/workflows/update", update)).toMatchObject({ status: 200 });
    const graph = await graphOf(emulator);
    expect(graph.statuses.at(-1)).toMatchObject({ id, name: "Released", offBoard: true });
    expect(graph.moves).toContainEqual({ id: "61", from: "10003", to: id, name: "Release" });
    expect(graph.moves).toHaveLength(11);
    expect(await call("POST", "/rest/api/3/workflows/update", update)).toMatchObject({ status: 409 });
    expect(await call("DELETE", `/rest/api/3/statuses?id=${id}`)).toMatchObject({ status: 400 });
  });
}
