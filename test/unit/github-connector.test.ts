import nock from "nock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GithubEmulator, startGithubEmulator } from "../../connectors/github/emulator.js";
import { createGithubConnector, github } from "../../connectors/github/index.js";
import type { Connector, ConnectorKit, Move, Ticket } from "../../src/board/connector.js";
import { siteOf } from "../../src/board/http.js";
import { NO_STATUS } from "../../src/machine/index.js";

const signal = new AbortController().signal;
const kit: ConnectorKit = {
  connection: "acme/roadmap",
  checkUrl: async () => {},
  saveCredentials: async () => {},
  now: () => new Date(),
};

const SEED = {
  repos: [{ owner: "acme", name: "web" }],
  projects: [
    {
      owner: "acme",
      number: 7,
      title: "Roadmap",
      fields: [
        { name: "Priority", options: ["High", "Low"] },
        { name: "Status", options: ["Todo", "👀 In review", "Done ✅"] },
      ].reverse(),
      items: [
        { title: "Login fails", repo: "web", status: "Todo", branches: ["12-login-fails"] },
        { title: "Add dark mode", repo: "web", type: "PULL_REQUEST" as const, branches: ["dark-mode"] },
        { title: "Think about names", type: "DRAFT_ISSUE" as const },
        { title: "Secret plan", repo: "web", status: "Todo", hidden: true },
        { title: "Old thing", repo: "web", status: "Done ✅", archived: true },
      ],
    },
  ],
};

describe("a listing that cannot be read to its end", () => {
  const HOST = "https://github.example.com";
  const facts = { id: "PVT_1", title: "R", url: HOST, closed: false, template: false, viewerCanUpdate: true };
  const field = { id: "PVTSSF_1", name: "Status", options: [] };
  const project = {
    viewer: { login: "v" },
    repositoryOwner: {
      __typename: "Organization",
      projectV2: {
        ...facts,
        fields: { nodes: [field, {}], pageInfo: { hasNextPage: false, endCursor: null } },
      },
    },
  };
  const page = (pageInfo: object) => ({ field, node: { items: { nodes: [], pageInfo } } });
  const answer = (data: object, times = 1) => nock(HOST).post("/graphql").times(times).reply(200, { data });
  afterEach(() => nock.cleanAll());

  it.each([
    ["a cursor that leads to itself", { hasNextPage: true, endCursor: "x" }],
    ["more to come and no cursor", { hasNextPage: true, endCursor: null }],
  ])("is an error, not an end: %s", async (_what, pageInfo) => {
    answer(project);
    answer(page(pageInfo), 20);
    const connector = createGithubConnector({ owner: "acme", project: 7, apiUrl: HOST }, { token: "t" }, kit);
    const reading = async () => {
      for await (const _ticket of connector.pullTickets(undefined, signal));
    };
    await expect(reading()).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("GitHub Projects", () => {
  let emulator: GithubEmulator;
  let connector: Connector;
  const connect = (settings: object = {}, token = emulator.token) =>
    createGithubConnector(
      github.settings.parse({ owner: "acme", project: 7, apiUrl: emulator.url, ...settings }),
      { token },
      kit,
    );
  const project = () => emulator.project();
  const id = (reference: string) => `github.${siteOf(emulator.url)}.${project().item(reference).id}`;
  const read = async (reference: string): Promise<Ticket> => {
    const ticket = await connector.readTicket(id(reference), signal);
    if (ticket === undefined) throw new Error(`${reference} is hidden`);
    return ticket;
  };
  const to = (status: string): Move => ({ id: status, to: status, fields: [] });
  const move = async (reference: string, status: string, comment?: string) =>
    connector.move(await read(reference), to(status), comment === undefined ? {} : { comment }, signal);
  const mutations = () =>
    emulator.journal.filter(({ operation }) => /Move|Clear|Comment/.test(operation ?? ""));
  const all = async (since?: Date) => {
    const tickets: Ticket[] = [];
    for await (const ticket of connector.pullTickets(since, signal)) tickets.push(ticket);
    return tickets;
  };

  beforeEach(async () => {
    emulator = await startGithubEmulator(SEED);
    connector = connect();
  });
  afterEach(() => emulator.close());

  describe("the workflow", () => {
    it("is the options of the Status field in their order, after the null value", async () => {
      const [graph] = await connector.pullWorkflows(signal);
      expect(graph).toMatchObject({ name: "Roadmap", initial: NO_STATUS, edges: "implied" });
      expect(graph?.statuses.map(({ id, name }) => [id, name])).toEqual([
        [NO_STATUS, "No Status"],
        [project().optionId("Todo"), "Todo"],
        [project().optionId("👀 In review"), "👀 In review"],
        [project().optionId("Done ✅"), "Done ✅"],
      ]);
      expect(graph?.moves).toHaveLength(4);
      expect(graph?.moves.every(({ from, to }) => from === "*" && to !== undefined)).toBe(true);
    });

    it("claims to know nothing about what a column means", async () => {
      const [graph] = await connector.pullWorkflows(signal);
      expect(new Set(graph?.statuses.map(({ category }) => category))).toEqual(new Set(["unknown"]));
    });

    it("tells its own No Status from an option of that name", async () => {
      project().addOption("No Status");
      const [graph] = await connector.pullWorkflows(signal);
      expect(graph?.statuses.filter(({ name }) => name === "No Status").map(({ id }) => id)).toEqual([
        project().optionId("No Status"),
      ]);
      expect(graph?.statuses[0]?.id).toBe(NO_STATUS);
    });

    it("can be another field, by name or by id, and stays that field when it is renamed", async () => {
      const priority = project().state.fields[1];
      const byName = await connect({ statusField: "priority" }).pullWorkflows(signal);
      const byId = await connect({ statusField: priority?.id }).pullWorkflows(signal);
      expect(byName[0]?.statuses.map(({ name }) => name)).toEqual(["No Status", "High", "Low"]);
      expect(byId).toEqual(byName);

      const [before] = await connector.pullWorkflows(signal);
      project().renameField("Status", "Stage");
      const [after] = await connector.pullWorkflows(signal);
      expect(after?.id).toBe(before?.id);
    });

    it("asks which field it is rather than guess", async () => {
      project().renameField("Status", "Stage");
      await expect(connect().pullWorkflows(signal)).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining('"Stage", "Priority"'),
      });
      expect(await connect().probe(signal)).toMatchObject([
        { code: "status_field", fix: expect.stringContaining("statusField") },
      ]);
    });

    it("is found for a person's project as for an organization's", async () => {
      const own = await startGithubEmulator({
        projects: [
          { owner: "octocat", ownerType: "User", number: 7, title: "Mine", items: [{ title: "One" }] },
        ],
      });
      const mine = createGithubConnector(
        { owner: "octocat", project: 7, apiUrl: own.url },
        { token: own.token },
        kit,
      );
      expect((await mine.pullWorkflows(signal))[0]?.name).toBe("Mine");
      expect(await mine.webhooks?.ensure("https://us.example/hook", signal)).toMatchObject({
        state: "absent",
      });
      await own.close();
    });
  });

  describe("items", () => {
    it("are issues, pull requests, drafts, hidden and archived ones", async () => {
      const tickets = await all();
      expect(tickets.map(({ key, title, archived }) => ({ key, title, archived }))).toEqual([
        { key: "web#1", title: "Login fails", archived: undefined },
        { key: "web#2", title: "Add dark mode", archived: undefined },
        { key: undefined, title: "Think about names", archived: undefined },
        { key: undefined, title: "Hidden item", archived: undefined },
        { key: "web#4", title: "Old thing", archived: true },
      ]);
      expect(tickets.map(({ branches }) => branches)).toEqual([
        ["12-login-fails"],
        ["dark-mode"],
        undefined,
        undefined,
        undefined,
      ]);
      expect(JSON.stringify(tickets)).not.toContain("Secret plan");
    });

    it("without a value are in No Status", async () => {
      expect((await read("Think about names")).status).toBe(NO_STATUS);
      expect((await read("Login fails")).status).toBe(project().optionId("Todo"));
    });

    it("are read to the last page, also when GitHub chokes on large ones", async () => {
      for (let i = 0; i < 250; i++) project().addItem({ title: `More ${i}` });
      expect(new Set((await all()).map(({ id }) => id)).size).toBe(255);
      emulator.setLargestPage(30);
      expect(new Set((await all()).map(({ id }) => id)).size).toBe(255);
    });

    it("are passed over when they changed before the asked time", async () => {
      const later = new Date(Date.now() + 5_000);
      expect(await all(later)).toEqual([]);
      expect(await all(new Date(0))).toHaveLength(5);
    });

    it.each([
      "github.00000000.PVTI_x",
      "jira.x.1",
      "github",
      "",
      "github.SITE.I_x",
      "github.SITE.PVTI_x/../y",
    ])("of another place or kind are not asked for: %s", async (id) => {
      const before = emulator.journal.length;
      const asked = connector.readTicket(id.replace("SITE", siteOf(emulator.url)), signal);
      await expect(asked).rejects.toMatchObject({ code: "invalid" });
      expect(emulator.journal.length).toBe(before);
    });

    it("that are gone or of another project are missing", async () => {
      const gone = id("Login fails");
      project().removeItem("Login fails");
      expect(await connector.readTicket(gone, signal)).toBeUndefined();
    });

    it("keep their status when the field is renamed between two reads", async () => {
      await read("Login fails");
      project().renameField("Status", "Stage");
      expect((await read("Login fails")).status).toBe(project().optionId("Todo"));
      expect((await all())[0]?.status).toBe(project().optionId("Todo"));
    });
  });

  describe("moves", () => {
    it("go anywhere but here, and take no fields", async () => {
      const moves = await connector.openMoves(await read("Login fails"), signal);
      expect(moves.map(({ name }) => name)).toEqual(["No Status", "👀 In review", "Done ✅"]);
    });

    it("are none for what is hidden or archived", async () => {
      for (const reference of ["Secret plan", "Old thing"]) {
        expect(await connector.openMoves(await read(reference), signal)).toEqual([]);
      }
    });

    it("set a status, and report where the board then says it is", async () => {
      const done = project().optionId("Done ✅");
      expect((await move("Login fails", done)).status).toBe(done);
      expect(project().statusOf("Login fails")).toBe("Done ✅");
    });

    it("report where a rule of the board took it", async () => {
      project().automate("👀 In review", "Done ✅");
      const moved = await move("Login fails", project().optionId("👀 In review"));
      expect(moved.status).toBe(project().optionId("Done ✅"));
    });

    it("clear a status only by name of the null value, in an operation of its own", async () => {
      expect((await move("Login fails", NO_STATUS)).status).toBe(NO_STATUS);
      expect(mutations().map(({ operation }) => operation)).toEqual(["BoardwalkClearItem"]);
    });

    it.each(["", "undefined", "Done ✅", "deadbeef", "../x"])(
      "never send the unknown target %j",
      async (target) => {
        await expect(move("Login fails", target)).rejects.toMatchObject({ code: "stale_workflow" });
        expect(mutations()).toEqual([]);
        expect(project().statusOf("Login fails")).toBe("Todo");
      },
    );

    it("move drafts, which have no key and take no comment", async () => {
      const todo = project().optionId("Todo");
      await expect(move("Think about names", todo, "hello")).rejects.toMatchObject({ code: "invalid" });
      expect(project().statusOf("Think about names")).toBeNull();
      expect((await move("Think about names", todo)).status).toBe(todo);
    });

    it("carry a comment to the issue", async () => {
      await move("Login fails", project().optionId("Done ✅"), "Fixed in the new release");
      expect(project().item("Login fails").content.comments).toEqual(["Fixed in the new release"]);
    });

    it("refuse archived ones without writing, also those archived since they were read", async () => {
      const done = project().optionId("Todo");
      await expect(move("Old thing", done)).rejects.toMatchObject({ code: "archived" });
      expect(mutations()).toEqual([]);
      const ticket = await read("Login fails");
      project().archive("Login fails");
      await expect(
        connector.move(ticket, to(project().optionId("Done ✅")), {}, signal),
      ).rejects.toMatchObject({
        code: "archived",
      });
    });

    it("refuse hidden ones without writing", async () => {
      await expect(move("Secret plan", project().optionId("Todo"))).rejects.toMatchObject({
        code: "forbidden",
      });
      expect(mutations()).toEqual([]);
    });

    it("know that the columns changed: options replaced through the API get new ids", async () => {
      const [before] = await connector.pullWorkflows(signal);
      const ticket = await read("Login fails");
      project().replaceOptions(["Todo", "Done ✅"]);
      const old = before?.statuses.at(-1)?.id ?? "";
      await expect(connector.move(ticket, to(old), {}, signal)).rejects.toMatchObject({
        code: "stale_workflow",
      });
      // It learned: the next one goes by the new ids.
      expect((await move("Login fails", project().optionId("Done ✅"))).status).toBe(
        project().optionId("Done ✅"),
      );
    });

    it("find an option that was added after the workflow was pulled", async () => {
      await connector.pullWorkflows(signal);
      const added = project().addOption("QA / UAT");
      expect((await move("Login fails", added)).status).toBe(added);
    });

    it("are refused by a closed project and by a template", async () => {
      project().change({ closed: true });
      await expect(move("Login fails", project().optionId("Done ✅"))).rejects.toMatchObject({
        code: "forbidden",
      });
      expect((await connector.probe(signal)).map(({ code }) => code)).toEqual(["project_closed"]);
      project().change({ closed: false, template: true });
      expect((await connector.probe(signal)).map(({ code }) => code)).toEqual(["project_template"]);
    });
  });

  describe("trouble", () => {
    it("says what is missing, each with a fix", async () => {
      expect(await connector.probe(signal)).toEqual([]);
      project().change({ access: "read" });
      expect(await connector.probe(signal)).toMatchObject([
        { code: "read_only", fix: expect.stringMatching(/write/) },
      ]);
      project().change({ access: "none" });
      expect(await connector.probe(signal)).toMatchObject([{ code: "not_found_or_hidden" }]);
      project().change({ access: "write" });
      emulator.setScopes(["repo"]);
      expect(await connector.probe(signal)).toMatchObject([
        {
          code: "forbidden",
          message: expect.stringContaining("read:project"),
          fix: expect.stringContaining("project"),
        },
      ]);
      emulator.setScopes(undefined);
      expect(await connect({}, "stranger").probe(signal)).toMatchObject([{ code: "auth_expired" }]);
      expect(await connect({ project: 8 }).probe(signal)).toMatchObject([{ code: "not_found_or_hidden" }]);
    });

    it("does not blame credentials for trouble that passes", async () => {
      emulator.host.setFaults({ status: 503 });
      await expect(connector.probe(signal)).rejects.toMatchObject({ code: "unavailable" });
    });

    it("hears both of GitHub's limits, and how long to wait", async () => {
      const ticket = await read("Login fails");
      for (const kind of ["primary", "secondary"] as const) {
        emulator.limit(kind, { seconds: 60 });
        const error = await connector
          .move(ticket, to(project().optionId("Done ✅")), {}, signal)
          .catch((thrown) => thrown);
        expect(error.code).toBe("rate_limited");
        expect(error.retryAfterMs).toBeGreaterThan(50_000);
      }
      expect(project().statusOf("Login fails")).toBe("Todo");
    });

    it("never sends a move twice, even when its answer is lost", async () => {
      const ticket = await read("Login fails");
      emulator.host.setFaults({ status: 502, afterWork: true, writesOnly: true });
      await expect(
        connector.move(ticket, to(project().optionId("Done ✅")), {}, signal),
      ).rejects.toMatchObject({
        code: "unavailable",
      });
      expect(mutations()).toHaveLength(1);
      expect(project().statusOf("Login fails")).toBe("Done ✅");
    });

    it("sends one mutation at a time", async () => {
      const tickets = [
        await read("Login fails"),
        await read("Add dark mode"),
        await read("Think about names"),
      ];
      emulator.host.setFaults({ latencyMs: 30 });
      const done = project().optionId("Done ✅");
      await Promise.all(tickets.map((ticket) => connector.move(ticket, to(done), {}, signal)));
      const times = mutations().map(({ at }) => Date.parse(at));
      expect(times).toHaveLength(3);
      expect(
        Math.min((times[1] ?? 0) - (times[0] ?? 0), (times[2] ?? 0) - (times[1] ?? 0)),
      ).toBeGreaterThanOrEqual(25);
    });

    it("speaks to an Enterprise Server's base", async () => {
      const enterprise = connect({ apiUrl: `${emulator.url}/api/v3/` });
      expect(await enterprise.pullWorkflows(signal)).toHaveLength(1);
      expect(emulator.journal.at(-1)?.path).toBe("/api/graphql");
    });
  });
});
