import { beforeEach, describe, expect, it } from "vitest";
import { accountMember, accountOf, createMembers, type Members } from "../../../src/http/members.js";
import { createMemoryStore } from "../../../src/store/memory.js";
import { createMemoryOauthRecords } from "../../../src/store/oauth-memory.js";

const MINUTE_MS = 60_000;
let now: Date;
let members: Members;
let store: ReturnType<typeof createMemoryStore>;
let kept: Map<string, unknown>;

beforeEach(() => {
  now = new Date("2026-11-01T00:00:00Z");
  store = createMemoryStore();
  kept = new Map();
  const records = createMemoryOauthRecords(() => now.getTime());
  const watched: typeof records = {
    ...records,
    save: (kind, id, value, ttlMs, links) => {
      kept.set(id, value);
      return records.save(kind, id, value, ttlMs, links);
    },
  };
  members = createMembers({ store, records: watched, codeKey: Buffer.alloc(32, 7), now: () => now });
});

describe("a pairing code", () => {
  it("is good for a quarter of an hour and no longer", async () => {
    const { code, expiresAt } = await members.pair(store.tenant("acme"), "Ann");
    expect(expiresAt).toBe("2026-11-01T00:15:00.000Z");
    now = new Date(now.getTime() + 15 * MINUTE_MS - 1);
    expect(await members.redeem(code, undefined)).toMatchObject({ tenant: "acme", name: "Ann" });
    const later = await members.pair(store.tenant("acme"), "Ann");
    now = new Date(now.getTime() + 15 * MINUTE_MS);
    expect(await members.redeem(later.code, undefined)).toBeUndefined();
  });

  it("lies in the store neither as it is nor as a plain hash that could be guessed", async () => {
    const { code } = await members.pair(store.tenant("acme"), "Ann");
    const everything = JSON.stringify([...kept]);
    expect(everything).not.toContain(code);
    expect(everything).not.toContain(code.replace("-", ""));
    const { createHash } = await import("node:crypto");
    for (const encoding of ["hex", "base64url"] as const)
      expect(everything).not.toContain(createHash("sha256").update(code.replace("-", "")).digest(encoding));
  });

  it("of somebody removed since is good for nothing, even when she was added again", async () => {
    const { code } = await members.pair(store.tenant("acme"), "Ann");
    await members.remove(store.tenant("acme"), "Ann");
    await members.pair(store.tenant("acme"), "Ann");
    expect(await members.redeem(code, undefined)).toBeUndefined();
  });

  it("is never one that was given before", async () => {
    const codes = await Promise.all(
      Array.from(
        { length: 500 },
        async (_, i) => (await members.pair(store.tenant("acme"), `p${i % 50}`)).code,
      ),
    );
    expect(new Set(codes).size).toBe(500);
    expect(await members.list(store.tenant("acme"))).toHaveLength(50);
  });
});

describe("an account", () => {
  it.each([
    { tenant: "acme", name: "Ann", id: "x" },
    { tenant: "acme", name: "Zoë O'Neil-Ng", id: "-_" },
    { tenant: "a-1", name: "a/b%2F", id: "/" },
  ])("is told by tenant, name and id: %j", (member) => {
    expect(accountMember(accountOf(member))).toEqual(member);
  });

  it("that was removed and added again is another one", async () => {
    const before = await members.pair(store.tenant("acme"), "Ann");
    const first = await members.redeem(before.code, "acme");
    if (first === undefined) throw new Error("nobody");
    await members.remove(store.tenant("acme"), "Ann");
    expect(await members.find(accountOf(first))).toBeUndefined();
    const after = await members.redeem((await members.pair(store.tenant("acme"), "Ann")).code, "acme");
    expect(after?.id).not.toBe(first.id);
    expect(await members.find(accountOf(first))).toBeUndefined();
    expect(await members.find(accountOf({ ...first, tenant: "globex" }))).toBeUndefined();
  });
});
