import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import {
  demoJiraSite,
  type FieldSeed,
  type JiraEmulator,
  type JiraEmulatorOptions,
  type JiraSiteSeed,
  jwt,
  type OAuthSeed,
  startJiraEmulator,
} from "../../connectors/jira/emulator.js";
import { jira } from "../../connectors/jira/index.js";
import type { Connector, ConnectorKit, Move, Ticket } from "../../src/board/connector.js";
import type { StatusGraph } from "../../src/machine/index.js";
import { quietKit } from "./jira.harness.js";

/** What only Jira has. Run by its own test, and once more under the eyes of the published description. */

const never = new AbortController().signal;
/** Nothing listens there: deliveries are looked at as they were sent. */
const NOWHERE = "http://127.0.0.1:9/hook";
const DAY_MS = 24 * 3_600_000;
const oauthSeed: OAuthSeed = {
  clientId: "client-of-the-test",
  clientSecret: "client secret of the test",
  accessToken: "first access token",
  refreshToken: "first refresh token",
  accountId: "5b10a2844c20165700ede21g",
};

export function describeJira(name: string, extra: Pick<JiraEmulatorOptions, "onExchange"> = {}): void {
  describe(name, () => {
    const running: JiraEmulator[] = [];
    afterEach(async () => {
      await Promise.all(running.splice(0).map((emulator) => emulator.close()));
    });
    const start: Start = async (options = {}) => {
      const emulator = await startJiraEmulator({ ...extra, ...options });
      running.push(emulator);
      return emulator;
    };
    describeWorkflows(start);
    describeHomes(start);
    describeFields(start);
    describeComments(start);
    describeRefusals(start);
    describeOAuth(start);
    describeRegistration(start);
  });
}

type Start = (options?: JiraEmulatorOptions) => Promise<JiraEmulator>;

function connect(
  emulator: JiraEmulator,
  kit: Partial<ConnectorKit> = {},
  credentials: object = {},
): Connector {
  return jira.create(
    jira.settings.parse({ baseUrl: emulator.url, project: "ENG" }),
    jira.credentials.parse({ ...emulator.credentials, ...credentials }),
    { ...quietKit, ...kit },
  );
}

async function tickets(connector: Connector): Promise<Ticket[]> {
  const all: Ticket[] = [];
  for await (const ticket of connector.pullTickets(undefined, never)) all.push(ticket);
  return all;
}

async function firstIn(connector: Connector, status: string): Promise<Ticket> {
  const found = (await tickets(connector)).find((ticket) => ticket.status === status);
  if (found === undefined) throw new Error(`no ticket in ${status}`);
  return found;
}

async function graphsOf(emulator: JiraEmulator): Promise<readonly StatusGraph[]> {
  return connect(emulator).pullWorkflows(never);
}

/** One workflow for bugs, one for stories, on one board. */
function twoWorkflows(): JiraSiteSeed {
  return {
    project: { key: "ENG", name: "Engineering" },
    issueTypes: [
      { id: "1", name: "Bug" },
      { id: "2", name: "Story" },
      { id: "3", name: "Sub-task", subtask: true },
    ],
    statuses: [
      { id: "10", name: "Open", category: "new" },
      { id: "11", name: "Fixed", category: "done" },
      { id: "20", name: "Zu erledigen", untranslatedName: "To Do", category: "new" },
      { id: "21", name: "Doing", category: "indeterminate" },
      { id: "22", name: "Done", category: "done" },
      { id: "23", name: "Todo", category: "new" },
    ],
    workflows: [
      {
        name: "Bug workflow",
        issueTypes: ["Bug"],
        initial: "10",
        transitions: [
          { id: "5", name: "Fix", from: "10", to: "11" },
          { id: "6", name: "Fix as a duplicate", from: "10", to: "11" },
          { id: "7", name: "Comment only", from: "*" },
        ],
      },
      {
        name: "Story workflow",
        issueTypes: ["Story", "Sub-task"],
        initial: "20",
        statuses: ["23", "22", "21", "20"],
        transitions: [
          { id: "5", name: "Start", from: "20", to: "21" },
          { id: "8", name: "Anything done", from: "*", to: "22" },
          { id: "9", name: "Only for others", from: "20", to: "23", onlyFor: ["someone"] },
        ],
      },
    ],
    columns: [
      { name: "In line", statuses: ["10", "20"] },
      { name: "In flight", statuses: ["21"] },
      { name: "Landed", statuses: ["11", "22"] },
    ],
    issues: [
      { title: "A bug", status: "Open", type: "Bug" },
      { title: "A story", status: "20", type: "Story" },
    ],
  };
}

function describeWorkflows(start: Start): void {
  describe("workflows", () => {
    it("makes one graph of each workflow, and knows a ticket's by its type", async () => {
      const emulator = await start({ site: twoWorkflows() });
      const connector = connect(emulator);
      const [bugs, stories] = (await connector.pullWorkflows(never)) as [StatusGraph, StatusGraph];
      expect([bugs.name, stories.name]).toEqual(["Engineering Bug", "Engineering Story, Sub-task"]);
      const [bug, story] = (await tickets(connector)) as [Ticket, Ticket];
      expect([bug.workflow, story.workflow]).toEqual([bugs.id, stories.id]);
      expect(bugs.id).toMatch(/^jira\.[0-9a-f]{8}\.\d+\.[\w-]+$/);
    });

    it("keeps every transition by its own id, drops those that loop, and takes the initial one for what it is", async () => {
      const [bugs, stories] = (await graphsOf(await start({ site: twoWorkflows() }))) as [
        StatusGraph,
        StatusGraph,
      ];
      expect(bugs).toMatchObject({ initial: "10", edges: "preview" });
      expect(bugs.moves).toEqual([
        { id: "5", from: "10", to: "11", name: "Fix" },
        { id: "6", from: "10", to: "11", name: "Fix as a duplicate" },
      ]);
      expect(stories.moves).toContainEqual({ id: "8", from: "*", to: "22", name: "Anything done" });
    });

    it("orders statuses as the columns do, and says which of them no column shows", async () => {
      const [, stories] = (await graphsOf(await start({ site: twoWorkflows() }))) as [
        StatusGraph,
        StatusGraph,
      ];
      expect(
        stories.statuses.map(({ id, category, aliases, offBoard }) => [id, category, aliases, offBoard]),
      ).toEqual([
        ["20", "todo", ["To Do", "In line"], undefined],
        ["21", "doing", ["In flight"], undefined],
        ["22", "done", ["Landed"], undefined],
        ["23", "todo", [], true],
      ]);
    });

    it("orders them as the workflow does where there is no board", async () => {
      const { columns: _columns, ...site } = twoWorkflows();
      const [, stories] = (await graphsOf(await start({ site }))) as [StatusGraph, StatusGraph];
      expect(stories.statuses.map((status) => status.id)).toEqual(["23", "22", "21", "20"]);
      expect(stories.statuses.some((status) => status.offBoard)).toBe(false);
    });

    it("takes the administrators' read where the preview is closed", async () => {
      const emulator = await start({ site: twoWorkflows() });
      const preview = await graphsOf(emulator);
      emulator.withhold(["ADMINISTER_PROJECTS", "VIEW_READONLY_WORKFLOW"]);
      const admin = await graphsOf(emulator);
      expect(admin.map((graph) => graph.edges)).toEqual(["authoritative", "authoritative"]);
      const bare = (graphs: readonly StatusGraph[]) =>
        graphs.map(({ id, name, initial, moves }) => ({ id, name, initial, moves }));
      expect(bare(admin)).toEqual(bare(preview));
    });

    it.each([401, 403, 404] as const)(
      "steps down to what can be observed when workflows answer %i",
      async (status) => {
        const emulator = await start({ site: twoWorkflows() });
        emulator.withhold(["ADMINISTER", "ADMINISTER_PROJECTS", "VIEW_READONLY_WORKFLOW"]);
        emulator.denyWorkflowsWith(status);
        const connector = connect(emulator);
        const [bugs, stories] = (await connector.pullWorkflows(never)) as [StatusGraph, StatusGraph];
        expect([bugs.edges, stories.edges]).toEqual(["observed", "observed"]);
        expect([bugs.initial, stories.initial]).toEqual(["10", "20"]);
        expect(bugs.moves.map((move) => move.id)).toEqual(["5", "6"]);
        // A condition hides it from us, but the edge is there.
        expect(stories.moves.map((move) => [move.from, move.to])).toEqual([
          ["20", "21"],
          ["*", "22"],
          ["20", "23"],
        ]);
        expect((await tickets(connector)).map((ticket) => ticket.workflow)).toEqual([bugs.id, stories.id]);
        expect(await connector.probe(never)).toMatchObject([
          { code: "forbidden", fix: expect.stringContaining("View") },
        ]);
      },
    );

    it("finds out where tickets start from one that has moved since", async () => {
      const emulator = await start();
      emulator.withhold(["ADMINISTER", "ADMINISTER_PROJECTS", "VIEW_READONLY_WORKFLOW"]);
      emulator.createIssue({ title: "Newest", status: "10000" });
      emulator.moveIssue("ENG-11", "Done");
      expect(await graphsOf(emulator)).toMatchObject([{ edges: "observed", initial: "10000" }]);
    });

    it("does not take an expired login for a lack of permission", async () => {
      const emulator = await start();
      const connector = connect(emulator, {}, { apiToken: "expired" });
      await expect(connector.pullWorkflows(never)).rejects.toMatchObject({ code: "auth_expired" });
    });

    it("shows what administrators change, under the ids it had", async () => {
      const emulator = await start();
      const [before] = (await graphsOf(emulator)) as [StatusGraph];
      emulator.renameStatus("In Review", "Peer check");
      emulator.addStatus({ id: "10009", name: "Released", category: "done" });
      emulator.addTransition({ id: "61", name: "Release", from: "10003", to: "10009" });
      emulator.removeStatus("Blocked");
      const [after] = (await graphsOf(emulator)) as [StatusGraph];
      expect(after.id).toBe(before.id);
      expect(after.statuses.map(({ id, name }) => `${id} ${name}`)).toEqual([
        "10000 To Do",
        "10001 In Progress",
        "10002 Peer check",
        "10003 Done",
        "10009 Released",
      ]);
      expect(after.moves.map((move) => move.id)).not.toContain("51");
      expect(after.moves).toContainEqual({ id: "61", from: "10003", to: "10009", name: "Release" });
    });

    it("says which permission is missing", async () => {
      const emulator = await start();
      emulator.withhold(["TRANSITION_ISSUES", "ADD_COMMENTS"]);
      emulator.archiveProject();
      const problems = await connect(emulator).probe(never);
      expect(problems.map((problem) => problem.code)).toEqual(["forbidden", "forbidden", "archived"]);
      expect(problems[0]?.fix).toContain("Transition issues");
      emulator.withhold(["BROWSE_PROJECTS"]);
      expect(await connect(emulator).probe(never)).toMatchObject([
        { code: "not_found_or_hidden", fix: expect.stringContaining("Browse projects") },
      ]);
    });
  });
}

function describeHomes(start: Start): void {
  it("keeps a ticket's id when it goes to another project, and tells its new workflow", async () => {
    const other = { ...demoJiraSite({ key: "OPS", name: "Operations", issues: [] }) };
    const home = {
      ...other,
      workflows: other.workflows.map((workflow) => ({ ...workflow, id: "ops-workflow" })),
    };
    const emulator = await start({ site: { ...demoJiraSite(), otherProjects: [home] } });
    const connector = connect(emulator);
    const before = await firstIn(connector, "10000");
    emulator.moveToProject(before.key ?? "", "OPS", { type: "Bug", status: "Done" });
    const after = await connector.readTicket(before.id, never);
    expect(after).toMatchObject({ id: before.id, key: "OPS-1", status: "10003" });
    expect(after?.workflow).not.toBe(before.workflow);
    const ops = jira.create(
      jira.settings.parse({ baseUrl: emulator.url, project: "OPS" }),
      jira.credentials.parse(emulator.credentials),
      quietKit,
    );
    expect(await ops.pullWorkflows(never)).toMatchObject([{ id: after?.workflow, name: "Operations" }]);
    expect((await tickets(connector)).map((ticket) => ticket.id)).not.toContain(before.id);
  });
}

const CASCADE: FieldSeed = {
  id: "customfield_10050",
  name: "Area",
  required: true,
  schema: {
    type: "option-with-child",
    custom: "com.atlassian.jira.plugin.system.customfieldtypes:cascadingselect",
  },
};
const FIELDS: readonly (readonly [field: FieldSeed, given: unknown, kept: unknown])[] = [
  [
    {
      id: "customfield_1",
      name: "Size",
      schema: { type: "option", custom: "x:select" },
      allowedValues: [
        { id: "7", value: "Small " },
        { id: "8", value: "Large, really" },
      ],
    },
    "small",
    { id: "7", value: "Small " },
  ],
  [
    {
      id: "components",
      name: "Components",
      schema: { type: "array", items: "component", system: "components" },
      allowedValues: [
        { id: "1", name: "Web" },
        { id: "2", name: "API" },
      ],
    },
    "web, api",
    [{ id: "1" }, { id: "2" }],
  ],
  [{ id: "customfield_2", name: "Build", schema: { type: "string", custom: "x:textfield" } }, 42, "42"],
  [
    { id: "labels", name: "Labels", schema: { type: "array", items: "string", system: "labels" } },
    ["a", "b"],
    ["a", "b"],
  ],
  [{ id: "customfield_3", name: "Points", schema: { type: "number", custom: "x:float" } }, "3.5", 3.5],
  [{ id: "duedate", name: "Due", schema: { type: "date", system: "duedate" } }, "2026-12-24", "2026-12-24"],
  [
    { id: "assignee", name: "Assignee", schema: { type: "user", system: "assignee" } },
    "5b10",
    { accountId: "5b10" },
  ],
  [
    {
      id: "customfield_4",
      name: "Notes",
      schema: { type: "string", custom: "com.atlassian.jira.plugin.system.customfieldtypes:textarea" },
    },
    "first 🚀\nsecond",
    {
      type: "doc",
      version: 1,
      content: [
        {
          type: "paragraph",
          content: [
            { type: "text", text: "first 🚀" },
            { type: "hardBreak" },
            { type: "text", text: "second" },
          ],
        },
      ],
    },
  ],
];

/** A ticket whose next transition has this screen. */
async function onScreen(start: Start, fields: readonly FieldSeed[] | undefined) {
  const emulator = await start();
  emulator.editTransition("11", fields === undefined ? {} : { fields });
  const connector = connect(emulator);
  const ticket = await firstIn(connector, "10000");
  const moves = await connector.openMoves(ticket, never);
  const move = moves.find((each) => each.id === "11") as Move;
  const issue = emulator.site.issueOf(ticket.key ?? "");
  const writes = () =>
    emulator.journal.filter((entry) => entry.method === "POST" && /\/issue\//.test(entry.path));
  return { emulator, connector, ticket, move, issue, writes };
}

function describeFields(start: Start): void {
  describe("fields", () => {
    it.each(FIELDS)("gives $name in the shape Jira wants", async (field, given, kept) => {
      const { connector, ticket, move, issue } = await onScreen(start, [{ ...field, required: true }]);
      expect(move.fields).toMatchObject([{ id: field.id, name: field.name, required: true }]);
      const moved = await connector.move(ticket, move, { fields: { [field.id]: given } }, never);
      expect(moved.status).toBe("10001");
      expect(issue?.values.get(field.id)).toEqual(kept);
    });

    it.each([
      [FIELDS[0]?.[0], "medium", "Size can be Small, Large, really."],
      [FIELDS[4]?.[0], "many", "Points must be a number."],
      [FIELDS[5]?.[0], "tomorrow", "Due must be a date such as 2026-03-31."],
      [FIELDS[6]?.[0], "Maya Example", "Assignee must be the id of a Jira account."],
      [CASCADE, "Web", "Area can only be filled in on Jira itself. Please make this move there."],
    ])("refuses a value that is none of $name, before any write", async (field, given, message) => {
      const { connector, ticket, move, writes } = await onScreen(start, [field as FieldSeed]);
      const moving = connector.move(ticket, move, { fields: { [field?.id ?? ""]: given } }, never);
      await expect(moving).rejects.toMatchObject({ code: "needs_fields", message });
      expect(writes()).toEqual([]);
    });

    it("does not ask for what it cannot fill in, but says what it is", async () => {
      const { move } = await onScreen(start, [CASCADE]);
      expect(move.fields).toEqual([{ id: CASCADE.id, name: "Area", type: "unsupported", required: true }]);
    });
  });
}

const COMMENT: FieldSeed = {
  id: "comment",
  name: "Comment",
  schema: { type: "comments-page", system: "comment" },
};

function describeComments(start: Start): void {
  describe("comments", () => {
    it("travel with the move where its screen has a place for them", async () => {
      const { connector, ticket, move, issue, writes } = await onScreen(start, [COMMENT]);
      expect(move).toMatchObject({ takesComment: true, fields: [] });
      await connector.move(ticket, move, { comment: "Looks good." }, never);
      expect(writes()).toHaveLength(1);
      expect(JSON.stringify(issue?.comments.map((comment) => comment.body))).toContain("Looks good.");
    });

    it("go by themselves where it has none, so that none is lost", async () => {
      const { connector, ticket, move, issue, writes } = await onScreen(start, undefined);
      expect(move.takesComment).toBeUndefined();
      expect((await connector.move(ticket, move, { comment: "Looks good." }, never)).remark).toBeUndefined();
      expect(writes()).toHaveLength(2);
      expect(JSON.stringify(issue?.comments.map((comment) => comment.body))).toContain("Looks good.");
    });

    it("are asked for where the move needs one", async () => {
      const { connector, ticket, move, issue } = await onScreen(start, [{ ...COMMENT, required: true }]);
      expect(move.fields).toMatchObject([{ id: "comment", type: "rich_text", required: true }]);
      await expect(connector.move(ticket, move, {}, never)).rejects.toMatchObject({ code: "needs_fields" });
      await connector.move(ticket, move, { fields: { comment: "Because." } }, never);
      expect(issue?.comments).toHaveLength(1);
    });

    it("that fail are told beside the move, which has happened", async () => {
      const { emulator, connector, ticket, move, issue } = await onScreen(start, undefined);
      emulator.withhold(["ADD_COMMENTS"]);
      const moved = await connector.move(ticket, move, { comment: "Looks good." }, never);
      expect(moved.status).toBe("10001");
      expect(moved.remark).toMatch(/^The comment could not be added\. .*permission to comment/);
      expect(issue?.comments).toEqual([]);
    });
  });
}

function describeRefusals(start: Start): void {
  describe("refusals", () => {
    it("reads what a validator wants though the screen did not say", async () => {
      const hidden: FieldSeed = {
        id: "customfield_9",
        name: "Root cause",
        undeclared: true,
        schema: { type: "string" },
      };
      const { connector, ticket, move, issue } = await onScreen(start, [hidden]);
      expect(move.fields).toEqual([]);
      await expect(connector.move(ticket, move, {}, never)).rejects.toMatchObject({
        code: "needs_fields",
        message: expect.stringContaining("Root cause must be filled in"),
        data: { fields: [] },
      });
      expect(issue?.status).toBe("10000");
      const moved = await connector.move(ticket, move, { fields: { customfield_9: "Haste" } }, never);
      expect(moved.status).toBe("10001");
    });

    it("knows a closed move in any language", async () => {
      const emulator = await start({ site: { ...demoJiraSite(), language: "de" } });
      const connector = connect(emulator);
      const ticket = await firstIn(connector, "10000");
      const [move] = (await connector.openMoves(ticket, never)) as [Move];
      emulator.moveIssue(ticket.key ?? "", "Done");
      await expect(connector.move(ticket, move, {}, never)).rejects.toMatchObject({ code: "no_such_move" });
    });

    it("asks nothing more where Jira's words are plain", async () => {
      const emulator = await start();
      const connector = connect(emulator);
      const ticket = await firstIn(connector, "10000");
      const [move] = (await connector.openMoves(ticket, never)) as [Move];
      emulator.moveIssue(ticket.key ?? "", "Done");
      await expect(connector.move(ticket, move, {}, never)).rejects.toMatchObject({ code: "no_such_move" });
      expect(emulator.journal.at(-1)).toMatchObject({ method: "POST", status: 400 });
    });

    it("says so when a field has no place on the screen", async () => {
      const { connector, ticket, move } = await onScreen(start, undefined);
      const moving = connector.move(ticket, move, { fields: { resolution: "Done" } }, never);
      await expect(moving).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining("cannot be set"),
      });
    });

    it("offers what this account may do, and nothing to one that may move nothing", async () => {
      const emulator = await start({ site: twoWorkflows() });
      const connector = connect(emulator);
      const [, story] = (await tickets(connector)) as [Ticket, Ticket];
      const offered = async () =>
        (await connector.readWithMoves?.(story.id, never))?.moves.map((move) => move.id);
      expect(await offered()).toEqual(["5", "8"]);
      emulator.withhold(["TRANSITION_ISSUES"]);
      expect(await offered()).toEqual([]);
    });

    it("tells which limit was hit, for that decides what to slow down", async () => {
      const emulator = await start();
      const connector = connect(emulator);
      const ticket = await firstIn(connector, "10000");
      const [move] = (await connector.openMoves(ticket, never)) as [Move];
      emulator.limitRate({ times: 1, retryAfterSeconds: 7, reason: "jira-per-issue-on-write" });
      await expect(connector.move(ticket, move, {}, never)).rejects.toMatchObject({
        code: "rate_limited",
        retryAfterMs: 7_000,
        data: { reason: "jira-per-issue-on-write" },
      });
    });
  });
}

function oauthConnect(
  emulator: JiraEmulator,
  kit: Partial<ConnectorKit> = {},
  change: object = {},
): Connector {
  const { accessToken, refreshToken, clientId, clientSecret } = oauthSeed;
  return jira.create(
    jira.settings.parse({ baseUrl: emulator.url, project: "ENG" }),
    jira.credentials.parse({
      accessToken,
      refreshToken,
      clientId,
      clientSecret,
      tokenUrl: `${emulator.url}/oauth/token`,
      ...change,
    }),
    { ...quietKit, connection: emulator.url, ...kit },
  );
}

function describeOAuth(start: Start): void {
  const startOAuth = (now?: () => Date) =>
    start({ site: { ...demoJiraSite(), oauth: oauthSeed }, ...(now === undefined ? {} : { now }) });

  describe("OAuth", () => {
    it("refreshes an expired token, and saves the new one before it is used", async () => {
      const emulator = await startOAuth();
      const saved: { at: number; credentials: unknown }[] = [];
      const saveCredentials = async (credentials: unknown) =>
        void saved.push({ at: emulator.journal.length, credentials });
      const connector = oauthConnect(emulator, { saveCredentials });
      await connector.pullWorkflows(never);
      expect(emulator.oauth.rotations).toBe(0);
      emulator.oauth.expireAccessToken();
      await connector.pullWorkflows(never);
      expect(saved).toMatchObject([{ credentials: { refreshToken: emulator.oauth.refreshToken } }]);
      const refresh = emulator.journal.findIndex((entry) => entry.path === "/oauth/token");
      expect(saved[0]?.at).toBe(refresh + 1);
      expect(emulator.journal[refresh + 1]?.status).toBe(200);
    });

    it("spends a refresh token once, however many requests and connectors hear the 401", async () => {
      const emulator = await startOAuth();
      const connectors = [oauthConnect(emulator), oauthConnect(emulator)];
      const id = (await firstIn(connectors[0] as Connector, "10000")).id;
      for (const connector of connectors) await connector.readTicket(id, never);
      emulator.oauth.expireAccessToken();
      const reads = Array.from({ length: 20 }, (_, index) => connectors[index % 2]?.readTicket(id, never));
      expect((await Promise.all(reads)).every((ticket) => ticket?.id === id)).toBe(true);
      expect(emulator.oauth.rotations).toBe(1);
    });

    it("asks to be connected again when the refresh token is spent, and sends no one there for a write", async () => {
      const emulator = await startOAuth();
      const connector = oauthConnect(emulator);
      const ticket = await firstIn(connector, "10000");
      const [move] = (await connector.openMoves(ticket, never)) as [Move];
      emulator.oauth.expireAccessToken();
      expect(await connector.move(ticket, move, {}, never)).toMatchObject({ status: move.to });
      emulator.oauth.revoke();
      await expect(connector.readTicket(ticket.id, never)).rejects.toMatchObject({
        code: "auth_expired",
        message: expect.stringContaining("reconnect"),
      });
    });

    it("does not spend it on the workflow endpoints, where 401 means something else", async () => {
      const emulator = await startOAuth();
      emulator.withhold(["ADMINISTER", "ADMINISTER_PROJECTS", "VIEW_READONLY_WORKFLOW"]);
      expect(await oauthConnect(emulator).pullWorkflows(never)).toMatchObject([{ edges: "observed" }]);
      expect(emulator.oauth.rotations).toBe(0);
    });

    it("registers a webhook that lasts 30 days, adopts it, and renews it in time", async () => {
      let now = new Date("2026-01-01T00:00:00Z");
      const emulator = await startOAuth(() => now);
      const connector = oauthConnect(emulator, { now: () => now });
      const ensure = async () => connector.webhooks?.ensure("https://boards.example/hook", never);
      const in30Days = () => new Date(now.getTime() + 30 * DAY_MS).toISOString();
      const first = in30Days();
      expect(await ensure()).toMatchObject({ state: "active", by: "boardwalk", expiresAt: first });
      now = new Date(now.getTime() + 19 * DAY_MS);
      expect(await ensure()).toMatchObject({ expiresAt: first });
      now = new Date(now.getTime() + 2 * DAY_MS);
      expect(await ensure()).toMatchObject({ expiresAt: in30Days() });
      now = new Date(now.getTime() + 40 * DAY_MS);
      expect(await ensure()).toMatchObject({ expiresAt: in30Days() });
      expect(emulator.webhooks.registered).toHaveLength(1);
    });

    it("hears it when a registration is refused inside a 200", async () => {
      const emulator = await startOAuth();
      const connector = oauthConnect(emulator);
      await connector.webhooks?.ensure("https://boards.example/one", never);
      await expect(connector.webhooks?.ensure("https://boards.example/two", never)).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringContaining("single URL"),
      });
    });

    it("believes a delivery by its token, and none that is expired, unsigned or garbage", async () => {
      const emulator = await startOAuth();
      const connector = oauthConnect(emulator);
      await connector.webhooks?.ensure(NOWHERE, never);
      const issue = emulator.createIssue({ title: "New 🚀", status: "10000" });
      const [sent] = emulator.webhooks.sent;
      const read = (authorization: string) =>
        connector.webhooks?.read({
          method: "POST",
          headers: { ...sent?.headers, authorization },
          body: Buffer.from(sent?.body ?? ""),
          url: sent?.url ?? "",
          receivedAt: new Date(),
        });
      const token = sent?.headers.authorization ?? "";
      const ticket = expect.stringMatching(new RegExp(`^jira\\.[0-9a-f]{8}\\.${issue.id}$`));
      expect(await read(token)).toMatchObject({ hints: [{ kind: "ticket", ticket }] });
      const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${token.split(".")[1]}.`;
      const expired = jwt(oauthSeed, new Date(Date.now() - DAY_MS));
      const foreign = jwt({ ...oauthSeed, clientSecret: "another" }, new Date());
      // Signed as it should be, but calling itself something else.
      const claims = Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1000) + 60 })).toString(
        "base64url",
      );
      const unsigned = `${Buffer.from('{"alg":"HS384"}').toString("base64url")}.${claims}`;
      const hmac = createHmac("sha256", oauthSeed.clientSecret).update(unsigned).digest("base64url");
      const misnamed = `${unsigned}.${hmac}`;
      const timeless = jwt(oauthSeed, new Date(), { exp: "never" });
      for (const bad of [
        none,
        expired,
        foreign,
        misnamed,
        timeless,
        "a.b.c",
        "x",
        `${token.slice(7)}.more`,
        "",
      ]) {
        await expect(read(`Bearer ${bad}`), bad).rejects.toMatchObject({ code: "unauthorized" });
      }
    });
  });
}

function describeRegistration(start: Start): void {
  describe("webhooks of administrators", () => {
    const url = "https://boards.example/hook";

    it("are signed with a secret that was saved first", async () => {
      const emulator = await start();
      const saved: { registered: number; credentials: unknown }[] = [];
      const saveCredentials = async (credentials: unknown) =>
        void saved.push({ registered: emulator.webhooks.registered.length, credentials });
      expect(await connect(emulator, { saveCredentials }).webhooks?.ensure(url, never)).toMatchObject({
        state: "active",
      });
      const secret = emulator.webhooks.registered[0]?.secret;
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
      expect(saved).toMatchObject([
        { registered: 0, credentials: { ...emulator.credentials, webhookSecret: secret } },
      ]);
    });

    it("are signed and switched on again when they are there but are not", async () => {
      const emulator = await start();
      emulator.webhooks.add(url, undefined);
      const [webhook] = emulator.webhooks.registered;
      if (webhook) webhook.enabled = false;
      await connect(emulator, {}, { webhookSecret: "known" }).webhooks?.ensure(url, never);
      expect(emulator.webhooks.registered).toMatchObject([{ url, enabled: true, secret: "known" }]);
    });

    it("are left to an administrator where this account is none", async () => {
      const emulator = await start();
      emulator.withhold(["ADMINISTER"]);
      await expect(connect(emulator).webhooks?.ensure(url, never)).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringContaining("administrator"),
      });
    });

    it("tell of tickets that are made, moved and deleted, and who did it", async () => {
      const emulator = await start();
      const connector = connect(emulator, {}, { webhookSecret: "known" });
      await connector.webhooks?.ensure(NOWHERE, never);
      const { id } = emulator.createIssue({ title: "New", status: "10000" });
      emulator.moveIssue(id, "Done");
      emulator.deleteIssue(id);
      const read = emulator.webhooks.sent.map((sent) =>
        connector.webhooks?.read({
          ...sent,
          method: "POST",
          body: Buffer.from(sent.body),
          receivedAt: new Date(),
        }),
      );
      const ids = new Set((await Promise.all(read)).map((delivery) => delivery?.deliveryId));
      expect(ids.size).toBe(3);
      const ticket = expect.stringMatching(new RegExp(`\\.${id}$`));
      const told = { kind: "ticket", ticket, by: "5b10ac8d82e05b22cc7d4ef5" };
      // Where a move has led; of what is new or gone, that it has changed is all there is to know.
      const shows = { status: "10003", updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) };
      const hints = (await Promise.all(read)).flatMap((delivery) => delivery?.hints);
      expect(hints).toEqual([told, { ...told, shows }, told]);
    });
  });
}
