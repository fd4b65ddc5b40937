import type { Connector, Problem, WebhookDelivery, WebhookState } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import type { Store, TenantStore } from "../store/store.js";
import { observeJobFor, syncJobFor, type TicketJobs } from "../tickets/jobs.js";
import type { Connections } from "./connections.js";

/** A board's deliveries: believed only when signed, told apart from their copies, and only ever the cause of a read. */

export interface WebhookDeps {
  readonly store: Store;
  readonly connections: Connections;
  readonly jobs: Pick<TicketJobs, "put">;
  now(): Date;
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
  const connection = await deps.connections.get(tenant, handle.value);
  if (connection.provider !== provider)
    throw new BoardwalkError("not_found_or_hidden", "Nobody waits for deliveries here.");
  const { webhooks } = (await deps.connections.open(tenant, connection.id)).connector;
  if (webhooks === undefined)
    throw new BoardwalkError("not_found_or_hidden", "This board is polled; it sends no deliveries.");
  const { deliveryId, hints } = await webhooks.read(delivery);
  if (!(await tenant.claim(`delivery/${connection.id}/${deliveryId}`, REMEMBER_MS)))
    return { fresh: false, hints: 0 };
  for (const hint of hints) {
    const job =
      hint.kind === "ticket"
        ? observeJobFor(tenant.id, connection.id, hint.ticket, deliveryId)
        : syncJobFor(tenant.id, connection.id, deliveryId);
    await deps.jobs.put(job);
  }
  return { fresh: true, hints: hints.length };
}

/** Sees to it that the board tells us of changes, where it can; asking again changes nothing. Trouble is kept as health. */
export async function ensureWebhook(
  deps: Pick<WebhookDeps, "connections" | "publicUrl">,
  tenant: TenantStore,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const record = await deps.connections.get(tenant, id);
  const { webhooks } = (await deps.connections.open(tenant, id)).connector;
  const base = deps.publicUrl();
  if (webhooks === undefined || base === undefined || record.webhookToken === undefined) return;
  const url = `${base}/webhooks/${record.provider}/${record.webhookToken}`;
  const webhook = await registered(webhooks, url, signal);
  if (record.webhook !== undefined && JSON.stringify(record.webhook) === JSON.stringify(webhook.state))
    return;
  await deps.connections.update(tenant, id, (before) => {
    const others = before.health.problems.filter((problem) => problem.code !== "webhook");
    const problems = webhook.problem === undefined ? others : [...others, webhook.problem];
    const state =
      before.health.state === "reconnect" ? "reconnect" : problems.length === 0 ? "ok" : "degraded";
    return { ...before, webhook: webhook.state, health: { state, problems } };
  });
}

async function registered(
  webhooks: NonNullable<Connector["webhooks"]>,
  url: string,
  signal: AbortSignal,
): Promise<{ readonly state: WebhookState; readonly problem?: Problem }> {
  try {
    return { state: { ...(await webhooks.ensure(url, signal)) } };
  } catch (thrown) {
    const { message } = BoardwalkError.from(thrown);
    const fix = "Let this account manage webhooks; until then the board is polled.";
    return { state: { url, state: "failing", by: "boardwalk" }, problem: { code: "webhook", message, fix } };
  }
}
