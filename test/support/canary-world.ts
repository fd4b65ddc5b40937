import { randomBytes } from "node:crypto";
import { type GithubEmulator, startGithubEmulator } from "../../connectors/github/emulator.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { type DemoBoard, jiraBoard, linearBoard, trelloBoard } from "../../src/demo-boards.js";
import { issueToken } from "../../src/http/auth.js";

/** A service that logs all it can, over boards whose every title, comment and credential is a canary. */

export const canary = (what: string) => `canary${what}${randomBytes(9).toString("hex")}`;

export interface CanaryWorld {
  readonly app: App;
  readonly boards: readonly DemoBoard[];
  readonly github: GithubEmulator;
  /** Of the tickets, by board. */
  readonly titles: Readonly<Record<"jira" | "linear" | "trello", string>>;
  /** What people write and say, and how one is called. */
  readonly words: Readonly<Record<"comment" | "field" | "query" | "name", string>>;
  /** Every secret that was given to the service, whatever it is for. */
  readonly secrets: ReadonlySet<string>;
  readonly adminToken: string;
  /** What credentials are sealed with, in Base64; a secret too. */
  readonly key: string;
  readonly token: string;
  readonly log: readonly string[];
  readonly replies: readonly string[];
  /** Credentials as they are given: each of them is a secret from now on. */
  keep(credentials: unknown): void;
  send(method: string, path: string, bearer: string, body?: unknown): Promise<Reply>;
  /** Of the admin API, below the one team. */
  call(method: string, path: string, body?: unknown): Promise<Reply>;
  tool(name: string, args: object): Promise<Reply>;
  /** What every board answers for the time being; `undefined` ends it. */
  faults(faults: object | undefined): Promise<void>;
  /** Each ticket, with a comment and a field. @returns what was answered */
  moveAll(to: string): Promise<readonly number[]>;
  close(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

export async function startCanaryWorld(env: Readonly<Record<string, string>> = {}): Promise<CanaryWorld> {
  const adminToken = randomBytes(24).toString("base64url");
  const key = randomBytes(32).toString("base64");
  const titles = { jira: canary("jira"), linear: canary("linear"), trello: canary("trello") };
  const words = {
    comment: canary("comment"),
    field: canary("field"),
    query: canary("query"),
    name: canary("name"),
  };
  const secrets = new Set<string>([adminToken, key]);
  const [log, replies]: [string[], string[]] = [[], []];
  const github = await startGithubEmulator({
    token: canary("github"),
    repos: [{ owner: "acme", name: "web", branches: [{ name: "feat/ENG-1-x", commitsAhead: 1 }] }],
  });
  const boards = [
    await jiraBoard("Board", [[`${titles.jira} one`, "10001"]])(github),
    await linearBoard("Board", [[`${titles.linear} one`, "In Progress"]])(github),
    await trelloBoard("Board", [[`${titles.trello} one`, "In Progress"]])(github),
  ];
  const config = parseConfig({
    HOST: "127.0.0.1",
    PORT: "0",
    LOG_LEVEL: "trace",
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `k1:${key}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    BOARDWALK_TICKET_POLL_MS: "1000",
    ...env,
  });
  const inMemory = env.REDIS_URL === undefined;
  const app = await createApp(config, { inMemory, writeLog: (line) => void log.push(line) });
  await app.store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
  const { token } = await issueToken(app.store.tenant("acme"), { name: words.name }, new Date());
  secrets.add(token);

  async function send(method: string, path: string, bearer: string, body?: unknown): Promise<Reply> {
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
  const world: CanaryWorld = {
    ...{ app, boards, github, titles, words, secrets, adminToken, key, token, log, replies, send, call },
    keep: (credentials) => keepIn(secrets, credentials),
    tool(name, args) {
      const params = { name, arguments: args };
      return send("POST", "/mcp", token, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
    },
    async faults(faults) {
      for (const { boardUrl } of boards)
        await fetch(`${boardUrl}/__emulator/faults`, {
          method: faults === undefined ? "DELETE" : "POST",
          headers: { "content-type": "application/json" },
          ...(faults === undefined ? {} : { body: JSON.stringify(faults) }),
        });
    },
    async moveAll(to) {
      const { tickets } = JSON.parse((await call("GET", "/tickets")).text) as { tickets: { id: string }[] };
      if (tickets.length !== boards.length) throw new Error(`There are ${tickets.length} tickets.`);
      const asked = { to, comment: words.comment, fields: { Notes: words.field } };
      return await Promise.all(
        tickets.map(async ({ id }) => (await call("POST", `/tickets/${id}/moves`, asked)).status),
      );
    },
    async close() {
      await app.close();
      await Promise.all(boards.map((board) => board.close()));
      await github.close();
    },
  };
  for (const board of boards) await connect(world, board);
  return world;
}

async function connect({ keep, call, github }: CanaryWorld, board: DemoBoard): Promise<void> {
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

/** An e-mail address is a name, not a secret. */
function keepIn(secrets: Set<string>, credentials: unknown): void {
  if (typeof credentials === "string" && !credentials.includes("@")) secrets.add(credentials);
  else if (typeof credentials === "object" && credentials !== null)
    for (const inner of Object.values(credentials)) keepIn(secrets, inner);
}
