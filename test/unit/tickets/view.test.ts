import { describe, expect, it, vi } from "vitest";
import { BoardwalkError } from "../../../src/errors.js";
import { createMemoryStore } from "../../../src/store/memory.js";
import type { TenantStore } from "../../../src/store/store.js";
import { createRecency } from "../../../src/tickets/recency.js";
import { createViews } from "../../../src/tickets/view.js";
import { createWorkflows } from "../../../src/tickets/workflows.js";
import { actor } from "../../contract/store.contract.js";

/** A tenant whose news are answered when the test says so, with what was true when they were asked for. */
function slowTenant() {
  const tenant = createMemoryStore().tenant("acme");
  const asked: { answer(): void; fail(error: Error): void }[] = [];
  const newsSince: TenantStore["newsSince"] = async (revision, limit) => {
    const now = await tenant.newsSince(revision, limit);
    return new Promise((resolve, reject) => {
      asked.push({ answer: () => resolve(now), fail: reject });
    });
  };
  const slow = new Proxy(tenant, {
    get: (target, name) => {
      if (name === "newsSince") return newsSince;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { tenant, slow, asked };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("views", () => {
  it("are kept while their tickets are not too many together, those last asked for before others", async () => {
    const store = createMemoryStore();
    const tenants = ["a", "b", "c"].map((id) => store.tenant(id));
    for (const tenant of tenants)
      await tenant.saveActors(Array.from({ length: 100 }, (_, i) => actor(`${tenant.id}${i}`)));
    const [a, b, c] = tenants as [TenantStore, TenantStore, TenantStore];
    const views = createViews(createWorkflows(), { mostTickets: 300 });
    const [viewA, viewB] = [await views.fresh(a), await views.fresh(b)];
    expect(await views.fresh(a)).toBe(viewA);
    await views.fresh(c);
    expect(await views.fresh(a)).toBe(viewA);
    expect(await views.fresh(b)).not.toBe(viewB);
  });

  it("of hundreds of small tenants are all kept", async () => {
    const store = createMemoryStore();
    const views = createViews(createWorkflows());
    const tenants = Array.from({ length: 500 }, (_, i) => store.tenant(`t${i}`));
    const kept = await Promise.all(tenants.map((tenant) => views.fresh(tenant)));
    for (const [i, tenant] of tenants.entries()) expect(await views.fresh(tenant)).toBe(kept[i]);
  });
});

describe("a view that is asked for", () => {
  it("holds what was saved before it was asked for, though a reading was under way that missed it", async () => {
    const { tenant, slow, asked } = slowTenant();
    const views = createViews(createWorkflows());
    const early = views.fresh(slow);
    await turn();
    await tenant.saveActor(actor("a"));
    const late = views.fresh(slow);
    asked[0]?.answer();
    expect((await early).actors.size).toBe(0);
    await turn();
    asked[1]?.answer();
    expect((await late).actors.size).toBe(1);
  });

  it("is read once for all who ask while a reading is under way", async () => {
    const { slow, asked } = slowTenant();
    const views = createViews(createWorkflows());
    const first = views.fresh(slow);
    await turn();
    const others = Array.from({ length: 64 }, () => views.fresh(slow));
    asked[0]?.answer();
    await first;
    await turn();
    asked[1]?.answer();
    await Promise.all(others);
    expect(asked).toHaveLength(2);
  });

  it("is read no further time for who asked before its last reading began, and once more for who asked later", async () => {
    const { tenant, slow, asked } = slowTenant();
    const views = createViews(createWorkflows());
    const askedAt = performance.now();
    const read = views.fresh(slow, askedAt);
    await turn();
    const joined = views.fresh(slow, askedAt);
    asked[0]?.answer();
    await Promise.all([read, joined]);
    await tenant.saveActor(actor("a"));
    expect((await views.fresh(slow, askedAt)).actors.size).toBe(0);
    expect(asked).toHaveLength(1);
    const later = views.fresh(slow, performance.now());
    await turn();
    asked[1]?.answer();
    expect((await later).actors.size).toBe(1);
  });

  it("fails for those who shared a reading that failed, and for nobody after them", async () => {
    const { slow, asked } = slowTenant();
    const views = createViews(createWorkflows());
    const askedAt = performance.now();
    const lost = [views.fresh(slow, askedAt), views.fresh(slow, askedAt)];
    await turn();
    asked[0]?.fail(new BoardwalkError("unavailable", "Away."));
    for (const one of lost) await expect(one).rejects.toMatchObject({ code: "unavailable" });
    const again = views.fresh(slow, askedAt);
    await turn();
    asked[1]?.answer();
    expect((await again).actors.size).toBe(0);
  });
});

describe("a view as of what was told", () => {
  async function told() {
    const store = createMemoryStore();
    const recency = await createRecency(store);
    const views = createViews(createWorkflows(), { recency });
    const tenant = store.tenant("acme");
    const saved = await tenant.saveActor(actor("a"));
    const view = await views.fresh(tenant);
    const news = vi.spyOn(tenant, "newsSince");
    return { views, tenant, saved, view, news };
  }

  it("takes in what is saved here, without asking the store, and in order only", async () => {
    const { views, tenant, saved, view, news } = await told();
    const moved = await tenant.saveActor({ ...saved, entry: 7 });
    views.saved(tenant, moved);
    expect((await views.told(tenant)).actors.get("a")).toEqual(moved);
    expect(news).not.toHaveBeenCalled();
    // Somebody else was first: what is between is read before what came after it is believed.
    await tenant.saveActor(actor("b"));
    const after = await tenant.saveActor({ ...moved, entry: 8 });
    views.saved(tenant, after);
    expect(view.actors.get("a")).toEqual(moved);
    expect([...(await views.told(tenant)).actors.keys()].sort()).toEqual(["a", "b"]);
    expect(view.actors.get("a")).toEqual(after);
    expect(news).toHaveBeenCalledTimes(1);
  });

  it("asks the store again as soon as anything else was told", async () => {
    const { views, tenant, news } = await told();
    await tenant.saveDocument("setting", "speech", { version: 0, value: {} });
    await views.told(tenant);
    expect(news).toHaveBeenCalledTimes(1);
  });

  it("does not go back to what a reading found that began before the save", async () => {
    const { tenant, slow, asked } = slowTenant();
    const views = createViews(createWorkflows());
    const first = views.fresh(slow);
    await turn();
    asked[0]?.answer();
    const view = await first;
    const reading = views.fresh(slow);
    await turn();
    const saved = await tenant.saveActor(actor("a"));
    views.saved(slow, saved);
    asked[1]?.answer();
    await reading;
    expect(view.actors.get("a")).toEqual(saved);
    const next = await tenant.saveActor({ ...saved, entry: 7 });
    views.saved(slow, next);
    expect(view.actors.get("a")).toEqual(next);
  });
});
