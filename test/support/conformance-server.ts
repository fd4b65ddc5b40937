import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ProtocolError, Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { createMcp, type McpOptions } from "../../src/mcp/mcp.js";
import { createMemoryStore } from "../../src/store/memory.js";
import { FakeTickets } from "./mcp.js";

/**
 * What the official conformance suite expects a server to have, behind our own endpoint and without a token: for tests
 * only. Sampling, elicitation, logging and progress are not offered; see the baseline.
 */

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const text = (said: string) => ({ type: "text", text: said });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const embedded = (uri: string, mimeType: string, said: string) => ({
  type: "resource",
  resource: { uri, mimeType, text: said },
});

const RESULTS: Readonly<Record<string, object>> = {
  test_simple_text: { content: [text("This is a simple text response for testing.")] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  },
  test_multiple_content_types: {
    content: [
      text("Multiple content types test:"),
      image,
      embedded(
        "test://mixed-content-resource",
        "application/json",
        JSON.stringify({ test: "data", value: 123 }),
      ),
    ],
  },
  test_error_handling: {
    isError: true,
    content: [text("This tool intentionally returns an error for testing")],
  },
};

const NO_ARGUMENTS = { type: "object", properties: {} };
const TOOLS = [
  ...Object.keys(RESULTS).map((name) => ({
    name,
    description: `For tests: ${name}`,
    inputSchema: NO_ARGUMENTS,
  })),
  {
    name: "json_schema_2020_12_tool",
    description: "Tool with JSON Schema 2020-12 features",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } },
      },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
      additionalProperties: false,
    },
  },
];

const RESOURCES = ["test://static-text", "test://static-binary", "test://watched-resource"];

function read(uri: string): object {
  if (uri === "test://static-text")
    return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: PNG };
  if (uri === "test://watched-resource") return { uri, mimeType: "text/plain", text: "Watched." };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ProtocolError(-32602, "There is no such resource.", { uri });
  const value = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: "application/json", text: JSON.stringify(value) };
}

const PROMPTS = [
  { name: "test_simple_prompt", description: "Without arguments" },
  {
    name: "test_prompt_with_arguments",
    description: "With two arguments",
    arguments: [
      { name: "arg1", description: "The first", required: true },
      { name: "arg2", description: "The second", required: true },
    ],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "With a resource in it",
    arguments: [{ name: "resourceUri", description: "Which", required: true }],
  },
  { name: "test_prompt_with_image", description: "With an image in it" },
];

function prompt(name: string, args: Readonly<Record<string, string>>): object[] {
  const said = (content: object) => ({ role: "user", content });
  if (name === "test_simple_prompt") return [said(text("This is a simple prompt for testing."))];
  if (name === "test_prompt_with_arguments")
    return [said(text(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`))];
  if (name === "test_prompt_with_embedded_resource")
    return [
      said(embedded(String(args.resourceUri), "text/plain", "Embedded resource content for testing.")),
      said(text("Please process the embedded resource above.")),
    ];
  if (name === "test_prompt_with_image") return [said(image), said(text("Please analyze the image above."))];
  throw new ProtocolError(-32602, "Unknown prompt.");
}

const none = z.looseObject({});
const named = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() });
const withUri = z.looseObject({ uri: z.string() });

const fixture: NonNullable<McpOptions["serverOf"]> = (version, callOf) => {
  const server = new Server(
    { name: "conformance", version },
    {
      supportedProtocolVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
    },
  );
  server.setRequestHandler("tools/list", { params: none }, () => ({ tools: TOOLS }));
  server.setRequestHandler("tools/call", { params: named }, ({ name }) => {
    const found = RESULTS[name];
    if (found === undefined) throw new ProtocolError(-32602, "Unknown tool.");
    return { ...found };
  });
  server.setRequestHandler("resources/list", { params: none }, () => ({
    resources: RESOURCES.map((uri) => ({
      uri,
      name: uri,
      description: `For tests: ${uri}`,
      mimeType: "text/plain",
    })),
  }));
  server.setRequestHandler("resources/templates/list", { params: none }, () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", description: "By id" }],
  }));
  server.setRequestHandler("resources/read", { params: withUri }, ({ uri }) => ({ contents: [read(uri)] }));
  server.setRequestHandler("resources/subscribe", { params: withUri }, ({ uri }, ctx) => {
    callOf(ctx).session?.subscriptions.add(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", { params: withUri }, ({ uri }, ctx) => {
    callOf(ctx).session?.subscriptions.delete(uri);
    return {};
  });
  server.setRequestHandler("prompts/list", { params: none }, () => ({ prompts: PROMPTS }));
  server.setRequestHandler("prompts/get", { params: named }, ({ name, arguments: args }) => ({
    messages: prompt(name, args ?? {}),
  }));
  server.setRequestHandler("completion/complete", { params: none }, () => ({ completion: { values: [] } }));
  return server;
};

export async function startConformanceServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const store = createMemoryStore();
  const mcp = await createMcp({
    tickets: new FakeTickets(),
    allowedHosts: [],
    allowedOrigins: [],
    serverOf: fixture,
  });
  const principal = { tenant: store.tenant("conformance"), speaker: { person: "suite" }, scopes: [] };
  const server: HttpServer = createHttpServer((req, res) => void mcp.handle(req, res, principal));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      await mcp.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
