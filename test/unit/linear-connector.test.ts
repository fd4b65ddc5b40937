import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  demoLinearTeam,
  type LinearEmulator,
  type LinearEmulatorOptions,
  startLinearEmulator,
} from "../../connectors/linear/emulator.js";
import { linear } from "../../connectors/linear/index.js";
import { linearSite } from "../../connectors/linear/keys.js";
import type { Connector, ConnectorKit, Move, Ticket } from "../../src/board/connector.js";
import type { Exchange } from "../../src/board/emulator.js";
import { BoardwalkError } from "../../src/errors.js";

/** What only Linear has. */

const never = new AbortController().signal;
const quiet: ConnectorKit = {
  connection: "test",
  checkUrl: async () => {},
  saveCredentials: async () => {},
  now: () => new Date(),
};

const running: LinearEmulator[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()));
});

async function start(options: LinearEmulatorOptions = {}): Promise<LinearEmulator> {
  const emulator = await startLinearEmulator({ ...demoLinearTeam({ issues: [] }), ...options });
  running.push(emulator);
  return emulator;
}

interface Connecting {
  readonly team?: string;
  readonly kit?: Partial<ConnectorKit>;
  readonly credentials?: object;
}

function connect(
  emulator: LinearEmulator,
  { team = "MOB", kit = {}, credentials }: Connecting = {},
): Connector {
  return linear.create(
    linear.settings.parse({ team, apiUrl: emulator.url }),
    linear.credentials.parse(credentials ?? emulator.credentials),
    { ...quiet, ...kit },
  );
}

async function pull(connector: Connector, since?: Date): Promise<Ticket[]> {
  const tickets: Ticket[] = [];
  for await (const ticket of connector.pullTickets(since, never)) tickets.push(ticket);
  return tickets;
}

async function errorOf(promise: Promise<unknown>): Promise<BoardwalkError> {
  const error = await promise.then(
    () => expect.fail("should have been refused"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BoardwalkError);
  return error as BoardwalkError;
}

function operations(emulator: LinearEmulator, from = 0): (string | undefined)[] {
  return emulator.journal.slice(from).map(({ operation }) => operation);
}

const moveTo = (id: string): Move => ({ id, to: id, fields: [] });

const TWO_TEAMS: LinearEmulatorOptions = {
  teams: [
    ...demoLinearTeam().teams,
    {
      key: "WEB",
      name: "Web",
      states: [
        { name: "Todo", type: "unstarted" },
        { name: "Done", type: "completed" },
      ],
    },
  ],
};

describe("the team of a Linear connection", () => {
  it.each(["MOB", "mob", "Mobile", "mobile"])("is found as %s", async (team) => {
    const emulator = await start(TWO_TEAMS);
    const [graph] = await connect(emulator, { team }).pullWorkflows(never);
    expect(graph?.name).toBe("Mobile");
  });

  it("is found by its UUID, and kept when its key and name change", async () => {
    const emulator = await start(TWO_TEAMS);
    const id = emulator.workspace.teamOf("MOB")?.id ?? "";
    const [byId, byKey] = [connect(emulator, { team: id }), connect(emulator)];
    const before = await byKey.pullWorkflows(never);
    emulator.renameTeam("MOB", { key: "PHN", name: "Phones" });
    expect((await byKey.pullWorkflows(never))[0]).toMatchObject({ id: before[0]?.id, name: "Phones" });
    expect((await byId.pullWorkflows(never))[0]).toMatchObject({ id: before[0]?.id, name: "Phones" });
  });

  it("is asked for by key when several share a name", async () => {
    const [one] = demoLinearTeam().teams;
    if (one === undefined) throw new Error("the demo has a team");
    const emulator = await start({ teams: [one, { ...one, key: "MB2" }] });
    const error = await errorOf(connect(emulator, { team: "Mobile" }).pullWorkflows(never));
    expect(error).toMatchObject({ code: "invalid", message: expect.stringMatching(/MOB, MB2/) });
    expect(await connect(emulator, { team: "MB2" }).pullWorkflows(never)).toHaveLength(1);
  });

  it("is the living one of two that share a name", async () => {
    const [one] = demoLinearTeam().teams;
    if (one === undefined) throw new Error("the demo has a team");
    const emulator = await start({ teams: [{ ...one, key: "OLD", retired: true }, one] });
    const [graph] = await connect(emulator, { team: "Mobile" }).pullWorkflows(never);
    expect(graph?.id).toContain(emulator.workspace.teamOf("MOB")?.id);
  });

  it("is not there, or hidden: a private one of others", async () => {
    const [one] = demoLinearTeam().teams;
    if (one === undefined) throw new Error("the demo has a team");
    const emulator = await start({ teams: [{ ...one, private: true }], users: [{ name: "Robin" }] });
    const connector = connect(emulator);
    expect(await errorOf(connector.pullWorkflows(never))).toMatchObject({ code: "not_found_or_hidden" });
    const [problem] = await connector.probe(never);
    expect(problem).toMatchObject({ code: "not_found_or_hidden", fix: expect.stringMatching(/private/i) });
    const hidden = emulator.createIssue({ title: "Hidden" });
    const id = `linear.${linearSite(emulator.url)}.${hidden.id}`;
    expect(await connector.readTicket(id, never)).toBeUndefined();
  });

  it("is shown to its members, private or not", async () => {
    const [one] = demoLinearTeam().teams;
    if (one === undefined) throw new Error("the demo has a team");
    const users = [{ name: "Robin", memberOf: ["MOB"] }];
    const emulator = await start({ teams: [{ ...one, private: true }], users });
    emulator.createIssue({ title: "Seen" });
    const connector = connect(emulator);
    expect((await pull(connector)).map(({ title }) => title)).toEqual(["Seen"]);
    expect(await connector.probe(never)).toEqual([]);
  });

  it("is told to be retired", async () => {
    const emulator = await start();
    const connector = connect(emulator);
    expect(await connector.probe(never)).toEqual([]);
    emulator.retireTeam("MOB");
    expect(await connector.probe(never)).toMatchObject([{ code: "archived" }]);
    expect(await connect(emulator).probe(never)).toMatchObject([{ code: "archived" }]);
  });

  it("is told to move tickets by itself when a draft pull request opens", async () => {
    const emulator = await start();
    emulator.setGitRules("MOB", [
      { event: "draft", state: "In Progress" },
      { event: "review", state: "In Review" },
      { event: "start" },
    ]);
    expect(await connect(emulator).probe(never)).toMatchObject([
      { code: "git_automation", message: expect.stringMatching(/In Progress/) },
    ]);
  });

  it.each([51, 251, 501])("has all of its %i states", async (count) => {
    const emulator = await start();
    const before = emulator.workspace.teams[0]?.states.length ?? 0;
    for (let n = before; n < count; n++) emulator.addState({ name: `Step ${n}`, type: "started" });
    emulator.createIssue({ title: "Far along", state: `Step ${count - 1}` });
    const connector = connect(emulator);
    const [graph] = await connector.pullWorkflows(never);
    expect(graph?.statuses).toHaveLength(count);
    const [ticket] = await pull(connector);
    expect(graph?.statuses.find(({ id }) => id === ticket?.status)?.name).toBe(`Step ${count - 1}`);
    // All but Duplicate and where it is.
    expect((await connector.readWithMoves?.(ticket?.id ?? "", never))?.moves).toHaveLength(count - 2);
  });

  it("shows what people did to its states", async () => {
    const emulator = await start();
    const connector = connect(emulator);
    const [before] = await connector.pullWorkflows(never);
    const names = (graph = before) =>
      graph?.statuses.map(({ name, retired }) => (retired ? `-${name}` : name));
    expect(names()).toEqual(["Backlog", "Todo", "In Progress", "In Review", "Done", "Canceled", "Duplicate"]);
    emulator.reorderState("In Review", -1);
    emulator.archiveState("Todo");
    emulator.addState({ name: "Merged", type: "completed", position: -1 });
    const [after] = await connector.pullWorkflows(never);
    expect(names(after)).toEqual([
      "Backlog",
      "-Todo",
      "In Review",
      "In Progress",
      "Merged",
      "Done",
      "Canceled",
      "Duplicate",
    ]);
    expect(after?.moves.map(({ to }) => to)).not.toContain(emulator.state("Todo").id);
  });
});

describe("Linear issues", () => {
  it("stay the same ticket when they go to another team, with its states to move to", async () => {
    const emulator = await start(TWO_TEAMS);
    emulator.createIssue({ title: "Wanders" });
    const connector = connect(emulator);
    const [before] = await pull(connector);
    if (before === undefined) throw new Error("no ticket");
    emulator.moveToTeam("MOB-1", "WEB");
    const both = await connector.readWithMoves?.(before.id, never);
    expect(both?.ticket).toMatchObject({ id: before.id, key: "WEB-1", formerKeys: ["MOB-1"] });
    expect(both?.ticket.workflow).not.toBe(before.workflow);
    const web = emulator.state("Done", "WEB").id;
    expect(both?.moves.map(({ to }) => to)).toEqual([web]);
    expect(await connector.move(before, moveTo(web), {}, never)).toMatchObject({ status: web });
  });

  it("are not moved to another team's state of the same name", async () => {
    const emulator = await start(TWO_TEAMS);
    emulator.createIssue({ title: "Stays" });
    const connector = connect(emulator);
    const [ticket] = await pull(connector);
    if (ticket === undefined) throw new Error("no ticket");
    const error = await errorOf(connector.move(ticket, moveTo(emulator.state("Done", "WEB").id), {}, never));
    expect(error).toMatchObject({ code: "stale_workflow", retryable: true });
    expect(await connector.readTicket(ticket.id, never)).toMatchObject({ status: ticket.status });
  });

  it("are moved by UUID only: a name is refused before it is sent", async () => {
    const emulator = await start();
    emulator.createIssue({ title: "Stays" });
    const connector = connect(emulator);
    const [ticket] = await pull(connector);
    if (ticket === undefined) throw new Error("no ticket");
    const from = emulator.journal.length;
    expect(await errorOf(connector.move(ticket, moveTo("In Progress"), {}, never))).toMatchObject({
      code: "invalid",
    });
    expect(operations(emulator, from)).toEqual([]);
  });

  it("are read and listed when archived or in the trash, and refuse to move", async () => {
    const emulator = await start();
    for (const title of ["Archived", "Trashed", "Here"]) emulator.createIssue({ title });
    const connector = connect(emulator);
    const since = new Date(Date.now() - 60_000);
    emulator.archiveIssue("MOB-1");
    emulator.trashIssue("MOB-2");
    const tickets = await pull(connector, since);
    expect(Object.fromEntries(tickets.map(({ title, archived }) => [title, archived]))).toEqual({
      Archived: true,
      Trashed: true,
      Here: undefined,
    });
    const done = emulator.state("Done").id;
    for (const ticket of tickets.filter(({ archived }) => archived)) {
      expect(await connector.openMoves(ticket, never)).toEqual([]);
      expect(await errorOf(connector.move(ticket, moveTo(done), {}, never))).toMatchObject({
        code: "archived",
      });
    }
    const gone = tickets.find(({ title }) => title === "Here");
    if (gone === undefined) throw new Error("no ticket");
    emulator.deleteIssue("MOB-3");
    expect(await errorOf(connector.move(gone, moveTo(done), {}, never))).toMatchObject({
      code: "not_found_or_hidden",
    });
  });

  it("are asked for by the time of their change, not all again", async () => {
    const emulator = await start();
    let now = new Date("2026-11-29T10:00:00Z");
    const later = await start({ now: () => now, issues: [{ title: "Old" }, { title: "Changed" }] });
    now = new Date("2026-11-29T11:00:00Z");
    later.editTitle("MOB-2", "Changed since");
    const titles = (await pull(connect(later), now)).map(({ title }) => title);
    expect(titles).toEqual(["Changed since"]);
    expect(await pull(connect(emulator), now)).toEqual([]);
  });

  it("leave triage with a priority, given by word or number", async () => {
    const emulator = await start();
    emulator.addState({ name: "Triage", type: "triage" });
    emulator.setTriage("MOB", { enabled: true, requirePriority: true });
    emulator.createIssue({ title: "New", state: "Triage" });
    const connector = connect(emulator);
    const [ticket] = await pull(connector);
    if (ticket === undefined) throw new Error("no ticket");
    const [move] = await connector.openMoves(ticket, never);
    if (move === undefined) throw new Error("no move");
    expect(move.fields).toMatchObject([{ id: "priority", required: true }]);
    for (const priority of ["sky-high", 0, "5"]) {
      expect(await errorOf(connector.move(ticket, move, { fields: { priority } }, never))).toMatchObject({
        code: "invalid",
      });
    }
    // The rule came after we looked: Linear's own words are passed on.
    const refused = await errorOf(connector.move(ticket, { ...move, fields: [] }, {}, never));
    expect(refused.message).toMatch(/priority is required/i);
    expect(await connector.move(ticket, move, { fields: { priority: "urgent" } }, never)).toMatchObject({
      status: move.to,
    });
    expect(emulator.issue("MOB-1").priority).toBe(1);
  });
});

describe("Linear's own git rule", () => {
  it("takes a ticket elsewhere, and a read tells the truth", async () => {
    const emulator = await start();
    emulator.setGitRules("MOB", [{ event: "draft", state: "In Progress" }]);
    emulator.createIssue({ title: "Pulled back" });
    const connector = connect(emulator);
    const [ticket] = await pull(connector);
    if (ticket === undefined) throw new Error("no ticket");
    const review = emulator.state("In Review").id;
    expect(await connector.move(ticket, moveTo(review), {}, never)).toMatchObject({ status: review });
    emulator.gitEvent("MOB-1", "draft");
    expect(await connector.readTicket(ticket.id, never)).toMatchObject({
      status: emulator.state("In Progress").id,
    });
  });
});

describe("comments on Linear moves", () => {
  async function ticketOn(emulator: LinearEmulator) {
    emulator.createIssue({ title: "Talked about" });
    const connector = connect(emulator);
    const [ticket] = await pull(connector);
    if (ticket === undefined) throw new Error("no ticket");
    return { connector, ticket, done: emulator.state("Done").id };
  }

  it("are added apart, after the move", async () => {
    const emulator = await start();
    const { connector, ticket, done } = await ticketOn(emulator);
    const [move] = await connector.openMoves(ticket, never);
    expect(move?.takesComment ?? false).toBe(false);
    const from = emulator.journal.length;
    const moved = await connector.move(ticket, moveTo(done), { comment: " Shipped 🚀 " }, never);
    expect(moved).toMatchObject({ status: done });
    expect(moved.remark).toBeUndefined();
    expect(operations(emulator, from)).toEqual(["IssueMove", "CommentCreate", "Issue"]);
    expect(emulator.issue("MOB-1").comments).toEqual(["Shipped 🚀"]);
  });

  it("are told to be missing when they could not be added; the move stands", async () => {
    // Archived by someone between the two writes.
    const emulator = await start({
      onExchange({ requestBody }: Exchange) {
        if (JSON.stringify(requestBody).includes("mutation IssueMove")) emulator.archiveIssue("MOB-1");
      },
    });
    const { connector, ticket, done } = await ticketOn(emulator);
    const moved = await connector.move(ticket, moveTo(done), { comment: "Lost" }, never);
    expect(moved).toMatchObject({
      status: done,
      remark: expect.stringMatching(/comment could not be added/i),
    });
    expect(emulator.issue("MOB-1").comments).toEqual([]);
  });
});

describe("refusals of Linear", () => {
  it("are read as a limit though they come as 400, with the wait the headers tell", async () => {
    const emulator = await start();
    emulator.createIssue({ title: "Waits" });
    const connector = connect(emulator);
    const [ticket] = await pull(connector);
    if (ticket === undefined) throw new Error("no ticket");
    const done = emulator.state("Done").id;
    const from = emulator.journal.length;
    emulator.limitRate({ times: 1, retryAfterSeconds: 90 });
    const error = await errorOf(connector.move(ticket, moveTo(done), {}, never));
    expect(error).toMatchObject({ code: "rate_limited", retryable: true });
    expect(error.retryAfterMs).toBeGreaterThan(80_000);
    expect(error.retryAfterMs).toBeLessThanOrEqual(90_000);
    expect(emulator.journal.slice(from).map(({ status }) => status)).toEqual([400]);
    emulator.limitRate({ times: 1 });
    expect((await errorOf(connector.readTicket(ticket.id, never))).retryAfterMs).toBe(60_000);
  });

  it("are heard when they are told by `success: false` alone", async () => {
    const emulator = await start();
    emulator.createIssue({ title: "Stays" });
    const connector = connect(emulator);
    const [ticket] = await pull(connector);
    if (ticket === undefined) throw new Error("no ticket");
    emulator.workspace.ignoreUpdates(1);
    const move = moveTo(emulator.state("Done").id);
    const error = await errorOf(connector.move(ticket, move, { comment: "Not to be said" }, never));
    expect(error).toMatchObject({ code: "unavailable", retryable: true });
    expect(emulator.issue("MOB-1").comments).toEqual([]);
    expect(await connector.move(ticket, move, {}, never)).toMatchObject({ status: move.to });
  });

  it("are not run away from: a redirect does not get our key", async () => {
    const emulator = await start();
    const server = createServer((_request, response) => {
      response.writeHead(307, { location: `${emulator.url}/graphql` }).end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = linear.settings.parse({ team: "MOB", apiUrl });
    const connector = linear.create(settings, linear.credentials.parse(emulator.credentials), quiet);
    expect(await errorOf(connector.pullWorkflows(never))).toMatchObject({ code: "invalid" });
    expect(emulator.journal).toEqual([]);
    server.close();
  });

  it("carry neither the document nor its variables", async () => {
    const emulator = await start();
    emulator.createIssue({ title: "Secret plans" });
    const connector = connect(emulator);
    const [ticket] = await pull(connector);
    if (ticket === undefined) throw new Error("no ticket");
    emulator.setFaults({ status: 500 });
    const done = emulator.state("Done").id;
    const error = await errorOf(connector.move(ticket, moveTo(done), { comment: "between us" }, never));
    const everything = JSON.stringify([error.message, String(error.cause), error.data, error.stack]);
    for (const hidden of ["mutation", "between us", done, emulator.credentials.apiKey])
      expect(everything).not.toContain(hidden);
    expect(String(error.cause)).toMatch(/IssueMove: 500/);
  });

  it("are of the key when it is sent as a Bearer token", async () => {
    const emulator = await start();
    const connector = connect(emulator, { credentials: { accessToken: emulator.credentials.apiKey } });
    expect(await errorOf(connector.pullWorkflows(never))).toMatchObject({ code: "auth_expired" });
  });

  it("of an address that is not https are the client library's, and say so", async () => {
    const settings = linear.settings.parse({ team: "MOB", apiUrl: "http://linear.example" });
    const connector = linear.create(settings, linear.credentials.parse({ apiKey: "lin_api_x" }), quiet);
    const error = await errorOf(connector.pullWorkflows(never));
    expect(error).toMatchObject({ code: "invalid", message: expect.stringMatching(/https/) });
  });
});

describe("OAuth at Linear", () => {
  const oauth = {
    clientId: "client-of-the-test",
    clientSecret: "client secret of the test",
    accessToken: "first access token",
    refreshToken: "first refresh token",
  };
  const login = { ...oauth };

  it("speaks Bearer, and refreshes once for all who hear that the token is old", async () => {
    const emulator = await start({ oauth });
    emulator.createIssue({ title: "Read by an app" });
    const saved: unknown[] = [];
    const kit = {
      connection: "once for all",
      saveCredentials: async (credentials: unknown) => void saved.push(credentials),
    };
    const connectors = [1, 2, 3].map(() => connect(emulator, { credentials: login, kit }));
    expect(await Promise.all(connectors.map((each) => pull(each)))).toHaveLength(3);
    emulator.oauth.expireAccessToken();
    const reads = await Promise.all([...connectors, ...connectors].map((each) => pull(each)));
    expect(reads.map((tickets) => tickets.length)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(emulator.oauth.rotations).toBe(1);
    expect(saved).toEqual([
      {
        ...oauth,
        accessToken: emulator.oauth.accessToken,
        refreshToken: emulator.oauth.refreshToken,
      },
    ]);
  });

  it("saves new tokens before it uses them", async () => {
    const emulator = await start({ oauth });
    const order: string[] = [];
    const saveCredentials = async () => {
      order.push(`saved after ${emulator.journal.length}`);
    };
    const connector = connect(emulator, {
      credentials: login,
      kit: { connection: "saves first", saveCredentials },
    });
    emulator.oauth.expireAccessToken();
    await connector.pullWorkflows(never);
    // One refused request and the token's own came before.
    expect(order).toEqual(["saved after 2"]);
    expect(emulator.journal.map(({ status }) => status)).toEqual([401, 200, 200, 200]);
  });

  it("sends a write again that was refused for an old token, because it was not done", async () => {
    const emulator = await start({ oauth });
    emulator.createIssue({ title: "Moved once" });
    const connector = connect(emulator, { credentials: login, kit: { connection: "a write" } });
    const [ticket] = await pull(connector);
    if (ticket === undefined) throw new Error("no ticket");
    emulator.oauth.expireAccessToken();
    const done = emulator.state("Done").id;
    expect(await connector.move(ticket, moveTo(done), {}, never)).toMatchObject({ status: done });
  });

  it("is over when the refresh token is not accepted", async () => {
    const emulator = await start({ oauth });
    const connector = connect(emulator, { credentials: login, kit: { connection: "revoked" } });
    emulator.oauth.revoke();
    const error = await errorOf(connector.pullWorkflows(never));
    expect(error).toMatchObject({ code: "auth_expired", message: expect.stringMatching(/reconnect/i) });
    expect(await connector.probe(never)).toMatchObject([{ code: "auth_expired" }]);
  });

  it("has nothing to refresh with where no refresh token was given", async () => {
    const emulator = await start({ oauth });
    const { accessToken } = login;
    const connector = connect(emulator, { credentials: { accessToken } });
    emulator.oauth.expireAccessToken();
    expect(await errorOf(connector.pullWorkflows(never))).toMatchObject({ code: "auth_expired" });
    expect(emulator.oauth.rotations).toBe(0);
  });
});
