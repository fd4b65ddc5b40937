import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { type AddressInfo, createServer, type LookupFunction, type Server } from "node:net";
import { Agent } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { githubVcs } from "../../connectors/github/index.js";
import { BOARDS } from "../../connectors/index.js";
import { type App, createApp } from "../../src/app.js";
import type { ConnectorKit, Reach } from "../../src/board/connector.js";
import { refreshOAuth } from "../../src/board/oauth.js";
import { createReach } from "../../src/board/reach.js";
import { parseConfig } from "../../src/config.js";
import { BoardwalkError } from "../../src/errors.js";
import { quietKit } from "../support/quiet-kit.js";
import { callApi, serviceEnv } from "../support/sync-world.js";

/** Names that are public when they are checked and lead to this machine when they are connected to. */

const asked = new Map<string, number>();
function answerFor(host: string): LookupAddress {
  const times = asked.get(host) ?? 0;
  asked.set(host, times + 1);
  return { address: times % 2 === 0 ? "93.184.216.34" : "127.0.0.1", family: 4 };
}

vi.mock("node:dns", async (original) => {
  const dns = await original<typeof import("node:dns")>();
  const lookup = (host: string, options: object, callback: (...answer: unknown[]) => void) =>
    host.endsWith(".example")
      ? callback(null, [answerFor(host)])
      : (dns.lookup as (...args: unknown[]) => void)(host, options, callback);
  return { ...dns, lookup };
});

let inside: Server;
let connections = 0;
let app: App;
let port: number;
beforeAll(async () => {
  inside = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {}).destroy();
  }).listen(0, "127.0.0.1");
  await once(inside, "listening");
  port = (inside.address() as AddressInfo).port;
  const env = { ...serviceEnv(""), REDIS_URL: "", BOARDWALK_ALLOW_PRIVATE_HOSTS: "0", LOG_LEVEL: "silent" };
  app = await createApp(parseConfig({ ...env, PORT: "0" }), { inMemory: true });
  await app.store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
});
afterAll(async () => {
  await app?.close();
  inside.close();
});
beforeEach(() => {
  connections = 0;
  asked.clear();
});

interface Outward {
  readonly provider: string;
  readonly settings: object;
  readonly credentials: object;
}

/** By the name that gets nowhere: every URL that a tenant may give. */
function outward(host: string): Readonly<Record<string, Outward>> {
  const base = `https://${host}:${port}`;
  const board = "65b0f0000000000000000001";
  return {
    jira: {
      provider: "jira",
      settings: { baseUrl: base, project: "ENG" },
      credentials: { email: "a@b.example", apiToken: "t" },
    },
    linear: {
      provider: "linear",
      settings: { team: "MOB", apiUrl: base },
      credentials: { apiKey: "lin_api_k" },
    },
    github: {
      provider: "github",
      settings: { owner: "acme", project: 1, apiUrl: `${base}/api/v3` },
      credentials: { token: "t" },
    },
    trello: {
      provider: "trello",
      settings: { board, apiUrl: base },
      credentials: { apiKey: "k", token: "t", secret: "s" },
    },
  };
}

const PROVIDERS = ["jira", "linear", "github", "trello"] as const;

/** What a connector makes of an address in a kit that checks nothing before, and so leaves all to the reach. */
async function probed({ provider, settings, credentials }: Outward, reach?: Reach): Promise<string> {
  const kind = BOARDS.find((board) => board.provider === provider);
  if (kind === undefined) throw new Error(`no ${provider}`);
  const kit: ConnectorKit = reach === undefined ? quietKit : { ...quietKit, reach };
  const connector = kind.create(kind.settings.parse(settings), kind.credentials.parse(credentials), kit);
  return await connector.pullWorkflows(AbortSignal.timeout(20_000)).then(
    () => "ok",
    (error: unknown) => BoardwalkError.from(error).code,
  );
}

/** Connects to whatever it is told: what would happen without a guard. */
function openReach(): Reach {
  const lookup: LookupFunction = (_host, options, callback) =>
    options.all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4);
  return { lookup, dispatcher: new Agent({ connect: { lookup } }) as unknown as Reach["dispatcher"] };
}

describe("a board at a name that turns inward", () => {
  it.each(PROVIDERS)("of %s is refused by the service, and never connected to", async (provider) => {
    const body = { id: provider, ...outward(`${provider}.example`)[provider] };
    const answer = callApi(app.url ?? "", "POST", "/tenants/acme/connections", body);
    await expect(answer.then((made) => JSON.stringify(made), String)).resolves.toMatch(
      /private network|forbidden/,
    );
    expect(asked.get(`${provider}.example`)).toBeGreaterThanOrEqual(2);
    expect(connections).toBe(0);
  });

  it.each(PROVIDERS)("of %s would be connected to without the guard", async (provider) => {
    const there = outward(`${provider}.example`)[provider];
    if (there === undefined) throw new Error(`no ${provider}`);
    expect(await probed(there, openReach())).not.toBe("forbidden");
    expect(connections).toBeGreaterThan(0);
  });
});

describe("everything else that is called at an address of others' choosing", () => {
  const guarded = createReach();
  afterAll(() => guarded.close());
  /** The checks before are passed as if all were well. */
  const kit: ConnectorKit = { ...quietKit, reach: guarded };
  beforeEach(() => {
    for (const host of ["token.example", "repo.example"]) asked.set(host, 1);
  });

  const calls = (with_: ConnectorKit): Readonly<Record<string, () => Promise<unknown>>> => ({
    "the server that renews a login": () => {
      const server = { board: "Jira", tokenUrl: "", encoding: "json", reconnect: "Reconnect." } as const;
      const tokenUrl = `https://token.example:${port}/token`;
      return refreshOAuth(server, { accessToken: "a", refreshToken: "r", tokenUrl }, "r", with_);
    },
    "a repository": () => {
      const settings = githubVcs.settings.parse({
        repo: "acme/web",
        apiUrl: `https://repo.example:${port}/api/v3`,
      });
      const vcs = githubVcs.create(settings, githubVcs.credentials.parse({ token: "t" }), with_);
      return vcs.listPullRequests("main", AbortSignal.timeout(20_000));
    },
  });

  it.each(Object.keys(calls(kit)))("%s is never connected to", async (what) => {
    await expect(calls(kit)[what]?.()).rejects.toMatchObject({ code: "forbidden" });
    expect(connections).toBe(0);
    await expect(calls({ ...quietKit, reach: openReach() })[what]?.()).rejects.not.toMatchObject({
      code: "forbidden",
    });
    expect(connections).toBeGreaterThan(0);
  });

  it("the document of an app is never fetched", async () => {
    const query = new URLSearchParams({
      client_id: `https://app.example:${port}/client.json`,
      redirect_uri: "https://app.example/back",
      response_type: "code",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    });
    const page = await fetch(`${app.url}/oauth/authorize?${query}`, { redirect: "manual" });
    expect(page.status).toBe(400);
    expect(asked.get("app.example")).toBeGreaterThanOrEqual(2);
    expect(connections).toBe(0);
  });
});
