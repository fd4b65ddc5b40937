import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ImportBoard, PageRequest } from "../../bench/import-board.js";
import { BenchProcess } from "../../bench/process.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import type { TenantStore } from "../../src/store/store.js";
import { syncJobFor } from "../../src/tickets/jobs.js";
import { type RedisServer, startRedis } from "../support/redis.js";

/** Boards of 5,000 tickets, each in a process of its own, imported whole and in bounded memory. */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const FEW = 1_000;
const MANY = 5_000;
/** What may stay of each ticket while the rest is read: its id. A whole ticket takes more than a kilobyte. */
const BYTES_A_TICKET = 400;

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc") as () => void;

let redis: RedisServer;
let app: App;
beforeAll(async () => {
  redis = await startRedis();
  app = await createApp(
    parseConfig({
      REDIS_URL: redis.url,
      BOARDWALK_ROLE: "worker",
      LOG_LEVEL: "error",
      BOARDWALK_ENCRYPTION_KEYS: `k:${randomBytes(32).toString("base64")}`,
      BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
      BOARDWALK_TICKET_POLL_MS: "3600000",
    }),
  );
});
afterAll(async () => {
  await app?.close();
  await redis?.stop();
});

interface Imported {
  readonly pages: number;
  /** Bytes in use at the worst, beyond what there were before, with all garbage gone. */
  readonly growth: number;
  readonly tenant: TenantStore;
}

async function importBoard(provider: string, tickets: number): Promise<Imported> {
  const process = new BenchProcess("import-board.ts", [provider, String(tickets)], 1);
  try {
    const board = JSON.parse(await process.line()) as ImportBoard;
    const tenant = await newTenant(board);
    const growth = await worstGrowth(async () => {
      const reply = await app.hooks.ask(syncJobFor(tenant.id, "board", "test"), 150_000);
      expect(reply).toMatchObject({ ok: true, result: { tickets } });
    });
    return { pages: (JSON.parse(await process.ask({})) as PageRequest[]).length, growth, tenant };
  } finally {
    process.stop();
  }
}

async function newTenant(board: ImportBoard): Promise<TenantStore> {
  const id = `import-${randomBytes(6).toString("hex")}`;
  await app.store.createTenant({ id, name: id, createdAt: new Date().toISOString() });
  const tenant = app.store.tenant(id);
  await app.connections.add(tenant, { id: "board", ...board });
  return tenant;
}

async function worstGrowth(work: () => Promise<void>): Promise<number> {
  const inUse = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = inUse();
  let worst = 0;
  const look = () => {
    worst = Math.max(worst, inUse() - before);
  };
  const looking = setInterval(look, 40);
  try {
    await work();
  } finally {
    clearInterval(looking);
  }
  return worst;
}

async function keptIds(tenant: TenantStore): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let revision = 0; ; ) {
    const changes = await tenant.changesSince(revision, 1_000);
    for (const id of changes.ids) ids.add(id);
    if (changes.ids.length === 0) return ids;
    revision = changes.revision;
  }
}

/** Requests for pages that a board of so many tickets takes at most: its largest page, and one to learn that it ends. */
const PAGES: readonly (readonly [provider: string, most: number])[] = [
  ["jira", 51],
  ["linear", 101],
  ["github", 51],
  ["trello", 7],
];

describe.each(PAGES)("a board of 5,000 tickets on %s", (provider, mostPages) => {
  it("is imported whole, page by page, and held in memory a batch at a time", async () => {
    // The first import of a process also loads what importing needs.
    await importBoard(provider, 10);
    // A short import is over after a few looks, which may miss its worst moment: a page just read, a batch not saved yet.
    const short = [];
    for (let i = 0; i < 3; i++) short.push((await importBoard(provider, FEW)).growth);
    const many = await importBoard(provider, MANY);
    expect((await keptIds(many.tenant)).size).toBe(MANY);
    expect(many.pages).toBeLessThanOrEqual(mostPages);
    expect(many.growth).toBeLessThan(Math.max(...short, 0) + (MANY - FEW) * BYTES_A_TICKET);
  });
});
