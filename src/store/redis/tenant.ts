import type { Connection } from "../../redis/connection.js";
import { handleTaken, lostRace, requireCursor, requireLimit, wholeTtl } from "../checks.js";
import {
  byId,
  decodeActor,
  decodeAudit,
  decodeDocument,
  decodeHistory,
  encodeActor,
  encodeHistory,
} from "../codec.js";
import { decodeContent, encodeContent } from "../format.js";
import { type ActorRecord, DOCUMENT_KINDS, type HistoryEvent, isUnsettled } from "../records.js";
import { revisionOf, savedAt } from "../revisions.js";
import type {
  AuditEvent,
  Changes,
  DocumentKind,
  HandleKind,
  News,
  Page,
  Revisions,
  TenantStore,
  Versioned,
} from "../store.js";
import { encodeTenant, type RedisKeys, revisionField, type TenantKeys } from "./keys.js";

/** Records saved or deleted in one go: enough to hide the network, few enough not to hold up others. */
const BULK_SIZE = 500;

export interface RedisLimits {
  readonly history: number;
  readonly audit: number;
}

/** One tenant's data in Redis. Cheap to make: holds nothing but its keys. */
export class RedisTenant implements TenantStore {
  readonly id: string;
  readonly #redis: Connection;
  readonly #allKeys: RedisKeys;
  readonly #keys: TenantKeys;
  readonly #limits: RedisLimits;

  constructor(id: string, redis: Connection, keys: RedisKeys, limits: RedisLimits) {
    this.id = id;
    this.#redis = redis;
    this.#allKeys = keys;
    this.#keys = keys.tenant(id);
    this.#limits = limits;
  }

  async getActor(id: string): Promise<ActorRecord | undefined> {
    const stored = await this.#redis.run((client) => client.hget(this.#keys.actors, id));
    return stored === null ? undefined : decodeActor(stored, id);
  }

  async getActors(ids: readonly string[]): Promise<readonly (ActorRecord | undefined)[]> {
    if (ids.length === 0) return [];
    const all = await this.#redis.run((client) => client.hmget(this.#keys.actors, ...ids));
    return all.map((stored, i) => (stored === null ? undefined : decodeActor(stored, ids[i] ?? "")));
  }

  async saveActor(
    record: ActorRecord,
    history: readonly HistoryEvent[] = [],
    audit?: AuditEvent,
    { quiet = false }: { readonly quiet?: boolean } = {},
  ): Promise<ActorRecord> {
    const [id, ...saved] = bulkArguments(record);
    const line = audit === undefined ? "" : encodeContent("audit", audit);
    const [version, revision] = await this.#redis.run((client) =>
      client.boardwalkSaveActor(
        ...[...this.#actorKeys(id), this.#keys.audit],
        ...[id, ...saved, this.#limits.history, line, this.#limits.audit, quiet ? "1" : "0"],
        ...history.map(encodeHistory),
      ),
    );
    if (version === 0) throw lostRace("this ticket");
    return savedAt(revision, { ...record, version });
  }

  revisionOf(saved: ActorRecord): number | undefined {
    return revisionOf(saved);
  }

  async saveActors(records: readonly ActorRecord[]): Promise<readonly ActorRecord[]> {
    const saved: ActorRecord[] = [];
    for (let from = 0; from < records.length; from += BULK_SIZE) {
      const chunk = records.slice(from, from + BULK_SIZE);
      const versions = await this.#redis.run((client) =>
        client.boardwalkSaveActors(...this.#bulkKeys(), ...chunk.flatMap(bulkArguments)),
      );
      chunk.forEach((record, i) => {
        if (versions[i] !== 0) saved.push({ ...record, version: record.version + 1 });
      });
    }
    return saved;
  }

  async countActors(): Promise<number> {
    return this.#redis.run((client) => client.hlen(this.#keys.actors));
  }

  #bulkKeys(): string[] {
    const { actors, changes, revisions, unsettled } = this.#keys;
    return [actors, changes, revisions, unsettled];
  }

  #actorKeys(id: string): string[] {
    return [...this.#bulkKeys(), this.#keys.history(id)];
  }

  async deleteActors(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += BULK_SIZE) {
      const chunk = ids.slice(from, from + BULK_SIZE);
      const keys = [...this.#bulkKeys(), ...chunk.map(this.#keys.history)];
      await this.#redis.run((client) => client.boardwalkDeleteActors(keys.length, ...keys, ...chunk));
    }
  }

  async changesSince(revision: number, limit: number): Promise<Changes> {
    const [reached, ids] = await this.#changed(revision, limit, "");
    return { revision: Number(reached), ids };
  }

  async newsSince(revision: number, limit: number): Promise<News> {
    const [reached, ids, stored, fields] = await this.#changed(revision, limit, "records");
    const records = stored.map((record, i) =>
      record === null ? undefined : decodeActor(record, ids[i] ?? ""),
    );
    return { revision: Number(reached), ids, records, revisions: revisionsOf(pairs(fields)) };
  }

  #changed(revision: number, limit: number, also: "records" | "") {
    const { changes, revisions, actors } = this.#keys;
    return this.#redis.run((client) =>
      client.boardwalkChangesSince(changes, revisions, actors, revision, requireLimit(limit), also),
    );
  }

  async unsettled(limit: number): Promise<readonly string[]> {
    const last = String(requireLimit(limit) - 1);
    return this.#redis.run((client) => client.zrange(this.#keys.unsettled, "0", last));
  }

  async history(id: string, page: { cursor?: string; limit: number }): Promise<Page<HistoryEvent>> {
    const { cursor = "", limit } = page;
    if (cursor !== "") requireCursor(cursor, /^\d{1,15}$/);
    const lines = await this.#redis.run((client) =>
      client.boardwalkReadHistory(this.#keys.history(id), cursor, requireLimit(limit) + 1),
    );
    const events = lines.map((line): [string, string] => splitOnce(line));
    return pageOf(events, limit, (json) => decodeHistory(json, id));
  }

  async getDocument(kind: DocumentKind, id: string): Promise<Versioned | undefined> {
    const stored = await this.#redis.run((client) => client.hget(this.#keys.documents(kind), id));
    return stored === null ? undefined : decodeDocument(kind, id, stored);
  }

  async listDocuments(kind: DocumentKind): Promise<readonly (Versioned & { readonly id: string })[]> {
    const all = await this.#redis.run((client) => client.hgetall(this.#keys.documents(kind)));
    return Object.entries(all)
      .map(([id, stored]) => ({ id, ...decodeDocument(kind, id, stored) }))
      .sort(byId);
  }

  async saveDocument(kind: DocumentKind, id: string, document: Versioned): Promise<number> {
    const keys = [this.#keys.documents(kind), this.#keys.revisions];
    const json = encodeContent(kind, document.value);
    const version = await this.#redis.run((client) =>
      client.boardwalkSaveDocument(...keys, id, document.version, json, revisionField(kind)),
    );
    if (version === 0) throw lostRace(`this ${kind}`);
    return version;
  }

  async deleteDocument(kind: DocumentKind, id: string): Promise<void> {
    const keys = [this.#keys.documents(kind), this.#keys.revisions];
    await this.#redis.run((client) => client.boardwalkDeleteDocument(...keys, id, revisionField(kind)));
  }

  async revisions(): Promise<Revisions> {
    return revisionsOf(await this.#redis.run((client) => client.hgetall(this.#keys.revisions)));
  }

  async remember(key: string, value: unknown, ttlMs: number): Promise<void> {
    const json = encodeContent("memory", value);
    await this.#redis.run((client) => client.set(this.#keys.remembered(key), json, "PX", wholeTtl(ttlMs)));
  }

  async recall(key: string): Promise<unknown> {
    const json = await this.#redis.run((client) => client.get(this.#keys.remembered(key)));
    return json === null ? undefined : decodeContent("memory", key, json);
  }

  async forget(key: string): Promise<void> {
    await this.#redis.run((client) => client.del(this.#keys.remembered(key), this.#keys.claimed(key)));
  }

  async addNote(key: string, value: unknown, most: number, ttlMs: number): Promise<void> {
    const json = encodeContent("note", value);
    const limits = [requireLimit(most), wholeTtl(ttlMs)];
    await this.#redis.run((client) => client.boardwalkAddNote(this.#keys.notes(key), json, ...limits));
  }

  async notes(key: string): Promise<readonly unknown[]> {
    const all = await this.#redis.run((client) => client.lrange(this.#keys.notes(key), 0, -1));
    return all.map((json) => decodeContent("note", key, json));
  }

  async claim(key: string, ttlMs: number): Promise<boolean> {
    const answer = await this.#redis.run((client) =>
      client.set(this.#keys.claimed(key), "1", "PX", wholeTtl(ttlMs), "NX"),
    );
    return answer === "OK";
  }

  async link(kind: HandleKind, handle: string, value: string): Promise<void> {
    const ours = await this.#redis.run((client) =>
      client.boardwalkLinkHandle(this.#allKeys.handles(kind), handle, encodeTenant(this.id), value),
    );
    if (ours === 0) throw handleTaken();
  }

  async unlink(kind: HandleKind, handle: string): Promise<void> {
    await this.#redis.run((client) =>
      client.boardwalkUnlinkHandle(this.#allKeys.handles(kind), handle, encodeTenant(this.id)),
    );
  }

  async audit(event: AuditEvent): Promise<void> {
    const json = encodeContent("audit", event);
    await this.#redis.run((client) =>
      client.xadd(this.#keys.audit, "MAXLEN", "=", this.#limits.audit, "*", "event", json),
    );
  }

  async auditPage(page: { cursor?: string; limit: number }): Promise<Page<AuditEvent>> {
    const { cursor, limit } = page;
    const before = cursor === undefined ? "+" : `(${requireCursor(cursor, /^\d{1,15}-\d{1,15}$/)}`;
    const entries = await this.#redis.run((client) =>
      client.xrevrange(this.#keys.audit, before, "-", "COUNT", requireLimit(limit) + 1),
    );
    const events = entries.map(([id, fields]): [string, string] => [id, fields[1] ?? ""]);
    return pageOf(events, limit, (json) => decodeAudit(json, this.id));
  }
}

function revisionsOf(all: Readonly<Record<string, string>>): Revisions {
  const documents = DOCUMENT_KINDS.map((kind) => [kind, Number(all[revisionField(kind)] ?? 0)]);
  return { ...Object.fromEntries(documents), actors: Number(all.actors ?? 0) };
}

/** A hash as a script tells it: field, value, field, value. */
function pairs(flat: readonly string[]): Record<string, string> {
  const hash: Record<string, string> = {};
  for (let i = 0; i + 1 < flat.length; i += 2) hash[flat[i] ?? ""] = flat[i + 1] ?? "";
  return hash;
}

/** A page from one entry more than it may hold; entries are a place and its JSON. */
function pageOf<T>(
  entries: readonly (readonly [place: string, json: string])[],
  limit: number,
  read: (json: string) => T,
): Page<T> {
  const items = entries.slice(0, limit).map(([, json]) => read(json));
  const last = entries.length > limit ? entries[limit - 1] : undefined;
  return last === undefined ? { items } : { items, next: last[0] };
}

export function splitOnce(line: string): [before: string, after: string] {
  const space = line.indexOf(" ");
  return [line.slice(0, space), line.slice(space + 1)];
}

/** What the scripts want to know of a record to be saved. */
function bulkArguments(record: ActorRecord): [id: string, version: number, json: string, unsettled: string] {
  return [record.ticket.id, record.version, encodeActor(record), isUnsettled(record) ? "1" : "0"];
}
