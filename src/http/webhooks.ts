import type { IncomingMessage, ServerResponse } from "node:http";
import { BoardwalkError } from "../errors.js";
import type { Hooks } from "../hooks/hooks.js";
import { readBytes, TooLarge } from "../read-bytes.js";
import type { Store } from "../store/store.js";
import type { Connections } from "../sync/connections.js";
import { type DeliveryDeps, isWebhookPath, type Receipt, receiveDelivery } from "../sync/deliveries.js";
import { createBelieved, type Recency } from "../tickets/recency.js";
import { isExpired, type Knocks, tooOften } from "./knocks.js";
import { hashed } from "./oauth-records.js";
import { type Report, sendProblem } from "./problems.js";
import { jobsOf, trailOf, WEBHOOK_PATH } from "./requests.js";

export interface WebhookRoutesDeps extends Omit<DeliveryDeps, "store" | "connections"> {
  readonly store: Store;
  readonly connections: Connections;
  readonly recency: Pick<Recency, "ofConnections" | "ofHandles">;
  now(): Date;
  /** Where boards reach us: a part of what some of them sign. */
  publicUrl(): string | undefined;
  /** Told of each delivery: `fresh`, `repeated`, or the code of the error it was answered with. */
  received?(provider: string, result: string): void;
  readonly knocks: Knocks;
  readonly jobs: Pick<Hooks, "ask" | "put">;
  readonly report: Report;
}

type RouteParts = Omit<WebhookRoutesDeps, "store"> & Pick<DeliveryDeps, "store">;

/** Serves a request when it is for a webhook's address, and says so; any other is left as it is. */
export type WebhookRoutes = (request: IncomingMessage, response: ServerResponse) => boolean;

const MOST_BYTES = 5 * 1024 * 1024;

/**
 * Where boards deliver: plain functions of Node's server, since each of our own moves is delivered too and most of what
 * comes is of no further interest. Bodies stay bytes: a signature is over them.
 */
export function createWebhookRoutes(given: WebhookRoutesDeps): WebhookRoutes {
  const deps: RouteParts = { ...given, store: believing(given) };
  return (request, response) => {
    const serve = SERVED[request.method ?? ""];
    const place = serve && webhookAt(request.url ?? "");
    if (serve === undefined || place === undefined) return false;
    serve(deps, place, request, response).catch((thrown: unknown) => {
      const error = BoardwalkError.from(thrown);
      // Whoever is told when to come back is no trouble of ours.
      if (error.code !== "rate_limited") deps.report(error, trailOf(request));
      if (response.headersSent) response.destroy();
      else sendProblem(response, error, {}, error.cause instanceof TooLarge ? 413 : error.status);
    });
    return true;
  };
}

/** The store, asked whose a path is only when what it last said of it may be old. */
function believing({ store, recency }: WebhookRoutesDeps): DeliveryDeps["store"] {
  const believed = createBelieved<Awaited<ReturnType<typeof store.findHandle>>>(recency.ofHandles);
  return {
    tenant: (id) => store.tenant(id),
    findHandle: (kind, handle) => believed(`${kind}/${handle}`, () => store.findHandle(kind, handle)),
  };
}

interface Place {
  readonly provider: string;
  readonly token: string;
}

function webhookAt(url: string): Place | undefined {
  const [, provider, token] = WEBHOOK_PATH.exec(url) ?? [];
  if (provider === undefined || token === undefined) return undefined;
  // What is no text in percents either is nobody's path.
  return { provider: decoded(provider), token: decoded(token) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

type Serve = (
  deps: RouteParts,
  place: Place,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

// Trello asks with HEAD whether anyone is there before it registers.
const SERVED: Readonly<Partial<Record<string, Serve>>> = { HEAD: look, POST: take };

async function look(
  deps: RouteParts,
  { token }: Place,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (await isWebhookPath(deps.store, token)) return void response.writeHead(200).end();
  const waitMs = await deps.knocks.wrong("webhook", request);
  if (waitMs > 0) response.setHeader("retry-after", String(Math.ceil(waitMs / 1_000)));
  response.writeHead(waitMs > 0 ? 429 : 404).end();
}

async function take(
  deps: RouteParts,
  place: Place,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { provider, token } = place;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  const delivery = {
    method: "POST",
    headers,
    body: await bodyOf(request),
    url: `${deps.publicUrl() ?? ""}/webhooks/${provider}/${token}`,
    receivedAt: deps.now(),
  };
  const jobs = jobsOf(deps.jobs, request);
  const receipt = await counted(deps, provider, () =>
    receiveDelivery({ ...deps, jobs }, provider, token, delivery).catch((error: unknown) =>
      refuse(deps, request, token, BoardwalkError.from(error)),
    ),
  );
  const body = JSON.stringify(receipt);
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** @throws BoardwalkError `invalid` for one that is too large, broken off, or packed: no board packs what it signs. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  if (request.headers["content-encoding"] !== undefined)
    throw new BoardwalkError("invalid", "A delivery is taken as it was signed: please send it unpacked.");
  try {
    if (Number(request.headers["content-length"] ?? 0) > MOST_BYTES) throw new TooLarge("by its own word");
    return await readBytes(request, MOST_BYTES);
  } catch (cause) {
    const message =
      cause instanceof TooLarge
        ? "The body is larger than this address takes."
        : "The body could not be read to its end.";
    throw new BoardwalkError("invalid", message, { cause });
  }
}

/**
 * A path is as long as a token, and a signature is one: neither can be guessed. Who tries all the same is told to wait,
 * and what is rightly signed is taken from the same address all the while: tenants of one board share its addresses.
 * @throws BoardwalkError the error, or `rate_limited` instead
 */
async function refuse(
  { knocks }: RouteParts,
  request: IncomingMessage,
  token: string,
  error: BoardwalkError,
): Promise<never> {
  const isGuess = error.code === "unauthorized" || error.code === "not_found_or_hidden";
  // Rightly signed, but too late: the board's own, and some boards send again what was answered with 429.
  if (!isGuess || isExpired(error)) throw error;
  // At a path that nobody knows there is nothing to be guessed but the path.
  const at = error.code === "unauthorized" ? hashed(token) : undefined;
  const waitMs = await knocks.wrong("webhook", request, at);
  throw waitMs > 0 ? tooOften(waitMs) : error;
}

async function counted(
  deps: RouteParts,
  provider: string,
  receive: () => Promise<Receipt>,
): Promise<Receipt> {
  try {
    const receipt = await receive();
    deps.received?.(provider, receipt.fresh ? "fresh" : "repeated");
    return receipt;
  } catch (error) {
    deps.received?.(provider, BoardwalkError.from(error).code);
    throw error;
  }
}
