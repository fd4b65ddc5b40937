import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebhookDelivery } from "../../../src/board/connector.js";
import { startWebhookSink, type WebhookSink } from "../../support/webhook-sink.js";
import { errorOf, type Fresh, HAS_NOT, never, withTicket } from "./harness.js";

export function describeWebhooks(fresh: Fresh): void {
  describe("webhooks", () => {
    let sink: WebhookSink;
    beforeAll(async () => {
      sink = await startWebhookSink();
    });
    afterAll(() => sink.close());

    /** A delivery as the board really sent it, about a ticket with a title that shows how bytes are treated. */
    async function delivered() {
      const { harness, connector, ticket } = await withTicket(fresh);
      if (connector.webhooks === undefined || harness.webhook === undefined) return undefined;
      const url = sink.newUrl();
      if (harness.board.registerByHand) await harness.board.registerByHand(url);
      else expect(await connector.webhooks.ensure(url, never)).toMatchObject({ url, state: "active" });
      await harness.board.editTitle(ticket, "Crash 🚀 in the café\r\nagain");
      const delivery = await sink.next(url);
      return { harness, connector, ticket, delivery, webhooks: connector.webhooks, ...harness.webhook };
    }

    it("registers once, however often it is asked", async ({ skip }) => {
      const harness = await fresh();
      const { webhooks } = harness.connect();
      const count = harness.board.countWebhooks;
      if (webhooks === undefined || count === undefined || harness.board.registerByHand) return skip(HAS_NOT);
      const url = sink.newUrl();
      await webhooks.ensure(url, never);
      expect(await webhooks.ensure(url, never)).toMatchObject({ url, state: "active" });
      expect(await harness.connect().webhooks?.ensure(url, never)).toMatchObject({ url, state: "active" });
      expect(count()).toBe(1);
    });

    it("believes what the board signed, and takes from it which ticket to read", async ({ skip }) => {
      const told = await delivered();
      if (told === undefined) return skip(HAS_NOT);
      const { webhooks, delivery, ticket } = told;
      const { deliveryId, hints } = await webhooks.read(delivery);
      expect(deliveryId).not.toBe("");
      expect(hints).toContainEqual(expect.objectContaining({ kind: "ticket", ticket: ticket.id }));
    });

    it("knows a delivery again that is sent twice", async ({ skip }) => {
      const told = await delivered();
      if (told === undefined) return skip(HAS_NOT);
      const [first, again] = [
        await told.webhooks.read(told.delivery),
        await told.webhooks.read(told.delivery),
      ];
      expect(again.deliveryId).toBe(first.deliveryId);
    });

    it("does not believe a wrong, short, missing or foreign signature", async ({ skip }) => {
      const told = await delivered();
      if (told === undefined) return skip(HAS_NOT);
      const { harness, webhooks, delivery, signatureHeader } = told;
      const signature = delivery.headers[signatureHeader] ?? "";
      expect(signature).not.toBe("");
      const last = signature.at(-2) === "0" ? "1" : "0";
      const wrong = [
        `${signature.slice(0, -2)}${last}${signature.slice(-1)}`,
        signature.slice(0, -4),
        `${signature}00`,
        "",
        "sha256=",
        "x",
        undefined,
      ];
      for (const value of wrong) {
        const headers = { ...delivery.headers, [signatureHeader]: value };
        const error = await errorOf(webhooks.read({ ...delivery, headers }), harness);
        expect(error, String(value)).toMatchObject({ code: "unauthorized" });
      }
    });

    it("takes the signature to be over the bytes, not over what they mean", async ({ skip }) => {
      const told = await delivered();
      if (told === undefined) return skip(HAS_NOT);
      const { harness, webhooks, delivery } = told;
      for (const body of rewritten(delivery)) {
        const error = await errorOf(webhooks.read({ ...delivery, body }), harness);
        expect(error).toMatchObject({ code: "unauthorized" });
      }
    });

    it("believes nothing when it knows no secret", async ({ skip }) => {
      const told = await delivered();
      if (told === undefined) return skip(HAS_NOT);
      const blind = told.harness.connect({ credentials: "without webhook secret" });
      const read = blind.webhooks?.read(told.delivery);
      if (read === undefined) return skip(HAS_NOT);
      expect(await errorOf(read, told.harness)).toMatchObject({ code: "unauthorized" });
    });
  });
}

/** The same message in other bytes, and another message in almost the same ones. */
function rewritten(delivery: WebhookDelivery): Uint8Array[] {
  const text = Buffer.from(delivery.body).toString("utf8");
  const forged = Buffer.from(delivery.body);
  forged.writeUInt8(forged.readUInt8(forged.length >> 1) ^ 1, forged.length >> 1);
  return [
    Buffer.from(JSON.stringify(JSON.parse(text), null, 2)),
    Buffer.from(text, "latin1"),
    Buffer.from(`${text}\n`),
    Buffer.alloc(0),
    forged,
  ];
}
