import { Client as ModernClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as V1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as V1Transport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as V1Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as V1McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import {
  createMcpHandler,
  McpServer as V2McpServer,
  Server as V2Server,
  InMemoryTransport as V2Transport,
} from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  bindState,
  createStateGate,
  type FsmConfig,
  type GateServerLike,
  type GateTool,
  registerStateGate,
  type StateGateOptions,
} from "../../../src/index.js";

const invoice: FsmConfig = {
  id: "invoice",
  initial: "draft",
  states: {
    draft: { on: { SUBMIT: "review" } },
    review: { on: { APPROVE: "approved" } },
    approved: { type: "final" },
  },
};

const tool = (name: string): GateTool => ({
  name,
  description: `Does ${name}.`,
  handler: () => ({ content: [{ type: "text", text: `${name} done` }] }),
});

const gateOf = (options: StateGateOptions<object> = {}, machine = invoice) =>
  createStateGate(machine, {
    tools: [
      bindState(tool(`${machine.id}.submit`), "draft", "SUBMIT"),
      bindState(tool(`${machine.id}.approve`), "review", "APPROVE"),
    ],
    ...options,
  });

interface Talk {
  names(): Promise<string[]>;
  call(name: string, args?: object): Promise<Record<string, unknown>>;
  read(uri: string): Promise<Record<string, unknown>>;
  capabilities(): unknown;
  /** Times `list_changed` was heard. */
  readonly heard: () => number;
  close(): Promise<void>;
}

const info = { name: "test", version: "1.0.0" };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: object }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  getServerCapabilities(): unknown;
  close(): Promise<void>;
}

function talk(client: AnyClient, heard: () => number): Talk {
  closers.push(() => client.close());
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args })) as Record<string, unknown>,
    read: async (uri) => (await client.readResource({ uri })) as Record<string, unknown>,
    capabilities: () => client.getServerCapabilities(),
    heard,
    close: () => client.close(),
  };
}

type Serve = (fill: (server: GateServerLike) => void) => Promise<Talk>;

const viaV1 =
  (make: () => V1Server | V1McpServer): Serve =>
  async (fill) => {
    const server = make();
    fill(server);
    const [near, far] = V1Transport.createLinkedPair();
    const client = new V1Client(info);
    const heard = vi.fn();
    client.setNotificationHandler(ToolListChangedNotificationSchema, heard);
    await Promise.all([server.connect(far), client.connect(near)]);
    return talk(client as unknown as AnyClient, () => heard.mock.calls.length);
  };

const viaV2 =
  (make: () => V2Server | V2McpServer): Serve =>
  async (fill) => {
    const server = make();
    fill(server);
    const [near, far] = V2Transport.createLinkedPair();
    const client = new ModernClient(info);
    const heard = vi.fn();
    client.setNotificationHandler("notifications/tools/list_changed", heard);
    await Promise.all([server.connect(far), client.connect(near)]);
    return talk(client as unknown as AnyClient, () => heard.mock.calls.length);
  };

const servers: Record<string, Serve> = {
  "sdk 1.x McpServer": viaV1(() => new V1McpServer(info)),
  "sdk 1.x Server": viaV1(() => new V1Server(info, { capabilities: {} })),
  "server 2.x McpServer": viaV2(() => new V2McpServer(info)),
  "server 2.x Server": viaV2(() => new V2Server(info, { capabilities: {} })),
};

describe.each(Object.entries(servers))("registerStateGate, %s", (kind, serve) => {
  it("declares listChanged, lists by state, and tells the client when the list changed (F12)", async () => {
    const client = await serve((server) => registerStateGate(server, gateOf()));
    expect(client.capabilities()).toMatchObject({ tools: { listChanged: true } });
    expect(await client.names()).toEqual(["invoice_submit"]);
    expect(await client.call("invoice_submit")).toMatchObject({ content: [{ text: "invoice.submit done" }] });
    await vi.waitUntil(() => client.heard() === 1);
    expect(await client.names()).toEqual(["invoice_approve"]);
  });

  it("refuses a guessed name with FORBIDDEN and what is allowed, and says nothing changed", async () => {
    const client = await serve((server) => registerStateGate(server, gateOf()));
    expect(await client.call("invoice_approve")).toMatchObject({
      isError: true,
      content: [
        { text: 'FORBIDDEN: "invoice_approve" is not available in "draft". Allowed now: invoice_submit.' },
      ],
      structuredContent: {
        code: "FORBIDDEN",
        state: "draft",
        allowed: [{ tool: "invoice_submit", event: "SUBMIT" }],
      },
    });
    await client.names();
    expect(client.heard()).toBe(0);
  });

  it("answers an unknown tool with a JSON-RPC error", async () => {
    const client = await serve((server) => registerStateGate(server, gateOf()));
    await expect(client.call("invoice")).rejects.toMatchObject({ code: -32602 });
  });

  it("keeps several gates on one server apart", async () => {
    const client = await serve((server) =>
      registerStateGate(server, [gateOf(), gateOf({}, { ...invoice, id: "order" })]),
    );
    expect(await client.names()).toEqual(["invoice_submit", "order_submit"]);
    await client.call("order_submit");
    expect(await client.names()).toEqual(["invoice_submit", "order_approve"]);
    if (!kind.includes("Mcp")) return;
    expect(await client.read("fsm://state/order")).toMatchObject({
      contents: [{ text: expect.stringContaining('"review"') }],
    });
  });

  it("lists every tool whatever the state when told to keep lists static", async () => {
    const client = await serve((server) => registerStateGate(server, gateOf(), { lists: "static" }));
    await client.call("invoice_submit");
    expect(await client.names()).toEqual(["invoice_submit", "invoice_approve"]);
    expect(client.heard()).toBe(0);
  });

  it("survives a client that is gone before it can be notified (F10)", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const onError = vi.fn();
    let gone: (() => Promise<void>) | undefined;
    const gate = createStateGate(invoice, {
      tools: [
        bindState(
          {
            ...tool("submit"),
            handler: async () => {
              await gone?.();
              return { content: [] };
            },
          },
          "draft",
          "SUBMIT",
        ),
      ],
    });
    const client = await serve((server) => registerStateGate(server, gate, { onError }));
    gone = client.close;
    await client.call("submit").catch(() => undefined);
    await vi.waitUntil(async () => (await gate.getSnapshot()).value === "review");
    await vi.waitUntil(() => onError.mock.calls.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("registerStateGate", () => {
  it("refuses two gates with a tool of the same name, naming both", () => {
    const server = new V2McpServer(info);
    expect(() => registerStateGate(server, [gateOf(), gateOf()])).toThrowError(
      expect.objectContaining({
        code: "invalid",
        message: expect.stringMatching(/invoice and invoice.*"invoice_submit"/),
      }),
    );
  });

  it("serves many clients, each with a server and a session of its own (F9)", async () => {
    const gate = gateOf();
    const serve = servers["sdk 1.x McpServer"] as Serve;
    const clients = await Promise.all(
      ["a", "b", "c"].map((sessionId) =>
        serve((server) => registerStateGate(server, gate, { toCallContext: () => ({ sessionId }) })),
      ),
    );
    await clients[0]?.call("invoice_submit");
    expect(await Promise.all(clients.map((client) => client.names()))).toEqual([
      ["invoice_approve"],
      ["invoice_submit"],
      ["invoice_submit"],
    ]);
    expect(clients[1]?.heard()).toBe(0);
  });

  describe("in the 2026-07-28 protocol", () => {
    /** The official client and handler, without a socket between them. */
    async function connect(options: StateGateOptions<object>) {
      const gate = gateOf(options);
      const handler = createMcpHandler(() => {
        const server = new V2McpServer(info);
        registerStateGate(server, gate);
        return server;
      });
      closers.push(() => handler.close());
      const client = new ModernClient(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
      const answers: Record<string, unknown>[] = [];
      const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
        fetch: async (url, init) => {
          const response = await handler.fetch(new Request(url, init));
          const copy = await response.clone().text();
          const data = copy.match(/^data: (.*)$/m)?.[1] ?? copy;
          if (data) answers.push(JSON.parse(data));
          return response;
        },
      });
      await client.connect(transport);
      closers.push(() => client.close());
      return { client, answers, gate };
    }

    it("lists do not vary with the state, and are not fresh for longer than now (F12)", async () => {
      const { client, answers } = await connect({ stateHandleKey: "workflow" });
      const before = (await client.listTools()).tools;
      const { structuredContent } = await client.callTool({ name: "invoice_start", arguments: {} });
      const { workflow } = structuredContent as { workflow: string };
      await client.callTool({ name: "invoice_submit", arguments: { workflow } });
      const after = (await client.listTools()).tools;
      expect(after).toEqual(before);
      expect(before.map(({ name }) => name)).toEqual(["invoice_start", "invoice_submit", "invoice_approve"]);
      expect(before[2]?.description).toBe("Does invoice.approve. Available in: review.");
      const listed = answers
        .map((answer) => answer.result as Record<string, unknown>)
        .filter((result) => result?.tools);
      for (const result of listed) expect(result).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    });

    it("the handle and the call path carry the gate: two workflows of one client stay apart", async () => {
      const { client } = await connect({ stateHandleKey: "workflow" });
      const start = async () => {
        const { structuredContent } = await client.callTool({ name: "invoice_start", arguments: {} });
        return (structuredContent as { workflow: string }).workflow;
      };
      const [a, b] = [await start(), await start()];
      const call = (name: string, workflow: string) => client.callTool({ name, arguments: { workflow } });
      const submitted = await call("invoice_submit", a);
      expect(submitted.isError).toBeFalsy();
      // The list cannot say it, so the reply does.
      expect(submitted.content).toMatchObject([
        { text: "invoice.submit done" },
        { text: "Allowed now: invoice_approve." },
      ]);
      expect(await call("invoice_approve", b)).toMatchObject({
        isError: true,
        structuredContent: { code: "FORBIDDEN", allowed: [{ tool: "invoice_submit", event: "SUBMIT" }] },
      });
      expect((await call("invoice_approve", a)).isError).toBeFalsy();
      expect(await call("invoice_approve", "made-up")).toMatchObject({
        isError: true,
        structuredContent: { code: "handle_unknown", allowed: [{ tool: "invoice_start" }] },
      });
    });
  });
});
