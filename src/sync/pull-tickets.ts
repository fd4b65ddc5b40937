import type { Ticket } from "../board/connector.js";
import type { ActorRecord, TenantStore } from "../store/store.js";
import { newActor, observe } from "../tickets/actor.js";
import { arrive } from "../tickets/arrive.js";
import type { OpenBoard } from "../tickets/boards.js";
import { roomForTickets } from "../tickets/budgets.js";
import { observeJobFor } from "../tickets/jobs.js";
import { look, tellNews } from "../tickets/look.js";
import type { SyncDeps } from "./sync-deps.js";

/** Reading a board's tickets, in batches: new ones in bulk, known ones through the same door as a webhook's. */

export const BATCH = 500;
/** Tickets looked at one by one within a sync; the rest become jobs. */
const LOOKS = 200;
const LOOKS_AT_ONCE = 4;
const SCAN = 1_000;

export interface Reading {
  readonly since: Date | undefined;
  /** Called when a batch names a status that no workflow has; pulls them, at most once. */
  readonly refresh: () => Promise<void>;
  /** Told after each batch how many were read so far. */
  readonly onProgress: (read: number) => Promise<void>;
}

export interface Read {
  readonly read: number;
  readonly created: number;
  /** New tickets that the tenant had no room for. */
  readonly leftOut: number;
  readonly ids: ReadonlySet<string>;
  /** Known tickets that the listing shows elsewhere under the very time we have: only a read can tell which is newer. */
  readonly unsure: readonly string[];
}

export async function pullTickets(
  deps: SyncDeps,
  tenant: TenantStore,
  connection: string,
  board: OpenBoard,
  reading: Reading,
  signal: AbortSignal,
): Promise<Read> {
  const ids = new Set<string>();
  const unsure: string[] = [];
  let created = 0;
  let leftOut = 0;
  let read = 0;
  const take = async (batch: readonly Ticket[], soFar: number) => {
    if (await namesUnknownStatus(deps, tenant, batch)) await reading.refresh();
    const taken = await takeIn(deps, tenant, connection, batch);
    created += taken.created;
    leftOut += taken.leftOut;
    unsure.push(...taken.unsure);
    await reading.onProgress(soFar);
  };
  const keeping = createQueue();
  let batch: Ticket[] = [];
  try {
    for await (const ticket of board.connector.pullTickets(reading.since, signal)) {
      batch.push(ticket);
      ids.add(ticket.id);
      read += 1;
      if (batch.length < BATCH) continue;
      const [full, soFar] = [batch, read];
      await keeping.add(() => take(full, soFar));
      batch = [];
    }
  } finally {
    await keeping.end();
  }
  if (batch.length > 0) await take(batch, read);
  return { read, created, leftOut, ids, unsure };
}

/** So many batches wait to be kept, however large the board: as much as the largest page that a board gives. */
const MOST_WAITING = 2;

/** Work done one after another while the board is asked for more; `add` waits when too much is waiting. */
function createQueue() {
  const waiting: Promise<void>[] = [];
  return {
    async add(work: () => Promise<void>): Promise<void> {
      if (waiting.length >= MOST_WAITING) await waiting.shift();
      const next = (waiting.at(-1) ?? Promise.resolve()).then(work);
      // Its failure is met by whoever waits next, which may be a page later.
      next.catch(() => {});
      waiting.push(next);
    },
    async end(): Promise<void> {
      await waiting.at(-1);
    },
  };
}

async function namesUnknownStatus(
  deps: SyncDeps,
  tenant: TenantStore,
  batch: readonly Ticket[],
): Promise<boolean> {
  const { byId } = await deps.workflows.of(tenant);
  return batch.some((ticket) => byId.get(ticket.workflow)?.status(ticket.status) === undefined);
}

async function takeIn(
  deps: SyncDeps,
  tenant: TenantStore,
  connection: string,
  tickets: readonly Ticket[],
): Promise<{ readonly created: number; readonly leftOut: number; readonly unsure: readonly string[] }> {
  const known = await tenant.getActors(tickets.map((ticket) => ticket.id));
  const fresh = tickets.filter((_ticket, i) => known[i] === undefined);
  const room = fresh.length === 0 ? 0 : await roomForTickets(deps.worker, tenant);
  const leftOut = new Set(fresh.slice(room));
  const saved = await tenant.saveActors(fresh.slice(0, room).map((ticket) => newActor(ticket, connection)));
  const isNew = new Set(saved.map((record) => record.ticket.id));
  for (const record of saved) deps.worker.changed?.(tenant.id, record);
  const { byId } = await deps.workflows.of(tenant);
  const unsure: string[] = [];
  for (const [i, ticket] of tickets.entries()) {
    if (isNew.has(ticket.id) || leftOut.has(ticket)) continue;
    const before = known[i];
    const about = { connection, workflow: byId.get(ticket.workflow), at: deps.now() };
    if (before !== undefined && arrive(before, ticket, about) === before) continue;
    if (before !== undefined && isUnsure(before, ticket)) unsure.push(ticket.id);
    else await tellNews(deps.worker, tenant, before, await observe(tenant, ticket, about));
  }
  return { created: saved.length, leftOut: leftOut.size, unsure };
}

function isUnsure(before: ActorRecord, ticket: Ticket): boolean {
  return ticket.updatedAt === before.ticket.updatedAt && ticket.status !== before.ticket.status;
}

/** Ids of the connection's tickets that `wanted` fits, from what we keep of them; only records that `mayBe` lets through are read. */
export async function ownTickets(
  tenant: TenantStore,
  connection: string,
  wanted: (record: ActorRecord) => boolean,
  mayBe?: (id: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  for await (const record of everyActor(tenant, mayBe)) {
    if (record.ticket.connection === connection && wanted(record)) found.push(record.ticket.id);
  }
  return found;
}

/** Every actor of the tenant whose id `mayBe` lets through, each at least once. */
export async function* everyActor(
  tenant: TenantStore,
  mayBe: (id: string) => boolean = () => true,
): AsyncIterable<ActorRecord> {
  for (let revision = 0; ; ) {
    const changes = await tenant.changesSince(revision, SCAN);
    for (const record of await tenant.getActors(changes.ids.filter(mayBe)))
      if (record !== undefined) yield record;
    if (changes.ids.length < SCAN || changes.revision <= revision) return;
    revision = changes.revision;
  }
}

/** Looks at these tickets on the board. What fails, or is beyond the budget of one sync, is left to jobs of its own. */
export async function lookAt(
  deps: SyncDeps,
  tenant: TenantStore,
  where: { readonly connection: string; readonly cause: string },
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { connection, cause } = where;
  const later = (id: string) => deps.jobs.put(observeJobFor(tenant.id, connection, id, cause));
  const now = ids.slice(0, LOOKS);
  const queue = now.values();
  const looker = async () => {
    for (const ticket of queue) {
      await look(deps.worker, tenant, { connection, ticket }, signal).catch(async () => {
        signal.throwIfAborted();
        await later(ticket);
      });
    }
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, looker));
  for (const id of ids.slice(LOOKS)) await later(id);
}
