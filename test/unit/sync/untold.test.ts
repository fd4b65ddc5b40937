import { describe, expect, it } from "vitest";
import { createInlineHooks } from "../../../src/hooks/inline.js";
import type { StatusGraph } from "../../../src/machine/index.js";
import { createMemoryStore } from "../../../src/store/memory.js";
import type { TenantStore } from "../../../src/store/store.js";
import { changesOf } from "../../../src/sync/changes.js";
import type { Connections } from "../../../src/sync/connections.js";
import { syncConnection } from "../../../src/sync/import.js";
import type { ConnectionRecord } from "../../../src/sync/records.js";
import type { SyncDeps } from "../../../src/sync/sync-deps.js";
import { createWorkflows } from "../../../src/tickets/workflows.js";
import { createFakeBoard, fakeGraph } from "../../support/fake-board.js";

/** A process may die, or lose its store, between keeping a changed workflow and telling of it. */

const signal = new AbortController().signal;
const now = () => new Date();

function world() {
  const store = createMemoryStore();
  const tenant = store.tenant("acme");
  const { connector } = createFakeBoard([["WEB-1", "Fix the login page", "1"]]);
  let graph: StatusGraph = fakeGraph();
  let record: ConnectionRecord = {
    id: "web",
    provider: "fake",
    settings: {},
    sealed: "",
    createdAt: now().toISOString(),
    health: { state: "ok", problems: [] },
  };
  const board = {
    name: "The board",
    connector: { ...connector, pullWorkflows: async () => [graph] },
    hooks: {},
  };
  const connections = {
    get: async () => record,
    open: async () => board,
    update: async (
      _tenant: TenantStore,
      _id: string,
      change: (before: ConnectionRecord) => ConnectionRecord,
    ) => {
      record = change(record);
      return record;
    },
  } as Partial<Connections> as Connections;
  const told: string[] = [];
  const jobs = createInlineHooks();
  const workflows = createWorkflows();
  const deps: SyncDeps = {
    connections,
    workflows,
    jobs,
    worker: { store, boards: connections, workflows, jobs, now },
    workflowPollMs: 1,
    workflowsChanged: async (_tenant, changed) => void told.push(...changed.map(({ id }) => id)),
    now,
  };
  return {
    tenant,
    told,
    deps,
    rename(status: string, name: string) {
      const statuses = graph.statuses.map((one) => (one.id === status ? { ...one, name } : one));
      graph = { ...graph, statuses };
    },
    sync: (over: Partial<SyncDeps> = {}, through: TenantStore = tenant) =>
      syncConnection({ ...deps, ...over }, through, "web", "fresh", signal),
    workflow: graph.id,
  };
}

/** The tenant's store, failing at this method once. */
function failingOnce(tenant: TenantStore, method: "audit" | "saveDocument", nth = 1): TenantStore {
  let calls = 0;
  return new Proxy(tenant, {
    get(target, property) {
      const value = Reflect.get(target, property) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (property === method && ++calls === nth) throw new Error("the process is gone");
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

const audited = async (tenant: TenantStore) =>
  (await tenant.auditPage({ limit: 50 })).items.map(({ detail }) => detail?.kind);

describe("a change that was kept and not told", () => {
  it("is told by the next pull when the others could not be reached", async () => {
    const { sync, tenant, told, rename, workflow } = world();
    await sync();
    rename("2", "Doing");
    const unreachable = async () => {
      throw new Error("Redis is away");
    };
    await expect(sync({ workflowsChanged: unreachable })).rejects.toThrow();
    expect(await audited(tenant)).toEqual([]);
    const { changes } = await sync();
    expect(changes).toMatchObject([{ kind: "renamed", before: "In Progress", after: "Doing" }]);
    expect(told).toEqual([workflow, workflow]);
    expect(await audited(tenant)).toEqual(["renamed"]);
    expect((await changesOf(tenant, workflow)).map(({ kind }) => kind)).toEqual(["renamed", "created"]);
    expect((await sync()).changes).toEqual([]);
  });

  it("is noted once and audited when the process dies at any step in between", async () => {
    for (const [method, nth] of [
      ["audit", 1],
      ["saveDocument", 2],
      ["saveDocument", 3],
    ] as const) {
      const { sync, tenant, rename, workflow } = world();
      await sync();
      rename("2", "Doing");
      await expect(sync({}, failingOnce(tenant, method, nth))).rejects.toThrow();
      await sync();
      expect((await changesOf(tenant, workflow)).map(({ kind }) => kind)).toEqual(["renamed", "created"]);
      expect(new Set(await audited(tenant))).toEqual(new Set(["renamed"]));
      expect((await sync()).changes).toEqual([]);
    }
  });
});
