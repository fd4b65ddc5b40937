import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MIGRATIONS, type Migration } from "../../src/store/format.js";
import type { RecordKind } from "../../src/store/records.js";
import type { ActorRecord, AuditEvent, HistoryEvent, Store, TenantStore } from "../../src/store/store.js";
import { until } from "../support/until.js";

/** What the suite is given: a fresh store, and what to call when it is done. */
export interface StoreUnderTest {
  readonly store: Store;
  close(): Promise<void>;
}

/** Ids that a careless store would take for a part of its own key, pattern or object. */
const AWKWARD = [
  "a:b",
  "{a}",
  "a}",
  "{",
  "a b",
  "%7B",
  "*",
  "é",
  "🚀",
  "__proto__",
  "constructor",
  "hasOwnProperty",
];

export function actor(id: string, more: Partial<ActorRecord> = {}): ActorRecord {
  const ticket = {
    id,
    key: "ENG-42",
    title: "Fix the login page",
    connection: "eng",
    workflow: "jira.3f2a.10001",
    status: "10002",
    updatedAt: "2026-11-30T08:00:00.000Z",
  };
  return { version: 0, ticket, context: {}, entry: 0, hooks: [], ...more };
}

export function pending(to: string): NonNullable<ActorRecord["pending"]> {
  return { moveId: `m-${to}`, to, by: { person: "ada" }, from: "10002", since: "2026-11-30T08:00:00.000Z" };
}

export function event(message: string): HistoryEvent {
  return { at: "2026-11-30T08:00:00.000Z", kind: "moved", message };
}

/** The promise of the `Store` port, for any store. */
export function describeStore(name: string, setup: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let store: Store;
    let close: () => Promise<void>;
    beforeAll(async () => {
      const made = await setup();
      store = made.store;
      close = made.close;
    });
    afterAll(() => close());
    const fresh = (): TenantStore => store.tenant(randomUUID());

    describeActors(fresh);
    describeChanges(fresh);
    describeHistory(fresh);
    describeDocuments(fresh);
    describeMemory(fresh);
    describeAudit(fresh);
    describeTenants(() => store);
    describeMessages(() => store);
    describeReleases(fresh);
  });
}

function describeActors(fresh: () => TenantStore): void {
  describe("actors", () => {
    it("forgets many at once, more than are sent in one go, and nobody else's", async () => {
      const tenant = fresh();
      const ids = Array.from({ length: 1_203 }, (_, i) => `t${i}`);
      await tenant.saveActors([...ids, "kept"].map((id) => actor(id)));
      await tenant.saveActor(actor("t7", { version: 1, pending: pending("x") }), [event("old")]);
      const { revision } = await tenant.changesSince(0, 5_000);
      await tenant.deleteActors([...ids, "nobody", "t7"]);
      await tenant.deleteActors([]);
      expect((await tenant.getActors([...ids, "kept"])).filter(Boolean)).toMatchObject([{ version: 1 }]);
      expect([...(await tenant.changesSince(revision, 5_000)).ids].sort()).toEqual([...ids].sort());
      expect(await tenant.unsettled(10)).toEqual([]);
      expect((await tenant.history("t7", { limit: 5 })).items).toEqual([]);
    });

    it("writes a record's line of the audit log with it, and none for a save that came too late", async () => {
      const tenant = fresh();
      const line = (outcome: string): AuditEvent => ({ at: "2026", action: "move", outcome });
      await tenant.saveActor(actor("jira.a.1"), [event("moved")], line("confirmed"));
      const late = tenant.saveActor(actor("jira.a.1"), [event("late")], line("refused"));
      await expect(late).rejects.toMatchObject({ code: "conflict" });
      expect(await tenant.auditPage({ limit: 9 })).toEqual({ items: [line("confirmed")] });
      expect((await tenant.history("jira.a.1", { limit: 9 })).items).toEqual([event("moved")]);
    });

    it("gives back what was saved, whole, at the next version", async () => {
      const tenant = fresh();
      const record = actor("jira.a.1", {
        context: { pr: { number: 7 }, words: ["é", "🚀", "\u0000", "line\nbreak"] },
        entry: 3,
        pending: { ...pending("10003"), fields: { size: 2 }, heardStatus: "10001", writes: 1 },
        hooks: [{ hook: "pr", entry: 3, status: "10002", state: "owed", since: "2026", attempt: 1 }],
      });
      const saved = await tenant.saveActor(record);
      expect(saved).toEqual({ ...record, version: 1 });
      expect(await tenant.getActor("jira.a.1")).toEqual({ ...record, version: 1 });
    });

    it("has nothing where nothing was saved", async () => {
      expect(await fresh().getActor("jira.a.1")).toBeUndefined();
      expect(await fresh().getActors([])).toEqual([]);
    });

    it("counts versions up, one by one", async () => {
      const tenant = fresh();
      let record = actor("jira.a.1");
      for (const version of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) {
        record = await tenant.saveActor(record);
        expect(record.version).toBe(version);
      }
    });

    it("lets exactly one of twenty racing saves win", async () => {
      const tenant = fresh();
      const start = await tenant.saveActor(actor("jira.a.1"));
      const racers = Array.from({ length: 20 }, (_, i) =>
        tenant.saveActor({ ...start, context: { racer: i } }, [event(`racer ${i}`)]),
      );
      const results = await Promise.allSettled(racers);
      const won = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      expect(won).toHaveLength(1);
      for (const result of results) {
        if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "conflict" });
      }
      expect(await tenant.getActor("jira.a.1")).toEqual(won[0]);
      const { items } = await tenant.history("jira.a.1", { limit: 50 });
      expect(items.map((item) => item.message)).toEqual([`racer ${won[0]?.context.racer}`]);
    });

    it("refuses an old version, one from the future, and a second creation, writing nothing", async () => {
      const tenant = fresh();
      await tenant.saveActor(await tenant.saveActor(actor("jira.a.1")));
      const before = await tenant.changesSince(0, 10);
      for (const version of [0, 1, 3]) {
        const losing = tenant.saveActor(actor("jira.a.1", { version, pending: pending("x") }), [
          event("lost"),
        ]);
        await expect(losing).rejects.toMatchObject({ code: "conflict" });
      }
      await expect(tenant.saveActor(actor("jira.a.2", { version: 1 }))).rejects.toMatchObject({
        code: "conflict",
      });
      expect(await tenant.getActor("jira.a.1")).toEqual(actor("jira.a.1", { version: 2 }));
      expect(await tenant.getActor("jira.a.2")).toBeUndefined();
      expect(await tenant.unsettled(10)).toEqual([]);
      expect(await tenant.history("jira.a.1", { limit: 10 })).toEqual({ items: [] });
      expect(await tenant.changesSince(0, 10)).toEqual(before);
    });

    it("keeps copies: writing to a record given or got changes nothing", async () => {
      const tenant = fresh();
      const given = actor("jira.a.1", { context: { inner: { n: 1 } } });
      const saved = await tenant.saveActor(given);
      (given.context.inner as { n: number }).n = 2;
      saved.ticket.title = "changed";
      const got = await tenant.getActor("jira.a.1");
      if (got) got.ticket.status = "changed";
      expect(await tenant.getActor("jira.a.1")).toEqual(
        actor("jira.a.1", { version: 1, context: { inner: { n: 1 } } }),
      );
    });

    it("gets many in the order asked, with gaps where there is none", async () => {
      const tenant = fresh();
      await tenant.saveActors([actor("jira.a.1"), actor("jira.a.2")]);
      const got = await tenant.getActors(["jira.a.2", "jira.a.9", "jira.a.1", "jira.a.2"]);
      expect(got.map((record) => record?.ticket.id)).toEqual(["jira.a.2", undefined, "jira.a.1", "jira.a.2"]);
    });

    it("saves in bulk, leaving out the record that lost its race", async () => {
      const tenant = fresh();
      const first = await tenant.saveActors([actor("t1"), actor("t2"), actor("t3")]);
      await tenant.saveActor({ ...actor("t2"), version: 1, context: { by: "another" } });
      const second = await tenant.saveActors(first.map((record) => ({ ...record, entry: 9 })));
      expect(second.map(({ ticket, version }) => [ticket.id, version])).toEqual([
        ["t1", 2],
        ["t3", 2],
      ]);
      const entries = (await tenant.getActors(["t1", "t2", "t3"])).map((record) => record?.entry);
      expect(entries).toEqual([9, 0, 9]);
      expect(await tenant.saveActors([])).toEqual([]);
    });

    it("saves more in bulk than goes into one batch, in order", async () => {
      const tenant = fresh();
      const records = Array.from({ length: 1_203 }, (_, i) => actor(`t${i}`, { entry: i }));
      const saved = await tenant.saveActors(records);
      expect(saved).toEqual(records.map((record) => ({ ...record, version: 1 })));
      const { ids } = await tenant.changesSince(0, 5_000);
      expect(ids).toEqual(records.map(({ ticket }) => ticket.id));
      const got = await tenant.getActors(ids);
      expect(got).toEqual(saved);
    });

    it("knows who is unsettled, for as long as they are, longest untouched first", async () => {
      const tenant = fresh();
      const waiting = { hook: "pr", entry: 1, status: "2", since: "2026", attempt: 1 };
      let a = await tenant.saveActor(actor("a", { pending: pending("x") }));
      await tenant.saveActors([actor("b", { hooks: [{ ...waiting, state: "waiting" }] })]);
      await tenant.saveActor(actor("c", { hooks: [{ ...waiting, state: "done" }] }));
      await tenant.saveActor(actor("d", { hooks: [{ ...waiting, state: "owed" }] }));
      expect(await tenant.unsettled(10)).toEqual(["a", "b", "d"]);
      expect(await tenant.unsettled(2)).toEqual(["a", "b"]);
      a = await tenant.saveActor(a);
      expect(await tenant.unsettled(10)).toEqual(["b", "d", "a"]);
      const { pending: _settled, ...rest } = a;
      await tenant.saveActor(rest);
      await tenant.deleteActors(["d"]);
      expect(await tenant.unsettled(10)).toEqual(["b"]);
    });

    it("deletes a ticket with all that is its own, and may then be given it anew", async () => {
      const tenant = fresh();
      await tenant.saveActor(actor("a", { pending: pending("x") }), [event("old")]);
      await tenant.saveActors([actor("b"), actor("c")]);
      expect(await tenant.countActors()).toBe(3);
      await tenant.deleteActors(["a"]);
      await tenant.deleteActors(["a"]);
      expect(await tenant.countActors()).toBe(2);
      expect(await tenant.getActor("a")).toBeUndefined();
      expect(await tenant.history("a", { limit: 10 })).toEqual({ items: [] });
      const stale = tenant.saveActor(actor("a", { version: 1 }));
      await expect(stale).rejects.toMatchObject({ code: "conflict" });
      expect((await tenant.saveActor(actor("a"))).version).toBe(1);
    });

    it("takes any id for an id", async () => {
      const tenant = fresh();
      expect(await tenant.getActors(AWKWARD)).toEqual(AWKWARD.map(() => undefined));
      for (const id of AWKWARD) await tenant.saveActor(actor(id), [event(id)]);
      for (const id of AWKWARD) {
        expect((await tenant.getActor(id))?.ticket.id).toBe(id);
        expect((await tenant.history(id, { limit: 5 })).items).toEqual([event(id)]);
      }
      expect((await tenant.changesSince(0, 50)).ids).toEqual(AWKWARD);
    });
  });
}

function describeChanges(fresh: () => TenantStore): void {
  describe("change feed", () => {
    it("tells each changed ticket once, oldest change first, deleted ones too", async () => {
      const tenant = fresh();
      const [a] = await tenant.saveActors([actor("a"), actor("b"), actor("c")]);
      await tenant.saveActor(a ?? actor("a"));
      await tenant.deleteActors(["b"]);
      const all = await tenant.changesSince(0, 10);
      expect(all.ids).toEqual(["c", "a", "b"]);
      expect(await tenant.changesSince(all.revision, 10)).toEqual({ revision: all.revision, ids: [] });
      await tenant.saveActor(actor("d"));
      const later = await tenant.changesSince(all.revision, 10);
      expect(later.ids).toEqual(["d"]);
      expect(later.revision).toBeGreaterThan(all.revision);
    });

    it("pages by limit, missing and repeating nothing", async () => {
      const tenant = fresh();
      const ids = Array.from({ length: 25 }, (_, i) => `t${i}`);
      await tenant.saveActors(ids.map((id) => actor(id)));
      const seen: string[] = [];
      let revision = 0;
      for (;;) {
        const page = await tenant.changesSince(revision, 7);
        if (page.ids.length === 0) break;
        expect(page.ids.length).toBeLessThanOrEqual(7);
        seen.push(...page.ids);
        revision = page.revision;
      }
      expect(seen).toEqual(ids);
    });

    it("is silent where nothing happened, and after deleting what was not there", async () => {
      const tenant = fresh();
      expect(await tenant.changesSince(0, 10)).toEqual({ revision: 0, ids: [] });
      await tenant.deleteActors(["nobody"]);
      expect(await tenant.changesSince(0, 10)).toEqual({ revision: 0, ids: [] });
    });

    it("starts over for a revision that it never gave: data was lost in between", async () => {
      const tenant = fresh();
      await tenant.saveActors([actor("a"), actor("b")]);
      const { ids, revision } = await tenant.changesSince(1_000, 10);
      expect(ids).toEqual(["a", "b"]);
      expect(revision).toBeLessThan(1_000);
      expect(await fresh().changesSince(1_000, 10)).toEqual({ revision: 0, ids: [] });
    });

    it("tells with the changes what has become of their tickets, and all revisions", async () => {
      const tenant = fresh();
      await tenant.saveActors([actor("a"), actor("b"), actor("c")]);
      await tenant.saveDocument("setting", "x", { version: 0, value: {} });
      const [a, b] = await tenant.getActors(["a", "b"]);
      const saved = await tenant.saveActor({ ...(a ?? actor("a")), entry: 7 });
      await tenant.deleteActors(["c"]);
      const news = await tenant.newsSince(0, 10);
      expect(news).toEqual({
        ...(await tenant.changesSince(0, 10)),
        records: [b, saved, undefined],
        revisions: await tenant.revisions(),
      });
      expect(await tenant.newsSince(news.revision, 10)).toEqual({ ...news, ids: [], records: [] });
      expect((await tenant.newsSince(0, 2)).records).toEqual([b, saved]);
      expect((await tenant.newsSince(9_999, 10)).ids).toEqual(["b", "a", "c"]);
    });

    it("refuses a limit that is none", async () => {
      for (const limit of [0, -1, 1.5, Number.NaN]) {
        await expect(fresh().newsSince(0, limit)).rejects.toMatchObject({ code: "invalid" });
        await expect(fresh().changesSince(0, limit)).rejects.toMatchObject({ code: "invalid" });
        await expect(fresh().unsettled(limit)).rejects.toMatchObject({ code: "invalid" });
      }
    });
  });
}

/** Reads all pages, as messages. */
async function readThrough<T>(
  read: (cursor: string | undefined) => Promise<{ items: readonly T[]; next?: string }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    all.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return all;
}

const paging = (limit: number, cursor: string | undefined) =>
  cursor === undefined ? { limit } : { limit, cursor };

function describeHistory(fresh: () => TenantStore): void {
  describe("history", () => {
    it("is written with the save and read newest first, page by page", async () => {
      const tenant = fresh();
      const a = await tenant.saveActor(actor("a"), [event("1"), event("2")]);
      const b = await tenant.saveActor(a);
      await tenant.saveActor(b, [event("3"), event("4"), event("5")]);
      for (const limit of [1, 2, 3, 5, 50]) {
        const read = await readThrough((cursor) => tenant.history("a", paging(limit, cursor)));
        expect(read.map((item) => item.message)).toEqual(["5", "4", "3", "2", "1"]);
      }
      const exact = await tenant.history("a", { limit: 5 });
      expect(exact.next).toBeUndefined();
    });

    it("keeps a reader's place while new events come in", async () => {
      const tenant = fresh();
      const a = await tenant.saveActor(actor("a"), [event("1"), event("2"), event("3")]);
      const { next } = await tenant.history("a", { limit: 1 });
      await tenant.saveActor(a, [event("4")]);
      const rest = await tenant.history("a", paging(10, next));
      expect(rest.items.map((item) => item.message)).toEqual(["2", "1"]);
    });

    it("keeps the latest 200 events", async () => {
      const tenant = fresh();
      let record = actor("a");
      for (let n = 0; n < 9; n++) {
        record = await tenant.saveActor(
          record,
          Array.from({ length: 50 }, (_, i) => event(String(n * 50 + i))),
        );
      }
      const read = await readThrough((cursor) => tenant.history("a", paging(60, cursor)));
      expect(read.map((item) => Number(item.message))).toEqual(
        Array.from({ length: 200 }, (_, i) => 449 - i),
      );
      const beyond = await tenant.history("a", { limit: 10, cursor: "5" });
      expect(beyond).toEqual({ items: [] });
    });

    it("refuses a cursor that is none", async () => {
      const tenant = fresh();
      await expect(tenant.history("a", { limit: 1, cursor: "x" })).rejects.toMatchObject({ code: "invalid" });
      await expect(tenant.auditPage({ limit: 1, cursor: "x" })).rejects.toMatchObject({ code: "invalid" });
      await expect(tenant.auditPage({ limit: 0 })).rejects.toMatchObject({ code: "invalid" });
    });
  });
}

function describeDocuments(fresh: () => TenantStore): void {
  describe("documents", () => {
    it("gives back what was saved, and lists by kind in order of id", async () => {
      const tenant = fresh();
      await tenant.saveDocument("workflow", "w2", { version: 0, value: { name: "é🚀", list: [1, null] } });
      await tenant.saveDocument("workflow", "w1", { version: 0, value: "text" });
      await tenant.saveDocument("setting", "w1", { version: 0, value: false });
      expect(await tenant.getDocument("workflow", "w2")).toEqual({
        version: 1,
        value: { name: "é🚀", list: [1, null] },
      });
      expect(await tenant.listDocuments("workflow")).toEqual([
        { id: "w1", version: 1, value: "text" },
        { id: "w2", version: 1, value: { name: "é🚀", list: [1, null] } },
      ]);
      expect(await tenant.getDocument("setting", "w1")).toEqual({ version: 1, value: false });
      expect(await tenant.getDocument("cursor", "w1")).toBeUndefined();
      expect(await tenant.listDocuments("cursor")).toEqual([]);
    });

    it("lets exactly one of twenty racing saves win", async () => {
      const tenant = fresh();
      await tenant.saveDocument("setting", "s", { version: 0, value: "start" });
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, value) => tenant.saveDocument("setting", "s", { version: 1, value })),
      );
      const won = results.flatMap((result, i) => (result.status === "fulfilled" ? [i] : []));
      expect(won).toHaveLength(1);
      for (const result of results) {
        if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "conflict" });
      }
      expect(await tenant.getDocument("setting", "s")).toEqual({ version: 2, value: won[0] });
    });

    it("tells by the revision of its kind that something was saved or deleted, and only then", async () => {
      const tenant = fresh();
      expect((await tenant.revisions()).workflow).toBe(0);
      const seen = [0];
      const grew = async () => {
        const now = (await tenant.revisions()).workflow;
        expect(now).toBeGreaterThan(seen.at(-1) ?? 0);
        seen.push(now);
      };
      await tenant.saveDocument("workflow", "w", { version: 0, value: 1 });
      await grew();
      await tenant.saveDocument("workflow", "w", { version: 1, value: 2 });
      await grew();
      await tenant.deleteDocument("workflow", "w");
      await grew();
      await tenant.deleteDocument("workflow", "w");
      await tenant.saveDocument("cursor", "w", { version: 0, value: 2 });
      const lost = tenant.saveDocument("workflow", "w", { version: 5, value: 1 });
      await expect(lost).rejects.toMatchObject({ code: "conflict" });
      await tenant.saveActor(actor("a"));
      expect((await tenant.revisions()).workflow).toBe(seen.at(-1));
      expect(await tenant.getDocument("workflow", "w")).toBeUndefined();
    });

    it("tells by one revision more that an actor was, and that is where the change feed ends", async () => {
      const tenant = fresh();
      expect((await tenant.revisions()).actors).toBe(0);
      const told = async () => {
        const { actors } = await tenant.revisions();
        expect(await tenant.changesSince(0, 10)).toMatchObject({ revision: actors });
        return actors;
      };
      await tenant.saveActors([actor("a"), actor("b")]);
      const imported = await told();
      await tenant.saveActor(actor("a", { version: 1 }));
      const moved = await told();
      await tenant.deleteActors(["a"]);
      const deleted = await told();
      expect([imported > 0, moved > imported, deleted > moved]).toEqual([true, true, true]);
      await tenant.deleteActors(["a"]);
      await tenant.saveDocument("workflow", "w", { version: 0, value: 1 });
      expect((await tenant.revisions()).actors).toBe(deleted);
    });

    it("takes any id for an id, and keeps copies", async () => {
      const tenant = fresh();
      const value = { n: 1 };
      for (const id of AWKWARD) await tenant.saveDocument("token", id, { version: 0, value });
      value.n = 2;
      for (const id of AWKWARD) {
        expect(await tenant.getDocument("token", id)).toEqual({ version: 1, value: { n: 1 } });
      }
      const listed = await tenant.listDocuments("token");
      expect(listed.map(({ id }) => id)).toEqual([...AWKWARD].sort());
    });
  });
}

function describeMemory(fresh: () => TenantStore): void {
  describe("remember and claim", () => {
    it("remembers a value, replaces it, and forgets it when told", async () => {
      const tenant = fresh();
      expect(await tenant.recall("k")).toBeUndefined();
      await tenant.remember("k", { a: ["🚀"] }, 60_000);
      expect(await tenant.recall("k")).toEqual({ a: ["🚀"] });
      await tenant.remember("k", 0, 60_000);
      expect(await tenant.recall("k")).toBe(0);
      await tenant.forget("k");
      expect(await tenant.recall("k")).toBeUndefined();
    });

    it("forgets by itself, each value in its own time", async () => {
      const tenant = fresh();
      await tenant.remember("long", 1, 60_000);
      await tenant.remember("short", 1, 30);
      await tenant.remember("none", 1, 0);
      await until(async () => (await tenant.recall("short")) === undefined);
      await until(async () => (await tenant.recall("none")) === undefined);
      expect(await tenant.recall("long")).toBe(1);
    });

    it("keeps the latest notes under a key, oldest first, all of them for as long as the last", async () => {
      const tenant = fresh();
      expect(await tenant.notes("k")).toEqual([]);
      await tenant.addNote("k", "gone soon", 3, 60_000);
      await Promise.all([1, { a: ["🚀"] }, null].map((note) => tenant.addNote("k", note, 3, 60_000)));
      expect(await tenant.notes("k")).toEqual([1, { a: ["🚀"] }, null]);
      await tenant.remember("k", "value", 60_000);
      await tenant.forget("k");
      expect(await tenant.notes("k")).toHaveLength(3);
      await tenant.addNote("k", "last", 3, 30);
      await until(async () => (await tenant.notes("k")).length === 0);
      await expect(tenant.addNote("k", 1, 0, 60_000)).rejects.toMatchObject({ code: "invalid" });
      await expect(tenant.addNote("k", 1, 3, Number.NaN)).rejects.toMatchObject({ code: "invalid" });
    });

    it("grants a claim to the first of many, and again once it has run out", async () => {
      const tenant = fresh();
      const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.claim("k", 60_000)));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await tenant.claim("other", 20)).toBe(true);
      await until(() => tenant.claim("other", 60_000));
      expect(await tenant.claim("other", 60_000)).toBe(false);
      expect(await tenant.claim("k", 60_000)).toBe(false);
    });

    it("releases a claim when told to forget, and never mixes it up with what is remembered", async () => {
      const tenant = fresh();
      await tenant.remember("k", "value", 60_000);
      expect(await tenant.claim("k", 60_000)).toBe(true);
      expect(await tenant.recall("k")).toBe("value");
      await tenant.forget("k");
      expect(await tenant.claim("k", 60_000)).toBe(true);
    });

    it("takes any key for a key, and refuses a time that is none", async () => {
      const tenant = fresh();
      for (const key of AWKWARD) await tenant.remember(key, key, 60_000);
      for (const key of AWKWARD) expect(await tenant.recall(key)).toBe(key);
      for (const key of AWKWARD) await tenant.addNote(key, key, 2, 60_000);
      for (const key of AWKWARD) expect(await tenant.notes(key)).toEqual([key]);
      await expect(tenant.remember("k", 1, Number.NaN)).rejects.toMatchObject({ code: "invalid" });
    });
  });
}

function describeAudit(fresh: () => TenantStore): void {
  describe("audit", () => {
    const audited = (n: number): AuditEvent => ({
      at: "2026-11-30T08:00:00.000Z",
      action: "move",
      by: { person: "ada", client: "alexa", tool: "move_ticket" },
      ticket: "jira.a.1",
      outcome: "confirmed",
      detail: { n },
    });

    it("is read newest first, page by page, keeping its place", async () => {
      const tenant = fresh();
      expect(await tenant.auditPage({ limit: 5 })).toEqual({ items: [] });
      for (let n = 1; n <= 7; n++) await tenant.audit(audited(n));
      for (const limit of [1, 3, 7, 50]) {
        const read = await readThrough((cursor) => tenant.auditPage(paging(limit, cursor)));
        expect(read).toEqual([7, 6, 5, 4, 3, 2, 1].map(audited));
      }
      const first = await tenant.auditPage({ limit: 2 });
      await tenant.audit(audited(8));
      const second = await tenant.auditPage(paging(2, first.next));
      expect(second.items).toEqual([5, 4].map(audited));
    });
  });
}

function describeTenants(getStore: () => Store): void {
  describe("tenants", () => {
    const names = (seed: string) =>
      ["a", "A", "a:b", "a}", "{a", "{a}", "a%3Ab", "a b", "é", "🚀", "__proto__"].map((n) => seed + n);

    it("sees nothing of another tenant, whatever the two are called", async () => {
      const store = getStore();
      const tenants = names(randomUUID()).map((id) => store.tenant(id));
      for (const [i, tenant] of tenants.entries()) {
        await tenant.saveActor(actor("a", { entry: i, pending: pending("x") }), [event(tenant.id)]);
        await tenant.saveDocument("setting", "s", { version: 0, value: tenant.id });
        await tenant.remember("k", tenant.id, 60_000);
        await tenant.addNote("k", tenant.id, 9, 60_000);
        expect(await tenant.claim("c", 60_000)).toBe(true);
        await tenant.audit({ at: "2026", action: tenant.id });
      }
      for (const [i, tenant] of tenants.entries()) {
        expect(await tenant.getActor("a")).toMatchObject({ entry: i, version: 1 });
        expect(await tenant.unsettled(10)).toEqual(["a"]);
        expect((await tenant.changesSince(0, 10)).ids).toEqual(["a"]);
        expect((await tenant.history("a", { limit: 9 })).items).toEqual([event(tenant.id)]);
        expect((await tenant.listDocuments("setting")).map(({ value }) => value)).toEqual([tenant.id]);
        expect(await tenant.revisions()).toMatchObject({ actors: 1, setting: 1, workflow: 0 });
        expect(await tenant.recall("k")).toBe(tenant.id);
        expect(await tenant.notes("k")).toEqual([tenant.id]);
        expect(await tenant.auditPage({ limit: 9 })).toEqual({ items: [{ at: "2026", action: tenant.id }] });
      }
      await tenants[0]?.deleteActors(["a"]);
      expect(await Promise.all(tenants.map((tenant) => tenant.getActor("a")))).not.toContain(null);
      expect(await tenants[1]?.getActor("a")).toBeDefined();
    });

    it("does not let one tenant's keys reach into another's", async () => {
      const store = getStore();
      const seed = randomUUID();
      const outer = store.tenant(seed);
      const inner = store.tenant(`${seed}}:history`);
      await outer.remember("x}:remember:y", "outer", 60_000);
      expect(await inner.recall("y")).toBeUndefined();
      expect(await store.tenant(`${seed}}:remember:x`).recall("y")).toBeUndefined();
    });

    it("creates a tenant once, and lists them", async () => {
      const store = getStore();
      const infos = names(randomUUID()).map((id) => ({ id, name: `Team ${id}`, createdAt: "2026-11-30" }));
      for (const info of infos) await store.createTenant(info);
      const again = { ...infos[0], id: infos[0]?.id ?? "", name: "Other", createdAt: "2027" };
      await expect(store.createTenant(again)).rejects.toMatchObject({ code: "conflict" });
      const listed = await store.listTenants();
      expect(listed).toEqual(expect.arrayContaining(infos));
      expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).sort());
    });

    it("refuses an id that would not stay apart from others", async () => {
      const store = getStore();
      for (const id of ["", "a\ud800"]) {
        expect(() => store.tenant(id)).toThrow(expect.objectContaining({ code: "invalid" }));
        const made = store.createTenant({ id, name: "x", createdAt: "2026" });
        await expect(made).rejects.toMatchObject({ code: "invalid" });
      }
    });

    it("finds whose handle it is, until it is unlinked", async () => {
      const store = getStore();
      const [a, b] = [store.tenant(`${randomUUID()}:{🚀 x`), store.tenant(randomUUID())];
      const handle = randomUUID();
      expect(await store.findHandle("token", handle)).toBeUndefined();
      await a.link("token", handle, "value with spaces é");
      expect(await store.findHandle("token", handle)).toEqual({ tenant: a.id, value: "value with spaces é" });
      expect(await store.findHandle("webhook", handle)).toBeUndefined();
      await a.link("token", handle, "");
      expect(await store.findHandle("token", handle)).toEqual({ tenant: a.id, value: "" });
      await expect(b.link("token", handle, "mine")).rejects.toMatchObject({ code: "conflict" });
      await b.unlink("token", handle);
      await a.unlink("webhook", handle);
      expect(await store.findHandle("token", handle)).toEqual({ tenant: a.id, value: "" });
      await a.unlink("token", handle);
      expect(await store.findHandle("token", handle)).toBeUndefined();
      await b.link("token", handle, "mine");
      expect(await store.findHandle("token", handle)).toEqual({ tenant: b.id, value: "mine" });
      for (const awkward of AWKWARD) expect(await store.findHandle("token", awkward)).toBeUndefined();
    });
  });
}

function describeMessages(getStore: () => Store): void {
  describe("publish and subscribe", () => {
    it("reaches every listener of the channel, in order, and no other", async () => {
      const store = getStore();
      const channel = `c:${randomUUID()}`;
      const heard: string[][] = [[], [], []];
      const stops = await Promise.all([
        store.subscribe(channel, (message) => heard[0]?.push(message)),
        store.subscribe(channel, (message) => heard[1]?.push(message)),
        store.subscribe(`${channel}:other`, (message) => heard[2]?.push(message)),
      ]);
      for (const message of ["1", "2 🚀", "3"]) await store.publish(channel, message);
      await until(() => heard[0]?.length === 3 && heard[1]?.length === 3);
      expect(heard).toEqual([["1", "2 🚀", "3"], ["1", "2 🚀", "3"], []]);
      for (const stop of stops) await stop();
    });

    it("stops telling a listener that left, and goes on with the others", async () => {
      const store = getStore();
      const channel = randomUUID();
      const [left, stayed]: [string[], string[]] = [[], []];
      const listener = (message: string) => void left.push(message);
      const stop = await store.subscribe(channel, listener);
      const stopStaying = await store.subscribe(channel, (message) => stayed.push(message));
      await stop();
      await stop();
      await store.publish(channel, "1");
      await until(() => stayed.length === 1);
      await stopStaying();
      await store.publish(channel, "2");
      const back = await store.subscribe(channel, listener);
      await store.publish(channel, "3");
      await until(() => left.includes("3"));
      expect(stayed).toEqual(["1"]);
      // On a cluster the second may still be on its way when somebody listens again.
      expect(left.filter((message) => message !== "2")).toEqual(["3"]);
      await back();
    });

    it("tells who watches of each change, in whatever tenant, before its maker knows that it is made", async () => {
      const store = getStore();
      const tenant = store.tenant(randomUUID());
      const heard: (string | undefined)[] = [];
      const stop = await store.watch((id) => {
        if (id === undefined || id === tenant.id) heard.push(id);
      });
      const handle = randomUUID();
      const changes: readonly (readonly [() => Promise<unknown>, string | undefined])[] = [
        [() => tenant.saveActor(actor("a")), tenant.id],
        [() => tenant.saveActors([actor("b"), actor("c")]), tenant.id],
        [() => tenant.deleteActors(["a"]), tenant.id],
        [() => tenant.saveDocument("setting", "s", { version: 0, value: 1 }), tenant.id],
        [() => tenant.deleteDocument("setting", "s"), tenant.id],
        [() => tenant.link("token", handle, "x"), undefined],
        [() => tenant.unlink("token", handle), undefined],
      ];
      for (const [change, about] of changes) {
        heard.length = 0;
        await change();
        await until(() => heard.includes(about));
      }
      heard.length = 0;
      await tenant.deleteActors(["nobody"]);
      await tenant.deleteDocument("setting", "none");
      await tenant.unlink("token", handle);
      await tenant.revisions();
      await stop();
      await tenant.saveActor(actor("d"));
      await tenant.revisions();
      expect(heard).not.toContain(tenant.id);
    });

    it("tells who watches which revision has grown, and to what, unless the change was made quietly", async () => {
      const store = getStore();
      const tenant = store.tenant(randomUUID());
      const heard: unknown[][] = [];
      const stop = await store.watch((id, ...change) => {
        if (id === tenant.id) heard.push(change);
      });
      const saved = await tenant.saveActor(actor("a"));
      expect(tenant.revisionOf(saved)).toBe((await tenant.revisions()).actors);
      expect(tenant.revisionOf({ ...saved })).toBeUndefined();
      const quiet = await tenant.saveActor(saved, [], undefined, { quiet: true });
      expect(tenant.revisionOf(quiet)).toBe(2);
      // Not told, but not untold to who asks.
      expect(await tenant.changesSince(1, 10)).toEqual({ revision: 2, ids: ["a"] });
      await tenant.saveActors([actor("b"), actor("c")]);
      await tenant.deleteActors(["a"]);
      await tenant.saveDocument("connection", "web", { version: 0, value: 1 });
      await until(() => heard.length >= 4);
      await stop();
      expect(heard.at(0)).toEqual(["actors", 1]);
      // Many at once may be told one by one, or together.
      expect(heard).toContainEqual(["actors", 4]);
      expect(heard).toContainEqual(["actors", 5]);
      expect(heard).not.toContainEqual(["actors", 2]);
      expect(heard.at(-1)?.[0]).toBe("connection");
    });

    it("answers ping", async () => {
      await expect(getStore().ping()).resolves.toBeUndefined();
    });
  });
}

/** Runs as the next release would, in which these kinds of records have one more format. */
async function asNextRelease(
  formats: Partial<Record<RecordKind, Migration>>,
  run: () => Promise<void>,
): Promise<void> {
  const table = MIGRATIONS as Record<RecordKind, Migration[]>;
  const kinds = Object.keys(formats) as RecordKind[];
  for (const kind of kinds) table[kind].push(formats[kind] as Migration);
  try {
    await run();
  } finally {
    for (const kind of kinds) table[kind].pop();
  }
}

const NEWER = { code: "unavailable", message: /was written by a newer Boardwalk/ };

function describeReleases(fresh: () => TenantStore): void {
  describe("records of two releases", () => {
    const renamed: Migration = (content) => ({ ...(content as { old: unknown }), renamed: true });

    it("reads what the one before wrote as the next has it, and keeps it so from the next save on", async () => {
      const tenant = fresh();
      await tenant.saveDocument("setting", "s", { version: 0, value: { a: 1 } });
      await tenant.saveDocument("setting", "other", { version: 0, value: { a: 2 } });
      await asNextRelease({ setting: renamed }, async () => {
        const read = await tenant.getDocument("setting", "s");
        expect(read).toEqual({ version: 1, value: { a: 1, renamed: true } });
        expect(await tenant.listDocuments("setting")).toHaveLength(2);
        expect(await tenant.saveDocument("setting", "s", { version: 1, value: read?.value })).toBe(2);
        expect(await tenant.getDocument("setting", "s")).toEqual({
          version: 2,
          value: { a: 1, renamed: true },
        });
      });
      // The first, meanwhile, goes on with what was not saved anew.
      expect(await tenant.getDocument("setting", "other")).toEqual({ version: 1, value: { a: 2 } });
      await expect(tenant.getDocument("setting", "s")).rejects.toMatchObject(NEWER);
    });

    it("refuses a ticket of the next release and leaves it as it is", async () => {
      const tenant = fresh();
      const first = await tenant.saveActor(actor("jira.a.1"), [event("1")]);
      const shouted: Migration = (content) => {
        const [[id, key, title, ...ticket], ...record] = content as [[string, string, string]];
        return [[id, key, title.toUpperCase(), ...ticket], ...record];
      };
      const same: Migration = (content) => content;
      const next = { ticket: shouted, history: same, audit: renamed, memory: renamed };
      await asNextRelease(next, async () => {
        const read = await tenant.getActor("jira.a.1");
        expect(read?.ticket.title).toBe("FIX THE LOGIN PAGE");
        await tenant.saveActor(read ?? first, [event("2")]);
        await tenant.audit({ at: "2026", action: "x" });
        await tenant.remember("k", { a: 1 }, 60_000);
      });
      const refused: (() => Promise<unknown>)[] = [
        () => tenant.getActor("jira.a.1"),
        () => tenant.getActors(["jira.a.1"]),
        () => tenant.history("jira.a.1", { limit: 9 }),
        () => tenant.auditPage({ limit: 9 }),
        () => tenant.recall("k"),
      ];
      for (const read of refused) await expect(read()).rejects.toMatchObject(NEWER);
      await expect(tenant.saveActor(first)).rejects.toMatchObject({ code: "conflict" });
      await expect(tenant.saveActor(actor("jira.a.1"))).rejects.toMatchObject({ code: "conflict" });
      await asNextRelease(next, async () => {
        expect(await tenant.getActor("jira.a.1")).toMatchObject({
          version: 2,
          ticket: { title: "FIX THE LOGIN PAGE" },
        });
        const { items } = await tenant.history("jira.a.1", { limit: 9 });
        expect(items.map(({ message }) => message)).toEqual(["2", "1"]);
        expect(await tenant.recall("k")).toEqual({ a: 1 });
      });
    });
  });
}
