import { randomBytes } from "node:crypto";
import { z } from "zod";
import type {
  ConnectorKit,
  Hint,
  ReadHints,
  WebhookDelivery,
  WebhookState,
} from "../../src/board/connector.js";
import { verifySignature } from "../../src/board/signature.js";
import { isOurWebhook } from "../../src/board/webhook-path.js";
import { BoardwalkError } from "../../src/errors.js";
import { parseJson, safeParse } from "../../src/parse.js";
import type { GithubApi } from "./api.js";
import { isItemId, ticketIdOf } from "./ids.js";
import type { ProjectBoard } from "./map.js";
import type { BoardKeeper } from "./project.js";
import type { GithubCredentials } from "./settings.js";

/** GitHub tells an organization's webhook about its projects; a person's projects have none and are polled. */

const EVENTS = ["projects_v2_item", "projects_v2"];

const hookReply = z.object({
  id: z.number().int(),
  active: z.boolean(),
  events: z.array(z.string()),
  config: z.object({ url: z.string().optional(), content_type: z.string().optional() }),
});
type Hook = z.infer<typeof hookReply>;

export interface WebhookParts {
  readonly api: GithubApi;
  readonly keeper: BoardKeeper;
  readonly credentials: GithubCredentials;
  readonly kit: Pick<ConnectorKit, "saveCredentials">;
  readonly site: string;
  readonly owner: string;
  /** Name or id of the field, before the board was ever read. */
  readonly statusField: string | undefined;
}

export function createWebhooks(parts: WebhookParts) {
  let secret = parts.credentials.webhookSecret;

  /**
   * A new secret is told to GitHub first and saved then: whichever of the two fails, the next call makes another and
   * tells that one. Saved first, a hook that never heard of it would be taken for settled.
   */
  async function register(url: string, signal: AbortSignal): Promise<void> {
    const fresh = secret === undefined ? randomBytes(32).toString("hex") : undefined;
    await ensureHook(parts, { url, hadSecret: fresh === undefined, secret: secret ?? fresh ?? "" }, signal);
    if (fresh === undefined) return;
    await parts.kit.saveCredentials({ ...parts.credentials, webhookSecret: fresh });
    secret = fresh;
  }

  return {
    async ensure(url: string, signal: AbortSignal): Promise<WebhookState> {
      const { owner } = await parts.keeper.known(signal);
      if (owner === "User") return { url, state: "absent", by: "hand" };
      try {
        await register(url, signal);
        return { url, state: "active", by: "boardwalk" };
      } catch (error) {
        const { code } = BoardwalkError.from(error);
        // Only an owner of the organization, or an App with that permission, may see its hooks.
        if (code !== "forbidden" && code !== "not_found_or_hidden") throw error;
        return { url, state: "absent", by: "hand" };
      }
    },
    async read(delivery: WebhookDelivery): Promise<ReadHints> {
      const header = headersOf(delivery);
      const given = header("x-hub-signature-256");
      verifySignature({
        algorithm: "sha256",
        encoding: "hex",
        secret: secret ?? "",
        signed: [delivery.body],
        signature: given?.startsWith("sha256=") ? given.slice("sha256=".length) : undefined,
      });
      const deliveryId = header("x-github-delivery") ?? "";
      if (deliveryId === "") throw new BoardwalkError("invalid", "This delivery has no id.");
      const payload = payloadOf(delivery, header("content-type") ?? "");
      return { deliveryId, hints: hintsFrom(header("x-github-event") ?? "", payload, parts) };
    },
  };
}

interface WantedHook {
  readonly url: string;
  readonly secret: string;
  /** False when the secret was made just now: whatever hook is there signs with another. */
  readonly hadSecret: boolean;
}

async function ensureHook(parts: WebhookParts, wanted: WantedHook, signal: AbortSignal): Promise<void> {
  const org = { org: parts.owner };
  const config = { url: wanted.url, content_type: "json", insecure_ssl: "0", secret: wanted.secret };
  const existing = await findHook(parts.api, org, wanted.url, signal);
  if (existing === undefined) {
    const hook = { ...org, name: "web", active: true, events: EVENTS, config };
    await parts.api.write("POST /orgs/{org}/hooks", hook, hookReply, signal);
    return;
  }
  const complete =
    existing.active &&
    existing.config.url === wanted.url &&
    EVENTS.every((event) => existing.events.includes(event) || existing.events.includes("*"));
  if (complete && wanted.hadSecret) return;
  const events = [...new Set([...existing.events, ...EVENTS])];
  const change = { ...org, hook_id: existing.id, active: true, events, config };
  await parts.api.write("PATCH /orgs/{org}/hooks/{hook_id}", change, hookReply, signal);
}

async function findHook(
  api: GithubApi,
  org: { readonly org: string },
  url: string,
  signal: AbortSignal,
): Promise<Hook | undefined> {
  for await (const hook of api.pages("GET /orgs/{org}/hooks", org, z.array(hookReply), signal)) {
    if (isOurWebhook(hook.config.url, url)) return hook;
  }
  return undefined;
}

function headersOf(delivery: WebhookDelivery): (name: string) => string | undefined {
  const headers = new Map(
    Object.entries(delivery.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return (name) => headers.get(name);
}

/** JSON, or JSON in a form field, as a hook made by hand may send it. */
function payloadOf({ body }: WebhookDelivery, contentType: string): unknown {
  const isForm = contentType.startsWith("application/x-www-form-urlencoded");
  const json = isForm ? new URLSearchParams(new TextDecoder().decode(body)).get("payload") : body;
  const payload = parseJson(json ?? "");
  if (payload === undefined) throw new BoardwalkError("invalid", "This delivery is not JSON.");
  return payload;
}

// Read as raw JSON: published types lack `from` and `to`, and may lack more tomorrow.
const option = z.object({ id: z.string().optional() }).nullish().catch(undefined);
const itemEvent = z.object({
  action: z.string(),
  projects_v2_item: z.object({ node_id: z.string(), project_node_id: z.string().optional() }),
  changes: z
    .object({
      field_value: z
        .object({
          field_node_id: z.string().optional(),
          field_name: z.string().optional(),
          from: option,
          to: option,
        })
        .optional(),
    })
    .nullish(),
  sender: z.object({ login: z.string() }).optional(),
});
type ItemEvent = z.infer<typeof itemEvent>;
const projectEvent = z.object({ action: z.string(), projects_v2: z.object({ node_id: z.string() }) });

/** What a delivery suggests to read. Events about anything else suggest nothing. */
export function hintsFrom(
  event: string,
  payload: unknown,
  where: Pick<WebhookParts, "keeper" | "site" | "statusField">,
): readonly Hint[] {
  const board = where.keeper.last;
  if (event === "projects_v2_item") {
    const parsed = safeParse(itemEvent, payload);
    return parsed.success ? itemHints(parsed.data, board, where) : [];
  }
  if (event === "projects_v2") {
    const parsed = safeParse(projectEvent, payload);
    const ours =
      parsed.success && (board === undefined || parsed.data.projects_v2.node_id === board.project.id);
    if (!ours) return [];
    return [{ kind: parsed.data.action === "deleted" ? "access" : "workflow" }];
  }
  return [];
}

function itemHints(
  event: ItemEvent,
  board: ProjectBoard | undefined,
  where: { readonly site: string; readonly statusField: string | undefined },
): readonly Hint[] {
  const { node_id: item, project_node_id: project } = event.projects_v2_item;
  if (!isItemId(item)) return [];
  if (board !== undefined && project !== undefined && project !== board.project.id) return [];
  if (event.action === "reordered") return [];
  if (event.action === "edited" && isOtherEdit(event, board, where.statusField)) return [];
  const by = event.sender?.login;
  const hint: Hint = {
    kind: "ticket",
    ticket: ticketIdOf(where.site, item),
    ...(by === undefined ? {} : { by }),
  };
  return isUnknownOption(event, board) ? [{ kind: "workflow" }, hint] : [hint];
}

/** An edit of another field, which cannot have moved the item. One without a field is of a draft's text. */
function isOtherEdit(event: ItemEvent, board: ProjectBoard | undefined, setting = "Status"): boolean {
  const value = event.changes?.field_value;
  if (value === undefined) return false;
  if (board !== undefined && value.field_node_id !== undefined) return value.field_node_id !== board.field.id;
  if (value.field_node_id === setting) return false;
  return value.field_name !== undefined && value.field_name !== setting;
}

function isUnknownOption(event: ItemEvent, board: ProjectBoard | undefined): boolean {
  const to = event.changes?.field_value?.to?.id;
  return to !== undefined && board !== undefined && !board.field.options.some(({ id }) => id === to);
}
