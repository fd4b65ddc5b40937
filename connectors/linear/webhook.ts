import { createHash, randomBytes } from "node:crypto";
import type { Connector, Hint, ReadHints, WebhookDelivery, WebhookState } from "../../src/board/connector.js";
import { verifySignature } from "../../src/board/signature.js";
import { isOurWebhook } from "../../src/board/webhook-path.js";
import { BoardwalkError } from "../../src/errors.js";
import { parseJson, safeParse } from "../../src/parse.js";
import type { LinearApi } from "./api.js";
import type { LinearAuth } from "./auth.js";
import { CREATE_WEBHOOK, UPDATE_WEBHOOK, WEBHOOKS } from "./documents.js";
import { isUuid, ticketId } from "./keys.js";
import { deliveryShape, type LinearDelivery, type LinearWebhook } from "./shapes.js";
import type { TeamKeeper } from "./team.js";

/** Webhooks: one for the team, believed only when signed. Linear tells of issues and of lost access, not of states. */

const RESOURCE_TYPES = ["Issue", "PermissionChange", "OAuthAuthorization"];
/** A body older than this is a retry, or a replay of a captured one: still a hint, but under another id. */
const FRESH_MS = 60_000;
/** The last retry comes after six hours; what is older than a day is nobody's retry. */
const LATEST_MS = 24 * 3_600_000;

export interface WebhookParts {
  readonly api: LinearApi;
  readonly auth: LinearAuth;
  readonly site: string;
  readonly team: TeamKeeper;
}

export function createWebhookCalls(parts: WebhookParts): NonNullable<Connector["webhooks"]> {
  /** Linear disables a URL that stays dead. Enabling it again and again would hide that. */
  const revived = new Set<string>();
  return {
    ensure: (url, signal) => ensureWebhook(parts, revived, url, signal),
    read: async (delivery) => readDelivery(parts, delivery),
  };
}

async function ensureWebhook(
  parts: WebhookParts,
  revived: Set<string>,
  url: string,
  signal: AbortSignal,
): Promise<WebhookState> {
  const known = parts.auth.credentials.webhookSecret;
  try {
    const teamId = await parts.team.id(signal);
    const same = await findWebhook(parts.api, url, teamId, signal);
    if (same !== undefined && !same.enabled) {
      if (revived.has(same.id)) return { url, state: "failing", by: "boardwalk" };
      revived.add(same.id);
    }
    if (same !== undefined && same.url === url && isComplete(same) && known !== undefined)
      return { url, state: "active", by: "boardwalk" };
    await register(parts, same, { url, teamId, known }, signal);
    return { url, state: "active", by: "boardwalk" };
  } catch (thrown) {
    const error = BoardwalkError.from(thrown);
    if (error.code !== "forbidden") throw error;
    // Whoever brought the secret made the webhook; this account may not look.
    if (known !== undefined) return { url, state: "active", by: "hand" };
    throw adminOnly(error);
  }
}

async function findWebhook(api: LinearApi, url: string, teamId: string, signal: AbortSignal) {
  for await (const webhook of api.pages(WEBHOOKS, {}, ({ webhooks }) => webhooks, signal)) {
    const covers = webhook.allPublicTeams || webhook.team?.id === teamId;
    if (isOurWebhook(webhook.url ?? undefined, url) && covers) return webhook;
  }
  return undefined;
}

function isComplete({ enabled, resourceTypes }: LinearWebhook): boolean {
  return enabled && RESOURCE_TYPES.every((type) => resourceTypes.includes(type));
}

interface Wanted {
  readonly url: string;
  readonly teamId: string;
  readonly known: string | undefined;
}

/**
 * A new secret is told to Linear first and saved then: whichever of the two fails, the next call makes another and
 * tells that one. Saved first, a webhook that never heard of it would be taken for settled.
 */
async function register(
  { api, auth }: WebhookParts,
  same: LinearWebhook | undefined,
  { url, teamId, known }: Wanted,
  signal: AbortSignal,
): Promise<void> {
  const secret = known ?? randomBytes(32).toString("hex");
  const common = { url, secret, enabled: true, label: "Boardwalk" };
  const { success } =
    same === undefined
      ? (
          await api.run(
            CREATE_WEBHOOK,
            { input: { ...common, teamId, resourceTypes: RESOURCE_TYPES } },
            signal,
          )
        ).webhookCreate
      : (
          await api.run(
            UPDATE_WEBHOOK,
            { id: same.id, input: { ...common, resourceTypes: union(same) } },
            signal,
          )
        ).webhookUpdate;
  if (!success)
    throw new BoardwalkError("unavailable", "Linear did not register our webhook and did not say why.");
  if (known === undefined) await auth.saveWebhookSecret(secret);
}

function union({ resourceTypes }: LinearWebhook): readonly string[] {
  return [...new Set([...resourceTypes, ...RESOURCE_TYPES])];
}

function adminOnly(error: BoardwalkError): BoardwalkError {
  return new BoardwalkError(
    "forbidden",
    "Only an admin of the workspace, or an app with the admin scope, may register Linear webhooks. Make one by hand under Settings, API, and give us its secret; until then the board is polled.",
    { cause: error.cause },
  );
}

function readDelivery(parts: WebhookParts, delivery: WebhookDelivery): ReadHints {
  const headers = new Map(
    Object.entries(delivery.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const signature = headers.get("linear-signature");
  verifySignature({
    algorithm: "sha256",
    encoding: "hex",
    secret: parts.auth.credentials.webhookSecret ?? "",
    signed: [delivery.body],
    signature: /^[0-9a-f]+$/i.test(signature ?? "") ? signature : undefined,
  });
  const event = safeParse(deliveryShape, parseJson(delivery.body));
  if (!event.success) {
    throw new BoardwalkError("invalid", "This delivery is signed but is not what Linear sends.", {
      cause: event.error,
    });
  }
  const id = deliveryId(headers.get("linear-delivery"), event.data, delivery);
  return {
    deliveryId: id,
    hints: hintsFrom(event.data, parts),
    sentAt: new Date(event.data.webhookTimestamp),
  };
}

/**
 * Which time counts is the body's: the header's is not signed, and neither is `Linear-Delivery`. So a body that is not
 * fresh is known by its own bytes: sent again under another header it is the same delivery. It is believed all the
 * same, because genuine retries come hours later and a hint can only cause a read.
 */
function deliveryId(header: string | undefined, event: LinearDelivery, delivery: WebhookDelivery): string {
  const ageMs = delivery.receivedAt.getTime() - event.webhookTimestamp;
  if (ageMs > LATEST_MS || ageMs < -FRESH_MS) {
    throw new BoardwalkError("unauthorized", "This delivery is not from about now, so it was not believed.");
  }
  if (ageMs <= FRESH_MS && header !== undefined && header !== "") return header;
  return createHash("sha256").update(delivery.body).digest("hex");
}

function hintsFrom(event: LinearDelivery, { site, team }: WebhookParts): readonly Hint[] {
  if (event.type === "Issue") return issueHints(event, site, team.known);
  // Not sent today; should Linear begin to, that is what they mean.
  if (event.type === "Team" || event.type === "WorkflowState") return [{ kind: "workflow" }];
  if (event.type === "PermissionChange" || event.type === "OAuthAuthorization") return [{ kind: "access" }];
  return [];
}

function issueHints(
  { data, actor, updatedFrom }: LinearDelivery,
  site: string,
  known: TeamKeeper["known"],
): readonly Hint[] {
  const { id = "", teamId, stateId } = data ?? {};
  if (!isUuid(id)) return [];
  // A webhook for all public teams tells of the others too; an issue that left ours is still our business.
  const teams = [teamId, updatedFrom?.teamId].filter((team) => team !== undefined && team !== null);
  if (known.id !== undefined && teams.length > 0 && !teams.includes(known.id)) return [];
  const ticket: Hint = {
    kind: "ticket",
    ticket: ticketId(site, id),
    ...(actor ? { by: actor.id } : {}),
  };
  const ours = known.id === undefined || teamId === undefined || teamId === null || teamId === known.id;
  const unknownState = ours && stateId && known.states !== undefined && !known.states.has(stateId);
  return unknownState ? [{ kind: "workflow" }, ticket] : [ticket];
}
