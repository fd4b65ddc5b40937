import { type GithubEmulator, startGithubEmulator } from "../../connectors/github/emulator.js";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import type { ActorRecord } from "../../src/store/store.js";
import { ERAS, type TestClient } from "./clients.js";
import { oauthServiceOf } from "./oauth-service.js";
import { freePort } from "./redis.js";
import { ADMIN_TOKEN, callApi, serviceEnv } from "./sync-world.js";
import { until } from "./until.js";

/**
 * A team's first day with the service, in short: it leaves one record of every kind behind. On whichever Redis, so that
 * what is promised of one can be tried on all.
 */

/** Moved to In Review, with a branch: it has its pull request. */
export const REVIEWED = "ENG-1";
/** Moved to In Review, without a branch: its hook waits. */
export const WAITING = "ENG-5";
/** Asked for Done, which wants a resolution. */
export const REFUSED = "ENG-2";
/** Moved by a person on the board. */
export const OBSERVED = "ENG-4";

export interface Life {
  readonly apps: readonly App[];
  readonly jira: JiraEmulator;
  readonly github: GithubEmulator;
  url(replica?: number): string;
  api(method: string, path: string, body?: unknown, replica?: number): Promise<unknown>;
  sync(replica?: number): Promise<unknown>;
  /** A token of the tenant's own. */
  token(): Promise<string>;
  /** The access token of an app that somebody signed in to. */
  oauthToken(name: string): Promise<string>;
  mcp(token: string, replica?: number): Promise<TestClient>;
  actor(key: string): Promise<ActorRecord>;
  /** The day: a move with its pull request, one whose hook waits, a refusal, a card moved by hand, a column renamed. */
  day(token: string): Promise<void>;
  close(): Promise<void>;
}

export interface LifeOptions {
  readonly redisUrl: string;
  readonly replicas?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startLife({ redisUrl, replicas = 1, env = {} }: LifeOptions): Promise<Life> {
  const [jira, github, port] = await Promise.all([
    startJiraEmulator({ site: demoJiraSite() }),
    startGithubEmulator({
      repos: [{ owner: "acme", name: "web", branches: [{ name: "feat/ENG-1-work", commitsAhead: 1 }] }],
    }),
    freePort(),
  ]);
  const settings = { ...serviceEnv(redisUrl), PUBLIC_URL: `http://127.0.0.1:${port}`, ...env };
  const apps: App[] = [];
  for (let i = 0; i < replicas; i++)
    apps.push(await createApp(parseConfig({ ...settings, PORT: String(i === 0 ? port : 0) })));
  const appAt = (replica: number): App => {
    const app = apps[replica];
    if (app === undefined) throw new Error(`there is no replica ${replica}`);
    return app;
  };
  const url = (replica = 0) => appAt(replica).url ?? "";
  const api: Life["api"] = (method, path, body, replica = 0) => callApi(url(replica), method, path, body);
  const life: Life = {
    apps,
    jira,
    github,
    url,
    api,
    sync: (replica = 0) => api("POST", "/tenants/acme/connections/web/sync?wait=true", undefined, replica),
    token: async () =>
      ((await api("POST", "/tenants/acme/tokens", { name: "Ann" })) as { token: string }).token,
    async oauthToken(name) {
      const oauth = oauthServiceOf(appAt(0), { url: url(), admin: ADMIN_TOKEN });
      return (await oauth.link(await oauth.pair("acme", name), `${url()}/mcp`)).access_token;
    },
    async mcp(token, replica = 0) {
      const [, connect] = ERAS[0];
      return await connect({ mcpUrl: `${url(replica)}/mcp`, token });
    },
    actor: (key) => actorOf(appAt(0), key),
    day: (token) => day(life, token),
    async close() {
      await Promise.all(apps.map((app) => app.close()));
      await Promise.all([jira.close(), github.close()]);
    },
  };
  await connect(life);
  return life;
}

async function connect({ api, sync, jira, github }: Life): Promise<void> {
  await api("POST", "/tenants", { id: "acme", name: "Acme" });
  await api("POST", "/tenants/acme/connections", {
    id: "web",
    provider: "jira",
    settings: {
      baseUrl: jira.url,
      project: "ENG",
      vcs: { provider: "github", repo: "acme/web", apiUrl: github.url },
      hooks: [{ on: "enter", status: "In Review", run: "draft-pull-request" }],
    },
    credentials: { ...jira.credentials, vcs: { token: github.token } },
  });
  await sync();
}

async function day(life: Life, token: string): Promise<void> {
  const { apps, jira } = life;
  const tenant = apps[0]?.store.tenant("acme");
  await tenant?.saveDocument("setting", "speech", { version: 0, value: { confirm: "closing" } });
  const client = await life.mcp(token);
  const move = async (key: string, to: string) => {
    const { id } = (await life.actor(key)).ticket;
    return await life.api("POST", `/tenants/acme/tickets/${id}/moves`, { to });
  };
  await client.call("read_ticket", { ticket: REVIEWED });
  await move(REVIEWED, "In Review");
  await move(WAITING, "In Review");
  await client.call("undo_move", { ticket: WAITING });
  await move(WAITING, "In Review");
  await move(REFUSED, "Done").catch(() => undefined);
  jira.moveIssue(OBSERVED, "In Progress");
  jira.renameStatus("Blocked", "Stuck");
  await life.sync();
  await client.listTools();
  await until(async () => (await life.actor(REVIEWED)).hooks[0]?.state === "done", { timeoutMs: 20_000 });
  await until(async () => (await life.actor(WAITING)).hooks.some(({ state }) => state === "waiting"), {
    timeoutMs: 20_000,
  });
  await client.close();
}

async function actorOf({ store }: App, key: string): Promise<ActorRecord> {
  const tenant = store.tenant("acme");
  const { ids } = await tenant.changesSince(0, 1_000);
  const found = (await tenant.getActors(ids)).find((record) => record?.ticket.key === key);
  if (found === undefined) throw new Error(`there is no actor of ${key}`);
  return found;
}
