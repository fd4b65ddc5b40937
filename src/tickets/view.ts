import type { TicketId } from "../board/connector.js";
import type { ActorRecord, Revisions, TenantStore } from "../store/store.js";
import { keyParts, plainKey } from "./keys.js";
import type { Recency } from "./recency.js";
import { type SpeechSetting, speechSettingOf } from "./settings.js";
import { type Closeness, TitleIndex } from "./title-index.js";
import type { Workflow } from "./workflow.js";
import type { TenantWorkflows, Workflows } from "./workflows.js";

/** How many changed actors one refresh fetches at a time. */
const CHUNK = 2_000;

/**
 * One tenant's tickets and workflows in memory, brought up to date from the store's change feed before each answer.
 * Reads never wait for a board.
 */
export interface TenantView {
  readonly actors: ReadonlyMap<TicketId, ActorRecord>;
  readonly workflows: ReadonlyMap<string, Workflow>;
  /** How the tenant wants to be spoken to. */
  readonly speech: SpeechSetting;
  /** Grows with any change to any workflow. */
  readonly workflowRevision: number;
  /** Since when, as `performance.now()` tells it, no connection has changed, as far as this view knows. */
  readonly connectionsSince: number;
  workflowOf(record: ActorRecord): Workflow | undefined;
  /** Tickets whose key (or a former key) is this, however it is cased or spaced. */
  byKey(key: string): readonly ActorRecord[];
  /** Tickets with this number in their key, whatever its letters. */
  byNumber(number: string): readonly ActorRecord[];
  /** Has any ticket a key with these letters? */
  hasPrefix(prefix: string): boolean;
  /** Tickets whose title has all of these words. */
  byTitle(words: readonly string[], closeness: Closeness): readonly ActorRecord[];
  /** Tickets whose titles have the most of the words, nearest first. */
  nearTitle(words: readonly string[], limit: number): readonly ActorRecord[];
  /** In the order in which people list tickets: newest change first. */
  list(): readonly ActorRecord[];
}

class LiveView implements TenantView {
  readonly actors = new Map<TicketId, ActorRecord>();
  #workflows: TenantWorkflows = { revision: -1, byId: new Map() };
  readonly #keys = new Map<string, Set<TicketId>>();
  readonly #numbers = new Map<string, Set<TicketId>>();
  readonly #prefixes = new Map<string, number>();
  readonly #titles = new TitleIndex();
  readonly #store: TenantStore;
  #revision = 0;
  #settings: { readonly revision: number; readonly speech: SpeechSetting } = { revision: -1, speech: {} };
  #sorted: readonly ActorRecord[] | undefined;
  #connections = { revision: -1, since: 0 };

  readonly #source: Workflows;

  constructor(store: TenantStore, source: Workflows) {
    this.#store = store;
    this.#source = source;
  }

  get workflows(): ReadonlyMap<string, Workflow> {
    return this.#workflows.byId;
  }

  get speech(): SpeechSetting {
    return this.#settings.speech;
  }

  get workflowRevision(): number {
    return this.#workflows.revision;
  }

  get connectionsSince(): number {
    return this.#connections.since;
  }

  /** One round trip, but for a tenant whose tickets are many and new, or whose workflows or settings have changed. */
  async refresh(): Promise<void> {
    for (;;) {
      const asked = this.#revision;
      const { revision, ids, records, revisions } = await this.#store.newsSince(asked, CHUNK);
      for (const [i, id] of ids.entries()) this.#put(id, records[i]);
      if (ids.length > 0) this.#sorted = undefined;
      // What was saved here meanwhile may be later than that; only a store that has lost something goes back.
      if (revision < asked || revision > this.#revision) this.#revision = revision;
      if (ids.length === CHUNK) continue;
      return await this.#readDocuments(revisions);
    }
  }

  /** Takes in what was saved at this revision, where all before it is known. */
  take(record: ActorRecord, revision: number | undefined): void {
    if (revision !== this.#revision + 1) return;
    this.#put(record.ticket.id, record);
    this.#sorted = undefined;
    this.#revision = revision;
  }

  get revision(): number {
    return this.#revision;
  }

  async #readDocuments({ workflow, setting, connection }: Revisions): Promise<void> {
    // A read that began before we knew may have missed the change.
    if (connection !== this.#connections.revision)
      this.#connections = { revision: connection, since: performance.now() };
    if (workflow !== this.#workflows.revision) this.#workflows = await this.#source.of(this.#store, workflow);
    if (setting !== this.#settings.revision)
      this.#settings = { revision: setting, speech: await speechSettingOf(this.#store) };
  }

  #put(id: TicketId, record: ActorRecord | undefined): void {
    const before = this.actors.get(id);
    this.#relist(id, before === undefined ? [] : keysOf(before), record === undefined ? [] : keysOf(record));
    if (record === undefined) {
      if (this.actors.delete(id)) this.#titles.drop(id);
      return;
    }
    this.actors.set(id, record);
    if (before?.ticket.title === record.ticket.title) return;
    if (before !== undefined) this.#titles.drop(id);
    this.#titles.put(id, record.ticket.title);
  }

  #relist(id: TicketId, before: readonly string[], now: readonly string[]): void {
    // Keys seldom change, and tickets often.
    if (before.length === now.length && before.every((key, i) => key === now[i])) return;
    for (const key of before) this.#unlist(key, id);
    for (const key of now) this.#enlist(key, id);
  }

  #enlist(key: string, id: TicketId): void {
    add(this.#keys, plainKey(key), id);
    const parts = keyParts(key);
    if (parts === undefined) return;
    add(this.#numbers, parts.number, id);
    for (const prefix of parts.prefixes) this.#prefixes.set(prefix, (this.#prefixes.get(prefix) ?? 0) + 1);
  }

  #unlist(key: string, id: TicketId): void {
    remove(this.#keys, plainKey(key), id);
    const parts = keyParts(key);
    if (parts === undefined) return;
    remove(this.#numbers, parts.number, id);
    for (const prefix of parts.prefixes) {
      const left = (this.#prefixes.get(prefix) ?? 1) - 1;
      if (left > 0) this.#prefixes.set(prefix, left);
      else this.#prefixes.delete(prefix);
    }
  }

  workflowOf(record: ActorRecord): Workflow | undefined {
    return this.#workflows.byId.get(record.ticket.workflow);
  }

  byKey(key: string): readonly ActorRecord[] {
    return this.#records(this.#keys.get(plainKey(key)) ?? []);
  }

  byNumber(number: string): readonly ActorRecord[] {
    return this.#records(this.#numbers.get(number) ?? []);
  }

  hasPrefix(prefix: string): boolean {
    return this.#prefixes.has(prefix);
  }

  byTitle(words: readonly string[], closeness: Closeness): readonly ActorRecord[] {
    return this.#records(this.#titles.withAll(words, closeness));
  }

  nearTitle(words: readonly string[], limit: number): readonly ActorRecord[] {
    return this.#records(this.#titles.nearest(words, limit));
  }

  list(): readonly ActorRecord[] {
    this.#sorted ??= [...this.actors.values()].sort(
      (a, b) => compare(b.ticket.updatedAt, a.ticket.updatedAt) || compare(a.ticket.id, b.ticket.id),
    );
    return this.#sorted;
  }

  #records(ids: Iterable<TicketId>): ActorRecord[] {
    const records: ActorRecord[] = [];
    for (const id of ids) {
      const record = this.actors.get(id);
      if (record !== undefined) records.push(record);
    }
    return records;
  }
}

/** Every key the ticket goes by or went by. */
export function keysOf(record: ActorRecord): readonly string[] {
  return [record.ticket.key, ...(record.ticket.formerKeys ?? [])].filter((key) => key !== undefined);
}

function add(map: Map<string, Set<TicketId>>, key: string, id: TicketId): void {
  const ids = map.get(key) ?? new Set();
  map.set(key, ids.add(id));
}

function remove(map: Map<string, Set<TicketId>>, key: string, id: TicketId): void {
  const ids = map.get(key);
  ids?.delete(id);
  if (ids?.size === 0) map.delete(key);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface Views {
  /** The tenant's view, no older than this call; or than the moment `since`, as `performance.now()` tells it. */
  fresh(store: TenantStore, since?: number): Promise<TenantView>;
  /** The tenant's view as of the latest change that was told. */
  told(store: TenantStore): Promise<TenantView>;
  /** Takes in what this process has just saved, so that it need not be read again. */
  saved(store: TenantStore, record: ActorRecord): void;
  /** All are made anew: what was read may have been undone, and the change feed does not tell of that. */
  forget(): void;
}

interface Refresh {
  readonly startedAt: number;
  readonly done: Promise<void>;
}

interface Entry {
  readonly view: LiveView;
  /** When the last refresh began that came to its end. */
  freshAt: number;
  /** What it counts for among what is kept. */
  weight: number;
  running?: Refresh | undefined;
  next?: Promise<void> | undefined;
}

/** Some 1.8 kB each, so 350 MB in all. */
const MOST_TICKETS = 200_000;
/** A tenant without a ticket has a view all the same. */
const OWN_WEIGHT = 20;

export interface ViewsOptions {
  readonly mostTickets?: number;
  /** Hears of changes; without it nothing that was read is believed to be as it was. */
  readonly recency?: Pick<Recency, "ofTenant"> | undefined;
}

/**
 * Keeps the views last asked for, as long as they hold no more than `mostTickets` together. Counted in tickets, since a
 * view is dear to make anew: many small tenants must not push each other out one by one.
 */
export function createViews(
  workflows: Workflows,
  { mostTickets = MOST_TICKETS, recency }: ViewsOptions = {},
): Views {
  const entries = new Map<string, Entry>();
  let weight = 0;

  function entryFor(store: TenantStore): Entry {
    const entry = entries.get(store.id) ?? { view: new LiveView(store, workflows), freshAt: -1, weight: 0 };
    entries.delete(store.id);
    entries.set(store.id, entry);
    return entry;
  }

  function weigh(id: string, entry: Entry): void {
    if (entries.get(id) !== entry) return;
    const now = OWN_WEIGHT + entry.view.actors.size;
    weight += now - entry.weight;
    entry.weight = now;
    for (const [oldest, other] of entries) {
      if (weight <= mostTickets || other === entry) return;
      entries.delete(oldest);
      weight -= other.weight;
    }
  }

  async function fresh(store: TenantStore, since = performance.now()): Promise<TenantView> {
    const entry = entryFor(store);
    if (entry.freshAt < since) {
      await refreshed(entry, since);
      weigh(store.id, entry);
    }
    return entry.view;
  }

  return {
    fresh,
    told: (store) => fresh(store, recency?.ofTenant(store.id, entries.get(store.id)?.view.revision)),
    saved(store, record) {
      entries.get(store.id)?.view.take(record, store.revisionOf(record));
    },
    forget() {
      entries.clear();
      weight = 0;
    },
  };
}

/** A refresh under way may have read before `since`: it is shared only when it began later, else the one after it. */
function refreshed(entry: Entry, since: number): Promise<void> {
  const { running } = entry;
  if (running !== undefined && running.startedAt >= since) return running.done;
  if (running === undefined) return entry.next ?? start(entry);
  const again = () => start(entry);
  entry.next ??= running.done.then(again, again);
  return entry.next;
}

function start(entry: Entry): Promise<void> {
  const startedAt = performance.now();
  entry.next = undefined;
  const done = entry.view.refresh().then(
    () => {
      entry.freshAt = startedAt;
      entry.running = undefined;
    },
    (error: unknown) => {
      entry.running = undefined;
      throw error;
    },
  );
  entry.running = { startedAt, done };
  return done;
}
