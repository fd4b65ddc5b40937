import { describe, expect, it, vi } from "vitest";
import { createMemoryStore } from "../../../src/store/memory.js";
import { newActor } from "../../../src/tickets/actor.js";
import { freshConnections } from "../../support/sync-parts.js";

/** Taking away a connection with a great many tickets. */

const ticket = (id: string) => ({ id, title: id, workflow: "w", status: "1", updatedAt: "2026" });
const idsOf = (connection: string, count: number) =>
  Array.from({ length: count }, (_, i) => `fake.${connection}.${i}`);

describe("a connection that is removed", () => {
  it("takes its tickets along, a thousand at a time, and nobody else's", async () => {
    const tenant = createMemoryStore().tenant("acme");
    const record = { id: "web", provider: "fake", settings: {}, sealed: "", createdAt: "2026" };
    const value = { ...record, health: { state: "ok", problems: [] } };
    await tenant.saveDocument("connection", "web", { version: 0, value });
    for (const [connection, count] of [
      ["web", 2_500],
      ["ops", 300],
    ] as const)
      await tenant.saveActors(idsOf(connection, count).map((id) => newActor(ticket(id), connection)));
    const read = vi.spyOn(tenant, "getActors");
    const deleted = vi.spyOn(tenant, "deleteActors");

    await freshConnections().remove(tenant, "web");

    const sizes = [...read.mock.calls, ...deleted.mock.calls].map(([ids]) => ids.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    expect(sizes.length).toBeLessThan(20);
    expect((await tenant.getActors(idsOf("web", 2_500))).filter(Boolean)).toEqual([]);
    expect((await tenant.getActors(idsOf("ops", 300))).filter(Boolean)).toHaveLength(300);
  });
});
