import { randomBytes } from "node:crypto";
import { type GithubEmulator, startGithubEmulator } from "../../connectors/github/emulator.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { type DemoBoard, jiraBoard } from "../../src/demo-boards.js";
import { issueToken } from "../../src/http/auth.js";
import { startRedis } from "./redis.js";

/** A service in two halves over a Redis of its own, with one Jira board of one ticket that has a branch. */
export interface TwoHalves {
  readonly web: App;
  readonly worker: App;
  readonly board: DemoBoard;
  readonly adminToken: string;
  /** Of a person of the one team, acme. */
  readonly token: string;
  send(
    method: string,
    path: string,
    bearer: string,
    headers?: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<Response>;
  close(): Promise<void>;
}

export interface TwoHalvesOptions {
  readonly title: string;
  readonly branch: string;
  readonly person: string;
  readonly adminToken: string;
  readonly vcsToken: string;
  readonly env: Readonly<Record<string, string>>;
  writeLog?(half: "web" | "worker", line: string): void;
}

export async function startTwoHalves(options: TwoHalvesOptions): Promise<TwoHalves> {
  const { adminToken, writeLog } = options;
  const redis = await startRedis();
  const github = await startGithubEmulator({
    token: options.vcsToken,
    repos: [{ owner: "acme", name: "web", branches: [{ name: options.branch, commitsAhead: 1 }] }],
  });
  const board = await jiraBoard("Board", [[options.title, "10001"]])(github);
  const shared = {
    PORT: "0",
    REDIS_URL: redis.url,
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    ...options.env,
  };
  const half = (role: "web" | "worker", env: Readonly<Record<string, string>> = {}) =>
    createApp(
      parseConfig({ ...shared, ...env, BOARDWALK_ROLE: role }),
      writeLog === undefined ? {} : { writeLog: (line) => writeLog(role, line) },
    );
  const web = await half("web");
  const worker = await half("worker", { PUBLIC_URL: web.url ?? "" });
  await web.store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
  const { token } = await issueToken(web.store.tenant("acme"), { name: options.person }, new Date());
  const halves: TwoHalves = {
    ...{ web, worker, board, adminToken, token },
    send: (method, path, bearer, headers = {}, body) =>
      fetch(`${web.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${bearer}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async close() {
      await web.close();
      await worker.close();
      await board.close();
      await github.close();
      await redis.stop();
    },
  };
  await connect(halves, github);
  return halves;
}

async function connect({ send, board, adminToken }: TwoHalves, github: GithubEmulator): Promise<void> {
  const path = "/api/v1/tenants/acme/connections";
  await send(
    "POST",
    path,
    adminToken,
    {},
    {
      id: "eng",
      provider: "jira",
      settings: {
        ...board.settings,
        vcs: { provider: "github", repo: "acme/web", apiUrl: github.url },
        hooks: [{ on: "enter", status: "In Review", run: "draft-pull-request" }],
      },
      credentials: { ...board.credentials, vcs: { token: github.token } },
    },
  );
  await send("POST", `${path}/eng/sync?wait=true`, adminToken, {}, {});
}
