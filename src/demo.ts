import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GithubEmulator, startGithubEmulator } from "../connectors/github/emulator.js";
import { type App, createApp } from "./app.js";
import { parseConfig } from "./config.js";
import type { DemoBoard } from "./demo-boards.js";
import { addCrashRoute, type Crash, createCrash } from "./demo-crash.js";
import type { DemoLine, DemoTenant } from "./demo-line.js";
import { type DemoTeam, TEAMS } from "./demo-teams.js";
import { BoardwalkError } from "./errors.js";
import { issueToken } from "./http/auth.js";
import { createLog } from "./log.js";
import { startOwnRedis } from "./redis-server.js";
import type { TenantStore } from "./store/store.js";
import { syncJobFor } from "./tickets/jobs.js";
import type { Conversation } from "./tickets/tickets.js";

/** Two teams with boards of all four kinds and a repository each, and one service before them. */

export interface DemoOptions {
  readonly port: number;
  readonly host: string;
  readonly logLevel?: string;
  /** Keeps state in memory even where a Redis could be started. */
  readonly inMemory?: boolean;
  /** Further settings, by their variables. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Demo {
  readonly line: DemoLine;
  readonly app: App;
  /** Someone of the first team, to speak for. */
  readonly talk: Conversation;
  /** Left out where everything is kept in this one process. */
  readonly crash?: Crash;
  close(): Promise<void>;
}

/** Starts everything and imports every board; resolves when a client may come. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const dir = await mkdtemp(join(tmpdir(), "boardwalk-demo-"));
  const closers: (() => Promise<void>)[] = [() => rm(dir, { recursive: true, force: true })];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const adminToken = randomBytes(24).toString("base64url");
    const redis = options.inMemory
      ? undefined
      : await startOwnRedis({ dir, log: createLog({ level: LOG_LEVEL }) });
    if (redis !== undefined) closers.push(() => redis.close());
    const settings = demoSettings(options, adminToken, dir, redis?.url);
    let crash: Crash | undefined;
    const app = await createApp(parseConfig(settings), {
      inMemory: redis === undefined,
      routes: (router) => addCrashRoute(router, () => crash),
    });
    closers.push(() => app.close());
    const url = app.url ?? "";
    const teams: Team[] = [];
    for (const team of TEAMS) teams.push(await startTeam(app, url, team, closers));
    const tenants = teams.map(({ tenant }) => tenant);
    const line = { url, admin: { url: `${url}/admin`, token: adminToken }, tenants };
    if (redis !== undefined) crash = crashOf(app, line, teams, { ...settings, PUBLIC_URL: url }, dir);
    const talk = {
      tenant: app.store.tenant("acme"),
      speaker: { person: "demo", client: "boardwalk demo" },
      conversation: "demo",
      budgetMs: 10_000,
    };
    return { line, app, talk, ...(crash === undefined ? {} : { crash }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const LOG_LEVEL = "warn";
/** Short, so that a crashed worker's work is taken over while people watch. */
const JOB_LOCK_MS = "4000";

function demoSettings(
  options: DemoOptions,
  adminToken: string,
  dir: string,
  redisUrl: string | undefined,
): Readonly<Record<string, string>> {
  return {
    HOST: options.host,
    PORT: String(options.port),
    LOG_LEVEL: options.logLevel ?? LOG_LEVEL,
    BOARDWALK_DIR: dir,
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `demo:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    BOARDWALK_JOB_LOCK_MS: JOB_LOCK_MS,
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    ...options.env,
  };
}

function crashOf(
  app: App,
  line: DemoLine,
  teams: readonly Team[],
  settings: Readonly<Record<string, string>>,
  dir: string,
): Crash | undefined {
  const [first] = teams;
  const { holdMove, review } = first?.boards.find((board) => board.holdMove !== undefined) ?? {};
  const [branchLike] = TEAMS[0]?.branches ?? [];
  if (first === undefined || holdMove === undefined || branchLike === undefined) return undefined;
  return createCrash({ app, line, tenant: first.tenant, review, branchLike, settings, dir, holdMove });
}

interface Team {
  readonly tenant: DemoTenant;
  readonly boards: readonly DemoBoard[];
}

async function startTeam(
  app: App,
  url: string,
  team: DemoTeam,
  closers: (() => Promise<void>)[],
): Promise<Team> {
  const github = await startGithub(team);
  closers.push(() => github.close());
  const boards: { readonly id: string; readonly board: DemoBoard }[] = [];
  for (const { id, start } of team.boards) {
    const board = await start(github);
    closers.push(() => board.close());
    boards.push({ id, board });
  }
  const repo = `${team.id}/${REPOSITORY}`;
  await app.store.createTenant({ id: team.id, name: team.name, createdAt: new Date().toISOString() });
  const tenant = app.store.tenant(team.id);
  const { token } = await issueToken(tenant, { name: `${team.id} demo` }, new Date());
  await Promise.all(boards.map(({ id, board }) => connect(app, tenant, { id, board, github, repo })));
  const connections = boards.map(({ id, board: { provider, boardUrl, authorization } }) => ({
    id,
    provider,
    boardUrl,
    authorization,
  }));
  const vcs = { provider: "github", url: github.url, repo, authorization: github.authorization };
  return {
    tenant: { id: team.id, mcpUrl: `${url}/t/${team.id}/mcp`, token, connections, vcs },
    boards: boards.map(({ board }) => board),
  };
}

const REPOSITORY = "web";

async function startGithub({ id, branches, projects = [] }: DemoTeam): Promise<GithubEmulator> {
  return await startGithubEmulator({
    token: `github-${randomBytes(12).toString("hex")}`,
    repos: [{ owner: id, name: REPOSITORY, branches: branches.map((name) => ({ name, commitsAhead: 1 })) }],
    projects,
  });
}

interface Connecting {
  readonly id: string;
  readonly board: DemoBoard;
  readonly github: GithubEmulator;
  readonly repo: string;
}

/** Every board opens a draft pull request when a ticket comes to In Review, if it has a branch. */
async function connect(
  app: App,
  tenant: TenantStore,
  { id, board, github, repo }: Connecting,
): Promise<void> {
  await app.connections.add(tenant, {
    id,
    provider: board.provider,
    settings: {
      ...board.settings,
      vcs: { provider: "github", repo, apiUrl: github.url },
      hooks: [{ on: "enter", status: board.review ?? "In Review", run: "draft-pull-request" }],
    },
    credentials: { ...board.credentials, vcs: { token: github.token } },
  });
  await importBoard(app, tenant.id, id);
}

async function importBoard(app: App, tenant: string, connection: string): Promise<void> {
  const reply = await app.hooks.ask(syncJobFor(tenant, connection, "demo"), 60_000);
  if (reply?.ok) return;
  throw new BoardwalkError(
    reply?.code ?? "timeout",
    reply?.message ?? "The demo's board could not be imported in time.",
  );
}

/** How whoever reads this has started it. */
const COMMAND = import.meta.url.endsWith(".ts") ? "npm run demo --" : "npx boardwalk demo";

/** What the demo tells a person. */
export function describeDemo({ line, app }: Demo): string {
  const [acme] = line.tenants;
  if (acme === undefined) return line.url;
  const header = `Authorization: Bearer ${acme.token}`;
  const servers = {
    mcpServers: { boardwalk: { url: acme.mcpUrl, headers: { Authorization: `Bearer ${acme.token}` } } },
  };
  const kept =
    app.keeps === "memory"
      ? "State is kept in memory, because no redis-server is installed: good for a look, gone at the end."
      : "State is kept in a Redis of the demo's own, gone at the end.";
  return [
    `Boardwalk is at ${line.url}. Two teams, their boards and a GitHub repository each (all emulated):`,
    ...line.tenants.map(describeTenant),
    kept,
    `To look at, and to crash a worker: ${line.admin.url} with the admin token ${line.admin.token}`,
    "",
    "For Claude, Cursor and others (Acme's boards):",
    JSON.stringify(servers, null, 2),
    "",
    "For the MCP Inspector:",
    `npx @modelcontextprotocol/inspector --cli ${acme.mcpUrl} --transport http --header "${header}" --method tools/list`,
    "",
    "Try saying:",
    '  "Move the login bug to in review"      (a draft pull request opens)',
    '  "Move the photo upload to done"        (Done wants a resolution: answer the question)',
    '  "Move the invite links to in review"   (Jira\'s workflow does not allow it)',
    '  "Move push notifications to in review" (there are two on the Linear board: which one?)',
    '  "Move the contacts import to in review" (Linear would; the team\'s own rule does not)',
    "",
    `Or watch it all, with a worker that dies in the middle of a move: ${COMMAND} --tour`,
    `Without a client: ${COMMAND} --say "move the login bug to in review"`,
    `The board itself: curl -s ${acme.connections[0]?.boardUrl}/rest/api/3/issue/ENG-1?fields=status -H "Authorization: ${acme.connections[0]?.authorization}"`,
    "",
    "Ctrl-C ends it.",
  ].join("\n");
}

function describeTenant({ id, connections }: DemoTenant): string {
  return `  ${id}: ${connections.map((each) => `${each.provider} (${each.id}) at ${each.boardUrl}`).join(", ")}`;
}
