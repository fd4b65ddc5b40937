import type { Connector, Hint, Problem, WebhookDelivery, WebhookState } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import type { Store, TenantStore } from "../store/store.js";
import { observeJobFor, syncJobFor, type TicketJobs } from "../tickets/jobs.js";
import { lookKey } from "../tickets/look.js";
import type { Connections } from "./connections.js";
import { healthWith } from "./health.js";
import { isDue } from "./pull-workflows.js";
import type { ConnectionRecord } from "./records.js";

/** A board's deliveries: believed only when signed, told apart from their copies, and only ever the cause of a read. */

export interface WebhookDeps {
  readonly store: Store;
  readonly connections: Connections;
  readonly jobs: Pick<TicketJobs, "put">;
  now(): Date;
  /** Told how long each fresh delivery took to come here, where its board says when it was sent. */
  lagged?(provider: string, lagMs: number): void;
  /** Where boards reach us; without it no webhook is registered. */
  publicUrl(): string | undefined;
}

/** A board tries again for minutes, some for hours; its copies are known for longer. */
const REMEMBER_MS = 2 * 24 * 3_600_000;

export interface Receipt {
  /** False: this delivery was here before. */
  readonly fresh: boolean;
  readonly hints: number;
}

/** Whose path is this? For boards that first ask whether anyone answers there. */
export async function isWebhookPath(store: Store, token: string): Promise<boolean> {
  return (await store.findHandle("webhook", token)) !== undefined;
}

/** @throws BoardwalkError `not_found_or_hidden` for an unknown path, `unauthorized` for what cannot be believed. */
export async function receiveWebhook(
  deps: WebhookDeps,
  provider: string,
  token: string,
  delivery: WebhookDelivery,
): Promise<Receipt> {
  const handle = await deps.store.findHandle("webhook", token);
  if (handle === undefined)
    throw new BoardwalkError("not_found_or_hidden", "Nobody waits for deliveries here.");
  const tenant = deps.store.tenant(handle.tenant);
  const { record: connection, board } = await deps.connections.openKept(tenant, handle.value);
  if (connection.provider !== provider)
    throw new BoardwalkError("not_found_or_hidden", "Nobody waits for deliveries here.");
  const { webhooks } = board.connector;
  if (webhooks === undefined)
    throw new BoardwalkError("not_found_or_hidden", "This board is polled; it sends no deliveries.");
  const { deliveryId, hints, sentAt } = await webhooks.read(delivery);
  const claim = `delivery/${connection.id}/${deliveryId}`;
  // Asked side by side, though only what is fresh is followed.
  const looking = newsIn(tenant, board.connector, hints);
  looking.catch(() => undefined);
  const [fresh] = await Promise.all([
    tenant.claim(claim, REMEMBER_MS),
    tenant.remember(deliveredKey(connection.id), delivery.receivedAt.toISOString(), DELIVERED_MS),
  ]);
  if (!fresh) return { fresh: false, hints: 0 };
  try {
    for (const hint of await looking) await follow(deps, tenant, connection.id, hint, deliveryId);
  } catch (error) {
    // The board will send it again, and then it must not be taken for a copy.
    await tenant.forget(claim);
    throw error;
  }
  if (sentAt !== undefined) deps.lagged?.(provider, delivery.receivedAt.getTime() - sentAt.getTime());
  return { fresh: true, hints: hints.length };
}

async function newsIn(
  tenant: TenantStore,
  connector: Connector,
  hints: readonly Hint[],
): Promise<readonly Hint[]> {
  const known = await Promise.all(hints.map((hint) => isKnown(tenant, connector, hint)));
  return hints.filter((_hint, i) => !known[i]);
}

/** How long we may ask whose echo this could be. */
const WHO_MS = 2_000;

/** Is it no news: has the board been read since, or will whoever made this very write read it? Most are our own echo. */
async function isKnown(tenant: TenantStore, connector: Connector, hint: Hint): Promise<boolean> {
  if (hint.kind !== "ticket" || hint.shows === undefined) return false;
  const { ticket, shows, by } = hint;
  const record = await tenant.getActor(ticket);
  if (record === undefined) return false;
  if (shows.updatedAt < record.ticket.updatedAt) return true;
  if (shows.updatedAt === record.ticket.updatedAt) return shows.status === record.ticket.status;
  const { pending } = record;
  const mayBeOurs = pending?.writes !== undefined && pending.to === shows.status && by !== undefined;
  if (!mayBeOurs) return false;
  return by === (await connector.account?.(AbortSignal.timeout(WHO_MS)).catch(() => undefined));
}

/** A look that is still waiting to begin sees the news of later deliveries too. */
const LOOK_WAITS_MS = 60_000;

async function follow(
  deps: WebhookDeps,
  tenant: TenantStore,
  connection: string,
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

function deliveredKey(connection: string): string {
  return `delivered/${connection}`;
}

/** When the connection's board last delivered something that could be believed. */
export async function lastDeliveryAt(tenant: TenantStore, connection: string): Promise<string | undefined> {
  const at = await tenant.recall(deliveredKey(connection));
  return typeof at === "string" ? at : undefined;
}

/** How often a webhook that works is looked at, and one that does not. */
const SEE_TO_MS = { active: 3_600_000, other: 5 * 60_000 };

/** Sees to it that the board tells us of changes, where it can; asking again changes nothing. Trouble is kept as health. */
export async function ensureWebhook(
  deps: Pick<WebhookDeps, "connections" | "publicUrl" | "now">,
  tenant: TenantStore,
  id: string,
  how: { readonly always: boolean },
  signal: AbortSignal,
): Promise<void> {
  const record = await deps.connections.get(tenant, id);
  const { webhooks } = (await deps.connections.open(tenant, id)).connector;
  const base = deps.publicUrl();
  if (webhooks === undefined || base === undefined || record.webhookToken === undefined) return;
  const url = `${base}/webhooks/${record.provider}/${record.webhookToken}`;
  const at = deps.now();
  if (!how.always && !isWebhookDue(record, url, at)) return;
  const { state, problem } = await registered(webhooks, url, signal);
  await noteFailure(tenant, record, state, at);
  await deps.connections.update(tenant, id, (before) => ({
    ...before,
    webhook: { ...state },
    webhookAt: at.toISOString(),
    health: healthWith(before, [WEBHOOK], problem === undefined ? [] : [problem]),
  }));
}

const WEBHOOK = "webhook";

function isWebhookDue({ webhook, webhookAt, sealed }: ConnectionRecord, url: string, at: Date): boolean {
  if (webhook?.url !== url) return true;
  const everyMs = webhook.state === "active" ? SEE_TO_MS.active : SEE_TO_MS.other;
  return isDue(webhookAt, everyMs, sealed, at);
}

/** Written down once, when it begins: a webhook that falls silent makes no noise of its own. */
async function noteFailure(
  tenant: TenantStore,
  { id, webhook: before }: ConnectionRecord,
  { state }: WebhookState,
  at: Date,
): Promise<void> {
  if (before?.state === state || (state !== "failing" && state !== "expired")) return;
  await tenant.audit({
    at: at.toISOString(),
    action: "webhook",
    outcome: state,
    detail: { connection: id, was: before?.state ?? "absent" },
  });
}

async function registered(
  webhooks: NonNullable<Connector["webhooks"]>,
  url: string,
  signal: AbortSignal,
): Promise<{ readonly state: WebhookState; readonly problem?: Problem }> {
  try {
    const state = await webhooks.ensure(url, signal);
    if (state.state !== "failing" && state.state !== "expired") return { state };
    const message = `The board's webhook is ${state.state}, so news come only as often as it is polled.`;
    return { state, problem: { code: WEBHOOK, message, fix: FIX } };
  } catch (thrown) {
    const { message } = BoardwalkError.from(thrown);
    return {
      state: { url, state: "failing", by: "boardwalk" },
      problem: { code: WEBHOOK, message, fix: FIX },
    };
  }
}

const FIX = "Let this account manage webhooks; until then the board is polled.";
