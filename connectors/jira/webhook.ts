import { createHash, randomBytes } from "node:crypto";
import type { Connector, Hint, ReadHints, WebhookDelivery, WebhookState } from "../../src/board/connector.js";
import { verifySignature } from "../../src/board/signature.js";
import { isOurWebhook } from "../../src/board/webhook-path.js";
import { BoardwalkError } from "../../src/errors.js";
import { parseJson, safeParse } from "../../src/parse.js";
import type { JiraApi } from "./api.js";
import type { JiraAuth } from "./auth.js";
import { verifyJwt } from "./jwt.js";
import { ticketId } from "./keys.js";
import { deliveryShape, type JiraDelivery } from "./shapes.js";

/** Webhooks: registered by the kind this login may register, believed only when signed. */

const EVENTS = ["jira:issue_created", "jira:issue_updated", "jira:issue_deleted"];
/** They last 30 days; renewed when fewer than these are left, so that a few failed tries do no harm. */
const RENEW_BEFORE_MS = 10 * 24 * 3_600_000;

export interface WebhookParts {
  readonly api: JiraApi;
  readonly auth: JiraAuth;
  readonly site: string;
  readonly now: () => Date;
  projectKey(signal: AbortSignal): Promise<string>;
}

export function createWebhookCalls(parts: WebhookParts): NonNullable<Connector["webhooks"]> {
  return {
    ensure: (url, signal) =>
      "apiToken" in parts.auth.credentials
        ? ensureAdminWebhook(parts, url, signal)
        : ensureDynamicWebhook(parts, url, signal),
    read: async (delivery) => readDelivery(parts, delivery),
  };
}

async function ensureAdminWebhook(
  parts: WebhookParts,
  url: string,
  signal: AbortSignal,
): Promise<WebhookState> {
  const { api, auth } = parts;
  const projectKey = await parts.projectKey(signal);
  const registered = await api.adminWebhooks(signal).catch((thrown) => {
    throw adminOnly(thrown);
  });
  const same = registered.find((webhook) => isOurWebhook(webhook.url, url));
  const known = auth.credentials.webhookSecret;
  const live =
    same?.url === url && same.enabled !== false && EVENTS.every((event) => same.events?.includes(event));
  if (same !== undefined && live && same.isSigned !== false && known !== undefined) return active(url);
  // Saved first: a delivery may arrive before the reply to our registration does.
  const secret = known ?? randomBytes(32).toString("hex");
  if (known === undefined) await auth.save({ ...auth.credentials, webhookSecret: secret });
  const webhook = {
    name: `Boardwalk ${projectKey}`,
    url,
    events: EVENTS,
    filters: { "issue-related-events-section": `project = ${projectKey}` },
    excludeBody: false,
    enabled: true,
    secret,
  };
  const id = same === undefined ? undefined : /\/([0-9]+)$/.exec(same.self)?.[1];
  await api.saveAdminWebhook(webhook, id, signal).catch((thrown) => {
    throw adminOnly(thrown);
  });
  return active(url);
}

function active(url: string, expiresAt?: number): WebhookState {
  return {
    url,
    state: "active",
    by: "boardwalk",
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

function adminOnly(thrown: unknown): BoardwalkError {
  const error = BoardwalkError.from(thrown);
  if (error.code !== "forbidden" && error.code !== "not_found_or_hidden" && error.code !== "auth_expired")
    return error;
  return new BoardwalkError(
    "forbidden",
    "Only a Jira administrator may register webhooks with an API token. Make one by hand under System, WebHooks, and give us its secret; until then the board is polled.",
    { cause: error.cause },
  );
}

async function ensureDynamicWebhook(
  parts: WebhookParts,
  url: string,
  signal: AbortSignal,
): Promise<WebhookState> {
  const { api } = parts;
  const jqlFilter = `project = ${await parts.projectKey(signal)}`;
  let same = await findDynamicWebhook(api, url, jqlFilter, signal);
  if (same === undefined) {
    const { webhookRegistrationResult } = await api.registerDynamicWebhook(url, EVENTS, jqlFilter, signal);
    // The reply is 200 whether or not it was registered.
    const [result] = webhookRegistrationResult;
    if (result?.createdWebhookId === undefined) {
      const said = result?.errors?.join(" ") ?? "it did not say why.";
      throw new BoardwalkError("forbidden", `Jira did not register our webhook: ${said}`);
    }
    same = await findDynamicWebhook(api, url, jqlFilter, signal);
    return active(url, same?.expirationDate);
  }
  const left = (same.expirationDate ?? 0) - parts.now().getTime();
  if (left >= RENEW_BEFORE_MS) return active(url, same.expirationDate);
  const { expirationDate } = await api.refreshDynamicWebhook(same.id, signal);
  return active(url, expirationDate);
}

async function findDynamicWebhook(api: JiraApi, url: string, jqlFilter: string, signal: AbortSignal) {
  for (let startAt = 0; ; ) {
    const page = await api.dynamicWebhooks(startAt, signal);
    const same = page.values.find(
      (webhook) => webhook.jqlFilter === jqlFilter && (webhook.url ?? url) === url,
    );
    if (same !== undefined || page.isLast !== false || page.values.length === 0) return same;
    startAt += page.values.length;
  }
}

function readDelivery({ auth, site, now }: WebhookParts, delivery: WebhookDelivery): ReadHints {
  const headers = new Map(
    Object.entries(delivery.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  believe(auth, headers, delivery.body, now());
  const event = safeParse(deliveryShape, parseJson(delivery.body));
  if (!event.success) {
    throw new BoardwalkError("invalid", "This delivery is signed but is not what Jira sends.", {
      cause: event.error,
    });
  }
  const { issue, timestamp } = event.data;
  const hints = issue === undefined ? [] : [hintFrom(issue, event.data, site)];
  const digest = () => createHash("sha256").update(delivery.body).digest("hex");
  return {
    deliveryId: headers.get("x-atlassian-webhook-identifier") ?? digest(),
    hints,
    ...(timestamp === undefined ? {} : { sentAt: new Date(timestamp) }),
  };
}

function hintFrom(issue: NonNullable<JiraDelivery["issue"]>, event: JiraDelivery, site: string): Hint {
  const by = event.user?.accountId;
  const { fields } = issue;
  // An issue that was deleted is shown as it last was.
  const shown = fields !== undefined && event.webhookEvent === "jira:issue_updated";
  return {
    kind: "ticket",
    ticket: ticketId(site, issue.id),
    ...(by === undefined ? {} : { by }),
    ...(shown ? { shows: { status: fields.status.id, updatedAt: fields.updated } } : {}),
  };
}

/**
 * An administrator's webhook signs its bytes with the webhook's secret; an OAuth app's carries a token, or a signature,
 * made with the app's client secret. Without a secret nothing is believed.
 */
function believe(
  auth: JiraAuth,
  headers: ReadonlyMap<string, string | undefined>,
  body: Uint8Array,
  now: Date,
): void {
  const { credentials } = auth;
  const clientSecret = "clientSecret" in credentials ? credentials.clientSecret : undefined;
  const signature = headers.get("x-hub-signature");
  const bearer = /^(?:Bearer|JWT) (\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (signature === undefined && bearer !== undefined && clientSecret !== undefined) {
    verifyJwt(bearer, clientSecret, now);
    return;
  }
  verifySignature({
    algorithm: "sha256",
    encoding: "hex",
    secret: credentials.webhookSecret ?? clientSecret ?? "",
    signed: [body],
    // Any other algorithm named before the signature is as good as no signature.
    signature: /^sha256=([0-9a-f]+)$/i.exec(signature ?? "")?.[1],
  });
}
