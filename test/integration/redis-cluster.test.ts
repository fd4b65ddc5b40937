import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Life, OBSERVED, REVIEWED, startLife, WAITING } from "../support/life.js";
import { type RedisCluster, redisCli, startRedisCluster } from "../support/redis-groups.js";
import { type Listener, listenLegacy, listenModern } from "../support/sync-world.js";
import { until } from "../support/until.js";

/** Two replicas of the whole service on a cluster of three nodes: a team's first day. */

let cluster: RedisCluster;
let life: Life;
let token: string;
/** Of 2025, at the first replica; of 2026, at the second. */
let listeners: readonly Listener[];

beforeAll(async () => {
  cluster = await startRedisCluster();
  life = await startLife({ redisUrl: cluster.url, replicas: 2 });
  token = await life.token();
  listeners = [
    await listenLegacy(`${life.url(0)}/mcp`, token),
    await listenModern(`${life.url(1)}/mcp`, token),
  ];
  await life.day(token);
}, 120_000);
afterAll(async () => {
  await Promise.all((listeners ?? []).map((listener) => listener.close()));
  await life?.close();
  await cluster?.stop();
});

describe("on a cluster", () => {
  it("a board is imported, and its tickets are found at either replica", async () => {
    for (const listener of listeners)
      expect((await listener.call("find_tickets", {})).facts).toMatchObject({ total: 10 });
  });

  it("a move is confirmed, its hook opens one pull request, and one that cannot yet waits", async () => {
    expect(await life.actor(REVIEWED)).toMatchObject({
      ticket: { status: "10002" },
      lastMove: { outcome: "confirmed" },
      hooks: [{ state: "done", result: { number: 1, draft: true } }],
    });
    expect(life.github.pulls("acme/web")).toHaveLength(1);
    expect((await life.actor(WAITING)).hooks.at(-1)?.state).toBe("waiting");
  });

  it("a move asked for at the second replica is made once", async () => {
    const { id } = (await life.actor("ENG-7")).ticket;
    const path = `/tenants/acme/tickets/${id}/moves`;
    const moved = await life.api("POST", path, { to: "In Progress" }, 1);
    expect(moved).toMatchObject({ outcome: "confirmed" });
    const writes = life.jira.journal.filter(
      ({ method, path: at }) => method === "POST" && at.endsWith(`${id.split(".").at(-1)}/transitions`),
    );
    expect(writes).toHaveLength(1);
  });

  it("a card moved by hand is learned from its webhook, without a poll", async () => {
    expect((await life.actor(OBSERVED)).ticket.status).toBe("10001");
    life.jira.moveIssue(OBSERVED, "Stuck");
    await until(async () => (await life.actor(OBSERVED)).ticket.status === "10004");
  });

  it("a renamed column is told to the clients of both replicas", async () => {
    const before = listeners.map(({ heard }) => heard);
    life.jira.renameStatus("Stuck", "Held up");
    await life.sync(1);
    await until(() => listeners.every(({ heard }, i) => heard > (before[i] ?? 0)), { timeoutMs: 20_000 });
    for (const listener of listeners)
      expect((await listener.tools()).some((name) => name.endsWith("_move_to_held_up"))).toBe(true);
  });

  it("an app signs in, and its token is good at the other replica until it is taken back", async () => {
    const access = await life.oauthToken("Bea");
    const [first, second] = await Promise.all([life.mcp(access, 0), life.mcp(access, 1)]);
    for (const client of [first, second])
      expect((await client.call("read_ticket", { ticket: REVIEWED })).facts).toHaveProperty("ticket");
    await Promise.all([first.close(), second.close()]);
    await life.api("DELETE", "/tenants/acme/members/Bea", undefined, 1);
    await expect(life.mcp(access, 0)).rejects.toThrow();
  });

  it("counts what is owed, and all jobs lie on one slot", async () => {
    expect(await life.apps[0]?.hooks.counts()).toMatchObject({ workers: expect.any(Number) });
    const keys = await Promise.all(cluster.nodes.map(({ port }) => redisCli(port, "keys", "{bw-jobs}:*")));
    expect(keys.filter((list) => list !== "")).toHaveLength(1);
  });
});
