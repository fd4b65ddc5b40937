/**
 * The coffee machine as a Streamable HTTP server for MCP Inspector, an Alexa+ add-on or any other client, of the
 * 2025 protocols and of 2026-07-28. Run it: `npx tsx examples/server.ts`
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
// In your project: from "boardwalk".
import { registerFsmMcpBridge } from "../src/index.js";
import { createCoffeeBridge } from "./coffee-machine.js";

/** Listens on this machine only. @returns the server and its MCP endpoint. */
export async function startServer(port: number): Promise<{ server: Server; url: string }> {
  const bridge = createCoffeeBridge();
  // A server for every request; the machine behind them is one.
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "coffee-shop", version: "0.1.0" });
    registerFsmMcpBridge(server, bridge);
    return server;
  });
  const answer = toNodeHandler(handler);
  // A web page elsewhere must not reach this server through its visitor's browser.
  const allowed = [localhostHostValidation(), localhostOriginValidation()];

  const server = createServer((request, response) => {
    if (!allowed.every((isAllowed) => isAllowed(request, response))) return;
    if (new URL(request.url ?? "/", "http://localhost").pathname !== "/mcp") {
      response.writeHead(404).end();
      return;
    }
    void answer(request as NodeIncomingMessageLike, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  server.on("close", () => void handler.close());
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { url } = await startServer(Number(process.env.PORT ?? 3100));
  console.log(`MCP endpoint: ${url}`);
}
