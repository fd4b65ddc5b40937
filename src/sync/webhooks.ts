import type { Connector, Problem, WebhookState } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import type { TenantStore } from "../store/store.js";
import type { Connections } from "./connections.js";
import { healthWith } from "./health.js";
import { isDue } from "./pull-workflows.js";
import type { ConnectionRecord } from "./records.js";

/** Sees to it that boards deliver their news to us. */

export interface WebhookDeps {
  readonly connections: Connections;
  now(): Date;
  /** Where boards reach us; without it no webhook is registered. */
  publicUrl(): string | undefined;
}

/** How often a webhook that works is looked at, and one that does not. */
const SEE_TO_MS = { active: 3_600_000, other: 5 * 60_000 };

/** Sees to it that the board tells us of changes, where it can; asking again changes nothing. Trouble is kept as health. */
export async function ensureWebhook(
  deps: WebhookDeps,
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
