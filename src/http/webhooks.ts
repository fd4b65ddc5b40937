import express, { type Request, type Router } from "express";
import { BoardwalkError } from "../errors.js";
import { isWebhookPath, type Receipt, receiveWebhook, type WebhookDeps } from "../sync/webhooks.js";
import { type Knocks, tooOften } from "./knocks.js";
import { hashed } from "./oauth-records.js";
import { trailed } from "./requests.js";

export interface WebhookRoutesDeps extends WebhookDeps {
  /** Told of each delivery: `fresh`, `repeated`, or the code of the error it was answered with. */
  received?(provider: string, result: string): void;
  readonly knocks: Knocks;
}

/** Where boards deliver. Before every other parser: a signature is over bytes. */
export function createWebhookRoutes(deps: WebhookRoutesDeps): Router {
  const router = express.Router();
  // Trello asks with HEAD whether anyone is there before it registers.
  router.head("/:provider/:token", async (request, response) => {
    if (await isWebhookPath(deps.store, String(request.params.token))) return void response.status(200).end();
    const waitMs = await deps.knocks.wrong("webhook", request);
    if (waitMs > 0) response.setHeader("retry-after", String(Math.ceil(waitMs / 1_000)));
    response.status(waitMs > 0 ? 429 : 404).end();
  });
  router.post(
    "/:provider/:token",
    express.raw({ type: () => true, limit: "5mb" }),
    async (request, response) => {
      const { provider, token } = request.params;
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value[0] : value,
        ]),
      );
      const delivery = {
        method: "POST",
        headers,
        body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        url: `${deps.publicUrl() ?? ""}/webhooks/${provider}/${token}`,
        receivedAt: deps.now(),
      };
      const jobs = followed(deps.jobs, request);
      const receipt = await counted(deps, String(provider), () =>
        receiveWebhook({ ...deps, jobs }, String(provider), String(token), delivery).catch((error: unknown) =>
          refuse(deps, request, BoardwalkError.from(error)),
        ),
      );
      response.status(200).json(receipt);
    },
  );
  return router;
}

/** What the delivery brings about is known by its request's id. */
function followed({ put }: WebhookDeps["jobs"], request: Request): WebhookDeps["jobs"] {
  return { put: (job) => put({ ...job, ...trailed(request) }) };
}

/**
 * A path is as long as a token, and a signature is one: neither can be guessed. Who tries all the same is told to wait,
 * and what is rightly signed is taken from the same address all the while: tenants of one board share its addresses.
 * @throws BoardwalkError the error, or `rate_limited` instead
 */
async function refuse(
  { knocks }: WebhookRoutesDeps,
  request: Request,
  error: BoardwalkError,
): Promise<never> {
  if (error.code !== "unauthorized" && error.code !== "not_found_or_hidden") throw error;
  // At a path that nobody knows there is nothing to be guessed but the path.
  const at = error.code === "unauthorized" ? hashed(String(request.params.token)) : undefined;
  const waitMs = await knocks.wrong("webhook", request, at);
  throw waitMs > 0 ? tooOften(waitMs) : error;
}

async function counted(
  deps: WebhookRoutesDeps,
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
