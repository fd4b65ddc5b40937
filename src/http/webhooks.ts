import express, { type Router } from "express";
import { isWebhookPath, receiveWebhook, type WebhookDeps } from "../sync/webhooks.js";

/** Where boards deliver. Before every other parser: a signature is over bytes. */
export function createWebhookRoutes(deps: WebhookDeps): Router {
  const router = express.Router();
  // Trello asks with HEAD whether anyone is there before it registers.
  router.head("/:provider/:token", async (request, response) => {
    response.status((await isWebhookPath(deps.store, String(request.params.token))) ? 200 : 404).end();
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
      const receipt = await receiveWebhook(deps, String(provider), String(token), {
        method: "POST",
        headers,
        body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        url: `${deps.publicUrl() ?? ""}/webhooks/${provider}/${token}`,
        receivedAt: deps.now(),
      });
      response.status(200).json(receipt);
    },
  );
  return router;
}
