import { describe, expect, it, vi } from "vitest";
import type { Connector, Hint, Ticket } from "../../../src/board/connector.js";
import type { Job } from "../../../src/hooks/hooks.js";
import { createMemoryStore } from "../../../src/store/memory.js";
import type { Connections } from "../../../src/sync/connections.js";
import { receiveDelivery } from "../../../src/sync/deliveries.js";
import { intend, newActor, noteWrite, settle } from "../../../src/tickets/actor.js";
import { createRecent } from "../../../src/tickets/recent.js";

/** Deliveries that tell what is known already, most of them the echo of our own moves: not read again. */

const US = "us-1";
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const TICKET: Ticket = { id: "fake.site.1", title: "One", workflow: "w", status: "1", updatedAt: at(10) };

async function world({ moving = false } = {}) {
  const store = createMemoryStore();
  const tenant = store.tenant("acme");
  await tenant.link("webhook", "path", "web");
  await tenant.saveActor(newActor(TICKET, "web"));
  if (moving) {
    const wish = { moveId: "m", to: "2", by: { person: "ann" }, at: new Date() };
    await intend(tenant, TICKET.id, wish);
    await noteWrite(tenant, TICKET.id, { moveId: "m" }, TICKET, new Date());
  }
  const recent = createRecent();
  const looks: Job[] = [];
  let deliveries = 0;
  let hints: Hint[] = [];
  let clock = 0;
  const connector = {
    account: async () => US,
    webhooks: { read: async () => ({ deliveryId: String(++deliveries), hints }) },
  } as unknown as Connector;
  async function deliver(hint: Partial<Extract<Hint, { kind: "ticket" }>>): Promise<number> {
    const before = looks.length;
    hints = [{ kind: "ticket", ticket: TICKET.id, ...hint }];
    const connections = {
      openKept: async () => ({
        record: { id: "web", provider: "fake" },
        board: { name: "Fake", connector, hooks: {} },
      }),
    } as unknown as Connections;
    const jobs = { put: async (job: Job) => void looks.push(job) };
    const deps = { store, connections, jobs, recent };
    clock += 1_000;
    const receivedAt = new Date(clock);
    const delivery = { method: "POST", headers: {}, body: new Uint8Array(), url: "", receivedAt };
    await receiveDelivery(deps, "fake", "path", delivery);
    await tenant.forget(`look/${TICKET.id}`);
    return looks.length - before;
  }
  return { deliver, tenant, recent };
}

describe("a delivery", () => {
  it("of what has been read since is not looked into", async () => {
    const { deliver } = await world();
    expect(await deliver({ shows: { status: "1", updatedAt: at(10) } })).toBe(0);
    expect(await deliver({ shows: { status: "7", updatedAt: at(9) } })).toBe(0);
  });

  it("of anything newer, or of which nothing is shown, is looked into", async () => {
    const { deliver } = await world();
    expect(await deliver({ shows: { status: "1", updatedAt: at(11) } })).toBe(1);
    expect(await deliver({ shows: { status: "2", updatedAt: at(10) } })).toBe(1);
    expect(await deliver({ by: US, shows: { status: "2", updatedAt: at(11) } })).toBe(1);
    expect(await deliver({})).toBe(1);
  });

  it("of a write that is being settled is left to who made it, when the account and the status say so", async () => {
    const { deliver } = await world({ moving: true });
    expect(await deliver({ by: US, shows: { status: "2", updatedAt: at(11) } })).toBe(0);
    expect(await deliver({ by: "somebody", shows: { status: "2", updatedAt: at(11) } })).toBe(1);
    expect(await deliver({ by: US, shows: { status: "3", updatedAt: at(11) } })).toBe(1);
    expect(await deliver({ shows: { status: "2", updatedAt: at(11) } })).toBe(1);
  });

  it("of what this very process has just done asks the store nothing, but notes each ten seconds that it came", async () => {
    const { deliver, tenant, recent } = await world({ moving: true });
    const echo = { by: US, shows: { status: "2", updatedAt: at(11) } };
    const record = await tenant.getActor(TICKET.id);
    if (record !== undefined) recent.keep(tenant, record);
    const asked = [vi.spyOn(tenant, "getActor"), vi.spyOn(tenant, "claim")];
    const noted = vi.spyOn(tenant, "remember");
    for (let i = 0; i < 21; i++) expect(await deliver(echo)).toBe(0);
    for (const ask of asked) expect(ask).not.toHaveBeenCalled();
    expect(noted).toHaveBeenCalledTimes(3);
    // Of anything else the store has the last word.
    expect(await deliver({ by: "somebody", shows: { status: "3", updatedAt: at(12) } })).toBe(1);
    for (const ask of asked) expect(ask).toHaveBeenCalled();
  });

  it("of a write whose end is unknown is looked into: it may tell", async () => {
    const { deliver, tenant, recent } = await world({ moving: true });
    const end = { ending: { outcome: "unknown" as const }, at: new Date() };
    recent.keep(tenant, (await settle(tenant, TICKET.id, "m", end)).record);
    expect(await deliver({ by: US, shows: { status: "2", updatedAt: at(11) } })).toBe(1);
  });
});
