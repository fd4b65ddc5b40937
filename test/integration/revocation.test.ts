import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { issueToken } from "../../src/http/auth.js";
import { ask } from "../support/json-rpc.js";
import { type RedisServer, startRedis } from "../support/redis.js";

/** Reads are answered from memory; who may read is not. Two web processes over one Redis. */

const adminToken = randomBytes(24).toString("base64url");
let redis: RedisServer;
let replicas: readonly App[] = [];

beforeAll(async () => {
  redis = await startRedis();
  const config = parseConfig({
    REDIS_URL: redis.url,
    PORT: "0",
    LOG_LEVEL: "error",
    BOARDWALK_ROLE: "web",
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
  });
  replicas = [await createApp(config), await createApp(config)];
  for (const id of ["acme", "globex"])
    await replicas[0]?.store.createTenant({ id, name: id, createdAt: new Date().toISOString() });
});
afterAll(async () => {
  for (const replica of replicas) await replica.close();
  await redis?.stop();
});

async function newToken(tenant: string, name: string) {
  const store = replicas[0]?.store.tenant(tenant);
  if (store === undefined) throw new Error("No service.");
  return await issueToken(store, { name }, new Date());
}

async function statusAt(replica: App | undefined, token: string): Promise<number> {
  const call = { name: "describe_board", arguments: {} };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: call };
  const response = await ask(`${replica?.url}/mcp`, token, body);
  await response.arrayBuffer();
  return response.status;
}

describe("a token in constant use", () => {
  it("opens nothing at any replica from the moment in which taking it back is acknowledged", async () => {
    for (let round = 0; round < 10; round++) {
      const { id, token } = await newToken("acme", `ann${round}`);
      const { token: kept } = await newToken("acme", `ben${round}`);
      for (const replica of replicas) expect(await statusAt(replica, token)).toBe(200);
      let revoked = false;
      const late: number[] = [];
      const early: number[] = [];
      const callers = replicas.flatMap((replica) =>
        Array.from({ length: 4 }, async () => {
          for (let after = 0; after < 3; ) {
            const sentAfter = revoked;
            (sentAfter ? late : early).push(await statusAt(replica, token));
            if (sentAfter) after += 1;
          }
        }),
      );
      const response = await fetch(`${replicas[0]?.url}/api/v1/tenants/acme/tokens/${id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${adminToken}` },
      });
      expect(response.ok).toBe(true);
      revoked = true;
      await Promise.all(callers);
      expect(late).toHaveLength(24);
      // Who goes on with it is told to wait after a while.
      expect(late.filter((status) => status !== 401 && status !== 429)).toEqual([]);
      expect(early.length).toBeGreaterThan(0);
      for (const replica of replicas) expect(await statusAt(replica, kept)).toBe(200);
    }
  });

  it("opens the tenant whose it is, even where it was another's before", async () => {
    const { token } = await newToken("acme", "cleo");
    const [replica] = replicas;
    expect(await statusAt(replica, token)).toBe(200);
    const at = async (tenant: string) =>
      (await ask(`${replica?.url}/t/${tenant}/mcp`, token, { jsonrpc: "2.0", id: 1, method: "ping" })).status;
    expect([await at("acme"), await at("globex")]).toEqual([200, 403]);
  });
});
