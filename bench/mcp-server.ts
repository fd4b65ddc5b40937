/** A server for `mcp.ts` to measure, as a process of its own: `mcp-server.ts ours|theirs TOOLS`. Prints its port. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import express from "express";
import { z } from "zod";
import { bearerOf, hashToken } from "../src/http/tokens.js";
import type { StatusGraph } from "../src/machine/index.js";
import { createMcp } from "../src/mcp/mcp.js";
import { createMemoryStore } from "../src/store/memory.js";
import type { Tickets } from "../src/tickets/tickets.js";

const TOKEN = "bw_bench";

const CORE_TOOLS = 6;

/** One workflow with as many destinations as make up `tools` tools together with the core. */
function graphOf(tools: number): StatusGraph {
  const statuses = Array.from({ length: Math.max(tools - CORE_TOOLS, 0) }, (_, order) => ({
    id: String(order),
    name: `Status number ${order}`,
    category: "doing" as const,
    order,
    aliases: [],
  }));
  const moves = statuses.map(({ id }) => ({ id, from: "*", to: id }));
  return { id: "jira.bench.1.1", name: "Web", statuses, moves, edges: "implied" };
}

function facade(tools: number): Tickets {
  const workflows = [{ graph: graphOf(tools), connection: "eng", version: 1 }];
  const ticket = {
    id: "jira.bench.10",
    key: "WEB-10",
    title: "Fix the login page",
    connection: "eng",
    workflow: "jira.bench.1.1",
    status: { id: "0", name: "To Do", category: "todo" },
  };
  const unasked = () => Promise.reject(new Error("The benchmark does not ask this."));
  return {
    read: async () => ({ ticket, spoken: "Fix the login page is in To Do." }),
    find: unasked,
    listMoves: unasked,
    move: unasked,
    undo: unasked,
    checkProgress: unasked,
    describeBoard: unasked,
    workflows: async () => ({ revision: 1, workflows }),
  };
}

async function ours(tools: number): Promise<RequestListener> {
  const mcp = await createMcp({
    tickets: facade(tools),
    allowedHosts: [],
    allowedOrigins: [],
    maxTools: Number.POSITIVE_INFINITY,
  });
  const tenant = createMemoryStore().tenant("acme");
  const tokens = new Map([[hashToken(TOKEN), { tenant, speaker: { person: "bench" }, scopes: [] }]]);
  const app = express();
  app.all("/mcp", (req, res) => {
    const principal = tokens.get(hashToken(bearerOf(req.headers.authorization) ?? ""));
    if (principal === undefined) res.status(401).end();
    else void mcp.handle(req, res, principal);
  });
  return app;
}

/** The SDK as its documentation begins: no token, no Express, one trivial tool (or as many as asked for). */
function theirs(tools: number): RequestListener {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "bare", version: "1.0.0" });
    server.registerTool(
      "read_ticket",
      { description: "Reads a ticket.", inputSchema: z.object({ ticket: z.string() }) },
      ({ ticket }) => ({ content: [{ type: "text", text: `${ticket} is in To Do.` }] }),
    );
    for (let i = 1; i < tools; i++) {
      server.registerTool(
        `move_to_status_number_${i}`,
        { description: "Moves a ticket.", inputSchema: z.object({ ticket: z.string() }) },
        () => ({ content: [{ type: "text", text: "Moved." }] }),
      );
    }
    return server;
  });
  const listener = toNodeHandler(handler);
  return (req, res) => void listener(req as Parameters<typeof listener>[0], res);
}

const [kind = "ours", tools = "1"] = process.argv.slice(2);
const listener = kind === "ours" ? await ours(Number(tools)) : theirs(Number(tools));
const server = createServer(listener);
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
