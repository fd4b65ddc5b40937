import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { demoJiraSite, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { demoLinearTeam, startLinearEmulator } from "../../connectors/linear/emulator.js";
import { type App, createApp } from "../../src/app.js";
import type { Gate, JournalEntry } from "../../src/board/emulator.js";
import { parseConfig } from "../../src/config.js";
import type { Store } from "../../src/store/store.js";
import type { Connections } from "../../src/sync/connections.js";
import { createSealer, type SealingKey, sealContext } from "../../src/sync/seal.js";
import { type RedisServer, startRedis } from "../support/redis.js";
import { callApi, serviceEnv } from "../support/sync-world.js";

const never = new AbortController().signal;
const key = (id: string): SealingKey => ({ id, key: randomBytes(32) });
const [OLD, NEW] = [key("k1"), key("k2")];
const CANARY = `canary-${randomBytes(8).toString("hex")}`;

interface Oauth {
  accessToken: string;
  refreshToken: string;
  rotations: number;
  expireAccessToken(): void;
  revoke(): void;
}

interface OauthBoard {
  readonly provider: string;
  readonly settings: Record<string, unknown>;
  readonly credentials: Record<string, unknown>;
  readonly oauth: Oauth;
  readonly journal: readonly JournalEntry[];
  setGate(gate: Gate): void;
  close(): Promise<void>;
}

const oauthSeed = {
  clientId: "client",
  clientSecret: `${CANARY}-client-secret`,
  accessToken: `${CANARY}-access`,
  refreshToken: `${CANARY}-refresh`,
};

async function jiraBoard(): Promise<OauthBoard> {
  const site = demoJiraSite();
  const accountId = "5b10ac8d82e05b22cc7d4ef5";
  const account = site.accounts?.[0]?.accountId ?? accountId;
  const emulator = await startJiraEmulator({
    site: { ...site, oauth: { ...oauthSeed, accountId: account } },
  });
  return {
    provider: "jira",
    settings: { baseUrl: emulator.url, project: "ENG" },
    credentials: { ...oauthSeed, tokenUrl: `${emulator.url}/oauth/token`, webhookSecret: `${CANARY}-hook` },
    oauth: emulator.oauth,
    journal: emulator.journal,
    setGate: (gate) => emulator.setGate(gate),
    close: () => emulator.close(),
  };
}

async function linearBoard(): Promise<OauthBoard> {
  const emulator = await startLinearEmulator({ ...demoLinearTeam(), oauth: oauthSeed });
  return {
    provider: "linear",
    settings: { team: "MOB", apiUrl: emulator.url },
    credentials: { ...oauthSeed, webhookSecret: `${CANARY}-hook` },
    oauth: emulator.oauth,
    journal: emulator.journal,
    setGate: (gate) => emulator.setGate(gate),
    close: () => emulator.close(),
  };
}

interface Process {
  readonly connections: Connections;
  readonly store: Store;
}

let redis: RedisServer;
const closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  redis = await startRedis();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => redis.stop());

/** Everything of ours loaded anew, so that nothing in memory is shared: what another process would have. */
async function startProcess(prefix: string, keys: readonly SealingKey[] = [OLD]): Promise<Process> {
  vi.resetModules();
  const { createConnections } = await import("../../src/sync/connections.js");
  const { createRedisStore } = await import("../../src/store/redis.js");
  const { createBudgets } = await import("../../src/store/redis/budgets.js");
  const { BOARDS, REPOSITORIES } = await import("../../connectors/index.js");
  const store = createRedisStore({ client: redis.url, prefix });
  closers.push(() => store.close());
  const connections = createConnections({
    kinds: BOARDS,
    vcsKinds: REPOSITORIES,
    hooksFor: () => ({}),
    sealer: createSealer(keys),
    checkUrl: async () => {},
    budgets: createBudgets(),
    now: () => new Date(),
  });
  return { connections, store };
}

async function connected(start: () => Promise<OauthBoard>) {
  const board = await start();
  closers.push(() => board.close());
  const prefix = `t-${randomBytes(6).toString("hex")}`;
  const first = await startProcess(prefix);
  await first.store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
  const { provider, settings, credentials } = board;
  await first.connections.add(first.store.tenant("acme"), { id: "web", provider, settings, credentials });
  return { board, prefix, first };
}

async function saved({ connections, store }: Process): Promise<Record<string, unknown>> {
  const { sealed } = await connections.get(store.tenant("acme"), "web");
  return JSON.parse(createSealer([OLD, NEW]).open(sealed, sealContext("acme", "web")));
}

const refreshes = (board: OauthBoard) => board.journal.filter(({ path }) => path === "/oauth/token");

describe.each([
  ["Jira", jiraBoard],
  ["Linear", linearBoard],
])("the rotating login of %s", (_name, start) => {
  it("is renewed once by fifty workers of five processes, saved before it is used, and all of them succeed", async () => {
    const { board, prefix, first } = await connected(start);
    const processes = [first];
    for (let i = 1; i < 5; i++) processes.push(await startProcess(prefix));
    const boards = await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const process = processes[i % processes.length] ?? first;
        return process.connections.open(process.store.tenant("acme"), "web");
      }),
    );
    await Promise.all(boards.map(({ connector }) => connector.pullWorkflows(never)));
    const early: string[] = [];
    board.setGate((request) => ({
      before: async () => {
        const authorization = request.headers.authorization ?? "";
        const isNew = board.oauth.rotations > 0 && authorization.includes(board.oauth.accessToken);
        if (isNew && (await saved(first)).accessToken !== board.oauth.accessToken) early.push(request.path);
        return undefined;
      },
    }));
    board.oauth.expireAccessToken();
    const pulled = await Promise.all(boards.map(({ connector }) => connector.pullWorkflows(never)));
    expect(pulled).toHaveLength(50);
    for (const graphs of pulled) expect(graphs.length).toBeGreaterThan(0);
    expect(board.oauth.rotations).toBe(1);
    expect(refreshes(board).map(({ status }) => status)).toEqual([200]);
    expect(early).toEqual([]);
    expect(await saved(first)).toMatchObject({
      accessToken: board.oauth.accessToken,
      refreshToken: board.oauth.refreshToken,
      clientSecret: oauthSeed.clientSecret,
    });
    const later = await startProcess(prefix);
    const reopened = await later.connections.open(later.store.tenant("acme"), "web");
    await reopened.connector.pullWorkflows(never);
    expect(refreshes(board)).toHaveLength(1);
  });

  it("is not lost when a process that has not heard of it saves something else", async () => {
    const { board, prefix, first } = await connected(start);
    const second = await startProcess(prefix);
    const open = (process: Process) => process.connections.open(process.store.tenant("acme"), "web");
    const stale = await open(second);
    await stale.connector.pullWorkflows(never);
    board.oauth.expireAccessToken();
    await (await open(first)).connector.pullWorkflows(never);
    const { keepCredentials } = await import("../../src/sync/credentials.js");
    const { get, update } = second.connections;
    const tenant = second.store.tenant("acme");
    const kept = keepCredentials({ sealer: createSealer([OLD]), get, update });
    const keeping = kept.keeping(tenant, "web", board.credentials, () => {});
    await keeping.saveCredentials({ ...board.credentials, webhookSecret: "another secret" });
    expect(await saved(first)).toMatchObject({
      webhookSecret: "another secret",
      refreshToken: board.oauth.refreshToken,
    });
    await stale.connector.pullWorkflows(never);
    expect(board.oauth.rotations).toBe(1);
  });

  it("that was taken back asks once, and says in the connection what a person must do", async () => {
    const board = await start();
    closers.push(() => board.close());
    const app = await startApp();
    const { provider, settings, credentials } = board;
    const api = (method: string, path: string, body?: unknown) => callApi(app.url ?? "", method, path, body);
    await api("POST", "/tenants", { id: "acme", name: "Acme" });
    const id = `lost-${provider}`;
    await api("POST", "/tenants/acme/connections", { id, provider, settings, credentials });
    await api("POST", `/tenants/acme/connections/${id}/sync?wait=true`);
    board.oauth.revoke();
    const before = refreshes(board).length;
    const { connector } = await app.connections.open(app.store.tenant("acme"), id);
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => connector.pullWorkflows(never)));
    for (const answer of asked) expect(answer).toMatchObject({ reason: { code: "auth_expired" } });
    await expect(api("POST", `/tenants/acme/connections/${id}/sync?wait=true`)).rejects.toThrow(/: 424 /);
    expect(refreshes(board).length - before).toBe(1);
    const shown = await api("GET", `/tenants/acme/connections/${id}`);
    expect(shown).toMatchObject({
      health: {
        state: "reconnect",
        problems: [{ code: "auth_expired", fix: expect.stringMatching(/connect it again/) }],
      },
    });
    expect(JSON.stringify(shown)).toMatch(/no longer accepts our login/);
    expect(JSON.stringify(shown)).not.toContain(CANARY);
    await api("DELETE", `/tenants/acme/connections/${id}`);
    await app.close();
  });
});

describe("what credentials lack", () => {
  it("is shown in the connection until it is put right and a sync is asked for, beside what others found", async () => {
    const emulator = await startJiraEmulator({ site: demoJiraSite() });
    closers.push(() => emulator.close());
    emulator.withhold(["TRANSITION_ISSUES", "ADD_COMMENTS"]);
    const app = await startApp();
    const api = (method: string, path: string, body?: unknown) => callApi(app.url ?? "", method, path, body);
    await api("POST", "/tenants", { id: "acme", name: "Acme" });
    const settings = { baseUrl: emulator.url, project: "ENG", allowedMoves: { Nowhere: [] } };
    const credentials = emulator.credentials;
    await api("POST", "/tenants/acme/connections", { id: "eng", provider: "jira", settings, credentials });
    const told = async () => {
      await api("POST", "/tenants/acme/connections/eng/sync?wait=true");
      const { health } = (await api("GET", "/tenants/acme/connections/eng")) as {
        health: { state: string; problems: { code: string; message: string }[] };
      };
      return health.problems.map(({ code, message }) => `${code}: ${message}`).join("\n");
    };
    const worst = await told();
    for (const lack of ['"Transition issues"', '"Add comments"', "Nowhere"]) expect(worst).toContain(lack);
    emulator.withhold(["ADD_COMMENTS"]);
    const better = await told();
    expect(better).toMatch(/"Add comments"/);
    expect(better).not.toMatch(/"Transition issues"/);
    emulator.withhold([]);
    const best = await told();
    expect(best).toMatch(/Nowhere/);
    expect(best).not.toMatch(/permission/);
  });
});

async function startApp(): Promise<App> {
  const app = await createApp(parseConfig({ ...serviceEnv(redis.url), BOARDWALK_DIR: redis.dir }));
  closers.push(() => app.close());
  await clear();
  return app;
}

/** The next app may use the same names. */
async function clear(): Promise<void> {
  const client = new Redis(redis.url);
  for (const name of await client.keys("bw:*")) await client.del(name);
  await client.quit();
}

describe("credentials at rest", () => {
  it("stand nowhere in Redis, whatever was done with them", async () => {
    const { board, prefix, first } = await connected(jiraBoard);
    const tenant = first.store.tenant("acme");
    const { connector } = await first.connections.open(tenant, "web");
    board.oauth.expireAccessToken();
    await connector.pullWorkflows(never);
    const app = await startApp();
    const url = app.url ?? "";
    await callApi(url, "POST", "/tenants", { id: "acme", name: "Acme" });
    const { provider, settings } = board;
    const { accessToken, refreshToken } = board.oauth;
    const credentials = {
      ...board.credentials,
      accessToken,
      refreshToken,
      vcs: { token: `${CANARY}-vcs` },
    };
    const body = { id: "eng", provider, settings: { ...settings, vcs: vcsSettings }, credentials };
    await callApi(url, "POST", "/tenants/acme/connections", body);
    await callApi(url, "POST", "/tenants/acme/connections/eng/sync?wait=true");
    const everything = await dump(redis.url);
    expect(everything).toContain(prefix);
    expect(everything).toContain("Engineering");
    for (const secret of [CANARY, accessToken, refreshToken, board.oauth.accessToken]) {
      expect(everything.includes(secret), "a secret in Redis").toBe(false);
      expect(everything.includes(Buffer.from(secret).toString("base64").slice(0, -4))).toBe(false);
    }
    await app.close();
  });

  it("are sealed with the newest key when their connection is next opened, and the old key may go", async () => {
    const { prefix, first } = await connected(jiraBoard);
    const sealedWith = async () =>
      (await first.connections.get(first.store.tenant("acme"), "web")).sealed.split(".")[1];
    expect(await sealedWith()).toBe("k1");
    const open = (process: Process) => process.connections.open(process.store.tenant("acme"), "web");
    const early = await startProcess(prefix, [NEW]);
    await expect(open(early)).rejects.toMatchObject({
      code: "auth_expired",
      message: expect.stringContaining('the key "k1"'),
    });
    const rotating = [await startProcess(prefix, [NEW, OLD]), await startProcess(prefix, [NEW, OLD])];
    const opened = await Promise.all(Array.from({ length: 10 }, (_, i) => open(rotating[i % 2] ?? early)));
    for (const { connector } of opened) expect(await connector.probe(never)).toEqual([]);
    expect(await sealedWith()).toBe("k2");
    const after = await startProcess(prefix, [NEW]);
    expect(await (await open(after)).connector.probe(never)).toEqual([]);
  });

  it("are not sealed anew while their key is the newest", async () => {
    const { prefix, first } = await connected(jiraBoard);
    const tenant = first.store.tenant("acme");
    const before = (await first.connections.get(tenant, "web")).sealed;
    const again = await startProcess(prefix, [OLD, NEW]);
    await again.connections.open(again.store.tenant("acme"), "web");
    expect((await first.connections.get(tenant, "web")).sealed).toBe(before);
  });
});

const vcsSettings = { provider: "github", repo: "acme/web", apiUrl: "http://127.0.0.1:9" };

/** Every key and every value there is, as text. */
async function dump(url: string): Promise<string> {
  const client = new Redis(url);
  const parts: string[] = [];
  for await (const names of client.scanStream({ count: 1_000 })) {
    for (const name of names as string[]) {
      const type = await client.type(name);
      parts.push(name, JSON.stringify(await contents(client, name, type)));
    }
  }
  await client.quit();
  return parts.join("\n");
}

async function contents(client: Redis, name: string, type: string): Promise<unknown> {
  if (type === "string") return await client.get(name);
  if (type === "hash") return await client.hgetall(name);
  if (type === "list") return await client.lrange(name, 0, -1);
  if (type === "set") return await client.smembers(name);
  if (type === "zset") return await client.zrange(name, "0", "-1");
  if (type === "stream") return await client.xrange(name, "-", "+");
  // Gone since it was listed: a claim that ran out, a job that ended.
  if (type === "none") return undefined;
  throw new Error(`a key of the unknown type ${type}`);
}
