import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../src/store/memory.js";
import type { ActorRecord, TenantStore } from "../../../src/store/store.js";
import type { Connections } from "../../../src/sync/connections.js";
import { replay } from "../../../src/sync/replay.js";
import type { HookResult } from "../../../src/tickets/boards.js";
import { SWEEP_BUDGET, sweep } from "../../../src/tickets/handlers.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard, type FakeBoard } from "../../support/fake-board.js";
import { actorOf } from "../../support/mcp.js";
import { until } from "../../support/until.js";

const ID = "fake.site.WEB1";
/** Of the tenant's connections there is none to read anew; see test/integration/sync-drift.test.ts for one. */
const connections = { list: async () => [] } as Partial<Connections> as Connections;

let board: FakeBoard;
let desk: Desk;
let tenant: TenantStore;
let answer: HookResult;
let runs: number;

beforeEach(async () => {
  board = createFakeBoard([["WEB-1", "Fix the login page", "1"]]);
  runs = 0;
  desk = await openDesk(board, {
    owes: { "2": [{ run: "open" }] },
    runs: {
      open: async () => {
        runs += 1;
        return answer;
      },
    },
  });
  tenant = desk.store.tenant("acme");
});
afterEach(() => desk.close());

const again = (only = {}) => replay({ connections, jobs: desk.hooks, now: () => new Date() }, tenant, only);
const stateOf = async () => (await desk.actor(ID)).hooks.at(-1)?.state;

describe("replay", () => {
  it.each([
    ["failed", { state: "failed", reason: "The repository is away." }],
    ["waiting", { state: "waiting", reason: "There is no branch yet." }],
  ] as const)("runs a hook that is %s once more, as new work", async (state, first) => {
    answer = first;
    await desk.tickets.move(desk.talk(), { ticket: "WEB-1", to: "In Progress" });
    await until(async () => (await stateOf()) === state);
    answer = { state: "done", result: { number: 7 } };
    expect(await again()).toMatchObject({ hooks: 1, moves: 0 });
    await until(async () => (await stateOf()) === "done");
    expect(runs).toBe(2);
    expect((await desk.actor(ID)).context).toMatchObject({ open: { number: 7 } });
    const { items } = await tenant.auditPage({ limit: 1 });
    expect(items).toMatchObject([{ action: "replay", detail: { hooks: 1 } }]);
  });

  it("leaves alone what is done, and what a status owed that the ticket has left", async () => {
    answer = { state: "failed", reason: "The repository is away." };
    await desk.tickets.move(desk.talk(), { ticket: "WEB-1", to: "In Progress" });
    await until(async () => (await stateOf()) === "failed");
    await desk.tickets.move(desk.talk(), { ticket: "WEB-1", to: "To Do" });
    expect(await again()).toMatchObject({ hooks: 0, moves: 0 });
    expect(runs).toBe(1);
  });

  it("is for one ticket when one is named, which has to be there", async () => {
    expect(await again({ ticket: ID })).toEqual({ hooks: 0, moves: 0, connections: 0 });
    await expect(again({ ticket: "fake.site.none" })).rejects.toMatchObject({ code: "not_found_or_hidden" });
  });
});

describe("a sweep", () => {
  it("sees to so many of a tenant's tickets at a time, and to all of them by turns", async () => {
    const store = createMemoryStore();
    const one = store.tenant("acme");
    await store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
    const count = 2 * SWEEP_BUDGET + 1;
    const owing = (i: number): ActorRecord => {
      const since = new Date().toISOString();
      const hook = { hook: "open", entry: 1, status: "2", state: "owed" as const, since, attempt: 1 };
      return { ...actorOf(`fake.site.${i}`, `Ticket ${i}`, "2"), hooks: [hook] };
    };
    await one.saveActors(Array.from({ length: count }, (_, i) => owing(i)));
    const put = new Set<string>();
    const jobs = { ask: async () => undefined, put: async (job: { id: string }) => void put.add(job.id) };
    const rounds = [];
    for (let round = 0; round < 3; round++) rounds.push((await sweep(store, jobs, new Date())).put);
    expect(rounds).toEqual([SWEEP_BUDGET, SWEEP_BUDGET, 1]);
    expect(put.size).toBe(count);
    expect((await sweep(store, jobs, new Date())).put).toBe(SWEEP_BUDGET);
  });
});
