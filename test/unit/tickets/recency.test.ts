import { afterEach, describe, expect, it, vi } from "vitest";
import { createCallers, issueToken, revokeToken } from "../../../src/http/auth.js";
import { createMemoryStore } from "../../../src/store/memory.js";
import { newActor } from "../../../src/tickets/actor.js";
import { createBelieved, createRecency, MOST_MS } from "../../../src/tickets/recency.js";

/** A store that keeps everything and tells nobody, as when the word of it is lost. */
function silentStore() {
  return { ...createMemoryStore(), watch: async () => async () => {} };
}

let clock = 0;
vi.spyOn(performance, "now").mockImplementation(() => clock);
afterEach(() => {
  clock = 0;
});

describe("what was read before", () => {
  it("is good for a quarter of a second, and not beyond a change that was told", async () => {
    const store = createMemoryStore();
    const recency = await createRecency(store);
    clock = 1_000;
    expect(MOST_MS).toBe(250);
    expect(recency.ofTenant("acme")).toBe(1_000 - MOST_MS);
    await store.tenant("acme").saveDocument("setting", "mcp", { version: 0, value: 1 });
    clock = 1_100;
    expect(recency.ofTenant("acme")).toBe(1_000);
    expect(recency.ofTenant("globex")).toBe(1_100 - MOST_MS);
    expect(recency.ofHandles()).toBe(1_100 - MOST_MS);
    // That a setting has changed says nothing of connections.
    expect(recency.ofConnections("acme")).toBe(1_100 - MOST_MS);
    await store.tenant("acme").saveDocument("connection", "web", { version: 0, value: 1 });
    expect(recency.ofConnections("acme")).toBe(1_100);
    await store.tenant("globex").link("token", "h", "x");
    clock = 1_200;
    expect(recency.ofHandles()).toBe(1_100);
    expect(recency.ofTenant("acme")).toBe(1_100);
    await recency.close();
  });

  it("is good to who knows the change that was told, and every one before it", async () => {
    const store = createMemoryStore();
    const recency = await createRecency(store);
    const tenant = store.tenant("acme");
    const ticket = { id: "t", title: "T", workflow: "w", status: "1", updatedAt: "2026-01-01T00:00:00.000Z" };
    clock = 1_000;
    await tenant.saveActor(newActor(ticket, "web"));
    await tenant.saveActor(newActor({ ...ticket, id: "u" }, "web"));
    clock = 1_100;
    expect(recency.ofTenant("acme")).toBe(1_000);
    expect(recency.ofTenant("acme", 1)).toBe(1_000);
    expect(recency.ofTenant("acme", 2)).toBe(1_100 - MOST_MS);
    // Of anything but tickets nobody knows by their revision.
    await tenant.saveDocument("setting", "mcp", { version: 0, value: 1 });
    expect(recency.ofTenant("acme", 2)).toBe(1_100);
    await recency.close();
  });

  it("lets a token in no longer than that after it was taken back, although nobody was told", async () => {
    const store = silentStore();
    const callerOf = createCallers(store, await createRecency(store));
    const tenant = store.tenant("acme");
    const { id, token } = await issueToken(tenant, { name: "ann" }, new Date());
    expect(await callerOf(token)).toMatchObject({ token: { name: "ann" } });
    await revokeToken(tenant, id);
    clock = MOST_MS;
    expect(await callerOf(token)).toMatchObject({ token: { name: "ann" } });
    clock = MOST_MS + 1;
    await expect(callerOf(token)).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("lets a token in no more once it was told, and asks the store once for all who come at once", async () => {
    const store = createMemoryStore();
    const find = vi.spyOn(store, "findHandle");
    const callerOf = createCallers(store, await createRecency(store));
    const tenant = store.tenant("acme");
    const { id, token } = await issueToken(tenant, { name: "ann" }, new Date());
    clock = 1;
    await Promise.all(Array.from({ length: 64 }, () => callerOf(token)));
    expect(find).toHaveBeenCalledTimes(1);
    clock = 2;
    await revokeToken(tenant, id);
    await expect(callerOf(token)).rejects.toMatchObject({ code: "unauthorized" });
    expect(find).toHaveBeenCalledTimes(2);
  });

  it("is not that a token is nobody's: it may be somebody's in a moment", async () => {
    const store = silentStore();
    const callerOf = createCallers(store, await createRecency(store));
    await expect(callerOf("bw_none")).rejects.toMatchObject({ code: "unauthorized" });
    await expect(callerOf(undefined)).rejects.toMatchObject({ code: "unauthorized" });
    const { token } = await issueToken(store.tenant("acme"), { name: "ann" }, new Date());
    expect(await callerOf(token)).toMatchObject({ token: { name: "ann" } });
  });
});

describe("what is looked up again and again", () => {
  it("is believed for as long as was said; what was not found, or failed, is looked for each time", async () => {
    let since = 0;
    const answers: (string | undefined | Error)[] = [];
    const look = async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const believed = createBelieved<string | undefined>(() => since);
    answers.push(undefined, new Error("away"), "one", "two");
    expect(await believed("k", look)).toBeUndefined();
    await expect(believed("k", look)).rejects.toThrow("away");
    expect(await believed("k", look)).toBe("one");
    expect(await believed("k", look)).toBe("one");
    since = 1;
    clock = 1;
    expect(await believed("k", look)).toBe("two");
  });
});
