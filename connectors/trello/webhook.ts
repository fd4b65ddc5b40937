import { z } from "zod";
import type { Connector, Hint, ReadHints, WebhookDelivery, WebhookState } from "../../src/board/connector.js";
import { verifySignature } from "../../src/board/signature.js";
import { dateIn } from "../../src/board/times.js";
import { isOurWebhook } from "../../src/board/webhook-path.js";
import { BoardwalkError } from "../../src/errors.js";
import { parseJson, safeParse } from "../../src/parse.js";
import type { TrelloApi } from "./api.js";
import type { TrelloCredentials } from "./auth.js";
import type { BoardKeeper } from "./board.js";
import { isTrelloId, ticketId } from "./keys.js";
import { deliveryShape, type TrelloAction, type TrelloWebhook, webhookShape } from "./shapes.js";

/** Webhooks: one for the board, believed only when signed. Trello alone also tells when the lists change. */

export interface WebhookParts {
  readonly api: TrelloApi;
  readonly site: string;
  readonly board: BoardKeeper;
  readonly credentials: Pick<TrelloCredentials, "token">;
  readonly secret: string;
}

export function createWebhookCalls(parts: WebhookParts): NonNullable<Connector["webhooks"]> {
  /** Trello switches off a URL that stays dead. Switching it on again and again would hide that. */
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
  const idModel = await parts.board.id(signal);
  const same =
    (await findWebhook(parts, url, idModel, signal)) ?? (await register(parts, url, idModel, signal));
  if (!same.active) {
    if (revived.has(same.id)) return { url, state: "failing", by: "boardwalk" };
    revived.add(same.id);
  }
  const moved = same.callbackURL === url ? {} : { callbackURL: url };
  if (!same.active || "callbackURL" in moved) await change(parts.api, same.id, moved, signal);
  return { url, state: "active", by: "boardwalk" };
}

/** Webhooks belong to a token, and only below the token's own path are they listed. */
async function findWebhook(
  { api, credentials }: WebhookParts,
  url: string,
  idModel: string,
  signal: AbortSignal,
): Promise<TrelloWebhook | undefined> {
  const call = {
    path: "/tokens/{token}/webhooks",
    params: { token: credentials.token },
    reply: z.array(webhookShape),
  };
  const all = await api.read(call, signal);
  return all.find((webhook) => isOurWebhook(webhook.callbackURL, url) && webhook.idModel === idModel);
}

async function register(
  parts: WebhookParts,
  callbackURL: string,
  idModel: string,
  signal: AbortSignal,
): Promise<TrelloWebhook> {
  const query = { callbackURL, idModel, description: "Boardwalk", active: true };
  try {
    return await parts.api.write("POST", { path: "/webhooks/", query, reply: webhookShape }, signal);
  } catch (thrown) {
    const error = BoardwalkError.from(thrown);
    if (error.code !== "invalid") throw error;
    // Another process was faster, or an earlier answer was lost: then it is there.
    const same = await findWebhook(parts, callbackURL, idModel, signal);
    if (same !== undefined) return same;
    throw unreachable(error);
  }
}

/** Switches it on, and has it sent to where we are reached now. */
async function change(
  api: TrelloApi,
  id: string,
  moved: { readonly callbackURL?: string },
  signal: AbortSignal,
): Promise<void> {
  const query = { active: true, ...moved };
  const call = { path: "/webhooks/{id}", params: { id }, query, reply: webhookShape };
  try {
    await api.write("PUT", call, signal);
  } catch (thrown) {
    const error = BoardwalkError.from(thrown);
    throw error.code === "invalid" ? unreachable(error) : error;
  }
}

/** Before Trello keeps a webhook or switches it on, it asks with HEAD whether anyone answers there. */
function unreachable(error: BoardwalkError): BoardwalkError {
  return new BoardwalkError(
    "invalid",
    "Trello could not reach this server at its public address, so it keeps no webhook for it. Please check that the address is open to the internet.",
    { cause: error.cause },
  );
}

function readDelivery(parts: WebhookParts, delivery: WebhookDelivery): ReadHints {
  const [, signature] =
    Object.entries(delivery.headers).find(([name]) => name.toLowerCase() === "x-trello-webhook") ?? [];
  verifySignature({
    algorithm: "sha1",
    encoding: "base64",
    secret: parts.secret,
    signed: [delivery.body, delivery.url],
    // A decoder of base64 forgives what follows the end and the bits that are left over. Here they are a forgery.
    signature: isBase64(signature) ? signature : undefined,
  });
  const parsed = safeParse(deliveryShape, parseJson(delivery.body));
  if (!parsed.success) {
    throw new BoardwalkError("invalid", "This delivery is signed but is not what Trello sends.", {
      cause: parsed.error,
    });
  }
  const { action } = parsed.data;
  // Not the delivery's but the action's: it stays over retries, and two webhooks telling one thing tell it once.
  const hints = hintsFrom(action, parts.site, parts.board.known.lists);
  const sentAt = dateIn(action.date);
  return { deliveryId: action.id, hints, ...(sentAt === undefined ? {} : { sentAt }) };
}

function isBase64(text: string | undefined): text is string {
  return text !== undefined && Buffer.from(text, "base64").toString("base64") === text;
}

const OF_LISTS = new Set(["createList", "updateList", "moveListFromBoard", "moveListToBoard", "updateBoard"]);
const OF_ACCESS = new Set(["removeMemberFromBoard", "makeObserverOfBoard", "makeNormalMemberOfBoard"]);
const OF_CARDS = new Set([
  "createCard",
  "copyCard",
  "convertToCardFromCheckItem",
  "emailCard",
  "deleteCard",
  "moveCardToBoard",
  "moveCardFromBoard",
]);

/** What an action of the board suggests. `knownLists` left out, none is taken to be new. */
export function hintsFrom(
  action: TrelloAction,
  site: string,
  knownLists: ReadonlySet<string> | undefined,
): readonly Hint[] {
  const { type, data, idMemberCreator } = action;
  if (OF_LISTS.has(type)) return [{ kind: "workflow" }];
  if (OF_ACCESS.has(type)) return [{ kind: "access" }];
  const cardId = data.card?.id ?? "";
  if (!isTrelloId(cardId) || !concernsCard(action)) return [];
  const ticket: Hint = {
    kind: "ticket",
    ticket: ticketId(site, cardId),
    ...(idMemberCreator === undefined ? {} : { by: idMemberCreator }),
  };
  const listId = data.listAfter?.id ?? data.list?.id;
  const isNew = listId !== undefined && knownLists !== undefined && !knownLists.has(listId);
  return isNew ? [{ kind: "workflow" }, ticket] : [ticket];
}

/** A card dragged within its list is updated too, and so is one whose description changed: neither is news. */
function concernsCard({ type, data }: TrelloAction): boolean {
  if (OF_CARDS.has(type)) return true;
  if (type !== "updateCard") return false;
  const { listBefore, listAfter, old = {} } = data;
  const moved = listBefore?.id !== listAfter?.id;
  return moved || "closed" in old || "name" in old || "cardRole" in old;
}
