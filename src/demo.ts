import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GithubEmulator, startGithubEmulator } from "../connectors/github/emulator.js";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../connectors/jira/emulator.js";
import { type App, createApp } from "./app.js";
import { parseConfig } from "./config.js";
import { BoardwalkError } from "./errors.js";
import { issueToken } from "./http/auth.js";
import { syncJobFor } from "./tickets/jobs.js";
import type { Conversation } from "./tickets/tickets.js";

/** Two teams, each with a board and a repository that speak the real protocols, and one service before them. */

export interface DemoOptions {
  readonly port: number;
  readonly host: string;
  readonly logLevel?: string;
  /** Keeps state in memory even where a Redis could be started. */
  readonly inMemory?: boolean;
}

/** The demo's line of DESIGN section 9. */
export interface DemoLine {
  readonly url: string;
  readonly admin: { readonly url: string; readonly token: string };
  readonly tenants: readonly DemoTenant[];
}

interface DemoTenant {
  readonly id: string;
  readonly mcpUrl: string;
  readonly token: string;
  readonly connections: readonly {
    readonly id: string;
    readonly provider: string;
    readonly boardUrl: string;
    readonly authorization: string;
  }[];
  readonly vcs: {
    readonly provider: string;
    readonly url: string;
    readonly repo: string;
    readonly authorization: string;
  };
}

export interface Demo {
  readonly line: DemoLine;
  readonly app: App;
  /** Someone of the first team, to speak for. */
  readonly talk: Conversation;
  close(): Promise<void>;
}

type Issue = readonly [title: string, status: string];

const [TO_DO, IN_PROGRESS, IN_REVIEW, DONE, BLOCKED] = ["10000", "10001", "10002", "10003", "10004"] as const;

const TEAMS: readonly { id: string; name: string; issues: readonly Issue[]; branches: readonly string[] }[] =
  [
    {
      id: "acme",
      name: "Acme",
      issues: [
        ["Login bug: the second tap is ignored", IN_PROGRESS],
        ["Login page forgets the chosen language", TO_DO],
        ["Checkout total is wrong with two coupons", IN_PROGRESS],
        ["Search finds nothing for names with accents", TO_DO],
        ["Export the monthly report as a spreadsheet", IN_PROGRESS],
        ["Welcome mail arrives twice", BLOCKED],
        ["Dark mode for the settings page", TO_DO],
        ["Upload fails for large photos", IN_REVIEW],
        ["Speed up the dashboard on slow phones", TO_DO],
        ["Invite links expire after a week", DONE],
      ],
      branches: ["feat/ENG-1-second-tap", "fix/ENG-3-coupons", "feat/ENG-12-unrelated"],
    },
    {
      id: "globex",
      name: "Globex",
      issues: [
        ["Rotate the signing keys every month", IN_PROGRESS],
        ["Invoice numbers skip after midnight", TO_DO],
        ["Audit log misses deleted accounts", IN_PROGRESS],
        ["Refunds stay pending on holidays", IN_REVIEW],
        ["Move the archive to cold storage", TO_DO],
        ["Support chat loses the last message", IN_PROGRESS],
        ["Warn before the trial ends", TO_DO],
        ["Currency rounding on receipts", BLOCKED],
        ["Onboarding tour for new admins", TO_DO],
        ["Retire the old billing page", DONE],
      ],
      branches: ["feat/ENG-1-rotate-keys", "fix/ENG-6-chat"],
    },
  ];

/** Starts everything and imports both boards; resolves when a client may come. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const dir = await mkdtemp(join(tmpdir(), "boardwalk-demo-"));
  const closers: (() => Promise<void>)[] = [() => rm(dir, { recursive: true, force: true })];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const adminToken = randomBytes(24).toString("base64url");
    const app = await createApp(demoConfig(options, adminToken, dir), {
      inMemory: options.inMemory === true,
    });
    closers.push(() => app.close());
    const url = app.url ?? "";
    const tenants: DemoTenant[] = [];
    for (const team of TEAMS) tenants.push(await startTeam(app, url, team, closers));
    const line = { url, admin: { url: `${url}/admin`, token: adminToken }, tenants };
    const talk = {
      tenant: app.store.tenant("acme"),
      speaker: { person: "demo", client: "boardwalk demo" },
      conversation: "demo",
      budgetMs: 10_000,
    };
    return { line, app, talk, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function demoConfig(options: DemoOptions, adminToken: string, dir: string) {
  return parseConfig({
    HOST: options.host,
    PORT: String(options.port),
    LOG_LEVEL: options.logLevel ?? "warn",
    BOARDWALK_DIR: dir,
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `demo:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
  });
}

async function startTeam(
  app: App,
  url: string,
  team: (typeof TEAMS)[number],
  closers: (() => Promise<void>)[],
): Promise<DemoTenant> {
  const issues = team.issues.map(([title, status]) => ({ title, status }));
  const board = await startJiraEmulator({
    site: demoJiraSite({ key: "ENG", name: `${team.name} engineering`, issues }),
  });
  closers.push(() => board.close());
  const repo = `${team.id}/web`;
  const github = await startGithubEmulator({
    token: `github-${randomBytes(12).toString("hex")}`,
    repos: [
      { owner: team.id, name: "web", branches: team.branches.map((name) => ({ name, commitsAhead: 1 })) },
    ],
  });
  closers.push(() => github.close());
  await app.store.createTenant({ id: team.id, name: team.name, createdAt: new Date().toISOString() });
  const tenant = app.store.tenant(team.id);
  const { token } = await issueToken(tenant, { name: `${team.id} demo` }, new Date());
  await app.connections.add(tenant, connectionOf(board, github, repo));
  await importBoard(app, team.id, "eng");
  return {
    id: team.id,
    mcpUrl: `${url}/t/${team.id}/mcp`,
    token,
    connections: [{ id: "eng", provider: "jira", boardUrl: board.url, authorization: board.authorization }],
    vcs: { provider: "github", url: github.url, repo, authorization: github.authorization },
  };
}

function connectionOf(board: JiraEmulator, github: GithubEmulator, repo: string) {
  return {
    id: "eng",
    provider: "jira",
    settings: {
      baseUrl: board.url,
      project: "ENG",
      vcs: { provider: "github", repo, apiUrl: github.url },
      hooks: [{ on: "enter", status: "In Review", run: "draft-pull-request" }],
    },
    credentials: { ...board.credentials, vcs: { token: github.token } },
  };
}

async function importBoard(app: App, tenant: string, connection: string): Promise<void> {
  const reply = await app.hooks.ask(syncJobFor(tenant, connection, "demo"), 60_000);
  if (reply?.ok) return;
  throw new BoardwalkError(
    reply?.code ?? "timeout",
    reply?.message ?? "The demo's board could not be imported in time.",
  );
}

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
    `Boardwalk is at ${line.url}. Two teams, ${line.tenants.map(({ id }) => id).join(" and ")}, each with a Jira board and a GitHub repository (emulated).`,
    kept,
    "",
    "For Claude, Cursor and others (Acme's board):",
    JSON.stringify(servers, null, 2),
    "",
    "For the MCP Inspector:",
    `npx @modelcontextprotocol/inspector --cli ${acme.mcpUrl} --transport http --header "${header}" --method tools/list`,
    "",
    "Try saying:",
    '  "Move the login bug to in review"      (a draft pull request opens)',
    '  "Move the photo upload to done"        (Done wants a resolution: answer the question)',
    '  "Move the invite links to in review"   (the workflow does not allow it)',
    "",
    'Without a client: npm run demo -- --say "move the login bug to in review"',
    `The board itself: curl -s ${acme.connections[0]?.boardUrl}/rest/api/3/issue/ENG-1?fields=status -H "Authorization: ${acme.connections[0]?.authorization}"`,
    "",
    "Ctrl-C ends it.",
  ].join("\n");
}
