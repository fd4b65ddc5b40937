import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GithubEmulator, startGithubEmulator } from "../../connectors/github/emulator.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { type DemoBoard, jiraBoard, linearBoard, trelloBoard } from "../../src/demo-boards.js";
import { issueToken } from "../../src/http/auth.js";
import { until } from "../support/until.js";

/**
 * A service that logs all it can, over boards whose every title, comment and credential is a canary: none of it may be
 * found in the log, and no secret in any reply.
 */

const canary = (what: string) => `canary${what}${randomBytes(9).toString("hex")}`;
const TITLES = { jira: canary("jira"), linear: canary("linear"), trello: canary("trello") };
const WORDS = {
  comment: canary("comment"),
  field: canary("field"),
  query: canary("query"),
  name: canary("name"),
};

let app: App;
let github: GithubEmulator;
let boards: readonly DemoBoard[];
let token: string;
const adminToken = randomBytes(24).toString("base64url");
const log: string[] = [];
const replies: string[] = [];
/** Every secret that is given to the service, whatever it is for. */
const secrets = new Set<string>([adminToken]);

beforeAll(async () => {
  github = await startGithubEmulator({
    token: canary("github"),
    repos: [{ owner: "acme", name: "web", branches: [{ name: "feat/ENG-1-x", commitsAhead: 1 }] }],
  });
  boards = [
    await jiraBoard("Board", [[`${TITLES.jira} one`, "10001"]])(github),
    await linearBoard("Board", [[`${TITLES.linear} one`, "In Progress"]])(github),
    await trelloBoard("Board", [[`${TITLES.trello} one`, "In Progress"]])(github),
  ];
  const config = parseConfig({
    HOST: "127.0.0.1",
    PORT: "0",
    LOG_LEVEL: "trace",
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    BOARDWALK_TICKET_POLL_MS: "1000",
  });
  app = await createApp(config, { inMemory: true, writeLog: (line) => void log.push(line) });
  await app.store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
  token = (await issueToken(app.store.tenant("acme"), { name: WORDS.name }, new Date())).token;
  secrets.add(token);
  for (const board of boards) {
    const credentials = { ...board.credentials, vcs: { token: github.token } };
    keep(credentials);
    await call("POST", "/connections", {
      id: board.provider,
      provider: board.provider,
      settings: {
        ...board.settings,
        vcs: { provider: "github", repo: "acme/web", apiUrl: github.url },
        hooks: [{ on: "enter", status: "In Review", run: "draft-pull-request" }],
      },
      credentials,
    });
    await call("POST", `/connections/${board.provider}/sync?wait=true`, {});
  }
});
afterAll(async () => {
  await app?.close();
  await Promise.all((boards ?? []).map((board) => board.close()));
  await github?.close();
});

/** An e-mail address is a name, not a secret. */
function keep(credentials: unknown): void {
  if (typeof credentials === "string" && !credentials.includes("@")) secrets.add(credentials);
  else if (typeof credentials === "object" && credentials !== null) Object.values(credentials).forEach(keep);
}

async function send(method: string, path: string, bearer: string, body?: unknown) {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  replies.push(text);
  return { status: response.status, text };
}

const call = (method: string, path: string, body?: unknown) =>
  send(method, `/api/v1/tenants/acme${path}`, adminToken, body);
const tool = (name: string, args: object) =>
  send("POST", "/mcp", token, {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });

async function expectNothingTold(): Promise<void> {
  const all = log.join("");
  for (const word of [...Object.values(TITLES), ...Object.values(WORDS)]) expect(all).not.toContain(word);
  for (const secret of secrets) {
    expect(all).not.toContain(secret);
    for (const reply of replies) expect(reply).not.toContain(secret);
  }
}

async function faults(faults: object | undefined): Promise<void> {
  for (const { boardUrl } of boards)
    await fetch(`${boardUrl}/__emulator/faults`, {
      method: faults === undefined ? "DELETE" : "POST",
      headers: { "content-type": "application/json" },
      ...(faults === undefined ? {} : { body: JSON.stringify(faults) }),
    });
}

async function moveAll(to: string): Promise<readonly number[]> {
  const { text } = await call("GET", "/tickets");
  const { tickets } = JSON.parse(text) as { tickets: { id: string }[] };
  expect(tickets).toHaveLength(3);
  const asked = { to, comment: WORDS.comment, fields: { Notes: WORDS.field } };
  return await Promise.all(
    tickets.map(async ({ id }) => (await call("POST", `/tickets/${id}/moves`, asked)).status),
  );
}

describe("what is secret, and what people wrote", () => {
  it("is told to whoever may know it, so that the hunt has something to find", async () => {
    const { text } = await tool("find_tickets", {});
    for (const title of Object.values(TITLES)) expect(text).toContain(title);
    expect(secrets.size).toBeGreaterThan(6);
  });

  it("is in no log when all goes well", async () => {
    await moveAll("In Review");
    for (const title of Object.values(TITLES)) {
      await tool("read_ticket", { ticket: title });
      await tool("list_moves", { ticket: title });
      await tool("move_ticket", { ticket: title, to: "In Progress", comment: WORDS.comment });
    }
    await tool("find_tickets", { query: WORDS.query });
    await call("GET", `/tickets?query=${WORDS.query}`);
    await call("GET", "/audit");
    await expectNothingTold();
  });

  it("is in none of the lines of requests, jobs, moves and calls to boards, all of which there are", async () => {
    const lines = log.map((line) => JSON.parse(line) as { event?: string; job?: string; host?: string });
    for (const event of ["request", "job", "move", "call"])
      expect(lines.map((line) => line.event)).toContain(event);
    expect(lines.map(({ job }) => job)).toEqual(expect.arrayContaining(["move", "hook", "sync"]));
  });

  it("is in no log when boards break, refuse and quote it", async () => {
    for (const status of [400, 401, 403, 404, 409, 500, 502]) {
      // Boards repeat what they were sent.
      const body = JSON.stringify({ errorMessages: Object.values(TITLES), message: WORDS.comment });
      await faults({ status, body });
      await moveAll("In Review");
      await call("POST", "/connections/jira/sync", {});
      const [jira] = boards;
      const { provider, settings, credentials } = jira ?? {};
      await call("POST", "/connections", { id: `late-${status}`, provider, settings, credentials });
    }
    const job = { id: "canary", name: TITLES.jira, data: { title: TITLES.jira }, lane: "canary" };
    await app.hooks.ask(job, 10_000);
    await faults(undefined);
    // The trouble is logged: a silent log would hold no canary either.
    await until(() => log.some((line) => line.includes("trouble in the job queue")));
    await expectNothingTold();
  }, 120_000);

  it.each([
    ["jira", { baseUrl: "URL", project: "ENG" }, ["email", "apiToken", "webhookSecret"]],
    [
      "jira",
      { baseUrl: "URL", project: "ENG" },
      ["accessToken", "refreshToken", "clientId", "clientSecret", "webhookSecret"],
    ],
    ["linear", { team: "MOB", apiUrl: "URL" }, ["apiKey", "webhookSecret"]],
    ["linear", { team: "MOB", apiUrl: "URL" }, ["accessToken", "refreshToken", "clientId", "clientSecret"]],
    ["github", { owner: "acme", project: 1, apiUrl: "URL" }, ["token", "webhookSecret"]],
    ["github", { owner: "acme", project: 1, apiUrl: "URL" }, ["appId", "privateKey", "installationId"]],
    ["trello", { board: "bwDemo01", apiUrl: "URL" }, ["apiKey", "token", "secret"]],
  ] as const)(
    "is in no reply to wrong credentials for %s, nor in the log (%#)",
    async (provider, settings, names) => {
      const at = boards.find((board) => board.provider === provider)?.boardUrl ?? github.url;
      const credentials = Object.fromEntries(names.map((name) => [name, canary(name)]));
      keep(credentials);
      const vcsToken = canary("vcs");
      keep(vcsToken);
      const wrong: readonly object[] = [
        credentials,
        { ...credentials, vcs: { token: vcsToken } },
        { ...credentials, unknown: vcsToken },
        Object.fromEntries(names.map((name) => [name, { nested: credentials[name] }])),
        Object.fromEntries(names.map((name) => [name, [credentials[name]]])),
      ];
      for (const [index, given] of wrong.entries()) {
        const filled = Object.fromEntries(
          Object.entries(settings).map(([name, value]) => [name, value === "URL" ? at : value]),
        );
        const id = `wrong-${index}-${randomBytes(3).toString("hex")}`;
        await call("POST", "/connections", { id, provider, settings: filled, credentials: given });
        await call("GET", `/connections/${id}`);
      }
      await call("GET", "/connections");
      await expectNothingTold();
    },
  );

  it("is in no reply to strangers", async () => {
    const before = replies.length;
    for (const bearer of ["", "x", canary("bearer")]) {
      await send("POST", "/mcp", bearer, { title: TITLES.jira });
      await send("GET", "/api/v1/tenants/acme/tickets", bearer);
      await send("POST", "/webhooks/jira/x", bearer, { title: TITLES.jira });
    }
    for (const reply of replies.slice(before)) {
      for (const title of Object.values(TITLES)) expect(reply).not.toContain(title);
    }
    await expectNothingTold();
  });
});
