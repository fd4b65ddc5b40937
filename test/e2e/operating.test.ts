import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { CLI } from "../support/cli.js";
import { ERAS } from "../support/clients.js";
import { type Life, REVIEWED, startLife, WAITING } from "../support/life.js";
import { freePort, type RedisServer, startRedis } from "../support/redis.js";
import { redisCli } from "../support/redis-groups.js";
import { callApi, serviceEnv } from "../support/sync-world.js";
import { until } from "../support/until.js";

/** What docs/operating.md has an operator do, done. */

const run = promisify(execFile);
const page = readFileSync("docs/operating.md", "utf8");

/** The page's block of shell commands that holds these words. */
function block(words: string): string {
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, code = ""]) => code);
  const found = blocks.find((code) => code.includes(words));
  if (found === undefined) throw new Error(`docs/operating.md has no block with "${words}"`);
  return found;
}

let dir: string;
async function shell(words: string, env: Record<string, string>): Promise<string> {
  const path = `${dir}:${process.env.PATH}`;
  const script = `set -euo pipefail\n${block(words)}`;
  return (await run("bash", ["-c", script], { cwd: dir, env: { ...process.env, ...env, PATH: path } }))
    .stdout;
}

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "boardwalk-operating-"));
  const command = join(dir, "boardwalk");
  const cli = `cd ${JSON.stringify(resolve("."))} && exec ${process.execPath} ${CLI.join(" ")} "$@"`;
  writeFileSync(command, `#!/bin/sh\n${cli}\n`);
  chmodSync(command, 0o755);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("a service restored from its backup", () => {
  let redis: RedisServer;
  let life: Life;
  let token: string;
  let access: string;
  let port: string;
  let restoredPort: number;
  let env: Record<string, string>;
  let restored: App;
  const backup = () => join(dir, "backup");

  beforeAll(async () => {
    redis = await startRedis({ appendOnly: true });
    life = await startLife({ redisUrl: redis.url });
    token = await life.token();
    access = await life.oauthToken("Bea");
    await life.day(token);
    ({ port } = new URL(life.url()));
    // Taken while it serves.
    await shell("--rdb", { REDIS_URL: redis.url, BACKUP: backup() });
    // Then the day goes on, and ends badly.
    life.jira.moveIssue("ENG-7", "In Progress");
    await Promise.all(life.apps.map((app) => app.close()));
    await redis.stop();
    restoredPort = await freePort();
    const place = { BACKUP: backup(), DATA: join(dir, "data"), NEW_PORT: String(restoredPort) };
    await shell("# restore", place);
    env = {
      ...serviceEnv(`redis://127.0.0.1:${restoredPort}`),
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    };
    restored = await createApp(parseConfig(env));
  }, 120_000);
  afterAll(async () => {
    await restored?.close();
    await Promise.all([life?.jira.close(), life?.github.close()]);
    await redisCli(restoredPort, "shutdown", "nosave").catch(() => undefined);
  });

  const get = (path: string) => callApi(restored.url ?? "", "GET", `/tenants/acme${path}`);
  async function actor(key: string) {
    const tenant = restored.store.tenant("acme");
    const { ids } = await tenant.changesSince(0, 1_000);
    const found = (await tenant.getActors(ids)).find((record) => record?.ticket.key === key);
    if (found === undefined) throw new Error(`there is no ${key}`);
    return found;
  }

  it("keeps what it is given from now on", async () => {
    expect(await redisCli(restoredPort, "config", "get", "appendonly")).toBe("appendonly\nyes");
    const doctor = await run(join(dir, "boardwalk"), ["doctor", "--json"], {
      env: { ...process.env, ...env },
    });
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      findings: expect.arrayContaining([{ check: "redis", problems: [] }]),
    });
  });

  it("has its tickets, what was done with them and what is owed, and their history", async () => {
    const reviewed = await actor(REVIEWED);
    expect(reviewed).toMatchObject({
      ticket: { status: "10002" },
      hooks: [{ state: "done", result: { number: 1 } }],
    });
    expect((await actor(WAITING)).hooks.at(-1)?.state).toBe("waiting");
    const { events } = z
      .object({ events: z.array(z.object({ kind: z.string() })) })
      .parse(await get(`/tickets/${reviewed.ticket.id}/history`));
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["asked", "moved", "hook"]));
  });

  it("takes the tokens that teams and apps had", async () => {
    for (const bearer of [token, access]) {
      const client = await ERAS[0][1]({ mcpUrl: `${restored.url}/mcp`, token: bearer });
      expect((await client.call("read_ticket", { ticket: REVIEWED })).facts).toMatchObject({
        ticket: { key: REVIEWED },
      });
      await client.close();
    }
  });

  it("learns what moved since, and makes moves with the credentials that it kept", async () => {
    const { BOARDWALK_ADMIN_TOKEN = "" } = env;
    await shell("boardwalk import", { BOARDWALK_URL: restored.url ?? "", BOARDWALK_ADMIN_TOKEN });
    expect((await actor("ENG-7")).ticket.status).toBe("10001");
    const { id } = (await actor("ENG-9")).ticket;
    const moved = await callApi(restored.url ?? "", "POST", `/tenants/acme/tickets/${id}/moves`, {
      to: "In Progress",
    });
    expect(moved).toMatchObject({ outcome: "confirmed" });
    expect(life.jira.site.issueOf("ENG-9")?.status).toBe("10001");
  });
});

describe("keys", () => {
  it("are put in front of the old ones by the command given", async () => {
    const old = `k1:${Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString("base64")}`;
    const script = `${block("k2:")}\nprintf %s "$BOARDWALK_ENCRYPTION_KEYS"`;
    const { stdout } = await run("bash", ["-c", script], {
      env: { ...process.env, BOARDWALK_ENCRYPTION_KEYS: old },
    });
    const keys = parseConfig({ BOARDWALK_ENCRYPTION_KEYS: stdout }).encryptionKeys;
    expect(keys.map(({ id }) => id)).toEqual(["k2", "k1"]);
  });
});

describe("the settings of Redis", () => {
  it("are set by the commands given", async () => {
    const redis = await startRedis();
    await redisCli(redis.port, "config", "set", "maxmemory-policy", "allkeys-lru");
    await shell("CONFIG SET appendfsync", { REDIS_URL: redis.url });
    for (const [name, value] of [
      ["appendonly", "yes"],
      ["appendfsync", "everysec"],
      ["maxmemory-policy", "noeviction"],
    ] as const)
      expect(await redisCli(redis.port, "config", "get", name)).toBe(`${name}\n${value}`);
    // Until its first append-only file is written, a Redis does not let itself be ended.
    await until(async () =>
      /aof_rewrite_in_progress:0/.test(await redisCli(redis.port, "info", "persistence")),
    );
    await redis.stop();
  });
});
