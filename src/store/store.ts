import type { TicketId } from "../board/connector.js";
import type { ActorRecord, DocumentKind, HistoryEvent } from "./records.js";

export type * from "./records.js";

/** Each grows whenever an actor, or a document of that kind, is saved or deleted. */
export type Revisions = Readonly<Record<DocumentKind | "actors", number>>;

export interface Changes {
  readonly revision: number;
  readonly ids: readonly TicketId[];
}

export interface News extends Changes {
  /** In the order of `ids`; `undefined` for what was deleted. */
  readonly records: readonly (ActorRecord | undefined)[];
  readonly revisions: Revisions;
}

/** A document and the version to save it at. `version` 0 has never been saved. */
export interface Versioned<T = unknown> {
  readonly version: number;
  readonly value: T;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export interface AuditEvent {
  readonly at: string;
  readonly action: string;
  readonly by?: { readonly person: string; readonly client?: string; readonly tool?: string };
  readonly ticket?: string;
  readonly from?: string;
  readonly to?: string;
  readonly outcome?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Everything one tenant keeps. Nothing in here can name another tenant. */
export interface TenantStore {
  readonly id: string;

  getActor(id: TicketId): Promise<ActorRecord | undefined>;
  /** In the order asked; `undefined` where there is none. */
  getActors(ids: readonly TicketId[]): Promise<readonly (ActorRecord | undefined)[]>;
  /**
   * Saves `record` if the stored version is still `record.version`, together with its history and its line in the
   * audit log, in one step. Also keeps the index of unsettled records and the change feed.
   * `quiet`: nobody who watches is told of it; it is in the change feed all the same.
   * @returns the record at its new version.
   * @throws BoardwalkError `conflict` when someone else saved first; nothing is written then.
   */
  saveActor(
    record: ActorRecord,
    history?: readonly HistoryEvent[],
    audit?: AuditEvent,
    how?: { readonly quiet?: boolean },
  ): Promise<ActorRecord>;
  /** The revision of actors that saving this very record made, where it is an answer of `saveActor`. */
  revisionOf(saved: ActorRecord): number | undefined;
  /** Saves new records, or ones read at their version, in bulk; a record that lost its race is left out of the answer. */
  saveActors(records: readonly ActorRecord[]): Promise<readonly ActorRecord[]>;
  countActors(): Promise<number>;
  /** Forgets the actors and their histories; the change feed tells of each. Ids that nobody has are passed over. */
  deleteActors(ids: readonly TicketId[]): Promise<void>;
  /**
   * Actors saved or deleted after `revision`, each once, oldest first, at most `limit`.
   * `revision` of the answer is where to go on; equal to the one given when nothing is new, and smaller when the
   * store has lost what was saved since: then it tells all there is from the beginning.
   */
  changesSince(revision: number, limit: number): Promise<Changes>;
  /** The same in one step with what the changed actors are now, and with all revisions. */
  newsSince(revision: number, limit: number): Promise<News>;
  /** Tickets with something pending or owed, the one untouched for longest first. */
  unsettled(limit: number): Promise<readonly TicketId[]>;
  /** Newest first. */
  history(
    id: TicketId,
    page: { readonly cursor?: string; readonly limit: number },
  ): Promise<Page<HistoryEvent>>;

  getDocument(kind: DocumentKind, id: string): Promise<Versioned | undefined>;
  listDocuments(kind: DocumentKind): Promise<readonly (Versioned & { readonly id: string })[]>;
  /** Compare-and-set, as `saveActor`. @returns the new version. */
  saveDocument(kind: DocumentKind, id: string, document: Versioned): Promise<number>;
  deleteDocument(kind: DocumentKind, id: string): Promise<void>;
  /** Tells cheaply whether what was read before is old. `actors` is the revision that `changesSince` ends at. */
  revisions(): Promise<Revisions>;

  /** Remembers a small value for `ttlMs`; what is remembered may be forgotten early, never late. */
  remember(key: string, value: unknown, ttlMs: number): Promise<void>;
  recall(key: string): Promise<unknown>;
  /** Forgets what is remembered under `key`, and releases its claim. */
  forget(key: string): Promise<void>;
  /** Adds to the notes under `key`: the latest `most` are kept, all of them for `ttlMs` from now. */
  addNote(key: string, value: unknown, most: number, ttlMs: number): Promise<void>;
  /** Oldest first. What is remembered under the same key is no note. */
  notes(key: string): Promise<readonly unknown[]>;
  /** True for the first caller within `ttlMs`, false for every later one. */
  claim(key: string, ttlMs: number): Promise<boolean>;

  /**
   * Makes `handle` (a token's hash, a webhook's path) lead to this tenant.
   * @throws BoardwalkError `conflict` when it leads to another.
   */
  link(kind: HandleKind, handle: string, value: string): Promise<void>;
  /** Does nothing when it leads to another tenant, or nowhere. */
  unlink(kind: HandleKind, handle: string): Promise<void>;

  audit(event: AuditEvent): Promise<void>;
  /** Newest first. */
  auditPage(page: { readonly cursor?: string; readonly limit: number }): Promise<Page<AuditEvent>>;
}

export type HandleKind = "token" | "webhook";

export interface TenantInfo {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

/**
 * What may have been lost while the store was away. `unheard`: what others published. `undone`: what was read before,
 * since another server has taken over or the same was started anew, and may lack the last writes.
 */
export type Loss = "unheard" | "undone";

export interface Store {
  /** The only door to a tenant's data. Does not check that the tenant exists. */
  tenant(id: string): TenantStore;
  /** @throws BoardwalkError `conflict` when the id is taken. */
  createTenant(info: TenantInfo): Promise<void>;
  listTenants(): Promise<readonly TenantInfo[]>;
  /** Whose handle is this? */
  findHandle(
    kind: HandleKind,
    handle: string,
  ): Promise<{ readonly tenant: string; readonly value: string } | undefined>;
  /** Tells every process that listens; at most once, and lost when nobody does. */
  publish(channel: string, message: string): Promise<void>;
  /** @returns a function that stops listening. */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>;
  /**
   * Tells of every change that was not made quietly, whoever made it, before its maker hears that it is made: the tenant
   * whose revisions have grown, which of them, and to what at least, where that is known; nothing of a handle of
   * anybody's. At most once, and not at all while the store is away.
   * @returns a function that stops telling.
   */
  watch(
    listener: (tenant: string | undefined, kind?: keyof Revisions, revision?: number) => void,
  ): Promise<() => Promise<void>>;
  /** Tells what may have been lost, once the store is back. @returns a function that stops telling. */
  returned(listener: (loss: Loss) => void): () => void;
  /** Rejects with `unavailable` when the store cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
