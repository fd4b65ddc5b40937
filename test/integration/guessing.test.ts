import { createHmac, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashed } from "../../src/http/oauth-records.js";
import { createRedisOauthRecords } from "../../src/store/redis/oauth.js";
import { ALEXA, basicOf } from "../support/oauth-service.js";
import { BOARDS } from "../support/sync-boards.js";
import { ADMIN_TOKEN, type SyncWorld, startSyncWorld } from "../support/sync-world.js";

/**
 * Whoever guesses at tokens, secrets or signatures is told to wait, by every replica alike, and whoever has the right
 * one is let in meanwhile, from the very same address.
 */

const PUBLIC_URL = "https://boardwalk.example";
const WEBHOOK_SECRET = randomBytes(16).toString("hex");
/** So many wrong ones a minute are answered as what they are. */
const EACH = 60;
const AT_ONE_DOOR = 600;

let world: SyncWorld;
beforeAll(async () => {
  const jira = BOARDS.find(([name]) => /jira/i.test(name))?.[1];
  if (jira === undefined) throw new Error("there is no Jira");
  world = await startSyncWorld(await jira(), {
    credentials: { webhookSecret: WEBHOOK_SECRET },
    env: {
      PUBLIC_URL,
      ALEXA_CLIENT_ID: ALEXA.id,
      ALEXA_CLIENT_SECRET: ALEXA.secret,
    },
  });
});
afterAll(() => world?.close());

let addresses = 0;
/** That of a caller whom nobody has seen yet, as a proxy would write it. */
function newAddress(): string {
  addresses += 1;
  return `198.51.${addresses >> 8}.${addresses & 255}`;
}

interface Knock {
  readonly path: string;
  readonly from: string;
  readonly method?: string;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly replica?: number;
}

async function send({ path, from, method = "GET", bearer, headers = {}, body, replica = 0 }: Knock) {
  return await fetch(`${world.url(replica)}${path}`, {
    method,
    headers: {
      "x-forwarded-for": `203.0.113.9, ${from}`,
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}

const ping = (path: string, from: string, bearer?: string, replica = 0) =>
  send({
    ...{ path, from, method: "POST", replica, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
    headers: { "content-type": "application/json" },
    ...(bearer === undefined ? {} : { bearer }),
  });

const wrong = () => randomBytes(32).toString("base64url");

/** What each of so many tries by turns at both replicas is answered. */
async function tries(count: number, knock: (replica: number) => Promise<Response>): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) {
    const response = await knock(i % 2);
    await response.body?.cancel();
    seen.push(response.status);
  }
  return seen;
}

const all = (status: number, count: number) => Array.from({ length: count }, () => status);

function expectToldToWait(response: Response): void {
  expect(response.status).toBe(429);
  const seconds = Number(response.headers.get("retry-after"));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
}

async function expectProblem(response: Response): Promise<void> {
  expectToldToWait(response);
  expect(response.headers.get("content-type")).toContain("application/problem+json");
  expect(await response.json()).toMatchObject({
    status: 429,
    code: "rate_limited",
    detail: expect.stringMatching(/^That was tried too often\. Please wait \d+ seconds?\.$/),
  });
}

describe("whoever guesses at the tokens of agents", () => {
  it("is told to wait at every replica, and the right token is let in from the same address", async () => {
    const from = newAddress();
    const token = await world.token();
    expect(await tries(EACH, (replica) => ping("/mcp", from, wrong(), replica))).toEqual(all(401, EACH));
    for (const path of ["/mcp", "/alexa/mcp", "/t/acme/mcp"])
      for (const replica of [0, 1]) await expectProblem(await ping(path, from, wrong(), replica));
    // Who has none yet, or one that has run out, is told where to get one.
    expect((await ping("/mcp", from)).status).toBe(401);
    expect((await ping("/mcp", from, await expiredToken())).status).toBe(401);
    for (const replica of [0, 1]) expect((await ping("/mcp", from, token, replica)).status).toBe(200);
    expect((await ping("/mcp", newAddress(), wrong())).status).toBe(401);
  });

  it("from many addresses is slowed at the one team's address, and its people are let in", async () => {
    const seen: number[] = [];
    for (let i = 0; i < AT_ONE_DOOR / EACH; i++) {
      const from = newAddress();
      seen.push(...(await tries(EACH, (replica) => ping("/t/acme/mcp", from, wrong(), replica))));
    }
    expect(seen).toEqual(all(401, AT_ONE_DOOR));
    const from = newAddress();
    await expectProblem(await ping("/t/acme/mcp", from, wrong()));
    expect((await ping("/t/acme/mcp", from, await world.token())).status).toBe(200);
    expect((await ping("/t/globex/mcp", from, wrong())).status).toBe(401);
  });
});

/** One that was an app's until a minute ago. */
async function expiredToken(): Promise<string> {
  const token = wrong();
  const records = createRedisOauthRecords(world.redis.url);
  const exp = Math.floor(Date.now() / 1_000) - 60;
  const value = { aud: `${PUBLIC_URL}/mcp`, exp, scope: "mcp:tools" };
  await records.save("AccessToken", hashed(token), value, 60_000);
  await records.close();
  return token;
}

describe("whoever guesses at the admin token", () => {
  it("is told to wait, and the operator is let in from the same address", async () => {
    const from = newAddress();
    const asked = (bearer: string, replica = 0) => send({ path: "/api/v1/tenants", from, bearer, replica });
    // A session of the page is guessed at by the same way.
    const guess = (replica: number) => asked(replica === 0 ? wrong() : `bwp_${wrong()}`, replica);
    expect(await tries(EACH, guess)).toEqual(all(401, EACH));
    for (const replica of [0, 1]) await expectProblem(await asked(wrong(), replica));
    expect((await asked(ADMIN_TOKEN)).status).toBe(200);
    expect((await send({ path: "/api/v1/tenants", from })).status).toBe(401);
  });
});

describe("whoever guesses at an app's secret", () => {
  const form = (path: string, from: string, secret: string, fields: Record<string, string>, replica = 0) =>
    send({
      ...{ path, from, method: "POST", replica, body: new URLSearchParams(fields).toString() },
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        authorization: basicOf(ALEXA.id, secret),
      },
    });
  const wanted = {
    grant_type: "client_credentials",
    resource: `${PUBLIC_URL}/alexa/mcp`,
    scope: "mcp:service",
  };

  it("is told to slow down in OAuth's own words, and the app goes on", async () => {
    const from = newAddress();
    const guess = (replica: number) => form("/oauth/token", from, wrong(), wanted, replica);
    expect(await tries(EACH, guess)).toEqual(all(401, EACH));
    for (const path of ["/oauth/token", "/oauth/revoke"]) {
      const slowed = await form(path, from, wrong(), { ...wanted, token: wrong() });
      expectToldToWait(slowed);
      expect(await slowed.json()).toMatchObject({
        error: "slow_down",
        error_description: expect.stringMatching(/^That was tried too often/),
      });
    }
    const right = await form("/oauth/token", from, ALEXA.secret, wanted);
    expect(right.status).toBe(200);
    expect(await right.json()).toMatchObject({ token_type: "Bearer" });
  });

  it("from many addresses is slowed for the one app, which goes on", async () => {
    for (let i = 0; i < AT_ONE_DOOR / EACH; i++) {
      const from = newAddress();
      await tries(EACH, (replica) => form("/oauth/token", from, wrong(), wanted, replica));
    }
    expectToldToWait(await form("/oauth/token", newAddress(), wrong(), wanted));
    expect((await form("/oauth/token", newAddress(), ALEXA.secret, wanted)).status).toBe(200);
  });
});

describe("whoever guesses at webhooks", () => {
  const body = JSON.stringify({ webhookEvent: "jira:issue_updated", timestamp: 1 });
  const deliver = (path: string, from: string, secret: string, replica = 0) =>
    send({
      ...{ path, from, method: "POST", replica, body },
      headers: {
        "content-type": "application/json",
        "x-hub-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
      },
    });
  async function ourPath(): Promise<string> {
    const [app] = world.apps;
    const record = await app?.connections.get(app.store.tenant("acme"), "web");
    return `/webhooks/jira/${record?.webhookToken}`;
  }

  it("at their paths is told to wait, and what is rightly signed is taken from the same address", async () => {
    const from = newAddress();
    const path = await ourPath();
    const guess = (replica: number) => deliver(`/webhooks/jira/${wrong()}`, from, wrong(), replica);
    expect(await tries(EACH, guess)).toEqual(all(404, EACH));
    await expectProblem(await guess(1));
    expectToldToWait(await send({ path: `/webhooks/jira/${wrong()}`, from, method: "HEAD" }));
    expect((await send({ path, from, method: "HEAD" })).status).toBe(200);
    for (const replica of [0, 1])
      expect((await deliver(path, from, WEBHOOK_SECRET, replica)).status).toBe(200);
  });

  it("at one board's signatures is told to wait, from however many addresses", async () => {
    const path = await ourPath();
    const seen: number[] = [];
    for (let i = 0; i < AT_ONE_DOOR / EACH; i++) {
      const from = newAddress();
      seen.push(...(await tries(EACH, (replica) => deliver(path, from, wrong(), replica))));
    }
    expect(seen).toEqual(all(401, AT_ONE_DOOR));
    await expectProblem(await deliver(path, newAddress(), wrong()));
    expect((await deliver(path, newAddress(), WEBHOOK_SECRET)).status).toBe(200);
  });
});

describe("what was guessed", () => {
  it("is counted by its door, and whether it was told to wait", async () => {
    const metrics = await (await fetch(`${world.url(0)}/metrics`)).text();
    for (const door of ["mcp", "admin", "oauth", "webhook"])
      for (const result of ["refused", "slowed"])
        expect(metrics).toMatch(
          new RegExp(`^boardwalk_guesses_total\\{door="${door}",result="${result}"\\} [1-9]`, "m"),
        );
    expect(metrics).toMatch(
      /^boardwalk_webhooks_received_total\{provider="jira",result="rate_limited"\} [1-9]/m,
    );
  });
});
