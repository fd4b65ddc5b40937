import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { z } from "zod";
import type { Hooks } from "./hooks/hooks.js";
import { parseRecord } from "./store/records.js";
import type { ActorRecord, Store, TenantStore } from "./store/store.js";

/** What is looked at when it is asked for: what is owed, how far behind boards we may be, and whether Redis answers. */

export interface StateDeps {
  readonly store: Store;
  readonly jobs: Pick<Hooks, "counts">;
  /** The hash of what a host of the frozen surface was deployed with. */
  readonly contract: () => Promise<string>;
  known(provider: string): string;
  now(): Date;
}

interface Gauges {
  /** What cannot be read has no value: zero would say that all is well. */
  refresh(): Promise<void>;
}

const PREFIX = "boardwalk_";
const UNKNOWN = Number.NaN;

export function createStateGauges(registers: Registry[], deps: StateDeps): Gauges {
  const contract = gauge(
    registers,
    "tool_contract_info",
    "Always 1; what is locked when an add-on is deployed.",
    ["surface", "sha256"],
  );
  const all = [
    createTenantGauges(registers, deps),
    createJobGauges(registers, deps),
    createRedisGauges(registers, deps),
  ];
  let told: Promise<void> | undefined;
  return {
    async refresh() {
      told ??= deps.contract().then((sha256) => contract.set({ surface: "frozen", sha256 }, 1));
      await Promise.all([told, ...all.map((one) => one.refresh())]);
    },
  };
}

function gauge<L extends string>(
  registers: Registry[],
  name: string,
  help: string,
  labelNames: readonly L[],
) {
  return new Gauge({ name: PREFIX + name, help, labelNames, registers });
}

/** In Redis they are one for all processes, so every process tells the same. */
function createTenantGauges(registers: Registry[], { store, known, now }: StateDeps): Gauges {
  const pending = gauge(
    registers,
    "outbox_pending",
    "Moves and hooks owed, and hooks that wait for what they lack; of each tenant's first thousand tickets.",
    ["kind"],
  );
  const oldest = gauge(
    registers,
    "outbox_oldest_seconds",
    "Age of the oldest move or hook owed, those that wait left out.",
    [],
  );
  const drift = gauge(
    registers,
    "drift_open_seconds",
    "How long the board of this kind that was read longest ago may have changed without our knowing, but for its webhook.",
    ["provider"],
  );
  return {
    async refresh() {
      const state = await readTenants(store).catch(() => undefined);
      pending.reset();
      drift.reset();
      oldest.set(state === undefined ? UNKNOWN : secondsSince(oldestOf(owedSince(state.records)), now()));
      if (state === undefined) return;
      for (const [kind, count] of Object.entries(countOwed(state.records))) pending.set({ kind }, count);
      const since = new Map<string, number>();
      for (const { provider, at } of state.boards) {
        const kind = known(provider);
        since.set(kind, Math.min(at, since.get(kind) ?? at));
      }
      for (const [provider, at] of since) drift.set({ provider }, secondsSince(at, now()));
    },
  };
}

interface Tenants {
  readonly records: readonly ActorRecord[];
  /** When each board was last brought in step, or else connected. */
  readonly boards: readonly { readonly provider: string; readonly at: number }[];
}

/** Enough to see that something piles up; a scrape must not read a whole store. */
const LOOKED_AT = 1_000;

async function readTenants(store: Store): Promise<Tenants> {
  const records: ActorRecord[] = [];
  const boards: Tenants["boards"][number][] = [];
  for (const { id } of await store.listTenants()) {
    const tenant = store.tenant(id);
    const [owing, connected] = await Promise.all([owingOf(tenant), boardsOf(tenant)]);
    records.push(...owing);
    boards.push(...connected);
  }
  return { records, boards };
}

async function owingOf(tenant: TenantStore): Promise<readonly ActorRecord[]> {
  const ids = await tenant.unsettled(LOOKED_AT);
  if (ids.length === 0) return [];
  return (await tenant.getActors(ids)).filter((record) => record !== undefined);
}

const board = z.object({
  provider: z.string(),
  createdAt: z.string(),
  imported: z.object({ at: z.string() }).optional(),
});

async function boardsOf(tenant: TenantStore): Promise<Tenants["boards"]> {
  return (await tenant.listDocuments("connection")).map(({ id, value }) => {
    const { provider, createdAt, imported } = parseRecord(board, value, "connection", id);
    return { provider, at: Date.parse(imported?.at ?? createdAt) };
  });
}

function countOwed(records: readonly ActorRecord[]) {
  const hooks = records.flatMap((record) => record.hooks);
  return {
    move: records.filter(({ pending }) => pending !== undefined).length,
    hook: hooks.filter(({ state }) => state === "owed").length,
    waiting: hooks.filter(({ state }) => state === "waiting").length,
  };
}

function owedSince(records: readonly ActorRecord[]): readonly number[] {
  const moves = records.flatMap(({ pending }) => pending ?? []);
  const owed = records.flatMap(({ hooks }) => hooks.filter(({ state }) => state === "owed"));
  return [...moves, ...owed].map(({ since }) => Date.parse(since));
}

function oldestOf(ats: readonly number[]): number | undefined {
  return ats.length === 0 ? undefined : ats.reduce((a, b) => Math.min(a, b));
}

function secondsSince(at: number | undefined, now: Date): number {
  return at === undefined ? 0 : Math.max(0, now.getTime() - at) / 1_000;
}

function createJobGauges(registers: Registry[], { jobs }: StateDeps): Gauges {
  const held = gauge(registers, "jobs", "Jobs in the queue, of all processes.", ["state"]);
  const workers = gauge(registers, "workers", "Workers that take jobs, of all processes.", []);
  return {
    async refresh() {
      const counts = await jobs.counts().catch(() => undefined);
      held.set({ state: "waiting" }, counts?.waiting ?? UNKNOWN);
      held.set({ state: "running" }, counts?.running ?? UNKNOWN);
      workers.set(counts?.workers ?? UNKNOWN);
    },
  };
}

function createRedisGauges(registers: Registry[], { store }: StateDeps): Gauges {
  const up = gauge(registers, "redis_up", "Whether what keeps our state answers this process.", []);
  const took = gauge(registers, "redis_ping_seconds", "How long its answer took, just now.", []);
  return {
    async refresh() {
      const began = performance.now();
      const answers = await store.ping().then(
        () => true,
        () => false,
      );
      up.set(answers ? 1 : 0);
      took.set(answers ? (performance.now() - began) / 1_000 : UNKNOWN);
    },
  };
}

let ofProcess: Registry | undefined;

/** Processor, memory, event loop and garbage collection, under the names that dashboards know; one for the process. */
export function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}
