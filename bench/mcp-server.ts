/**
 * A server for `mcp.ts` to measure, as a process of its own: `mcp-server.ts service|bare|raw TOOLS [MODEL]`. Prints its port
 * and a token for it, and then, for each line that it reads, how much memory is in use.
 * `service` is Boardwalk's web half as it is run: token looked up and answer taken from what Redis keeps.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { createApp } from "../src/app.js";
import { parseConfig } from "../src/config.js";
import { issueToken } from "../src/http/auth.js";
import type { StatusGraph } from "../src/machine/index.js";
import { newActor } from "../src/tickets/actor.js";

const CORE_TOOLS = 6;

/** One workflow with as many destinations as make up `tools` tools together with the core. */
function graphOf(tools: number): StatusGraph {
  const statuses = Array.from({ length: Math.max(tools - CORE_TOOLS, 1) }, (_, order) => ({
    id: String(order),
    name: `Status number ${order}`,
    category: "doing" as const,
    order,
    aliases: [],
  }));
  const moves = statuses.map(({ id }) => ({ id, from: "*", to: id }));
  return { id: "jira.bench.1.1", name: "Web", statuses, moves, edges: "implied" };
}

interface Served {
  readonly port: number;
  readonly token: string;
}

async function service(tools: number): Promise<Served> {
  const app = await createApp(
    parseConfig({
      PORT: "0",
      REDIS_URL: process.env.REDIS_URL ?? "",
      LOG_LEVEL: "error",
      // Counted as ever, and out of reach.
      BOARDWALK_TENANT_CALLS_PER_MINUTE: "10000000",
      BOARDWALK_ROLE: "web",
      BOARDWALK_ADMIN_TOKEN: "a-token-for-the-bench",
      BOARDWALK_ENCRYPTION_KEYS: `bench:${Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString("base64")}`,
    }),
  );
  const id = `mcp-bench-${tools}`;
  const tenant = app.store.tenant(id);
  const at = new Date().toISOString();
  const kept = await tenant.getDocument("workflow", "jira.bench.1.1");
  if (kept === undefined) {
    const graph = graphOf(tools);
    const value = { graph, connection: "eng", revision: 1, hooks: {} };
    await tenant.saveDocument("workflow", graph.id, { version: 0, value });
    // Every destination its own tool, however many there are.
    await tenant.saveDocument("setting", "mcp", { version: 0, value: { maxTools: 1_000 } });
    await tenant.saveActors(
      Array.from({ length: 50 }, (_, i) =>
        newActor(
          {
            id: `jira.bench.${i}`,
            key: `WEB-${i}`,
            title: `Fix page number ${i}`,
            workflow: graph.id,
            status: "0",
            updatedAt: at,
          },
          "eng",
        ),
      ),
    );
  }
  const { token } = await issueToken(tenant, { name: "bench", scopes: ["mcp:tools"] }, new Date());
  return { port: Number(new URL(app.url ?? "").port), token };
}

/** The SDK as its documentation begins: no token, no Express, one trivial tool (or as many as asked for). */
async function bare(tools: number): Promise<Served> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "bare", version: "1.0.0" });
    server.registerTool(
      "read_ticket",
      { description: "Reads a ticket.", inputSchema: z.object({ ticket: z.string() }) },
      ({ ticket }) => ({ content: [{ type: "text", text: `${ticket} is in Status number 0.` }] }),
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
  const server = createServer((req, res) => void listener(req as Parameters<typeof listener>[0], res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, token: "none-is-asked-for" };
}

interface Model extends Served {
  readonly headers: readonly string[];
  readonly body: string;
}

/** `node:http` and nothing else, sending the bytes that another server answers to this request. */
async function raw({ port, token, headers, body }: Model): Promise<Served> {
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: {
      ...Object.fromEntries(headers.map((line) => line.split(": ", 2))),
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body,
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const server = createServer((_req, res) => {
    res.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    res.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, token };
}

/** Answers each line with the bytes that are in use once there is no garbage. */
function tellHeap(): void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  createInterface({ input: process.stdin }).on("line", async () => {
    for (let round = 0; round < 5; round++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { heapUsed, external } = process.memoryUsage();
    process.stdout.write(`${heapUsed + external}\n`);
  });
}

async function serve(kind: string, tools: number, model: string): Promise<Served> {
  if (kind === "bare") return await bare(tools);
  return kind === "raw" ? await raw(JSON.parse(model) as Model) : await service(tools);
}

const [kind = "service", tools = "1", model = ""] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(await serve(kind, Number(tools), model))}\n`);
tellHeap();
