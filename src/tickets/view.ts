import MiniSearch from "minisearch";
import type { TicketId } from "../board/connector.js";
import type { ActorRecord, TenantStore } from "../store/store.js";
import { plainWords, tokensOf } from "./words.js";
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
  /** Grows with any change to any workflow. */
  readonly workflowRevision: number;
  workflowOf(record: ActorRecord): Workflow | undefined;
  /** Tickets whose key (or a former key) is this, however it is cased or spaced. */
  byKey(key: string): readonly ActorRecord[];
  /** Tickets whose title has all of these words; `exact` wants whole words, otherwise prefixes and near-misses count. */
  byTitle(words: readonly string[], exact: boolean): readonly ActorRecord[];
  /** Tickets whose titles share any of the words, nearest first. */
  nearTitle(words: readonly string[], limit: number): readonly ActorRecord[];
  /** In the order in which people list tickets: newest change first. */
  list(): readonly ActorRecord[];
}

interface IndexedTicket {
  readonly id: string;
  readonly title: string;
}

class LiveView implements TenantView {
  readonly actors = new Map<TicketId, ActorRecord>();
  #workflows: TenantWorkflows = { revision: -1, byId: new Map() };
  readonly #keys = new Map<string, Set<TicketId>>();
  readonly #titles = new MiniSearch<IndexedTicket>({
    fields: ["title"],
    tokenize: tokensOf,
    processTerm: (term) => term,
  });
  readonly #store: TenantStore;
  #revision = 0;
  #sorted: readonly ActorRecord[] | undefined;

  readonly #source: Workflows;

  constructor(store: TenantStore, source: Workflows) {
    this.#store = store;
    this.#source = source;
  }

  get workflows(): ReadonlyMap<string, Workflow> {
    return this.#workflows.byId;
  }

  get workflowRevision(): number {
    return this.#workflows.revision;
  }

  async refresh(): Promise<void> {
    const [first, workflows] = await Promise.all([
      this.#store.changesSince(this.#revision, CHUNK),
      this.#source.of(this.#store),
    ]);
    this.#workflows = workflows;
    for (
      let changes = first;
      changes.ids.length > 0;
      changes = await this.#store.changesSince(this.#revision, CHUNK)
    ) {
      const records = await this.#store.getActors(changes.ids);
      for (const [i, id] of changes.ids.entries()) this.#put(id, records[i]);
      this.#revision = changes.revision;
      this.#sorted = undefined;
      if (changes.ids.length < CHUNK) break;
    }
  }

  #put(id: TicketId, record: ActorRecord | undefined): void {
    const before = this.actors.get(id);
    if (before !== undefined) for (const key of keysOf(before)) this.#keys.get(key)?.delete(id);
    if (record === undefined) {
      if (this.actors.delete(id)) this.#titles.discard(id);
      return;
    }
    this.actors.set(id, record);
    for (const key of keysOf(record)) {
      const ids = this.#keys.get(key) ?? new Set();
      this.#keys.set(key, ids.add(id));
    }
    if (before?.ticket.title === record.ticket.title) return;
    if (before !== undefined) this.#titles.discard(id);
    this.#titles.add({ id, title: record.ticket.title });
  }

  workflowOf(record: ActorRecord): Workflow | undefined {
    return this.#workflows.byId.get(record.ticket.workflow);
  }

  byKey(key: string): readonly ActorRecord[] {
    return this.#records(this.#keys.get(plainKey(key)) ?? []);
  }

  byTitle(words: readonly string[], exact: boolean): readonly ActorRecord[] {
    if (words.length === 0) return [];
    const loose = {
      prefix: (term: string) => term.length > 2,
      fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
    };
    const found = this.#titles.search(words.join(" "), { combineWith: "AND", ...(exact ? {} : loose) });
    return this.#records(found.map((hit) => String(hit.id)));
  }

  nearTitle(words: readonly string[], limit: number): readonly ActorRecord[] {
    const found = this.#titles.search(words.join(" "), { combineWith: "OR", prefix: true, fuzzy: 0.2 });
    return this.#records(found.slice(0, limit).map((hit) => String(hit.id)));
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

function keysOf(record: ActorRecord): string[] {
  return [record.ticket.key, ...(record.ticket.formerKeys ?? [])]
    .filter((key) => key !== undefined)
    .map(plainKey);
}

/** `ENG-42`, `eng 42` and `Eng42` are one key. */
export function plainKey(key: string): string {
  return plainWords(key).replaceAll(" ", "");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface Views {
  /** The tenant's view, no older than this call. */
  fresh(store: TenantStore): Promise<TenantView>;
}

interface Entry {
  readonly view: LiveView;
  running?: Promise<void> | undefined;
  next?: Promise<void> | undefined;
}

/** Keeps the views of the `capacity` tenants last asked for. */
export function createViews(workflows: Workflows, capacity = 200): Views {
  const entries = new Map<string, Entry>();

  function entryFor(store: TenantStore): Entry {
    const entry = entries.get(store.id) ?? { view: new LiveView(store, workflows) };
    entries.delete(store.id);
    entries.set(store.id, entry);
    const oldest = entries.keys().next();
    if (entries.size > capacity && !oldest.done) entries.delete(oldest.value);
    return entry;
  }

  return {
    async fresh(store) {
      const entry = entryFor(store);
      const again = () => run(entry);
      // A refresh under way may have read before our caller's own write: share only one that has yet to begin.
      if (entry.running === undefined) entry.running = again();
      else entry.next ??= entry.running.then(again, again);
      await (entry.next ?? entry.running);
      return entry.view;
    },
  };
}

function run(entry: Entry): Promise<void> {
  return entry.view.refresh().finally(() => {
    entry.running = entry.next;
    entry.next = undefined;
  });
}
