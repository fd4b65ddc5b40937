import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { issueToken } from "../../src/http/auth.js";
import { ask as rpc } from "../support/json-rpc.js";
import { BOARDS } from "../support/sync-boards.js";
import { startSyncWorld } from "../support/sync-world.js";
import { until } from "../support/until.js";

/** What a tenant has used up is refused to it, with the time to come back, and to nobody else. */

const ADMIN = randomBytes(24).toString("base64url");
let app: App;
beforeAll(async () => {
  const config = parseConfig({
    PORT: "0",
    LOG_LEVEL: "silent",
    BOARDWALK_ADMIN_TOKEN: ADMIN,
    BOARDWALK_TENANT_CALLS_PER_MINUTE: "1000",
    BOARDWALK_TENANT_SESSIONS: "2",
    BOARDWALK_TENANT_STREAMS: "2",
  });
  app = await createApp(config, { inMemory: true });
});
afterAll(() => app?.close());

let made = 0;
/** A team that nobody has used anything of yet. */
async function newTeam(): Promise<{ readonly id: string; readonly token: string }> {
  made += 1;
  const id = `team-${made}`;
  await app.store.createTenant({ id, name: id, createdAt: new Date().toISOString() });
  return { id, token: (await issueToken(app.store.tenant(id), { name: "Ann" }, new Date())).token };
}

const post = (token: string, body: unknown, headers?: Record<string, string>) =>
  rpc(`${app.url}/mcp`, token, body, headers);
const ping = (id = 1) => ({ jsonrpc: "2.0", id, method: "ping" });
const hello = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

async function limit(id: string, body: object): Promise<Response> {
  return await fetch(`${app.url}/api/v1/tenants/${id}/settings/budgets`, {
    method: "PUT",
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function expectLimited(response: Response, saying: RegExp): Promise<void> {
  expect(response.status).toBe(429);
  const seconds = Number(response.headers.get("retry-after"));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  const { error } = (await response.json()) as { error: { message: string; data: { code: string } } };
  expect(error.message).toMatch(saying);
  expect(error.message).toContain(`in ${seconds} seconds`);
  expect(error.data.code).toBe("rate_limited");
}

describe("calls beyond a team's budget", () => {
  it("are refused with the time to come back, and another team's are not", async () => {
    const [loud, quiet] = [await newTeam(), await newTeam()];
    expect((await limit(loud.id, { callsPerMinute: 30 })).status).toBe(200);
    const replies = await Promise.all(Array.from({ length: 60 }, () => post(loud.token, ping())));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(30);
    for (const reply of replies.filter(({ status }) => status !== 200))
      await expectLimited(reply, /more than 30 things within a minute/);
    expect((await post(quiet.token, ping())).status).toBe(200);
  });

  it("count each request of a batch, and notifications too", async () => {
    const team = await newTeam();
    await limit(team.id, { callsPerMinute: 21 });
    expect(
      (
        await post(
          team.token,
          Array.from({ length: 20 }, (_, id) => ping(id)),
        )
      ).status,
    ).toBe(200);
    const note = { jsonrpc: "2.0", method: "notifications/initialized" };
    expect((await post(team.token, note)).status).toBe(202);
    expect((await post(team.token, note)).status).toBe(429);
  });
});

describe("sessions beyond a team's budget", () => {
  it("are refused while the others are in use, and begin once one has ended", async () => {
    const [team, other] = [await newTeam(), await newTeam()];
    const sessions = [await post(team.token, hello), await post(team.token, hello)] as const;
    const refused = await post(team.token, hello);
    expect(refused.headers.get("mcp-session-id")).toBeNull();
    await expectLimited(refused, /2 sessions open/);
    expect((await post(other.token, hello)).status).toBe(200);
    const headers = { "mcp-session-id": sessions[0].headers.get("mcp-session-id") ?? "" };
    expect((await post(team.token, ping(), headers)).status).toBe(200);
    const ended = await rpc(`${app.url}/mcp`, team.token, undefined, headers, "DELETE");
    expect(ended.status).toBe(200);
    expect((await post(team.token, hello)).status).toBe(200);
  });
});

describe("streams beyond a team's budget", () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const listen = {
    ...{ jsonrpc: "2.0", id: 1, method: "subscriptions/listen" },
    params: { notifications: { toolsListChanged: true }, _meta: meta },
  };
  const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };

  it("are refused in both eras, and open once one was closed", async () => {
    const team = await newTeam();
    const session = await post(team.token, hello);
    const headers = { "mcp-session-id": session.headers.get("mcp-session-id") ?? "" };
    const old = await rpc(`${app.url}/mcp`, team.token, undefined, headers, "GET");
    const young = await post(team.token, listen, modern);
    expect([old.status, young.status]).toEqual([200, 200]);
    await expectLimited(await post(team.token, listen, modern), /2 listening streams open/);
    await young.body?.cancel();
    await until(async () => {
      const again = await post(team.token, listen, modern);
      await again.body?.cancel();
      return again.status === 200;
    });
    await old.body?.cancel();
  });
});

describe("streams of the page", () => {
  const admin = async (path: string, body: object) =>
    await (
      await fetch(`${app.url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      })
    ).json();
  /** Of a person who has signed in at the page. */
  async function signIn(team: string): Promise<string> {
    const { code } = (await admin(`/tenants/${team}/members`, { name: "Bea" })) as { code: string };
    return ((await admin("/session", { code })) as { token: string }).token;
  }
  const live = (team: string, token: string) =>
    fetch(`${app.url}/api/v1/tenants/${team}/live`, { headers: { authorization: `Bearer ${token}` } });

  async function expectRefused(response: Response, saying: RegExp): Promise<void> {
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("30");
    expect(response.headers.get("content-type")).toContain("application/problem+json");
    expect(await response.json()).toMatchObject({
      code: "rate_limited",
      detail: expect.stringMatching(saying),
    });
  }

  it("are among the team's, with those of its clients, and open once one was closed", async () => {
    const team = await newTeam();
    const token = await signIn(team.id);
    const session = await post(team.token, hello);
    const headers = { "mcp-session-id": session.headers.get("mcp-session-id") ?? "" };
    const client = await rpc(`${app.url}/mcp`, team.token, undefined, headers, "GET");
    const page = await live(team.id, token);
    expect([client.status, page.status]).toEqual([200, 200]);
    await expectRefused(
      await live(team.id, token),
      /^Your team has 2 listening streams open, .*in 30 seconds\.$/,
    );
    await page.body?.cancel();
    await until(async () => {
      const again = await live(team.id, token);
      await again.body?.cancel();
      return again.status === 200;
    });
    await client.body?.cancel();
  });

  it("that an operator opens are counted for themselves, and take no team's place", async () => {
    const team = await newTeam();
    const token = await signIn(team.id);
    const operators = [await live(team.id, ADMIN), await live(team.id, ADMIN)];
    const people = [await live(team.id, token), await live(team.id, token)];
    expect([...operators, ...people].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await expectRefused(await live(team.id, ADMIN), /^2 listening streams that are no team's are open/);
    await Promise.all([...operators, ...people].map(({ body }) => body?.cancel()));
  });
});

describe("a team's own limits", () => {
  it("are a setting of its own, and refused when they are none", async () => {
    const { id } = await newTeam();
    expect(await (await limit(id, { streams: 7 })).json()).toMatchObject({ budgets: { streams: 7 } });
    expect((await limit(id, { streams: 0 })).status).toBe(400);
    expect((await limit(id, { stream: 7 })).status).toBe(400);
    expect(await (await limit(id, {})).json()).toMatchObject({ budgets: {} });
  });
});

describe("tickets beyond a team's budget", () => {
  it("are left out, and their connection says so", async () => {
    const [[, start] = []] = BOARDS;
    if (start === undefined) throw new Error("there is no board");
    const board = await start();
    const world = await startSyncWorld(board, { replicas: 1, env: { BOARDWALK_TENANT_TICKETS: "1" } });
    try {
      await world.sync();
      const kept = await world.actors();
      expect(kept).toHaveLength(1);
      const path = "/tenants/acme/connections/web";
      const { health } = (await world.api(0, "GET", path)) as { health: { problems: { code: string }[] } };
      expect(health.problems).toMatchObject([
        { code: "no_room", message: expect.stringContaining("left out") },
      ]);
    } finally {
      await world.close();
      await board.close();
    }
  });
});
