import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type McpFixture, startMcp, WEB } from "../support/mcp.js";
import { until } from "../support/until.js";

/** To Do leads to In Progress only, and nothing leads out of Done. */
const NARROW = {
  ...WEB,
  moves: [
    { id: "a", from: "1", to: "2" },
    { id: "b", from: "2", to: "3" },
    { id: "c", from: "3", to: "4" },
    { id: "d", from: "2", to: "1" },
  ],
};

let fixture: McpFixture;
let client: Client;
let changes: number;

beforeEach(async () => {
  fixture = await startMcp();
  await fixture.store
    .tenant("acme")
    .saveDocument("setting", "mcp", { version: 0, value: { gating: "hide" } });
  fixture.tickets.setGraphs("acme", NARROW);
  changes = 0;
  client = await connect();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes += 1;
  });
});

afterEach(async () => {
  await client.close();
  await fixture.close();
});

async function connect(): Promise<Client> {
  const made = new Client({ name: "hide-test", version: "1.0.0" });
  const requestInit = { headers: { authorization: "Bearer acme:ann" } };
  const transport = new StreamableHTTPClientTransport(new URL(fixture.url()), { requestInit });
  await made.connect(transport as Parameters<Client["connect"]>[0]);
  return made;
}

const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
const moves = async (of = client) =>
  (await of.listTools()).tools.map(({ name }) => name).filter((name) => name.includes("_move_to_"));

describe("a session whose list follows the talk", () => {
  it("is shown all moves, then those of the ticket it talks of, then all again", async () => {
    const all = await moves();
    expect(all).toHaveLength(4);
    await call("read_ticket", { ticket: "login" });
    await until(() => changes === 1);
    expect(await moves()).toEqual(["web_move_to_in_progress"]);
    await call("web_move_to_in_progress", { ticket: "login" });
    await until(() => changes === 2);
    expect(await moves()).toEqual(["web_move_to_to_do", "web_move_to_in_review"]);
    await call("find_tickets", {});
    await until(() => changes === 3);
    expect(await moves()).toEqual(all);
  });

  it("may say which ticket it is about, and hears of it whoever moves that ticket", async () => {
    const tools = (await client.listTools()).tools.map(({ name }) => name);
    expect(tools).toContain("focus_ticket");
    await call("focus_ticket", { ticket: "login" });
    await until(() => changes === 1);
    expect(await moves()).toEqual(["web_move_to_in_progress"]);
    const moved = { id: "jira.x.10", connection: "eng", workflow: WEB.id, status: "2" };
    await fixture.mcp.ticketsChanged("acme", [moved, { ...moved, id: "jira.x.11", status: "4" }]);
    await until(() => changes === 2);
    expect(await moves()).toEqual(["web_move_to_to_do", "web_move_to_in_review"]);
    // The same news once more is none, and another tenant's is not ours.
    await fixture.mcp.ticketsChanged("acme", [moved]);
    await fixture.mcp.ticketsChanged("globex", [{ ...moved, status: "3" }]);
    await call("find_tickets", {});
    await until(() => changes === 3);
    expect(changes).toBe(3);
  });

  it("hears of no change when there is none", async () => {
    await call("read_ticket", { ticket: "login" });
    await call("list_moves", { ticket: "login" });
    await call("find_tickets", {});
    await until(() => changes === 2);
    expect(changes).toBe(2);
  });

  it("shows another session of the same person nothing of it", async () => {
    const other = await connect();
    await call("read_ticket", { ticket: "login" });
    expect(await moves(other)).toHaveLength(4);
    await other.close();
  });

  it("may still call what is hidden, and is told why not", async () => {
    await call("read_ticket", { ticket: "login" });
    const result = await call("web_move_to_done", { ticket: "login" });
    expect(result.structuredContent).toMatchObject({
      outcome: expect.any(String),
      spoken: expect.any(String),
    });
  });
});
