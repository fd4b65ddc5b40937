import type { Connector, Hint, WebhookDelivery } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import type { ActorRecord, Store, TenantStore } from "../store/store.js";
import { observeJobFor, syncJobFor, type TicketJobs } from "../tickets/jobs.js";
import { lookKey } from "../tickets/look.js";
import type { Recency } from "../tickets/recency.js";
import type { Recent } from "../tickets/recent.js";
import type { Connections } from "./connections.js";

/** A board's deliveries: believed only when signed, told apart from their copies, and only ever the cause of a read. */

export interface DeliveryDeps {
  readonly store: Pick<Store, "tenant" | "findHandle">;
  readonly connections: Pick<Connections, "openKept">;
  readonly jobs: Pick<TicketJobs, "put">;
  /** What this process has just moved: most deliveries tell of nothing else. */
  readonly recent?: Recent;
  /** How old a connection may be to believe a delivery by. Without it each is read for each delivery. */
  readonly recency?: Pick<Recency, "ofConnections">;
  /** Told how long each fresh delivery took to come here, where its board says when it was sent. */
  lagged?(provider: string, lagMs: number): void;
}

/** A board tries again for minutes, some for hours; its copies are known for longer. */
const REMEMBER_MS = 2 * 24 * 3_600_000;

export interface Receipt {
  /** False: this delivery was here before. One that tells only what is known already is not counted. */
  readonly fresh: boolean;
  readonly hints: number;
}

/** Whose path is this? For boards that first ask whether anyone answers there. */
export async function isWebhookPath(store: Pick<Store, "findHandle">, token: string): Promise<boolean> {
  return (await store.findHandle("webhook", token)) !== undefined;
}

/** @throws BoardwalkError `not_found_or_hidden` for an unknown path, `unauthorized` for what cannot be believed. */
export async function receiveDelivery(
  deps: DeliveryDeps,
  provider: string,
  token: string,
  delivery: WebhookDelivery,
): Promise<Receipt> {
  const source = await sourceOf(deps, provider, token);
  const { tenant, connection, connector } = source;
  const { deliveryId, hints, sentAt } = await source.webhooks.read(delivery);
  const lagMs = sentAt && delivery.receivedAt.getTime() - sentAt.getTime();
  const untold = await newsIn(connector, hints, (ticket) => deps.recent?.of(tenant, ticket));
  // Of nothing but what this very process has just done the store need not be asked.
  if (hints.length > 0 && untold.length === 0) {
    await noteDelivery(source, delivery.receivedAt);
    if (lagMs !== undefined) deps.lagged?.(provider, lagMs);
    return { fresh: true, hints: hints.length };
  }
  const claim = `delivery/${connection}/${deliveryId}`;
  // Asked side by side, though only what is fresh is followed.
  const looking = newsIn(connector, hints, (ticket) => tenant.getActor(ticket));
  looking.catch(() => undefined);
  const [fresh] = await Promise.all([
    tenant.claim(claim, REMEMBER_MS),
    tenant.remember(deliveredKey(connection), delivery.receivedAt.toISOString(), DELIVERED_MS),
  ]);
  if (!fresh) return { fresh: false, hints: 0 };
  try {
    for (const hint of await looking) await follow(deps, source, hint, deliveryId);
  } catch (error) {
    // The board will send it again, and then it must not be taken for a copy.
    await tenant.forget(claim);
    throw error;
  }
  if (lagMs !== undefined) deps.lagged?.(provider, lagMs);
  return { fresh: true, hints: hints.length };
}

/** Where a delivery comes from, so far as the path it came to says. */
interface Source {
  readonly tenant: TenantStore;
  readonly connection: string;
  readonly connector: Connector;
  readonly webhooks: NonNullable<Connector["webhooks"]>;
}

async function sourceOf(deps: DeliveryDeps, provider: string, token: string): Promise<Source> {
  const handle = await deps.store.findHandle("webhook", token);
  if (handle === undefined) throw notHere("Nobody waits for deliveries here.");
  const tenant = deps.store.tenant(handle.tenant);
  const since = deps.recency?.ofConnections(tenant.id);
  const { record, board } = await deps.connections.openKept(tenant, handle.value, since);
  const { connector } = board;
  if (record.provider !== provider) throw notHere("Nobody waits for deliveries here.");
  if (connector.webhooks === undefined) throw notHere("This board is polled; it sends no deliveries.");
  return { tenant, connection: record.id, connector, webhooks: connector.webhooks };
}

function notHere(message: string): BoardwalkError {
  return new BoardwalkError("not_found_or_hidden", message);
}

/** What we have of a ticket. */
type RecordOf = (ticket: string) => ActorRecord | undefined | Promise<ActorRecord | undefined>;

/** Those of the hints that tell more than we have. */
async function newsIn(
  connector: Connector,
  hints: readonly Hint[],
  recordOf: RecordOf,
): Promise<readonly Hint[]> {
  const known = await Promise.all(hints.map((hint) => isKnown(connector, hint, recordOf)));
  return hints.filter((_hint, i) => !known[i]);
}

/** Is it no news: has the board been read since, or will whoever made this very write read it? Most are our own echo. */
async function isKnown(connector: Connector, hint: Hint, recordOf: RecordOf): Promise<boolean> {
  if (hint.kind !== "ticket" || hint.shows === undefined) return false;
  const { ticket, shows, by } = hint;
  const record = await recordOf(ticket);
  if (record === undefined) return false;
  if (shows.updatedAt < record.ticket.updatedAt) return true;
  if (shows.updatedAt === record.ticket.updatedAt) return shows.status === record.ticket.status;
  const { pending } = record;
  const mayBeOurs = pending?.writes !== undefined && pending.to === shows.status && by !== undefined;
  return mayBeOurs && by === (await accountOf(connector));
}

/** How long we may ask whose echo this could be. */
const WHO_MS = 2_000;
/** Another account makes another connector. */
const accounts = new WeakMap<Connector, string>();

async function accountOf(connector: Connector): Promise<string | undefined> {
  const known = accounts.get(connector);
  if (known !== undefined) return known;
  const account = await connector.account?.(AbortSignal.timeout(WHO_MS)).catch(() => undefined);
  if (account !== undefined) accounts.set(connector, account);
  return account;
}

/** A look that is still waiting to begin sees the news of later deliveries too. */
const LOOK_WAITS_MS = 60_000;

async function follow(
  deps: DeliveryDeps,
  { tenant, connection }: Source,
  hint: Hint,
  deliveryId: string,
): Promise<void> {
  if (hint.kind !== "ticket") return deps.jobs.put(syncJobFor(tenant.id, connection, deliveryId));
  if (!(await tenant.claim(lookKey(hint.ticket), LOOK_WAITS_MS))) return;
  try {
    await deps.jobs.put(observeJobFor(tenant.id, connection, hint.ticket, deliveryId, hint.by));
  } catch (error) {
    await tenant.forget(lookKey(hint.ticket));
    throw error;
  }
}

const DELIVERED_MS = 90 * 24 * 3_600_000;
/** Of echoes, which may be many a second, it is not worth a write each when the last of them came. */
const NOTE_EVERY_MS = 10_000;
const notedAt = new WeakMap<Connector, number>();

async function noteDelivery({ tenant, connection, connector }: Source, receivedAt: Date): Promise<void> {
  const at = receivedAt.getTime();
  if (Math.abs(at - (notedAt.get(connector) ?? Number.NEGATIVE_INFINITY)) < NOTE_EVERY_MS) return;
  notedAt.set(connector, at);
  await tenant.remember(deliveredKey(connection), receivedAt.toISOString(), DELIVERED_MS);
}

function deliveredKey(connection: string): string {
  return `delivered/${connection}`;
}

/** When the connection's board last delivered something that could be believed, give or take ten seconds. */
export async function lastDeliveryAt(tenant: TenantStore, connection: string): Promise<string | undefined> {
  const at = await tenant.recall(deliveredKey(connection));
  return typeof at === "string" ? at : undefined;
}
