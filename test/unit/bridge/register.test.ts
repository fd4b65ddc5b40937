import { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client as V1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as V1Transport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as V1Server } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpServer as V2Server, InMemoryTransport as V2Transport } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  createFsmMcpBridge,
  type FsmConfig,
  type FsmMcpOptions,
  type McpServerLike,
  registerFsmMcpBridge,
} from "../../../src/index.js";

const coffee: FsmConfig<{ drink?: string }> = {
  id: "coffee",
  initial: "idle",
  context: {},
  states: {
    idle: {
      on: { ORDER: { target: "ordering", actions: (_, event) => ({ drink: event.drink as string }) } },
    },
    ordering: { on: { CONFIRM: "done" } },
    done: { final: true },
  },
};

interface Talk {
  listTools(): Promise<{
    tools: { name: string; title?: string | undefined; annotations?: object | undefined }[];
  }>;
  listResources(): Promise<{ resources: { uri: string; name: string }[] }>;
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  read(uri: string): Promise<Record<string, unknown>>;
  subscribe(uri: string): Promise<unknown>;
  unsubscribe(uri: string): Promise<unknown>;
  /** URIs of the updates heard so far. */
  updated(): string[];
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const info = { name: "test", version: "1.0.0" };

/** Either official server, spoken to by either official client. */
const stacks = {
  "sdk 1.x server and client": async (fill: (server: McpServerLike) => void): Promise<Talk> => {
    const server = new V1Server(info);
    fill(server);
    const [near, far] = V1Transport.createLinkedPair();
    const client = new V1Client(info);
    const updates: string[] = [];
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updates.push(params.uri),
    );
    await Promise.all([server.connect(far), client.connect(near)]);
    closers.push(() => client.close());
    return talk(client as unknown as AnyClient, updates);
  },
  "server and client 2.x": async (fill: (server: McpServerLike) => void): Promise<Talk> => {
    const server = new V2Server(info);
    fill(server);
    const [near, far] = V2Transport.createLinkedPair();
    const client = new ModernClient(info);
    const updates: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void updates.push(params.uri),
    );
    await Promise.all([server.connect(far), client.connect(near)]);
    closers.push(() => client.close());
    return talk(client as unknown as AnyClient, updates);
  },
  "sdk 1.x client on server 2.x": async (fill: (server: McpServerLike) => void): Promise<Talk> => {
    const server = new V2Server(info);
    fill(server);
    const [near, far] = V2Transport.createLinkedPair();
    const client = new V1Client(info);
    const updates: string[] = [];
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updates.push(params.uri),
    );
    await Promise.all([server.connect(far), client.connect(near as never)]);
    closers.push(() => client.close());
    return talk(client as unknown as AnyClient, updates);
  },
};

interface AnyClient extends Pick<Talk, "listTools" | "listResources"> {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Record<string, unknown>>;
  readResource(params: { uri: string }): Promise<Record<string, unknown>>;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  unsubscribeResource(params: { uri: string }): Promise<unknown>;
}

function talk(client: AnyClient, updates: string[]): Talk {
  return {
    listTools: () => client.listTools(),
    listResources: () => client.listResources(),
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    read: (uri) => client.readResource({ uri }),
    subscribe: (uri) => client.subscribeResource({ uri }),
    unsubscribe: (uri) => client.unsubscribeResource({ uri }),
    updated: () => updates,
  };
}

describe.each(Object.entries(stacks))("registerFsmMcpBridge, %s", (_, connect) => {
  const start = (options: FsmMcpOptions<{ drink?: string }> = {}) =>
    connect((server) =>
      registerFsmMcpBridge(
        server,
        createFsmMcpBridge(coffee, {
          eventSchemas: { ORDER: z.object({ drink: z.string().transform((drink) => `one ${drink}`) }) },
          ...options,
        }),
      ),
    );

  it("lists tools with titles and annotations, and the state resource", async () => {
    const client = await start();
    const { tools } = await client.listTools();
    expect(tools.map(({ name, title }) => [name, title])).toEqual([
      ["coffee_order", "Order"],
      ["coffee_confirm", "Confirm"],
    ]);
    expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect((await client.listResources()).resources).toMatchObject([
      { uri: "fsm://state", name: "fsm_state" },
    ]);
  });

  it("carries calls and refusals in both forms, running a schema's transforms once", async () => {
    const client = await start();
    expect(await client.call("coffee_confirm")).toMatchObject({
      content: [{ type: "text", text: '"CONFIRM" isn\'t available from "idle". Try: ORDER.' }],
      structuredContent: {
        code: "no_such_move",
        state: "idle",
        allowed: [{ tool: "coffee_order", event: "ORDER" }],
      },
    });
    expect(await client.call("coffee_order", { drink: "latte" })).toMatchObject({
      structuredContent: { ok: true, state: "ordering" },
    });
    const { contents } = (await client.read("fsm://state")) as { contents: { text: string }[] };
    expect(JSON.parse(contents[0]?.text ?? "")).toMatchObject({ context: { drink: "one latte" } });
  });

  it("never leaks an error's text (V14)", async () => {
    const client = await start({
      getSessionId: () => {
        throw new Error("secret db at 10.0.0.1");
      },
    });
    expect(await client.call("coffee_confirm")).toMatchObject({
      isError: true,
      structuredContent: { code: "internal" },
    });
    const failure = await client.read("fsm://state").catch((error: Error) => error.message);
    expect(failure).toEqual(expect.stringContaining("Something went wrong"));
    expect(failure).not.toContain("10.0.0.1");
  });

  it("takes two machines on one server, each with a resource of its own (V10)", async () => {
    const client = await connect((server) => {
      registerFsmMcpBridge(server, createFsmMcpBridge(coffee));
      registerFsmMcpBridge(server, createFsmMcpBridge({ ...coffee, id: "tea" }));
      registerFsmMcpBridge(server, createFsmMcpBridge({ initial: "a", states: { a: { on: { GO: "a" } } } }));
    });
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toEqual(["fsm://state", "fsm://state/tea", "fsm://state/fsm-1"]);
    await client.call("tea_order", { drink: "green" });
    const { contents } = (await client.read("fsm://state/tea")) as {
      contents: { uri: string; text: string }[];
    };
    expect(contents[0]?.uri).toBe("fsm://state/tea");
    expect(JSON.parse(contents[0]?.text ?? "")).toMatchObject({ value: "ordering" });
    expect(await client.read("fsm://state")).toMatchObject({
      contents: [{ text: expect.stringContaining('"idle"') }],
    });
  });

  it("refuses a second machine with the same tool names, naming both, and registers nothing of it", async () => {
    const client = await connect((server) => {
      registerFsmMcpBridge(server, createFsmMcpBridge(coffee));
      const twin = { ...coffee, states: { ...coffee.states, extra: { on: { EXTRA: "idle" } } } };
      expect(() => registerFsmMcpBridge(server, createFsmMcpBridge(twin))).toThrowError(
        expect.objectContaining({
          code: "invalid",
          message: expect.stringMatching(/coffee and coffee.*"coffee_order"/),
        }),
      );
    });
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  it("tells a subscriber when its own session's machine moved, and nobody else (V15)", async () => {
    let caller = "alice";
    const bridge = createFsmMcpBridge(coffee, { getSessionId: (ctx) => String(ctx?.who) });
    const client = await connect((server) =>
      registerFsmMcpBridge(server, bridge, { toCallContext: () => ({ who: caller }), subscriptions: true }),
    );
    await client.subscribe("fsm://state");
    await bridge.tools[0]?.handler({}, { who: "bob" });
    await client.call("coffee_confirm");
    await client.call("coffee_order", { drink: "latte" });
    await vi.waitUntil(() => client.updated().length > 0);
    expect(client.updated()).toEqual(["fsm://state"]);
    caller = "bob";
    await client.call("coffee_confirm");
    await client.unsubscribe("fsm://state");
    caller = "alice";
    await client.call("coffee_confirm");
    await client.listTools();
    expect(client.updated()).toEqual(["fsm://state"]);
    await expect(client.subscribe("fsm://other")).rejects.toMatchObject({ code: -32602 });
  });

  it("tells sessions apart by what toCallContext makes of the request", async () => {
    let caller = "alice";
    const bridge = createFsmMcpBridge(coffee, { getSessionId: (ctx) => String(ctx?.who) });
    const client = await connect((server) =>
      registerFsmMcpBridge(server, bridge, { toCallContext: () => ({ who: caller }) }),
    );
    await client.call("coffee_order", { drink: "latte" });
    caller = "bob";
    expect(await client.call("coffee_confirm")).toMatchObject({ structuredContent: { state: "idle" } });
    expect(bridge.getSnapshot({ who: "alice" }).value).toBe("ordering");
  });
});

describe("registerFsmMcpBridge, without being told how", () => {
  it("hands getSessionId the session id and authorization of either SDK's request data", async () => {
    const seen: unknown[] = [];
    const bridge = createFsmMcpBridge(coffee, {
      getSessionId: (ctx) => {
        seen.push(ctx);
        return "s";
      },
    });
    type Handler = (args: object, extra: unknown) => Promise<unknown>;
    const handlers: Handler[] = [];
    registerFsmMcpBridge(
      {
        registerTool: (_name: string, _config: unknown, handler: Handler) => handlers.push(handler),
        registerResource: () => 0,
      },
      bridge,
    );
    await handlers[0]?.({}, { sessionId: "s1", authInfo: { clientId: "c" }, signal: "…" });
    await handlers[0]?.({}, { sessionId: "s2", http: { authInfo: { clientId: "d" } }, mcpReq: {} });
    await handlers[0]?.({}, { requestInfo: { headers: { "mcp-session-id": "s3" } } });
    await handlers[0]?.(
      {},
      { http: { req: new Request("http://x", { headers: { "mcp-session-id": "s4" } }) }, mcpReq: {} },
    );
    await handlers[0]?.(
      {},
      {
        http: { req: new Request("http://x", { headers: { "mcp-session-id": "s5" } }) },
        mcpReq: { envelope: {} },
      },
    );
    await handlers[0]?.({}, undefined);
    expect(seen).toEqual([
      { sessionId: "s1", authInfo: { clientId: "c" } },
      { sessionId: "s2", authInfo: { clientId: "d" } },
      { sessionId: "s3" },
      { sessionId: "s4" },
      {},
      undefined,
    ]);
  });
});
