import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedisStore } from "../../src/store/redis.js";
import type { Loss } from "../../src/store/store.js";
import { createViews } from "../../src/tickets/view.js";
import { createWorkflows } from "../../src/tickets/workflows.js";
import { actor } from "../contract/store.contract.js";
import { type QuietLink, startQuietLink } from "../support/quiet-link.js";
import { startRedis } from "../support/redis.js";
import { BOARDS, LOGIN } from "../support/sync-boards.js";
import {
  ADMIN_TOKEN,
  type Listener,
  listenLegacy,
  listenModern,
  type SyncWorld,
  startSyncWorld,
} from "../support/sync-world.js";
import { until } from "../support/until.js";

/** Two replicas, the second of which loses Redis for a while, in which the first has news. */

let world: SyncWorld;
let link: QuietLink;
let board: Awaited<ReturnType<(typeof BOARDS)[number][1]>>;
/** At the second replica, of both eras. */
let listeners: readonly Listener[];
let token: string;
const losses: Loss[] = [];

beforeAll(async () => {
  const [, startBoard] = BOARDS[0] ?? [];
  if (startBoard === undefined) throw new Error("there is no board");
  board = await startBoard();
  world = await startSyncWorld(board, {
    async redisFor(replica, redis) {
      if (replica === 0) return redis.url;
      link = await startQuietLink(redis.port);
      return `redis://127.0.0.1:${link.port}`;
    },
  });
  world.apps[1]?.store.returned((loss) => losses.push(loss));
  token = await world.token();
  const mcpUrl = `${world.url(1)}/mcp`;
  listeners = [await listenLegacy(mcpUrl, token), await listenModern(mcpUrl, token)];
  for (const listener of listeners) await listener.tools();
}, 60_000);
afterAll(async () => {
  await Promise.all((listeners ?? []).map((listener) => listener.close()));
  await world?.close();
  await link?.close();
});

/** The second replica loses Redis, hears nothing of what happens, and is back. */
async function without(happens: () => Promise<unknown>): Promise<void> {
  losses.length = 0;
  link.cut();
  await happens();
  link.mend();
  await until(() => losses.includes("unheard"));
}

const heard = () => listeners.map((listener) => listener.heard);
const shows = async (end: string) => {
  for (const listener of listeners)
    expect((await listener.tools()).some((name) => name.endsWith(end))).toBe(true);
};

describe("a replica that had lost Redis", () => {
  it("tells its clients of a column that was renamed meanwhile", async () => {
    const before = heard();
    await without(async () => {
      board.rename("In Review", "Peer check");
      await world.sync(0);
    });
    await until(() => heard().every((count, i) => count > (before[i] ?? 0)));
    await shows("_move_to_peer_check");
  });

  it("tells them of a setting that shows other tools", async () => {
    const before = heard();
    const tools = { value: { tools: "compact" } };
    await without(() => world.api(0, "PUT", "/tenants/acme/settings/mcp", tools.value));
    await until(() => heard().every((count, i) => count > (before[i] ?? 0)));
    await shows("move_ticket");
    await world.api(0, "PUT", "/tenants/acme/settings/mcp", {});
    await until(() => heard().every((count, i) => count > (before[i] ?? 0) + 1));
    await shows("_move_to_peer_check");
  });

  it("tells them nothing of their lists when those are as they were", async () => {
    const before = heard();
    await without(async () => {
      board.move(LOGIN, "Peer check");
      await world.sync(0);
      await world.api(0, "PUT", "/tenants/acme/settings/speech", { confirm: "closing" });
    });
    // The next true news is then the only one.
    board.rename("Peer check", "Second look");
    await world.sync(0);
    await until(() => heard().every((count, i) => count > (before[i] ?? 0)));
    await shows("_move_to_second_look");
    expect(heard()).toEqual(before.map((count) => count + 1));
  });

  it("tells who subscribed to a ticket to look again", async () => {
    const [login] = (await world.actors()).filter(({ ticket }) => ticket.title === LOGIN);
    const uri = `ticket://web/${login?.ticket.id}`;
    const client = new Client({ name: "subscriber", version: "1.0.0" });
    const updated: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updated.push(params.uri);
    });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const transport = new StreamableHTTPClientTransport(new URL(`${world.url(1)}/mcp`), { requestInit });
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    await client.subscribeResource({ uri });
    await without(async () => {
      board.move(LOGIN, "In Progress");
      await world.sync(0);
    });
    await until(() => updated.includes(uri));
    await client.close();
  });

  it("shows a ticket where it is by then", async () => {
    await without(async () => {
      board.move(LOGIN, "Second look");
      await world.sync(0);
    });
    for (const listener of listeners) {
      const { facts } = await listener.call("read_ticket", { ticket: LOGIN });
      expect(facts).toMatchObject({ ticket: { status: { name: "Second look" } } });
    }
  });

  it("tells a session whose list follows its ticket where that is by then", async () => {
    const [listener] = listeners;
    await world.api(0, "PUT", "/tenants/acme/settings/mcp", { gating: "hide" });
    await until(async () => (await listener?.tools())?.includes("focus_ticket"));
    await listener?.call("read_ticket", { ticket: LOGIN });
    const tools = await listener?.tools();
    const before = listener?.heard ?? 0;
    await without(async () => {
      board.move(LOGIN, "In Progress");
      await world.sync(0);
    });
    await until(() => (listener?.heard ?? 0) > before);
    expect(await listener?.tools()).not.toEqual(tools);
  });

  it("knows no session any more that ended elsewhere meanwhile", async () => {
    const listener = await listenLegacy(`${world.url(1)}/mcp`, token);
    const asked = (replica: number, method: string, body?: object) =>
      fetch(`${world.url(replica)}/mcp`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-11-25",
          "mcp-session-id": listener.sessionId ?? "",
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect((await asked(1, "POST", ping)).status).toBe(200);
    await without(async () => expect((await asked(0, "DELETE")).status).toBe(200));
    await until(async () => (await asked(1, "POST", ping)).status === 404);
    await listener.close();
  });

  it("tells the page that it may have missed something", async () => {
    const ending = new AbortController();
    const response = await fetch(`${world.url(1)}/api/v1/tenants/acme/live`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      signal: ending.signal,
    });
    let text = "";
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => {});
    const ready = () => text.match(/event: ready/g)?.length ?? 0;
    await until(() => ready() === 1);
    await without(async () => {});
    await until(() => ready() === 2);
    ending.abort();
    await reading;
  });
});

describe("a Redis that has gone back in time", () => {
  it("is read anew, though its revisions count the same", async () => {
    const redis = await startRedis();
    const store = createRedisStore({ client: redis.url });
    const workflows = createWorkflows();
    const views = createViews(workflows);
    const told: Loss[] = [];
    store.returned((loss) => {
      told.push(loss);
      if (loss === "undone") views.forget();
    });
    const tenant = store.tenant("acme");
    await tenant.saveActor(actor("lost"));
    expect([...(await views.fresh(tenant)).actors.keys()]).toEqual(["lost"]);
    // Without a file of its own it begins empty.
    await redis.restart();
    await until(() => told.includes("undone"));
    await tenant.saveActor(actor("new"));
    expect([...(await views.fresh(tenant)).actors.keys()]).toEqual(["new"]);
    await store.close();
    await redis.stop();
  });
});
