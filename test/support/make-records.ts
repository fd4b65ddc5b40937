import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { type Life, startLife } from "./life.js";
import { startRedis } from "./redis.js";
import { dumpRedis } from "./redis-dump.js";
import { serviceEnv } from "./sync-world.js";

/**
 * Writes down the records that this release makes, one or more of each kind, for later ones to be tested with:
 * `node --import tsx test/support/make-records.ts test/fixtures/records-0.2`, once, before a release.
 */

const ENCRYPTION_KEYS = "fixture:Zml4dHVyZS1rZXktZm9yLXJlY29yZHMtdGVzdHMtMDE=";
const ASKED = "ENG-3";

async function main(folder: string): Promise<void> {
  const redis = await startRedis();
  const env = { BOARDWALK_ENCRYPTION_KEYS: ENCRYPTION_KEYS };
  const life = await startLife({ redisUrl: redis.url, env });
  const token = await life.token();
  await life.oauthToken("Bea");
  await life.day(token);
  await leavePending(life, redis.url, env);
  const client = new Redis(redis.url);
  const records = await dumpRedis(client, "bw:*");
  await client.quit();
  mkdirSync(folder, { recursive: true });
  const kept = { encryptionKeys: ENCRYPTION_KEYS, token, records };
  writeFileSync(join(folder, "records.json"), `${JSON.stringify(kept, null, 2)}\n`);
  await Promise.all([life.jira.close(), life.github.close()]);
  await redis.stop();
}

/** With no worker there, a move that is asked for stays pending. */
async function leavePending(life: Life, redisUrl: string, env: Record<string, string>): Promise<void> {
  const { id } = (await life.actor(ASKED)).ticket;
  await Promise.all(life.apps.map((app) => app.close()));
  const settings = {
    ...serviceEnv(redisUrl),
    ...env,
    BOARDWALK_ROLE: "web",
    BOARDWALK_REPLY_BUDGET_MS: "100",
  };
  const web = await createApp(parseConfig(settings));
  await web.tickets.move(
    {
      tenant: web.store.tenant("acme"),
      speaker: { person: "Ann", client: "fixture", tool: "move_ticket" },
      budgetMs: 100,
    },
    { ticket: id, to: "In Progress", comment: "back to work" },
  );
  await web.close();
}

await main(process.argv[2] ?? "test/fixtures/records");
