import nock from "nock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jira } from "../../connectors/jira/index.js";
import { jiraSite } from "../../connectors/jira/keys.js";
import { pullQuery } from "../../connectors/jira/tickets.js";

const BASE = "https://team.example";
const never = new AbortController().signal;

function connector() {
  return jira.create(
    jira.settings.parse({ baseUrl: `${BASE}/`, project: "ENG" }),
    jira.credentials.parse({ email: "a@b.example", apiToken: "t" }),
    { connection: "c", checkUrl: async () => {}, saveCredentials: async () => {}, now: () => new Date() },
  );
}

describe("asking for what changed", () => {
  const now = new Date("2026-11-29T12:00:30Z");

  it("is relative, in whole minutes, with more than enough", () => {
    expect(pullQuery("10000", new Date("2026-11-29T11:58:31Z"), now)).toBe(
      "project = 10000 AND updated >= -7m ORDER BY key ASC",
    );
    expect(pullQuery("10000", undefined, now)).toBe("project = 10000 ORDER BY key ASC");
  });

  it("asks for no negative time when the clocks differ", () => {
    expect(pullQuery("10000", new Date("2026-11-29T13:00:00Z"), now)).toContain("updated >= -5m");
  });
});

describe("reading pages", () => {
  beforeEach(() => nock.disableNetConnect());
  afterEach(() => {
    nock.cleanAll();
    nock.enableNetConnect();
  });

  const page = (id: string, more: object) => ({
    issues: [
      {
        id,
        key: `ENG-${id}`,
        fields: {
          summary: "x",
          status: { id: "1", name: "To Do" },
          issuetype: { id: "1" },
          project: { id: "10000" },
          updated: "2026-11-29T10:15:00.000+0000",
        },
      },
    ],
    ...more,
  });

  function site() {
    const project = { id: "10000", key: "ENG", name: "Engineering", issueTypes: [{ id: "1", name: "Task" }] };
    return nock(BASE)
      .persist()
      .get("/rest/api/3/project/ENG")
      .reply(200, project)
      .get("/rest/api/3/project/10000")
      .reply(200, project)
      .post("/rest/api/3/workflows/preview")
      .reply(200, { statuses: [], workflows: [] })
      .post("/rest/api/3/workflows")
      .reply(200, { statuses: [], workflows: [] })
      .get("/rest/api/3/project/10000/statuses")
      .reply(200, [{ id: "1", name: "Task", statuses: [] }]);
  }

  async function keys(): Promise<(string | undefined)[]> {
    const all: (string | undefined)[] = [];
    for await (const ticket of connector().pullTickets(undefined, never)) all.push(ticket.key);
    return all;
  }

  it("ends at the last page, whichever way Jira says so", async () => {
    site();
    nock(BASE)
      .get("/rest/api/3/search/jql")
      .query(true)
      .reply(200, page("1", { nextPageToken: "a", isLast: false }));
    nock(BASE)
      .get("/rest/api/3/search/jql")
      .query((query) => query.nextPageToken === "a")
      .reply(200, page("2", { nextPageToken: "b", isLast: true }));
    expect(await keys()).toEqual(["ENG-1", "ENG-2"]);
    nock(BASE).get("/rest/api/3/search/jql").query(true).reply(200, page("3", {}));
    expect(await keys()).toEqual(["ENG-3"]);
  });

  it("does not go round for ever when a page leads back to itself", async () => {
    site();
    nock(BASE)
      .persist()
      .get("/rest/api/3/search/jql")
      .query(true)
      .reply(200, page("1", { nextPageToken: "a" }));
    await expect(keys()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("tells a ticket of a project it may not look into, with no workflow that anybody knows", async () => {
    const { issues } = page("7", {});
    nock(BASE).get("/rest/api/3/issue/7").query(true).reply(200, issues[0]);
    nock(BASE)
      .get("/rest/api/3/project/10000")
      .reply(404, { errorMessages: ["No project could be found."] });
    const id = `jira.${jiraSite(BASE)}.7`;
    expect(await connector().readTicket(id, never)).toMatchObject({
      id,
      workflow: `jira.${jiraSite(BASE)}.10000.type-1`,
    });
  });

  it("follows no redirect, for it would carry the credentials elsewhere", async () => {
    nock(BASE).get("/rest/api/3/project/ENG").reply(302, "", { location: "https://elsewhere.example/steal" });
    const elsewhere = nock("https://elsewhere.example").get("/steal").reply(200, {});
    await expect(keys()).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("address"),
    });
    expect(elsewhere.isDone()).toBe(false);
  });
});

describe("settings and credentials", () => {
  it.each(["eng", "ENG-1", "ENG/../x", "", "1x"])("refuse %j as a project", (project) => {
    expect(jira.settings.safeParse({ baseUrl: BASE, project }).success).toBe(false);
  });

  it.each(["ftp://x.example", "file:///etc/passwd", "team", ""])("refuse %j as an address", (baseUrl) => {
    expect(jira.settings.safeParse({ baseUrl, project: "ENG" }).success).toBe(false);
  });

  it("want one whole way in, and nothing nobody asked for", () => {
    for (const given of [
      {},
      { email: "a@b.example" },
      { apiToken: "t" },
      { email: "a", apiToken: "t", acessToken: "x" },
    ]) {
      expect(jira.credentials.safeParse(given).success).toBe(false);
    }
    expect(jira.credentials.safeParse({ accessToken: "x" }).success).toBe(true);
  });
});
