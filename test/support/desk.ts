import type { TicketId } from "../../src/board/connector.js";
import type { Hooks } from "../../src/hooks/hooks.js";
import { createInlineHooks } from "../../src/hooks/inline.js";
import { createMemoryStore } from "../../src/store/memory.js";
import type { ActorRecord, Store } from "../../src/store/store.js";
import { newActor } from "../../src/tickets/actor.js";
import type { HookRun } from "../../src/tickets/boards.js";
import { createTickets } from "../../src/tickets/desk.js";
import { createTicketHandlers } from "../../src/tickets/handlers.js";
import { createRecent } from "../../src/tickets/recent.js";
import type { Conversation, Tickets } from "../../src/tickets/tickets.js";
import { createViews } from "../../src/tickets/view.js";
import type { WorkerDeps } from "../../src/tickets/worker-deps.js";
import { createWorkflows } from "../../src/tickets/workflows.js";
import type { FakeBoard } from "./fake-board.js";
import { checkSpoken, type SpokenAnswer } from "./speech.js";

export interface Desk {
  readonly tickets: Tickets;
  readonly store: Store;
  readonly hooks: Hooks;
  readonly worker: WorkerDeps;
  talk(over?: Partial<Conversation>): Conversation;
  actor(id: TicketId): Promise<ActorRecord>;
  close(): Promise<void>;
}

export interface DeskOptions {
  readonly tenant?: string;
  readonly store?: Store;
  readonly hooks?: Hooks;
  /** What entering a status owes, by status id. */
  readonly owes?: Record<string, { run: string }[]>;
  readonly runs?: Record<string, HookRun>;
  readonly serve?: boolean;
}

/** The same desk, with every sentence it says held to what may be said. */
export function listening(tickets: Tickets): Tickets {
  const held =
    <A, R extends SpokenAnswer>(ask: (talk: Conversation, args: A) => Promise<R>) =>
    async (talk: Conversation, args: A): Promise<R> =>
      checkSpoken(await ask(talk, args), talk.locale);
  return {
    find: held(tickets.find),
    read: held(tickets.read),
    listMoves: held(tickets.listMoves),
    move: held(tickets.move),
    undo: held(tickets.undo),
    checkProgress: held(tickets.checkProgress),
    describeBoard: held(tickets.describeBoard),
    workflows: tickets.workflows,
  };
}

/** The ticket desk over a fake board, with its worker in the same process. */
export async function openDesk(board: FakeBoard, options: DeskOptions = {}): Promise<Desk> {
  const { tenant = "acme", store = createMemoryStore(), hooks = createInlineHooks() } = options;
  const now = () => new Date();
  const own = store.tenant(tenant);
  if (!(await store.listTenants()).some(({ id }) => id === tenant)) {
    await store.createTenant({ id: tenant, name: tenant, createdAt: now().toISOString() });
  }
  const kept = { graph: board.graph, connection: "web", revision: 1, hooks: options.owes ?? {} };
  await own.saveDocument("workflow", board.graph.id, { version: 0, value: kept });
  await own.saveActors([...board.tickets.values()].map((ticket) => newActor(ticket, "web")));
  const workflows = createWorkflows();
  const views = createViews(workflows);
  const recent = createRecent(views);
  const worker: WorkerDeps = {
    store,
    boards: {
      open: async () => ({ name: "The board", connector: board.connector, hooks: options.runs ?? {} }),
    },
    workflows,
    jobs: hooks,
    recent,
    now,
  };
  const stop = options.serve === false ? async () => {} : await hooks.serve(createTicketHandlers(worker));
  return {
    tickets: listening(createTickets({ views, recent, jobs: hooks, now })),
    store,
    hooks,
    worker,
    talk: (over) => ({ tenant: own, speaker: { person: "ann" }, budgetMs: 5_000, ...over }),
    async actor(id) {
      const record = await own.getActor(id);
      if (record === undefined) throw new Error(`no actor ${id}`);
      return record;
    },
    async close() {
      await stop();
      await hooks.close();
      await store.close();
    },
  };
}
