import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSealer, sealContext } from "../../src/sync/seal.js";
import { type CanaryWorld, canary, startCanaryWorld } from "../support/canary-world.js";
import { type Collector, startCollector } from "../support/collector.js";
import { basicOf, oauthServiceOf } from "../support/oauth-service.js";
import { type RedisServer, startRedis } from "../support/redis.js";

/**
 * A day in the life of a service, and then all that is left of it, byte by byte: what Redis has written to its disk, what
 * went to the collector, what is exported, counted, described and served. No secret is in any of it, however it is
 * written; what people wrote is in Redis alone.
 */

const PAGES = /(?:src|href)="([^"]+\.(?:js|css|svg))"/g;

let redis: RedisServer;
let collector: Collector;
let world: CanaryWorld;
/** Everything of a place, by its name. */
const places = new Map<string, Buffer>();
const secrets = new Set<string>();
const texts: string[] = [];

beforeAll(async () => {
  redis = await startRedis({ appendOnly: true });
  collector = await startCollector();
  const alexaSecret = canary("alexa");
  world = await startCanaryWorld({
    REDIS_URL: redis.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ALEXA_CLIENT_ID: "alexa",
    ALEXA_CLIENT_SECRET: alexaSecret,
    ALEXA_REDIRECT_URIS: "https://layla.amazon.example/link",
  });
  world.keep(alexaSecret);
  await peopleComeAndGo(alexaSecret);
  await ticketsMove();
  await keepWhatWasMade();
  for (const secret of world.secrets) secrets.add(secret);
  texts.push(...Object.values(world.titles), ...Object.values(world.words));
  await lookAround();
  await lookIntoRedis();
}, 180_000);
afterAll(async () => {
  await collector?.close();
  await redis?.stop();
});

/** Everything that opens anything, made once by whoever hands it out. */
async function peopleComeAndGo(alexaSecret: string): Promise<void> {
  const { app, adminToken, keep, send } = world;
  const url = app.url ?? "";
  const oauth = oauthServiceOf(app, { url, admin: adminToken });
  const [first, second] = [await oauth.pair("acme", "ann"), await oauth.pair("acme", "bea")];
  // As it is shown, and as it is meant.
  for (const code of [first, second]) keep([code, code.replace("-", "")]);
  const linked = await oauth.link(first, `${url}/mcp`);
  keep([linked.access_token, linked.refresh_token, linked.id_token].filter((one) => one !== undefined));
  const renewed = await oauth.token({
    grant_type: "refresh_token",
    refresh_token: linked.refresh_token ?? "",
    client_id: linked.client,
  });
  keep([renewed.body.access_token, renewed.body.refresh_token]);
  const { body } = await oauth.register({ token_endpoint_auth_method: "client_secret_basic" });
  keep(body.client_secret);
  const service = { grant_type: "client_credentials", resource: `${url}/alexa/mcp` };
  keep((await oauth.token(service, basicOf("alexa", alexaSecret))).body.access_token);
  const { token } = JSON.parse((await send("POST", "/api/v1/session", "", { code: second })).text) as {
    token: string;
  };
  keep(token);
  // That reply is hers to have.
  expect((await send("GET", "/api/v1/session", token)).status).toBe(200);
}

async function ticketsMove(): Promise<void> {
  const { titles, words } = world;
  await world.moveAll("In Review");
  for (const title of Object.values(titles)) {
    await world.tool("read_ticket", { ticket: title });
    await world.tool("move_ticket", { ticket: title, to: "In Progress", comment: words.comment });
  }
  await world.tool("find_tickets", { query: words.query });
  for (const status of [401, 409, 500]) {
    await world.faults({ status, body: JSON.stringify({ errorMessages: Object.values(titles) }) });
    await world.moveAll("In Review");
    for (const { provider, settings, credentials } of world.boards)
      await world.call("POST", "/connections", { id: `no-${provider}`, provider, settings, credentials });
  }
  await world.faults(undefined);
  await world.send("POST", `/webhooks/jira/${canary("path")}`, canary("bearer"), { title: titles.jira });
}

/** Secrets that the service made for itself, such as those that boards sign their deliveries with. */
async function keepWhatWasMade(): Promise<void> {
  const { app, key, keep } = world;
  const sealer = createSealer([{ id: "k1", key: Buffer.from(key, "base64") }]);
  for (const { id, sealed } of await app.connections.list(app.store.tenant("acme")))
    keep(JSON.parse(sealer.open(sealed, sealContext("acme", id))));
}

async function lookAround(): Promise<void> {
  const { app, call, send } = world;
  for (const path of ["/audit.ndjson", "/audit.csv"])
    places.set(`the audit log as ${path}`, Buffer.from((await call("GET", path)).text));
  for (const path of ["/connections", "/members", "/tokens", "/settings", "/workflows", "/tools"])
    await call("GET", path);
  for (const path of ["/metrics", "/openapi.json", "/healthz", "/readyz", "/llms.txt"])
    places.set(path, Buffer.from((await send("GET", path, "")).text));
  const html = (await send("GET", "/admin/", "")).text;
  const files = [...html.matchAll(PAGES)].map(([, file = ""]) => new URL(file, `${app.url}/admin/`).pathname);
  expect(files.length).toBeGreaterThan(1);
  const page = [html];
  for (const file of files) page.push((await send("GET", file, "")).text);
  places.set("the page", Buffer.from(page.join("\n")));
}

async function lookIntoRedis(): Promise<void> {
  const client = new Redis(redis.url);
  // Packed, what is looked for would not be found.
  await client.config("SET", "rdbcompression", "no");
  await client.save();
  await client.quit();
  // The end of the process is what the last spans wait for.
  await world.close();
  places.set("the log", Buffer.from(world.log.join("")));
  places.set("the traces", Buffer.from(collector.bytes()));
  const files = readdirSync(redis.dir, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const bytesOf = (name: RegExp) =>
    Buffer.concat(
      files
        .filter((file) => name.test(file.name))
        .map((file) => readFileSync(join(file.parentPath, file.name))),
    );
  places.set("Redis' dump", bytesOf(/\.rdb$/));
  places.set("Redis' append-only file", bytesOf(/\.aof$/));
}

/** Whether a secret stands there: plain, escaped, in hexadecimal, or in the middle of some Base64. */
function isIn(bytes: Buffer, secret: string): boolean {
  const own = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), own]).toString("base64");
    // Of the letters at its ends its neighbours have a part too.
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + own.length) * 8) / 6));
  });
  const base64url = inBase64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  const forms = [secret, encodeURIComponent(secret), own.toString("hex"), ...inBase64, ...base64url];
  return forms.some((form) => bytes.includes(form));
}

const PLACES = [
  ...["the log", "the traces", "the page", "Redis' dump", "Redis' append-only file"],
  ...["the audit log as /audit.ndjson", "the audit log as /audit.csv"],
  ...["/metrics", "/openapi.json", "/healthz", "/readyz", "/llms.txt"],
];
const inRedis = (place: string) => place.startsWith("Redis'");

describe("what is left of a day", () => {
  it("is looked for where something is, and would be found", () => {
    expect([...places.keys()].sort()).toEqual([...PLACES].sort());
    for (const [place, bytes] of places) expect(bytes.length, place).toBeGreaterThan(20);
    // Tokens, codes, apps' secrets, and what three boards and a repository are spoken to with.
    expect(secrets.size).toBeGreaterThan(20);
    for (const title of Object.values(world.titles))
      for (const place of PLACES.filter(inRedis))
        expect(places.get(place)?.includes(title), place).toBe(true);
    expect(places.get("the audit log as /audit.ndjson")?.includes('"action":"move"')).toBe(true);
    expect(collector.spans().length).toBeGreaterThan(20);
  });

  it.each(["utf8", "hex", "base64", "base64url"] as const)(
    "would be found when it is written as %s",
    (form) => {
      const secret = "their/secret+of ~32";
      for (const before of ["", "x", "xy", "xyz"]) {
        const line = Buffer.from(`{"a":"${Buffer.from(`${before}${secret} and more`).toString(form)}"}`);
        expect(isIn(line, secret)).toBe(true);
        expect(isIn(line, "their/secret-of ~32")).toBe(false);
      }
      expect(isIn(Buffer.from(`https://x.example/?q=${encodeURIComponent(secret)}`), secret)).toBe(true);
    },
  );

  it.each(PLACES)("holds no secret in %s", (place) => {
    const bytes = places.get(place) ?? Buffer.alloc(0);
    for (const secret of secrets) expect(isIn(bytes, secret), `${secret} in ${place}`).toBe(false);
    expect(bytes.includes(Buffer.from(world.key, "base64")), "the key itself").toBe(false);
  });

  it.each(PLACES.filter((place) => !inRedis(place)))("holds nothing that people wrote in %s", (place) => {
    const bytes = places.get(place)?.toString() ?? "";
    // Who did a thing is what the audit log is for.
    const named = place.startsWith("the audit log") ? [world.words.name] : [];
    for (const text of texts.filter((one) => !named.includes(one))) expect(bytes, place).not.toContain(text);
  });

  it("holds no board's secret in any reply", () => {
    const given = [...secrets].filter((secret) => secret.startsWith("canary"));
    expect(given.length).toBeGreaterThan(1);
    for (const reply of world.replies) for (const secret of given) expect(reply).not.toContain(secret);
  });
});
