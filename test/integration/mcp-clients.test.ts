import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Surface } from "../../src/mcp/principal.js";
import { actorOf, type McpFixture, openGraph, startMcp, WEB } from "../support/mcp.js";
import { until } from "../support/until.js";

let fixture: McpFixture;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  fixture = await startMcp();
});

afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
  await fixture.close();
});

const headers = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

async function legacy(token = "acme:ann", surface: Surface = "generated") {
  const client = new LegacyClient({ name: "legacy-test", version: "1.0.0" });
  await client.connect(
    new LegacyTransport(new URL(fixture.url(surface)), headers(token)) as Parameters<
      LegacyClient["connect"]
    >[0],
  );
  open.push(client);
  return client;
}

async function modern(token = "acme:ann", surface: Surface = "generated") {
  const client = new ModernClient(
    { name: "modern-test", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(new ModernTransport(new URL(fixture.url(surface)), headers(token)));
  open.push(client);
  return client;
}

const ERAS = [
  ["2025-11-25", legacy],
  ["2026-07-28", modern],
] as const;

const MOVES = ["web_move_to_to_do", "web_move_to_in_progress", "web_move_to_in_review", "web_move_to_done"];

describe.each(ERAS)("an official client of %s", (era, connect) => {
  it("negotiates that revision", async () => {
    const client = await connect();
    const version =
      client instanceof ModernClient
        ? client.getNegotiatedProtocolVersion()
        : (client.transport as LegacyTransport).protocolVersion;
    expect(version).toBe(era);
  });

  it("lists the core without move_ticket and one tool per destination", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      "find_tickets",
      "read_ticket",
      "list_moves",
      "undo_move",
      "check_progress",
      "describe_board",
      ...MOVES,
    ]);
  });

  it("moves a ticket, and hears what can be spoken beside the facts", async () => {
    const client = await connect();
    await client.listTools();
    const result = await client.callTool({ name: "web_move_to_in_review", arguments: { ticket: "login" } });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({ outcome: "confirmed", to: { id: "3" } });
    expect(result.content).toEqual([{ type: "text", text: "Fix the login page has moved to In Review." }]);
    expect(fixture.tickets.heard.at(-1)?.talk.speaker).toMatchObject({
      person: "ann",
      client: era === "2025-11-25" ? "legacy-test" : "modern-test",
      tool: "web_move_to_in_review",
    });
  });

  it("gets a question as a normal result", async () => {
    const client = await connect();
    await client.listTools();
    const result = await client.callTool({ name: "web_move_to_done", arguments: { ticket: "fix" } });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({ outcome: "question", question: { about: "ticket" } });
  });

  it("gets a refusal as an error result that still matches the schema", async () => {
    const client = await connect();
    await client.listTools();
    const result = await client.callTool({ name: "undo_move", arguments: {} });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ outcome: "refused" });
  });

  it.each([
    ["find_tickets", { query: 5 }],
    ["read_ticket", {}],
    ["list_moves", { ticket: "" }],
    ["describe_board", { bord: "Web" }],
    ["web_move_to_done", { ticket: ["a"] }],
    ["check_progress", { moveId: {} }],
  ])("is told in words what is wrong with the arguments of %s", async (name, args) => {
    const client = await connect();
    await client.listTools();
    const result = await client.callTool({ name, arguments: args });
    expect(result.isError).toBe(true);
    const { spoken, code } = result.structuredContent as { spoken: string; code: string };
    expect(code).toBe("invalid");
    expect(spoken).toMatch(/^[^_{}]+[.]$/);
    expect(fixture.tickets.heard).toEqual([]);
  });

  it("gets a protocol error for an unknown tool", async () => {
    const client = await connect();
    await expect(client.callTool({ name: "no_such_tool", arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("never sees the text of a fault that is not ours", async () => {
    const client = await connect();
    fixture.tickets.fault = new Error("redis://secret@10.0.0.1 is down");
    const result = await client.callTool({ name: "describe_board", arguments: {} });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain("secret");
    expect(result.structuredContent).toMatchObject({ code: "internal", boards: [] });
  });

  it("reads a workflow and a ticket as resources", async () => {
    await fixture.store.tenant("acme").saveActor(actorOf("jira.x.10", "Fix the login page", "4"));
    const client = await connect();
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.uri)).toEqual(["board://eng/workflows/jira.x.1.2"]);
    const workflow = await client.readResource({ uri: resources[0]?.uri ?? "" });
    expect(read(workflow)).toMatchObject({ name: "Web", connection: "eng" });
    expect(read(await client.readResource({ uri: "ticket://eng/jira.x.10" }))).toMatchObject({
      value: "4",
      context: { pr: 7 },
      availableEvents: ["MOVE_TO_1", "MOVE_TO_2", "MOVE_TO_3"],
      done: false,
    });
  });

  it("completes tickets and statuses, and gets the stand-up prompt", async () => {
    const client = await connect();
    const ticket = { type: "ref/resource" as const, uri: "ticket://{connection}/{id}" };
    const byTitle = await client.complete({ ref: ticket, argument: { name: "id", value: "logout" } });
    expect(byTitle.completion.values).toEqual(["jira.x.11"]);
    const prompt = { type: "ref/prompt" as const, name: "standup" };
    const status = await client.complete({ ref: prompt, argument: { name: "status", value: "in" } });
    expect(status.completion.values).toEqual(["In Progress", "In Review"]);
    const standup = await client.getPrompt({ name: "standup", arguments: { board: "Web" } });
    expect(JSON.stringify(standup.messages)).toContain("Fix the login page");
  });

  it("sees nothing of another tenant", async () => {
    fixture.tickets.setGraphs(
      "globex",
      openGraph("linear.y.1", "Ops", [
        { id: "a", name: "Open" },
        { id: "b", name: "Shut" },
      ]),
    );
    await fixture.store.tenant("acme").saveActor(actorOf("jira.x.10", "Fix the login page", "4"));
    const client = await connect("globex:bob");
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).filter((name) => name.includes("move_to"))).toEqual([
      "ops_move_to_open",
      "ops_move_to_shut",
    ]);
    const call = client.callTool({ name: "web_move_to_done", arguments: { ticket: "jira.x.10" } });
    await expect(call).rejects.toMatchObject({ code: -32602 });
    await expect(client.readResource({ uri: "ticket://eng/jira.x.10" })).rejects.toThrow("no such resource");
    const found = await client.callTool({ name: "find_tickets", arguments: { query: "login" } });
    expect(found.structuredContent).toMatchObject({ tickets: [], total: 0 });
  });
});

function read(result: { contents: readonly unknown[] }): unknown {
  return JSON.parse((result.contents[0] as { text: string }).text);
}

const RENAMED = openGraph(WEB.id, "Web", [
  { id: "1", name: "To Do" },
  { id: "3", name: "Peer check" },
]);

describe("list_changed", () => {
  it("reaches the 2025 sessions of that tenant and no others", async () => {
    const heard: string[] = [];
    for (const token of ["acme:ann", "globex:bob"]) {
      const client = await legacy(token);
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push(token));
    }
    const again = await legacy("acme:joe");
    const listed = new Promise<string[]>((resolve) => {
      again.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
        resolve((await again.listTools()).tools.map((tool) => tool.name));
      });
    });
    fixture.tickets.setGraphs("acme", RENAMED);
    fixture.mcp.toolsChanged("acme");
    expect(await listed).toContain("web_move_to_peer_check");
    await until(() => heard.length > 0);
    fixture.mcp.toolsChanged("globex");
    await until(() => heard.length > 1);
    expect(heard).toEqual(["acme:ann", "globex:bob"]);
  });

  it("reaches the 2026 listeners of that tenant and no others", async () => {
    const heard: string[] = [];
    for (const token of ["acme:ann", "globex:bob"]) {
      const client = await modern(token);
      client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push(token));
      await client.listen({ toolsListChanged: true });
    }
    fixture.mcp.toolsChanged("acme");
    await until(() => heard.length > 0);
    fixture.mcp.toolsChanged("globex");
    await until(() => heard.length > 1);
    expect(heard).toEqual(["acme:ann", "globex:bob"]);
  });
});
