import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, type RedisServer, startRedis } from "../support/redis.js";
import { type Role, type Service, startService } from "../support/service.js";
import type { Chance } from "./chance.js";

/** Two web processes, two workers and a Redis with an append-only file, and what befalls them. */

export interface Fleet {
  readonly redis: RedisServer;
  readonly adminToken: string;
  /** Addresses of the web processes, whether or not they are up. */
  readonly urls: readonly string[];
  /** How often each thing has happened. */
  readonly happened: Readonly<Record<Trouble, number>>;
  /** Begins to make trouble, `everyMs` apart. @returns what ends it, and resolves when all are up again. */
  trouble(chance: Chance, everyMs: readonly [least: number, most: number]): () => Promise<void>;
  close(): Promise<void>;
}

export type Trouble = "killWeb" | "killWorker" | "pauseWeb" | "pauseWorker" | "killRedis" | "pauseRedis";

const TROUBLES: readonly Trouble[] = [
  "killWeb",
  "killWorker",
  "pauseWeb",
  "pauseWorker",
  "killRedis",
  "pauseRedis",
];

/** How long Redis is gone, and how long somebody stands still: longer than a worker's hold on its jobs, and shorter. */
const AWAY_MS = [300, 2_000] as const;
const PAUSE_MS = [300, 4_000] as const;

export async function startFleet(): Promise<Fleet> {
  const redis = await startRedis({ appendOnly: true });
  const adminToken = randomBytes(24).toString("base64url");
  const ports = [await freePort(), await freePort()];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const env = environment(redis, adminToken, urls[0] ?? "");
  const slots = await Promise.all([
    ...ports.map((port) => startSlot("web", { ...env, PORT: String(port) })),
    startSlot("worker", env),
    startSlot("worker", env),
  ]);
  const happened: Record<Trouble, number> = {
    killWeb: 0,
    killWorker: 0,
    pauseWeb: 0,
    pauseWorker: 0,
    killRedis: 0,
    pauseRedis: 0,
  };
  const makers = createMakers(redis, slots);
  return {
    redis,
    adminToken,
    urls,
    happened,
    trouble(chance, [least, most]) {
      const going = new Set<Promise<void>>();
      const ending = new AbortController();
      const loop = (async () => {
        while (!ending.signal.aborted) {
          await sleep(chance.between(least, most), undefined, { signal: ending.signal }).catch(() => {});
          if (ending.signal.aborted) return;
          const kind = chance.pick(TROUBLES) ?? "killWorker";
          const work = makers[kind](chance);
          if (work === undefined) continue;
          happened[kind] += 1;
          going.add(work);
          void work.finally(() => going.delete(work));
        }
      })();
      return async () => {
        ending.abort();
        await loop;
        await Promise.all(going);
      };
    },
    async close() {
      await Promise.all(slots.map((slot) => slot.close()));
      await redis.stop();
    },
  };
}

/** Each begins at once and resolves when all is well again; `undefined`: nobody was free for it. */
type Maker = (chance: Chance) => Promise<void> | undefined;

function createMakers(redis: RedisServer, slots: readonly Slot[]): Readonly<Record<Trouble, Maker>> {
  let redisBusy = false;
  const one =
    (role: Role, does: (slot: Slot, chance: Chance) => Promise<void>): Maker =>
    (chance) => {
      const slot = chance.pick(slots.filter((each) => each.role === role && each.free));
      return slot && does(slot, chance);
    };
  const toRedis =
    (does: (chance: Chance) => Promise<void>): Maker =>
    (chance) => {
      if (redisBusy) return undefined;
      redisBusy = true;
      return does(chance).finally(() => {
        redisBusy = false;
      });
    };
  const pause = (slot: Slot, chance: Chance) => slot.pause(chance.between(...PAUSE_MS));
  return {
    killWeb: one("web", (slot) => slot.replace()),
    killWorker: one("worker", (slot) => slot.replace()),
    pauseWeb: one("web", pause),
    pauseWorker: one("worker", pause),
    killRedis: toRedis(async (chance) => {
      const ms = chance.between(...AWAY_MS);
      await redis.kill();
      await sleep(ms);
      await redis.restart();
    }),
    pauseRedis: toRedis((chance) => standStill(redis.pid, chance.between(...AWAY_MS))),
  };
}

/** A process that is put back whenever it is gone, as a supervisor would. */
interface Slot {
  readonly role: Role;
  /** It is up and nothing is being done to it. */
  readonly free: boolean;
  replace(): Promise<void>;
  pause(ms: number): Promise<void>;
  close(): Promise<void>;
}

async function startSlot(role: Role, env: Readonly<Record<string, string>>): Promise<Slot> {
  let service: Service | undefined = await startService({ role, env });
  let busy = false;
  let closed = false;

  async function start(): Promise<void> {
    // One that is started while Redis is away ends at once.
    while (service === undefined && !closed) {
      service = await startService({ role, env }).catch(() => undefined);
    }
  }

  async function exclusively(work: () => Promise<void>): Promise<void> {
    busy = true;
    try {
      await work();
    } finally {
      busy = false;
    }
  }

  return {
    role,
    get free() {
      return !busy;
    },
    replace: () =>
      exclusively(async () => {
        await service?.kill();
        service = undefined;
        await start();
      }),
    pause: (ms) => exclusively(() => standStill(service?.pid, ms)),
    async close() {
      closed = true;
      await service?.kill();
    },
  };
}

async function standStill(pid: number | undefined, ms: number): Promise<void> {
  if (pid === undefined) return;
  process.kill(pid, "SIGSTOP");
  await sleep(ms);
  process.kill(pid, "SIGCONT");
}

function environment(redis: RedisServer, adminToken: string, publicUrl: string): Record<string, string> {
  return {
    REDIS_URL: redis.url,
    PUBLIC_URL: publicUrl,
    BOARDWALK_ADMIN_TOKEN: adminToken,
    BOARDWALK_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
    BOARDWALK_SWEEP_MS: "500",
    // Shorter than the longest pause, so that a worker comes back to jobs that are another's by then.
    BOARDWALK_JOB_LOCK_MS: "1500",
    BOARDWALK_REPLY_BUDGET_MS: "2500",
    BOARDWALK_TICKET_POLL_MS: "10000",
    LOG_LEVEL: "info",
  };
}
