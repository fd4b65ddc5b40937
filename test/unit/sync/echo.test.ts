import { describe, expect, it } from "vitest";
import type { Connector, Hint, Ticket } from "../../../src/board/connector.js";
import type { Job } from "../../../src/hooks/hooks.js";
import { createMemoryStore } from "../../../src/store/memory.js";
import type { Connections } from "../../../src/sync/connections.js";
import { receiveWebhook } from "../../../src/sync/webhooks.js";
import { intend, newActor, noteWrite } from "../../../src/tickets/actor.js";

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
  const looks: Job[] = [];
  let deliveries = 0;
  async function deliver(hint: Partial<Extract<Hint, { kind: "ticket" }>>): Promise<number> {
    const before = looks.length;
    const hints: Hint[] = [{ kind: "ticket", ticket: TICKET.id, ...hint }];
    const connector = {
      account: async () => US,
      webhooks: { read: async () => ({ deliveryId: String(++deliveries), hints }) },
    } as unknown as Connector;
    const connections = {
      openKept: async () => ({
        record: { id: "web", provider: "fake" },
        board: { name: "Fake", connector, hooks: {} },
      }),
    } as unknown as Connections;
    const jobs = { put: async (job: Job) => void looks.push(job) };
    const deps = { store, connections, jobs, now: () => new Date(), publicUrl: () => undefined };
    const delivery = { method: "POST", headers: {}, body: new Uint8Array(), url: "", receivedAt: new Date() };
    await receiveWebhook(deps, "fake", "path", delivery);
    await tenant.forget(`look/${TICKET.id}`);
    return looks.length - before;
  }
  return { deliver };
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
});
