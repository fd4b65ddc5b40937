import { randomBytes } from "node:crypto";
import type { Request } from "express";
import { z } from "zod";
import { type GithubEmulator, startGithubEmulator } from "../../connectors/github/emulator.js";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { createRedisStore } from "../../src/store/redis.js";
import type { ActorRecord, AuditEvent, HistoryEvent, Store } from "../../src/store/store.js";
import { moveShape } from "../../src/tickets/shapes.js";
import { ERAS, type TestClient } from "./clients.js";
import { createHolds, type Held, type Holds, type Moment } from "./holds.js";
import { freePort, type RedisServer, startRedis } from "./redis.js";
import { type Role, type Service, startService } from "./service.js";
import { until } from "./until.js";

/**
 * Everything a crash can happen to: a Redis with an append-only file, an emulated Jira and GitHub, one web process and
 * one worker, connected through the admin API as an operator would.
 */

const IN_PROGRESS = "10001";
export const IN_REVIEW = "10002";
export const BLOCKED = "10004";

export interface CrashTicket {
  readonly key: string;
  /** The board's own id. */
  readonly issue: string;
  /** Ours. */
  readonly id: string;
  readonly branch: string;
}

export interface Answer {
  readonly status: number;
  readonly move: z.infer<typeof moveShape>;
}

/** Which request of the protocol: of a ticket's move, or of its hook. */
export type Point = "read" | "write" | "reread" | "branches" | "pulls" | "create";

export interface CrashWorld {
  readonly redis: RedisServer;
  readonly jira: JiraEmulator;
  readonly github: GithubEmulator;
  web: Service;
  worker: Service;
  /** The store itself, to look into. */
  readonly store: Store;
  /** One more process; it ends with the world. */
  start(role: Role): Promise<Service>;
  /** A new client of the tenant's MCP endpoint, as the web process stands now. */
  mcp(): Promise<TestClient>;
  /** Whether the board tells of changes by itself. */
  readonly webhooks: boolean;
  /** One that no other test has had. */
  take(): CrashTicket;
  hold(ticket: CrashTicket, point: Point, moment: Moment): Held;
  /** Asks for In Review through the API; `undefined` when nobody answered. The same `key` is the same wish. */
  ask(ticket: CrashTicket, key?: string): Promise<Answer | undefined>;
  /** Asks the same again until it is known how it went. */
  outcome(ticket: CrashTicket, key?: string): Promise<Answer>;
  /** Takes in what changed on the board. */
  sync(): Promise<void>;
  look(ticket: CrashTicket): Promise<Sight>;
  close(): Promise<void>;
}

/** All that can be seen of a ticket, at the board and with us. */
export interface Sight {
  /** Where the board says it is. */
  readonly boardStatus: string;
  /** How often the board moved it to In Review, by the board's own changelog. */
  readonly arrivals: number;
  /** What the board answered to each write, oldest first. */
  readonly writes: readonly number[];
  readonly pulls: readonly number[];
  readonly ourStatus: string;
  readonly hooks: readonly { readonly state: string; readonly result?: unknown }[];
  /** Oldest first. */
  readonly history: readonly HistoryEvent[];
  readonly audit: readonly AuditEvent[];
  readonly record: ActorRecord | undefined;
  readonly unsettled: boolean;
}

export interface CrashWorldOptions {
  readonly tickets: number;
  /** Whether the board tells the web process of changes; the news then comes by two doors. @default false */
  readonly webhooks?: boolean;
}

export async function startCrashWorld({ tickets, webhooks = false }: CrashWorldOptions): Promise<CrashWorld> {
  const numbers = Array.from({ length: tickets }, (_, i) => i + 1);
  const adminToken = randomBytes(24).toString("base64url");
  const [redis, jira, github] = await Promise.all([
    startRedis({ appendOnly: true }),
    startJiraEmulator({
      site: demoJiraSite({ issues: numbers.map((n) => ({ title: `Ticket ${n}`, status: IN_PROGRESS })) }),
    }),
    startGithubEmulator({
      repos: [
        {
          owner: "acme",
          name: "web",
          branches: numbers.map((n) => ({ name: branchOf(n), commitsAhead: 1 })),
        },
      ],
    }),
  ]);
  const boardHolds = createHolds();
  const repoHolds = createHolds();
  jira.setGate(boardHolds.gate);
  github.host.setGate(repoHolds.gate);
  const env = environment(redis, adminToken);
  const port = webhooks ? await freePort() : 0;
  const reached = webhooks ? { PUBLIC_URL: `http://127.0.0.1:${port}` } : {};
  const started: Service[] = [];
  const start = async (role: Role) => {
    const ports = { PORT: String(role === "web" ? port : 0) };
    const service = await startService({ role, env: { ...env, ...reached, ...ports } });
    started.push(service);
    return service;
  };
  const [web, worker] = await Promise.all([start("web"), start("worker")]);
  const store = createRedisStore({ client: redis.url });
  const api = createApi(() => world.web.url, adminToken);
  const free: CrashTicket[] = [];
  let token: string | undefined;
  const world: CrashWorld = {
    redis,
    jira,
    github,
    web,
    worker,
    store,
    start,
    webhooks,
    take() {
      const ticket = free.shift();
      if (ticket === undefined) throw new Error("the world has no ticket left; start it with more");
      return ticket;
    },
    hold: (ticket, point, moment) => holdAt(boardHolds, repoHolds, ticket, point, moment),
    ask: (ticket, key = ticket.key) => api.move(ticket, key),
    outcome: (ticket, key = ticket.key) =>
      until(
        async () => {
          const answer = await api.move(ticket, key);
          return answer?.move.outcome !== "accepted" && answer;
        },
        { timeoutMs: 40_000, everyMs: 50 },
      ),
    sync: () => api.sync(),
    async mcp() {
      const [, connect] = ERAS[0];
      token ??= await api.token();
      return await connect({ mcpUrl: `${world.web.url}/t/acme/mcp`, token });
    },
    look: (ticket) => look(world, api, ticket),
    async close() {
      await Promise.all(started.map((service) => service.kill()));
      await Promise.all([store.close(), jira.close(), github.close()]);
      await redis.stop();
    },
  };
  await api.connect(jira, github);
  free.push(...(await api.tickets()));
  return world;
}

function branchOf(n: number): string {
  return `feat/ENG-${n}-work`;
}

function environment(redis: RedisServer, adminToken: string): Record<string, string> {
  return {
    REDIS_URL: redis.url,
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    BOARDWALK_SWEEP_MS: "500",
    BOARDWALK_JOB_LOCK_MS: "1500",
    // Long, so that callers still wait when what they wait for is killed.
    BOARDWALK_REPLY_BUDGET_MS: "10000",
    // Many tickets of one board are held at once here; that would be a full lane.
    BOARDWALK_LANE_CAP: "50",
    // Polls would bring the board's news by another door than the one under test.
    BOARDWALK_TICKET_POLL_MS: "3600000",
    LOG_LEVEL: "info",
  };
}

function holdAt(board: Holds, repo: Holds, ticket: CrashTicket, point: Point, moment: Moment): Held {
  const issue = `/rest/api/3/issue/${ticket.issue}`;
  const pulls = "/repos/acme/web/pulls";
  const is = (method: string, path: string) => (request: Request) =>
    request.method === method && request.path === path;
  const expanded = (request: Request) => String(request.query.expand ?? "").includes("transitions");
  switch (point) {
    case "read":
      return board.next((request) => is("GET", issue)(request) && expanded(request), moment);
    case "reread":
      return board.next((request) => is("GET", issue)(request) && !expanded(request), moment);
    case "write":
      return board.next(is("POST", `${issue}/transitions`), moment);
    case "branches":
      return repo.next(is("GET", "/repos/acme/web/branches"), moment);
    case "pulls":
      return repo.next(
        (request) => is("GET", pulls)(request) && String(request.query.head).endsWith(`:${ticket.branch}`),
        moment,
      );
    case "create":
      return repo.next(
        (request) => is("POST", pulls)(request) && headOf(request.body) === ticket.branch,
        moment,
      );
  }
}

function headOf(body: unknown): unknown {
  return typeof body === "object" && body !== null && "head" in body ? body.head : undefined;
}

const ticketList = z.object({
  tickets: z.array(z.object({ id: z.string(), key: z.string() })),
  next: z.string().optional(),
});
const ticketPage = z.object({
  status: z.object({ id: z.string() }),
  hooks: z.array(z.object({ state: z.string(), result: z.unknown().optional() })).default([]),
});
const eventList = z.object({ events: z.array(z.looseObject({ at: z.string() })) });

type Api = ReturnType<typeof createApi>;

/** The admin API, spoken as an operator's script would. */
function createApi(base: () => string, adminToken: string) {
  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${base()}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  }

  async function get(path: string): Promise<unknown> {
    const { status, body } = await call("GET", path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async function post(path: string, body: unknown): Promise<unknown> {
    const answer = await call("POST", path, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  const sync = async () => void (await post("/tenants/acme/connections/eng/sync?wait=true", {}));

  return {
    get,
    async connect(jira: JiraEmulator, github: GithubEmulator) {
      await post("/tenants", { id: "acme", name: "Acme" });
      await post("/tenants/acme/connections", {
        id: "eng",
        provider: "jira",
        settings: {
          baseUrl: jira.url,
          project: "ENG",
          // Requests are held for as long as a busy machine takes to start a process, and are not to be given up meanwhile.
          timeoutMs: 60_000,
          vcs: { provider: "github", repo: "acme/web", apiUrl: github.url },
          hooks: [{ on: "enter", status: "In Review", run: "draft-pull-request" }],
        },
        credentials: { ...jira.credentials, vcs: { token: github.token } },
      });
      await sync();
    },
    sync,
    async token(): Promise<string> {
      return z.object({ token: z.string() }).parse(await post("/tenants/acme/tokens", { name: "Ann" })).token;
    },
    async tickets(): Promise<CrashTicket[]> {
      const found: CrashTicket[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const page: z.infer<typeof ticketList> = ticketList.parse(
          await get(`/tenants/acme/tickets${cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`}`),
        );
        for (const { id, key } of page.tickets) {
          const issue = id.slice(id.lastIndexOf(".") + 1);
          found.push({ id, key, issue, branch: branchOf(Number(key.split("-")[1])) });
        }
        cursor = page.next;
      }
      return found;
    },
    async move(ticket: CrashTicket, key: string): Promise<Answer | undefined> {
      const path = `/tenants/acme/tickets/${ticket.id}/moves`;
      try {
        const { status, body } = await call("POST", path, { to: "In Review" }, { "idempotency-key": key });
        const move = moveShape.safeParse(body);
        return move.success ? { status, move: move.data } : undefined;
      } catch {
        // Nobody there, or gone while we waited: the asker asks again, and that is what is under test.
        return undefined;
      }
    },
  };
}

async function look(world: CrashWorld, api: Api, ticket: CrashTicket): Promise<Sight> {
  const path = `/tenants/acme/tickets/${ticket.id}`;
  const tenant = world.store.tenant("acme");
  const [page, history, audit, record, unsettled] = await Promise.all([
    api.get(path).then((body) => ticketPage.parse(body)),
    api.get(`${path}/history`).then((body) => eventList.parse(body)),
    api.get("/tenants/acme/audit?limit=500").then((body) => eventList.parse(body)),
    tenant.getActor(ticket.id),
    tenant.unsettled(1_000),
  ]);
  return {
    ...(await lookAtBoard(world.jira, ticket)),
    pulls: await pullsOf(world.github, ticket),
    ourStatus: page.status.id,
    hooks: page.hooks,
    history: history.events.reverse() as unknown as HistoryEvent[],
    audit: audit.events.filter((event) => event.ticket === ticket.id) as unknown as AuditEvent[],
    record,
    unsettled: unsettled.includes(ticket.id),
  };
}

const issueReply = z.object({ fields: z.object({ status: z.object({ id: z.string() }) }) });
const changelogReply = z.object({
  values: z.array(z.object({ items: z.array(z.object({ field: z.string(), to: z.string().nullable() })) })),
});

async function lookAtBoard(jira: JiraEmulator, { issue }: CrashTicket) {
  const get = async (path: string): Promise<unknown> => {
    const headers = { authorization: jira.authorization };
    return await (await fetch(`${jira.url}/rest/api/3/issue/${issue}${path}`, { headers })).json();
  };
  const { status } = issueReply.parse(await get("?fields=status")).fields;
  const changes = changelogReply.parse(await get("/changelog")).values.flatMap(({ items }) => items);
  return {
    boardStatus: status.id,
    arrivals: changes.filter((item) => item.field === "status" && item.to === IN_REVIEW).length,
    writes: writesOf(jira, issue),
  };
}

/** What the board answered to each attempt to move this issue, oldest first. */
export function writesOf(jira: JiraEmulator, issue: string): number[] {
  const path = `/rest/api/3/issue/${issue}/transitions`;
  return jira.journal
    .filter((entry) => entry.method === "POST" && entry.path === path)
    .map(({ status }) => status);
}

const pullList = z.array(z.object({ number: z.number(), head: z.object({ ref: z.string() }) }));

/** By GitHub's own API, whole: a filter could hide what should not be there. */
export async function pullsOf(github: GithubEmulator, { branch }: CrashTicket): Promise<number[]> {
  const response = await fetch(`${github.url}/repos/acme/web/pulls?state=all&per_page=100`, {
    headers: { authorization: github.authorization },
  });
  return pullList
    .parse(await response.json())
    .filter(({ head }) => head.ref === branch)
    .map(({ number }) => number);
}
