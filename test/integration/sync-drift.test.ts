import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GithubEmulator, startGithubEmulator } from "../../connectors/github/emulator.js";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import type { ActorRecord, TenantStore } from "../../src/store/store.js";
import type { SyncResult } from "../../src/sync/import.js";
import type { ConnectionRecord } from "../../src/sync/records.js";
import { replay } from "../../src/sync/replay.js";
import { syncJobFor } from "../../src/tickets/jobs.js";
import { listening } from "../support/desk.js";
import { freePort } from "../support/redis.js";
import { serviceEnv } from "../support/sync-world.js";
import { until } from "../support/until.js";

/** What a board's changes do to workflows, rules, tickets and hooks, through the whole service but its front door. */

let app: App;
let tenant: TenantStore;
let github: GithubEmulator;
let syncs = 0;

/** Nothing but the board's own webhooks and the syncs of the test bring news. */
async function start(): Promise<void> {
  const { REDIS_URL: _none, ...env } = serviceEnv("");
  const port = await freePort();
  app = await createApp(parseConfig({ ...env, PORT: String(port) }), { inMemory: true });
  await app.store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
  tenant = app.store.tenant("acme");
}

async function sync(reach: "poll" | "fresh" | "full" = "full"): Promise<SyncResult> {
  const reply = await app.hooks.ask(syncJobFor("acme", "web", `test-${++syncs}`, reach), 30_000);
  if (!reply?.ok) throw new Error(JSON.stringify(reply));
  return reply.result as SyncResult;
}

const connection = (): Promise<ConnectionRecord> => app.connections.get(tenant, "web");
const problems = async () => (await connection()).health.problems.map(({ code }) => code);

async function actor(title: string): Promise<ActorRecord> {
  const { ids } = await tenant.changesSince(0, 1_000);
  const found = (await tenant.getActors(ids)).find((record) => record?.ticket.title === title);
  if (found === undefined) throw new Error(`no actor of "${title}"`);
  return found;
}

const pullsOf = () => github.pulls("acme/web").map(({ head }) => head);

afterEach(async () => {
  await app?.close();
  await github?.close();
});

describe("a GitHub project", () => {
  const ITEMS = ["Login fails", "Dark mode"];

  async function connect(hooks: readonly object[]): Promise<void> {
    await app.connections.add(tenant, {
      id: "web",
      provider: "github",
      settings: {
        owner: "acme",
        project: 3,
        apiUrl: github.url,
        vcs: { provider: "github", repo: "acme/web", apiUrl: github.url },
        hooks,
      },
      credentials: { token: github.token, vcs: { token: github.token } },
    });
    await sync();
  }

  beforeEach(async () => {
    github = await startGithubEmulator({
      repos: [
        {
          owner: "acme",
          name: "web",
          branches: [
            { name: "1-login-fails", commitsAhead: 1 },
            { name: "2-dark-mode", commitsAhead: 1 },
          ],
        },
      ],
      projects: [
        {
          owner: "acme",
          number: 3,
          title: "Roadmap",
          items: ITEMS.map((title, i) => ({
            title,
            repo: "web",
            status: "In Progress",
            branches: [i === 0 ? "1-login-fails" : "2-dark-mode"],
          })),
        },
      ],
    });
    await start();
  });

  const rule = (status: string) => ({ on: "enter", status, run: "draft-pull-request" });

  it("that issues its columns anew keeps rules by name, disables rules by id, and has every card looked at", async () => {
    const project = github.project();
    const oldId = project.optionId("Done");
    await connect([rule("Done"), rule(oldId)]);
    project.replaceOptions(["Todo", "In Progress", "In Review", "Done"]);
    const { changes } = await sync("fresh");
    expect(changes.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["reissued", "edges"]));
    expect(changes.filter(({ kind }) => kind === "removed" || kind === "added")).toEqual([]);
    // The board lost where the cards were, and so do we.
    for (const title of ITEMS) expect((await actor(title)).ticket.status).toBe("none");
    expect(await problems()).toContain("hook_rule");
    const [{ message = "" } = {}] = (await connection()).health.problems;
    expect(message).toContain(oldId);
    project.move("Login fails", "Done");
    await sync("poll");
    await until(() => pullsOf().length === 1);
    const [kept] = (await tenant.listDocuments("workflow")).map(({ value }) => value as { hooks: object });
    expect(Object.keys(kept?.hooks ?? {})).toEqual([project.optionId("Done")]);
  });

  it("with a column that nobody has heard of runs its rule for the card that comes first", async () => {
    await connect([rule("Peer check")]);
    expect(await problems()).toContain("hook_rule");
    github.project().addOption("Peer check");
    github.project().move("Dark mode", "Peer check");
    await until(async () => (await actor("Dark mode")).hooks.some(({ state }) => state === "done"));
    const { entry, hooks, ticket } = await actor("Dark mode");
    expect({ entry, hooks: hooks.map(({ state }) => state) }).toEqual({ entry: 1, hooks: ["done"] });
    expect(pullsOf()).toHaveLength(1);
    expect(ticket.status).toBe(github.project().optionId("Peer check"));
    await sync();
    expect(await problems()).not.toContain("hook_rule");
    expect((await actor("Dark mode")).entry).toBe(1);
  });

  it("polled in the same case runs it too", async () => {
    await connect([rule("Peer check")]);
    github.host.setFaults({ dropWebhooks: 100 });
    github.project().addOption("Peer check");
    github.project().move("Dark mode", "Peer check");
    const { changes } = await sync("poll");
    expect(changes.map(({ kind }) => kind)).toContain("added");
    await until(() => pullsOf().length === 1);
  });

  it("keeps a card that has left it, archived or away, and takes it back", async () => {
    await connect([]);
    github.host.setFaults({ dropWebhooks: 100 });
    github.project().archive("Login fails");
    github.project().removeItem("Dark mode");
    await sync();
    expect((await actor("Login fails")).ticket).toMatchObject({ archived: true });
    expect((await actor("Dark mode")).ticket).toMatchObject({ detached: true });
    github.project().restore("Login fails");
    await sync();
    expect((await actor("Login fails")).ticket.archived).toBeUndefined();
  });

  it("stops starting things for a card that two people drag to and fro, says so, and goes on when asked", async () => {
    await connect([rule("Done")]);
    for (const status of ["Done", "In Progress", "Done", "In Progress", "Done"]) {
      const { entry } = await actor("Login fails");
      github.project().move("Login fails", status);
      await until(async () => (await actor("Login fails")).entry === entry + 1);
    }
    const bouncing = await actor("Login fails");
    expect(bouncing.hooks.filter(({ entry }) => entry === bouncing.entry)).toMatchObject([
      { state: "failed" },
    ]);
    await until(async () => (await problems()).includes("bouncing"));
    const { items } = await tenant.auditPage({ limit: 100 });
    expect(items.filter(({ action }) => action === "bouncing")).toHaveLength(1);
    // Else what the first of them started would be counted too, while it is under way.
    await until(async () => (await actor("Login fails")).hooks.every(({ state }) => state !== "owed"));
    const deps = { connections: app.connections, jobs: app.hooks, now: () => new Date() };
    expect(await replay(deps, tenant)).toMatchObject({ hooks: 1, moves: 0, connections: 1 });
    await until(async () => (await actor("Login fails")).hooks.at(-1)?.state === "done");
    await until(async () => !(await problems()).includes("bouncing"));
    expect(pullsOf()).toHaveLength(1);
  });
});

describe("a Jira project", () => {
  let jira: JiraEmulator;
  const OPERATIONS = demoJiraSite({ key: "OPS", name: "Operations", issues: [] });

  beforeEach(async () => {
    jira = await startJiraEmulator({
      site: {
        ...demoJiraSite({ issues: [{ title: "Login fails", status: "10001" }, { title: "Dark mode" }] }),
        otherProjects: [OPERATIONS],
      },
    });
    await start();
    await app.connections.add(tenant, {
      id: "web",
      provider: "jira",
      settings: { baseUrl: jira.url, project: "ENG" },
      credentials: jira.credentials,
    });
    await sync();
  });

  afterEach(() => jira.close());

  const talk = () => ({ tenant, speaker: { person: "ann" }, conversation: "c", budgetMs: 10_000 });
  const openTo = async (ticket: string) =>
    (await listening(app.tickets).listMoves(talk(), { ticket })).openMoves.map(({ status }) => status.name);

  it("that opens and closes ways between statuses changes what may be said", async () => {
    expect(await openTo("ENG-1")).not.toContain("Done");
    jira.addTransition({ id: "61", name: "Skip review", from: "10001", to: "10003" });
    jira.removeTransition("21");
    const { changes } = await sync();
    expect(changes.map(({ kind }) => kind)).toEqual(["edges"]);
    expect(await openTo("ENG-1")).toContain("Done");
    expect(await openTo("ENG-1")).not.toContain("In Review");
  });

  it("that takes away a status has its tickets looked at, and never offers it again", async () => {
    jira.removeStatus("In Progress");
    jira.site.setStatus(jira.site.issueOf("ENG-1") as never, "10000", jira.site.accounts[0] as never);
    const { changes } = await sync("fresh");
    expect(changes).toContainEqual(expect.objectContaining({ kind: "removed", status: "10001" }));
    expect((await actor("Login fails")).ticket.status).toBe("10000");
    expect(await openTo("ENG-2")).not.toContain("In Progress");
    const refused = await listening(app.tickets).move(talk(), { ticket: "ENG-2", to: "In Progress" });
    expect(refused.outcome).toBe("refused");
  });

  it("keeps a ticket that moves away, and has it at home again once its new project is connected", async () => {
    jira.moveToProject("ENG-1", "OPS", { type: "Task", status: "Done" });
    await sync();
    const away = await actor("Login fails");
    expect(away.ticket).toMatchObject({
      key: "OPS-1",
      formerKeys: ["ENG-1"],
      detached: true,
      connection: "web",
    });
    expect((await listening(app.tickets).listMoves(talk(), { ticket: "OPS-1" })).openMoves).toEqual([]);
    await app.connections.add(tenant, {
      id: "ops",
      provider: "jira",
      settings: { baseUrl: jira.url, project: "OPS" },
      credentials: jira.credentials,
    });
    await app.hooks.ask(syncJobFor("acme", "ops", "first"), 30_000);
    const home = await actor("Login fails");
    expect(home.ticket).toMatchObject({ connection: "ops", formerKeys: ["ENG-1"] });
    expect(home.ticket.detached).toBeUndefined();
    expect(await openTo("ENG-1")).toEqual(["To Do"]);
  });

  it("keeps a ticket under its old key when the project's key changes", async () => {
    jira.site.rekey(jira.site.projects[0] as never, "APP");
    await sync();
    expect((await listening(app.tickets).read(talk(), { ticket: "ENG-1" })).ticket).toMatchObject({
      key: "APP-1",
    });
    expect((await actor("Login fails")).ticket.formerKeys).toEqual(["ENG-1"]);
    expect((await actor("Login fails")).entry).toBe(0);
  });

  it("shows how far an import has come, and that it is over", async () => {
    expect((await connection()).progress).toBeUndefined();
    for (let n = 0; n < 600; n++) jira.createIssue({ title: `Issue ${n}`, status: "10000" });
    // Slow enough for people to wonder how far it is.
    jira.setFaults({ latencyMs: 300 });
    const running = sync();
    await until(async () => ((await connection()).progress?.read ?? 0) >= 500, { everyMs: 5 });
    jira.setFaults({});
    await running;
    expect((await connection()).progress).toBeUndefined();
  });
});
