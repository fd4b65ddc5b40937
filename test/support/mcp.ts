import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import type { StatusCategory, StatusGraph } from "../../src/machine/index.js";
import { createMcp, type Mcp, type McpOptions } from "../../src/mcp/mcp.js";
import type { Principal, Surface } from "../../src/mcp/principal.js";
import { createMemoryStore } from "../../src/store/memory.js";
import type { ActorRecord, Store, TenantStore } from "../../src/store/store.js";
import type { MoveShape, TicketShape } from "../../src/tickets/shapes.js";
import type { Conversation, KeptWorkflow, MoveArguments, Tickets } from "../../src/tickets/tickets.js";

/** A graph in which every status leads to every other. */
export function openGraph(
  id: string,
  name: string,
  statuses: readonly { readonly id: string; readonly name: string; readonly category?: StatusCategory }[],
): StatusGraph {
  return {
    id,
    name,
    statuses: statuses.map((status, order) => ({ category: "doing", ...status, order, aliases: [] })),
    moves: statuses.map((status) => ({ id: `to-${status.id}`, from: "*", to: status.id })),
    edges: "implied",
  };
}

export const WEB = openGraph("jira.x.1.2", "Web", [
  { id: "1", name: "To Do", category: "todo" },
  { id: "2", name: "In Progress" },
  { id: "3", name: "In Review" },
  { id: "4", name: "Done", category: "done" },
]);

interface World {
  revision: number;
  workflows: KeptWorkflow[];
  tickets: Map<string, { title: string; workflow: string; status: string }>;
}

/** The facade over a few tickets in memory: enough of it for the protocol to have something to say. */
export class FakeTickets implements Tickets {
  readonly worlds = new Map<string, World>();
  readonly heard: { readonly talk: Conversation; readonly args: unknown }[] = [];
  /** Thrown by the next call in place of an answer. */
  fault: Error | undefined;

  world(tenant: string): World {
    const world = this.worlds.get(tenant) ?? { revision: 1, workflows: [], tickets: new Map() };
    this.worlds.set(tenant, world);
    return world;
  }

  setGraphs(tenant: string, ...graphs: readonly StatusGraph[]): void {
    const world = this.world(tenant);
    world.revision += 1;
    world.workflows = graphs.map((graph) => ({ graph, connection: "eng", version: world.revision }));
  }

  addTicket(tenant: string, id: string, title: string, status: string, workflow = WEB.id): void {
    this.world(tenant).tickets.set(id, { title, workflow, status });
  }

  async find(talk: Conversation, args: Parameters<Tickets["find"]>[1]) {
    this.#hear(talk, args);
    const all = [...this.world(talk.tenant.id).tickets.keys()].map((id) => this.#shape(talk, id));
    const tickets = all.filter((ticket) =>
      ticket.title.toLowerCase().includes((args.query ?? "").toLowerCase()),
    );
    return { tickets, total: tickets.length, spoken: `There are ${tickets.length}.` };
  }

  async read(talk: Conversation, args: { readonly ticket: string }) {
    this.#hear(talk, args);
    const found = this.#match(talk, args.ticket);
    const only = found.length === 1 ? found[0] : undefined;
    if (only === undefined) return { question: this.#which(talk, found), spoken: "Which one do you mean?" };
    const ticket = this.#shape(talk, only);
    return { ticket, spoken: `${ticket.title} is in ${ticket.status.name}.` };
  }

  async listMoves(talk: Conversation, args: { readonly ticket: string }) {
    this.#hear(talk, args);
    const id = this.#match(talk, args.ticket)[0];
    if (id === undefined) return { openMoves: [], spoken: "There is no such ticket." };
    const ticket = this.#shape(talk, id);
    const openMoves = this.#graph(talk, ticket.workflow)
      .statuses.filter((status) => status.id !== ticket.status.id)
      .map((status) => {
        const tool = talk.toolFor?.(ticket.workflow, status.id);
        return { status: { id: status.id, name: status.name }, ...(tool === undefined ? {} : { tool }) };
      });
    return { ticket, openMoves, spoken: `It can go to ${openMoves.length} statuses.` };
  }

  async move(talk: Conversation, args: MoveArguments): Promise<MoveShape> {
    this.#hear(talk, args);
    const found = this.#match(talk, args.ticket);
    if (found.length !== 1) {
      return { outcome: "question", question: this.#which(talk, found), spoken: "Which one do you mean?" };
    }
    const id = found[0] as string;
    const ticket = this.#shape(talk, id);
    const target = this.#graph(talk, args.workflow ?? ticket.workflow).statuses.find(
      (status) => status.id === args.to || status.name.toLowerCase() === args.to.toLowerCase(),
    );
    if (target === undefined || (args.workflow !== undefined && args.workflow !== ticket.workflow)) {
      return { outcome: "refused", code: "no_such_move", ticket, spoken: `${ticket.title} cannot go there.` };
    }
    const kept = this.world(talk.tenant.id).tickets.get(id);
    if (kept !== undefined) kept.status = target.id;
    return {
      outcome: "confirmed",
      ticket: this.#shape(talk, id),
      from: { id: ticket.status.id, name: ticket.status.name },
      to: { id: target.id, name: target.name },
      spoken: `${ticket.title} has moved to ${target.name}.`,
    };
  }

  async undo(talk: Conversation, args: Parameters<Tickets["undo"]>[1]): Promise<MoveShape> {
    this.#hear(talk, args);
    return { outcome: "refused", spoken: "There is nothing to undo. Tell me what to move." };
  }

  async checkProgress(talk: Conversation, args: Parameters<Tickets["checkProgress"]>[1]): Promise<MoveShape> {
    this.#hear(talk, args);
    return { outcome: "confirmed", spoken: "It is done." };
  }

  async describeBoard(talk: Conversation, args: { readonly board?: string }) {
    this.#hear(talk, args);
    const boards = this.world(talk.tenant.id).workflows.map(({ graph, connection }) => ({
      workflow: graph.id,
      name: graph.name,
      connection,
      edges: graph.edges,
      statuses: graph.statuses.map(({ id, name, category }) => ({ id, name, category, tickets: 0 })),
    }));
    return { boards, spoken: `There are ${boards.length} boards.` };
  }

  async workflows(tenant: TenantStore) {
    const { revision, workflows } = this.world(tenant.id);
    return { revision, workflows };
  }

  #hear(talk: Conversation, args: unknown): void {
    this.heard.push({ talk, args });
    const { fault } = this;
    this.fault = undefined;
    if (fault !== undefined) throw fault;
  }

  #match(talk: Conversation, words: string): string[] {
    const { tickets } = this.world(talk.tenant.id);
    if (tickets.has(words)) return [words];
    return [...tickets]
      .filter(([, { title }]) => title.toLowerCase().includes(words.toLowerCase()))
      .map(([id]) => id);
  }

  #which(talk: Conversation, ids: readonly string[]) {
    const options = ids.map((id) => ({ id, label: this.#shape(talk, id).title }));
    return { about: "ticket" as const, options, token: "t-1" };
  }

  #graph(talk: Conversation, workflow: string): StatusGraph {
    const kept = this.world(talk.tenant.id).workflows.find(({ graph }) => graph.id === workflow);
    if (kept === undefined) throw new Error(`The fake has no workflow ${workflow}.`);
    return kept.graph;
  }

  #shape(talk: Conversation, id: string): TicketShape {
    const ticket = this.world(talk.tenant.id).tickets.get(id);
    if (ticket === undefined) throw new Error(`The fake has no ticket ${id}.`);
    const status = this.#graph(talk, ticket.workflow).statuses.find((one) => one.id === ticket.status);
    const { name = "?", category = "unknown" } = status ?? {};
    return {
      id,
      title: ticket.title,
      connection: "eng",
      workflow: ticket.workflow,
      status: { id: ticket.status, name, category },
    };
  }
}

export interface McpFixture {
  readonly url: (surface?: Surface) => string;
  readonly tickets: FakeTickets;
  readonly store: Store;
  readonly mcp: Mcp;
  close(): Promise<void>;
}

/** Bearer tokens are `tenant:person`; `-:service` is a service without a tenant. */
export async function startMcp(options: Partial<McpOptions> = {}): Promise<McpFixture> {
  const tickets = new FakeTickets();
  tickets.setGraphs("acme", WEB);
  tickets.addTicket("acme", "jira.x.10", "Fix the login page", "1");
  tickets.addTicket("acme", "jira.x.11", "Fix the logout page", "2");
  const store = createMemoryStore();
  const mcp = await createMcp({
    tickets,
    allowedHosts: [],
    allowedOrigins: ["https://claude.example"],
    ...options,
  });
  const app = express();
  app.all("/:surface", async (req, res) => {
    const principal = principalOf(store, req.headers.authorization);
    if (principal === undefined) res.status(401).end();
    else await mcp.handle(req, res, principal, { surface: req.params.surface as Surface });
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (surface = "generated") => `http://127.0.0.1:${port}/${surface}`,
    tickets,
    store,
    mcp,
    close: () => closeAll(mcp, server),
  };
}

async function closeAll(mcp: Mcp, server: Server): Promise<void> {
  await mcp.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function principalOf(store: Store, authorization: string | undefined): Principal | undefined {
  const [tenant, person] = authorization?.replace("Bearer ", "").split(":") ?? [];
  if (tenant === undefined || person === undefined) return undefined;
  const speaker = { person };
  return { speaker, scopes: [], ...(tenant === "-" ? {} : { tenant: store.tenant(tenant) }) };
}

/** A record as the store keeps one, of a ticket in this status. */
export function actorOf(id: string, title: string, status: string, workflow = WEB.id): ActorRecord {
  return {
    version: 0,
    ticket: { id, title, connection: "eng", workflow, status, updatedAt: "2026-11-01T00:00:00.000Z" },
    context: { pr: 7 },
    entry: 1,
    hooks: [],
  };
}
