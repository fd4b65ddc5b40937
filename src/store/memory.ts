import { setImmediate } from "node:timers";
import { Expiring, Log } from "./bounded.js";
import { handleTaken, lostRace, requireLimit, requireTenantId, tenantTaken } from "./checks.js";
import {
  AUDIT_LIMIT,
  byId,
  decodeActor,
  decodeAudit,
  decodeDocument,
  decodeHistory,
  encodeActor,
  encodeHistory,
  HISTORY_LIMIT,
} from "./codec.js";
import { decodeContent, encodeContent } from "./format.js";
import { type ActorRecord, DOCUMENT_KINDS, type HistoryEvent, isUnsettled } from "./records.js";
import { revisionOf, savedAt } from "./revisions.js";
import type {
  AuditEvent,
  Changes,
  DocumentKind,
  HandleKind,
  News,
  Page,
  Revisions,
  Store,
  TenantInfo,
  TenantStore,
  Versioned,
} from "./store.js";

export interface MemoryStoreOptions {
  /** Audit events kept of one tenant. @default 100000 */
  readonly auditLimit?: number;
}

/**
 * Keeps everything in this process, as text: what is read is always a copy, and what could not be read back from
 * Redis cannot be read back from here either. Gone when the process ends; good for a look, not for keeps.
 */
export function createMemoryStore({ auditLimit = AUDIT_LIMIT }: MemoryStoreOptions = {}): Store {
  const tenants = new Map<string, MemoryTenant>();
  const infos = new Map<string, TenantInfo>();
  const handles: Handles = new Map();
  const channels = new Map<string, Set<(message: string) => void>>();
  const watchers = new Set<Watcher>();
  const changed: Watcher = (...change) => {
    for (const watcher of watchers) watcher(...change);
  };

  return {
    tenant(id) {
      const tenant =
        tenants.get(requireTenantId(id)) ?? new MemoryTenant(id, handles, { auditLimit, changed });
      tenants.set(id, tenant);
      return tenant;
    },
    async createTenant(info) {
      requireTenantId(info.id);
      if (infos.has(info.id)) throw tenantTaken(info.id);
      infos.set(info.id, { ...info });
    },
    async listTenants() {
      return [...infos.values()].map((info) => ({ ...info })).sort(byId);
    },
    async findHandle(kind, handle) {
      const found = handles.get(handleKey(kind, handle));
      return found && { ...found };
    },
    async publish(channel, message) {
      // Not at once: a listener never runs inside the call that woke it, just as with a network in between.
      for (const listener of channels.get(channel) ?? []) setImmediate(listener, message);
    },
    async subscribe(channel, listener) {
      const wrapped = (message: string) => channels.get(channel)?.has(wrapped) && listener(message);
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(wrapped));
      return async () => {
        listeners.delete(wrapped);
      };
    },
    async watch(listener) {
      const own: Watcher = (...change) => listener(...change);
      watchers.add(own);
      return async () => {
        watchers.delete(own);
      };
    },
    // It is never away.
    returned: () => () => {},
    async ping() {},
    async close() {
      channels.clear();
      watchers.clear();
    },
  };
}

type Handles = Map<string, { readonly tenant: string; readonly value: string }>;

function handleKey(kind: HandleKind, handle: string): string {
  return `${kind}:${handle}`;
}

type Watcher = Parameters<Store["watch"]>[0];

interface MemoryTenantOptions {
  readonly auditLimit: number;
  readonly changed: Watcher;
}

class MemoryTenant implements TenantStore {
  readonly id: string;
  readonly #handles: Handles;
  readonly #tell: MemoryTenantOptions["changed"];
  readonly #actors = new Map<string, { readonly version: number; readonly body: string }>();
  /** Both keyed by ticket, in order of their latest change: a changed key is deleted and set anew. */
  readonly #changes = new Map<string, number>();
  readonly #unsettled = new Set<string>();
  readonly #histories = new Map<string, Log<string>>();
  readonly #documents = new Map<DocumentKind, Map<string, string>>();
  readonly #documentRevisions = new Map<DocumentKind, number>();
  readonly #remembered = new Expiring();
  readonly #notes = new Expiring();
  readonly #claims = new Expiring();
  readonly #audit: Log<string>;
  #revision = 0;

  constructor(id: string, handles: Handles, { auditLimit, changed }: MemoryTenantOptions) {
    this.id = id;
    this.#handles = handles;
    this.#tell = changed;
    this.#audit = new Log<string>(auditLimit);
  }

  async getActor(id: string): Promise<ActorRecord | undefined> {
    const stored = this.#actors.get(id);
    return stored && decodeActor(`${stored.version} ${stored.body}`, id);
  }

  getActors(ids: readonly string[]): Promise<readonly (ActorRecord | undefined)[]> {
    return Promise.all(ids.map((id) => this.getActor(id)));
  }

  async saveActor(
    record: ActorRecord,
    history: readonly HistoryEvent[] = [],
    audit?: AuditEvent,
    { quiet = false }: { readonly quiet?: boolean } = {},
  ): Promise<ActorRecord> {
    const line = audit && encodeContent("audit", audit);
    const saved = this.#save(record, history, quiet);
    if (saved === undefined) throw lostRace("this ticket");
    if (line !== undefined) this.#audit.add(line);
    return saved;
  }

  async saveActors(records: readonly ActorRecord[]): Promise<readonly ActorRecord[]> {
    return records.map((record) => this.#save(record, [])).filter((saved) => saved !== undefined);
  }

  #save(record: ActorRecord, history: readonly HistoryEvent[], quiet = false): ActorRecord | undefined {
    const { id } = record.ticket;
    if ((this.#actors.get(id)?.version ?? 0) !== record.version) return undefined;
    const events = history.map(encodeHistory);
    const version = record.version + 1;
    this.#actors.set(id, { version, body: encodeActor(record) });
    this.#changed(id, quiet);
    this.#unsettled.delete(id);
    if (isUnsettled(record)) this.#unsettled.add(id);
    if (events.length > 0) {
      const log = this.#histories.get(id) ?? new Log<string>(HISTORY_LIMIT);
      this.#histories.set(id, log);
      for (const event of events) log.add(event);
    }
    return savedAt(this.#revision, { ...record, version });
  }

  revisionOf(saved: ActorRecord): number | undefined {
    return revisionOf(saved);
  }

  async countActors(): Promise<number> {
    return this.#actors.size;
  }

  #changed(id: string, quiet = false): void {
    this.#changes.delete(id);
    this.#changes.set(id, ++this.#revision);
    if (!quiet) this.#tell(this.id, "actors", this.#revision);
  }

  async deleteActors(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if (!this.#actors.delete(id)) continue;
      this.#changed(id);
      this.#unsettled.delete(id);
      this.#histories.delete(id);
    }
  }

  async newsSince(revision: number, limit: number): Promise<News> {
    const changes = await this.changesSince(revision, limit);
    const [records, revisions] = await Promise.all([this.getActors(changes.ids), this.revisions()]);
    return { ...changes, records, revisions };
  }

  async changesSince(revision: number, limit: number): Promise<Changes> {
    requireLimit(limit);
    if (revision === this.#revision) return { revision, ids: [] };
    const ids: string[] = [];
    const after = revision > this.#revision ? 0 : revision;
    let reached = after;
    for (const [id, changedAt] of this.#changes) {
      if (changedAt <= after) continue;
      if (ids.length === limit) break;
      ids.push(id);
      reached = changedAt;
    }
    return { revision: reached, ids };
  }

  async unsettled(limit: number): Promise<readonly string[]> {
    return [...this.#unsettled].slice(0, requireLimit(limit));
  }

  async history(id: string, page: { cursor?: string; limit: number }): Promise<Page<HistoryEvent>> {
    const log = this.#histories.get(id) ?? new Log<string>(HISTORY_LIMIT);
    return log.page(page, (json) => decodeHistory(json, id));
  }

  async getDocument(kind: DocumentKind, id: string): Promise<Versioned | undefined> {
    const stored = this.#documents.get(kind)?.get(id);
    return stored === undefined ? undefined : decodeDocument(kind, id, stored);
  }

  async listDocuments(kind: DocumentKind): Promise<readonly (Versioned & { readonly id: string })[]> {
    const entries = [...(this.#documents.get(kind) ?? [])];
    return entries.map(([id, stored]) => ({ id, ...decodeDocument(kind, id, stored) })).sort(byId);
  }

  async saveDocument(kind: DocumentKind, id: string, document: Versioned): Promise<number> {
    // Nothing is awaited from here on: the check and the write are one step.
    const documents = this.#documents.get(kind) ?? new Map<string, string>();
    const stored = documents.get(id);
    const current = stored === undefined ? 0 : decodeDocument(kind, id, stored).version;
    if (current !== document.version) throw lostRace(`this ${kind}`);
    const version = current + 1;
    this.#documents.set(kind, documents.set(id, `${version} ${encodeContent(kind, document.value)}`));
    this.#documentChanged(kind);
    return version;
  }

  async deleteDocument(kind: DocumentKind, id: string): Promise<void> {
    if (this.#documents.get(kind)?.delete(id)) this.#documentChanged(kind);
  }

  #documentChanged(kind: DocumentKind): void {
    this.#documentRevisions.set(kind, (this.#documentRevisions.get(kind) ?? 0) + 1);
    this.#tell(this.id, kind);
  }

  async revisions(): Promise<Revisions> {
    const documents = DOCUMENT_KINDS.map((kind) => [kind, this.#documentRevisions.get(kind) ?? 0]);
    return { ...Object.fromEntries(documents), actors: this.#revision };
  }

  async remember(key: string, value: unknown, ttlMs: number): Promise<void> {
    this.#remembered.set(key, encodeContent("memory", value), ttlMs);
  }

  async recall(key: string): Promise<unknown> {
    const json = this.#remembered.get(key);
    return json === undefined ? undefined : decodeContent("memory", key, json);
  }

  async forget(key: string): Promise<void> {
    this.#remembered.delete(key);
    this.#claims.delete(key);
  }

  async addNote(key: string, value: unknown, most: number, ttlMs: number): Promise<void> {
    const notes = [...this.#notesUnder(key), encodeContent("note", value)].slice(-requireLimit(most));
    this.#notes.set(key, JSON.stringify(notes), ttlMs);
  }

  async notes(key: string): Promise<readonly unknown[]> {
    return this.#notesUnder(key).map((note) => decodeContent("note", key, note));
  }

  #notesUnder(key: string): string[] {
    return JSON.parse(this.#notes.get(key) ?? "[]");
  }

  async claim(key: string, ttlMs: number): Promise<boolean> {
    if (this.#claims.get(key) !== undefined) return false;
    this.#claims.set(key, "1", ttlMs);
    return true;
  }

  async link(kind: HandleKind, handle: string, value: string): Promise<void> {
    const key = handleKey(kind, handle);
    if ((this.#handles.get(key)?.tenant ?? this.id) !== this.id) throw handleTaken();
    this.#handles.set(key, { tenant: this.id, value });
    this.#tell(undefined);
  }

  async unlink(kind: HandleKind, handle: string): Promise<void> {
    const key = handleKey(kind, handle);
    if (this.#handles.get(key)?.tenant !== this.id) return;
    this.#handles.delete(key);
    this.#tell(undefined);
  }

  async audit(event: AuditEvent): Promise<void> {
    this.#audit.add(encodeContent("audit", event));
  }

  async auditPage(page: { cursor?: string; limit: number }): Promise<Page<AuditEvent>> {
    return this.#audit.page(page, (json) => decodeAudit(json, this.id));
  }
}
