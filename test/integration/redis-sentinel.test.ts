import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Life, startLife } from "../support/life.js";
import { type RedisSentinels, startRedisSentinels } from "../support/redis-groups.js";
import { ADMIN_TOKEN, type Listener, listenLegacy } from "../support/sync-world.js";
import { until } from "../support/until.js";

/** Two replicas of the service on a primary that sentinels watch, while it fails over. */

let sentinels: RedisSentinels;
let life: Life;
let listener: Listener;
beforeAll(async () => {
  sentinels = await startRedisSentinels();
  life = await startLife({ redisUrl: sentinels.url, replicas: 2, env: { BOARDWALK_SWEEP_MS: "500" } });
  listener = await listenLegacy(`${life.url(1)}/mcp`, await life.token());
}, 120_000);
afterAll(async () => {
  await listener?.close();
  await life?.close();
  await sentinels?.stop();
});

const answer = z.object({ outcome: z.string(), moveId: z.string().optional() });

/** Asks for the move until it is made, at one replica and then the other. @returns its id. */
async function move(id: string, to: string): Promise<string> {
  let wish = randomUUID();
  let replica = 0;
  const made = await until(
    async () => {
      replica = 1 - replica;
      const response = await fetch(`${life.url(replica)}/api/v1/tenants/acme/tickets/${id}/moves`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${ADMIN_TOKEN}`,
          "content-type": "application/json",
          "idempotency-key": wish,
        },
        body: JSON.stringify({ to }),
        signal: AbortSignal.timeout(30_000),
      });
      const said = answer.safeParse(await response.json()).data;
      // Told that the ticket is elsewhere or on its way: a person looks, and wishes anew. Else it is the same wish.
      if (said?.outcome === "conflict" || said?.outcome === "refused") wish = randomUUID();
      return said?.outcome === "confirmed" && said;
    },
    { timeoutMs: 60_000, everyMs: 50 },
  );
  return made.moveId ?? "";
}

const KEYS = ["ENG-2", "ENG-4", "ENG-7", "ENG-9"] as const;
const NAMES = { "10000": "To Do", "10001": "In Progress" } as const;

interface Acknowledged {
  readonly key: string;
  readonly to: string;
  readonly moveId: string;
}

/** Moves these tickets back and forth until told to stop. */
function keepMoving() {
  let isOver = false;
  const acknowledged: Acknowledged[] = [];
  const movers = KEYS.map(async (key) => {
    const { id } = (await life.actor(key)).ticket;
    for (let n = 0; !isOver; n++) {
      const to = n % 2 === 0 ? NAMES["10001"] : NAMES["10000"];
      acknowledged.push({ key, to, moveId: await move(id, to) });
    }
  });
  return {
    acknowledged,
    async stop() {
      isOver = true;
      await Promise.all(movers);
    },
  };
}

function boardStatus(key: string): string | undefined {
  const id = life.jira.site.issueOf(key)?.status ?? "";
  return life.jira.site.statuses.get(id)?.name;
}

/** Moves that the audit log tells of: unlike a ticket's history, it keeps them all. */
async function auditedMoves(): Promise<ReadonlySet<unknown>> {
  const page = await life.apps[0]?.store.tenant("acme").auditPage({ limit: 10_000 });
  return new Set(page?.items.map(({ detail }) => detail?.moveId));
}

/** Fails over while tickets move, and holds what was acknowledged against the board. @returns what the audit log lacks. */
async function failsOver(take: () => Promise<void>) {
  const moving = keepMoving();
  const { acknowledged } = moving;
  await until(() => acknowledged.length >= 12, { timeoutMs: 30_000 });
  const began = performance.now();
  await take();
  const promotedMs = Math.round(performance.now() - began);
  const seen = acknowledged.length;
  await until(
    () => KEYS.every((key) => acknowledged.slice(seen).filter((one) => one.key === key).length >= 3),
    {
      timeoutMs: 60_000,
    },
  );
  await moving.stop();
  // What our record lost is learned again from the board.
  await until(() => life.sync().then(() => true), { timeoutMs: 30_000 });
  for (const key of KEYS) {
    const ours = acknowledged.filter((one) => one.key === key);
    expect(boardStatus(key), key).toBe(ours.at(-1)?.to);
    await until(async () => {
      const { status } = (await life.actor(key)).ticket;
      return NAMES[status as keyof typeof NAMES] === ours.at(-1)?.to;
    });
  }
  const audited = await auditedMoves();
  const unaudited = acknowledged.filter(({ moveId }) => !audited.has(moveId)).length;
  return { acknowledged: acknowledged.length, unaudited, promotedMs };
}

describe("behind sentinels", () => {
  it("goes on when another server is made primary, and no acknowledged move is undone", async () => {
    console.info("fail-over, asked for:", await failsOver(() => sentinels.failOver()));
  }, 120_000);

  it("tells its clients of news after it all", async () => {
    const before = listener.heard;
    life.jira.renameStatus("Blocked", "Stuck");
    await until(async () => life.sync(0).then(() => true), { timeoutMs: 30_000 });
    await until(() => listener.heard > before, { timeoutMs: 20_000 });
  });
});
