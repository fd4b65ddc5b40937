import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express, { type Response, Router } from "express";
import { BOARDS, REPOSITORIES } from "../../connectors/index.js";
import { createDraftPullRequest } from "../../src/hooks/draft-pull-request.js";
import type { Hooks } from "../../src/hooks/hooks.js";
import { createInlineHooks } from "../../src/hooks/inline.js";
import { requireCaller } from "../../src/http/admin-caller.js";
import { addTicketRoutes } from "../../src/http/admin-tickets.js";
import { problemHandler } from "../../src/http/problems.js";
import { createMemoryStore } from "../../src/store/memory.js";
import { createBudgets } from "../../src/store/redis/budgets.js";
import type { ActorRecord, Store } from "../../src/store/store.js";
import { createConnections } from "../../src/sync/connections.js";
import { syncConnection } from "../../src/sync/import.js";
import { createSealer } from "../../src/sync/seal.js";
import { createTickets } from "../../src/tickets/desk.js";
import { createTicketHandlers } from "../../src/tickets/handlers.js";
import { createViews } from "../../src/tickets/view.js";
import type { WorkerDeps } from "../../src/tickets/worker-deps.js";
import { createWorkflows } from "../../src/tickets/workflows.js";
import { type ChaosBoard, type ChaosBoards, THERE } from "../chaos/boards.js";
import { actAs, createFate, type Fate, storeOf } from "./fate.js";
import { createJobLine, type JobLine } from "./job-line.js";

/** One ticket of an emulated board, a store and a queue: what simulated processes share while one of them ends. */

export const TENANT = "acme";
/** Long beside what a move takes here, short to wait for. */
const LEASE_MS = 1_000;
const REPLY_BUDGET_MS = 20_000;
const key = new Uint8Array(32).fill(7);
const adminToken = randomBytes(24).toString("base64url");

/** A board taken in once, of which each run gets one ticket. */
export interface Stock {
  readonly board: ChaosBoard;
  readonly store: Store;
  take(): ActorRecord;
}

export async function stockOf(board: ChaosBoard, boards: ChaosBoards): Promise<Stock> {
  const store = createMemoryStore();
  await store.createTenant({ id: TENANT, name: TENANT, createdAt: new Date().toISOString() });
  const tenant = store.tenant(TENANT);
  const fate = createFate();
  const jobs = createInlineHooks();
  const { connections, worker } = partsOf(fate, store, jobs);
  const { repo, vcs } = boards;
  await connections.add(tenant, {
    id: board.id,
    provider: board.id,
    settings: {
      ...board.settings,
      vcs: { provider: "github", repo, apiUrl: vcs.url },
      hooks: [{ on: "enter", status: THERE, run: "draft-pull-request" }],
    },
    credentials: { ...board.credentials, vcs: { token: vcs.token } },
  });
  const sync = { ...worker, connections, worker, workflowPollMs: 1, workflowsChanged: async () => {} };
  await syncConnection(sync, tenant, board.id, "full", AbortSignal.timeout(60_000));
  await jobs.close();
  const { ids } = await tenant.changesSince(0, 10_000);
  const records = (await tenant.getActors(ids)).filter((record) => record !== undefined);
  return {
    board,
    store,
    take() {
      const record = records.pop();
      if (record === undefined) throw new Error(`${board.id} has no ticket left; start it with more`);
      return record;
    },
  };
}

/** What any process of the service is made of. */
function partsOf(fate: Fate, shared: Store, jobs: Pick<Hooks, "ask" | "put">) {
  const store = storeOf(fate, shared);
  const now = () => new Date();
  const connections = createConnections({
    kinds: BOARDS,
    vcsKinds: REPOSITORIES,
    hooksFor: (repo) => ({ "draft-pull-request": createDraftPullRequest(repo) }),
    sealer: createSealer([{ id: "k", key }]),
    checkUrl: () => fate.goesOn(),
    budgets: createBudgets(),
    now,
  });
  const workflows = createWorkflows();
  const worker: WorkerDeps = { store, boards: connections, workflows, jobs, now, leaseMs: LEASE_MS };
  return { store, connections, workflows, worker };
}

export interface GapWorld {
  readonly board: ChaosBoard;
  readonly ticket: ActorRecord["ticket"];
  readonly store: Store;
  readonly line: JobLine;
  startWorker(fate: Fate): Promise<void>;
  startWeb(fate: Fate): Promise<Web>;
  close(): Promise<void>;
}

export interface Web {
  /** Asks for the ticket's move; `undefined` when nobody answered. Always the same wish. */
  ask(): Promise<Told | undefined>;
  /** Ends its connections, as the end of a process does. */
  hangUp(): void;
}

export interface Told {
  readonly status: number;
  readonly move: { readonly outcome?: string; readonly already?: boolean; readonly to?: { id: string } };
}

/** A store of its own for one ticket, with a queue to match. */
export async function openGapWorld(stock: Stock): Promise<GapWorld> {
  const { ticket } = stock.take();
  const store = await storeWith(stock, ticket.id);
  const line = createJobLine();
  const webs: { close(): void }[] = [];
  return {
    board: stock.board,
    ticket,
    store,
    line,
    async startWorker(fate) {
      const hooks = line.hooksOf(fate);
      await hooks.serve(createTicketHandlers(partsOf(fate, store, hooks).worker));
    },
    async startWeb(fate) {
      const web = await startWeb(fate, store, line.hooksOf(fate), ticket.id);
      webs.push(web);
      return web;
    },
    async close() {
      for (const web of webs) web.close();
      await store.close();
    },
  };
}

async function storeWith(stock: Stock, id: string): Promise<Store> {
  const store = createMemoryStore();
  await store.createTenant({ id: TENANT, name: TENANT, createdAt: new Date().toISOString() });
  const [from, to] = [stock.store.tenant(TENANT), store.tenant(TENANT)];
  for (const kind of ["workflow", "connection"] as const)
    for (const { id: name, value } of await from.listDocuments(kind))
      await to.saveDocument(kind, name, { version: 0, value });
  const record = await from.getActor(id);
  if (record !== undefined) await to.saveActor({ ...record, version: 0 });
  return store;
}

async function startWeb(fate: Fate, shared: Store, hooks: Hooks, ticket: string) {
  const { store, workflows } = partsOf(fate, shared, hooks);
  const tickets = createTickets({ views: createViews(workflows), jobs: hooks, now: () => new Date() });
  const router = Router();
  addTicketRoutes(router, { tickets, replyBudgetMs: REPLY_BUDGET_MS }, async () => store.tenant(TENANT));
  const app = express().use(
    requireCaller({
      adminToken,
      sessions: { find: async () => undefined },
      knocks: { wrong: async () => 0 },
    }),
    express.json(),
  );
  app.use((_request, response, next) => {
    replyAsStep(fate, response);
    actAs(fate, next);
  });
  app.use(router);
  app.use(problemHandler(() => {}));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ask: () => ask(`${url}/tenants/${TENANT}/tickets/${ticket}/moves`, ticket),
    hangUp() {
      // Also who is on the way: the process that listened is gone.
      server.on("connection", (socket) => socket.destroy());
      server.closeAllConnections();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The reply is the last thing to go out. */
function replyAsStep(fate: Fate, response: Response): void {
  const end = response.end.bind(response) as (...given: unknown[]) => Response;
  response.end = ((...given: unknown[]) => {
    void fate.step("web: reply", async () => end(...given));
    return response;
  }) as Response["end"];
}

async function ask(url: string, ticket: string): Promise<Told | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${adminToken}`,
        "content-type": "application/json",
        "idempotency-key": ticket,
      },
      body: JSON.stringify({ to: THERE }),
    });
    return { status: response.status, move: (await response.json()) as Told["move"] };
  } catch {
    // Its process has ended, or was cut off: the asker asks again, and that is what is under test.
    return undefined;
  }
}
