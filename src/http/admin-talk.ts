import type { Request, Router } from "express";
import { z } from "zod";
import { answerSentence } from "../tickets/say.js";
import type { Conversation } from "../tickets/tickets.js";
import { speakerOf } from "./admin-caller.js";
import type { AdminDeps, TenantOf } from "./admin-deps.js";
import { parseBody } from "./problems.js";
import { trailed } from "./requests.js";

/** What the page asks beyond the rest of the API: a conversation, and the boards with how much is in each status. */

/** Which talk this is, so that "it" means what was last told in it. */
const conversation = z
  .string()
  .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, - or _")
  .optional();
const words = z.string().trim().min(1).max(500);

export const sentenceBody = z.strictObject({ sentence: words, conversation });
/** A question that was asked, answered: the same call again with what was chosen. */
export const againBody = z.strictObject({
  move: z.strictObject({
    ticket: words,
    to: words,
    fields: z.record(z.string(), z.unknown()).optional(),
    token: z.string().max(500).optional(),
  }),
  conversation,
});
export const undoAgainBody = z.strictObject({
  undo: z.strictObject({ ticket: words.optional(), token: z.string().max(500).optional() }),
  conversation,
});

export function addTalkRoutes(router: Router, deps: AdminDeps, tenantOf: TenantOf): void {
  const talkOf = async (request: Request, id: string | undefined): Promise<Conversation> => ({
    tenant: await tenantOf(request),
    speaker: speakerOf(request, "page", "say"),
    ...(id === undefined ? {} : { conversation: `page-${id}` }),
    ...trailed(request),
    budgetMs: deps.replyBudgetMs,
  });
  router.post("/tenants/:tenant/say", async (request, response) => {
    if (has(request.body, "undo")) {
      const { undo, conversation: id } = parseBody(undoAgainBody, request.body);
      const args = withoutGaps(undo);
      const answer = await deps.tickets.undo(await talkOf(request, id), args);
      return void response.json({ tool: "undo_move", args, answer });
    }
    if (!has(request.body, "move")) {
      const { sentence, conversation: id } = parseBody(sentenceBody, request.body);
      return void response.json(await answerSentence(deps.tickets, await talkOf(request, id), sentence));
    }
    const { move, conversation: id } = parseBody(againBody, request.body);
    const { fields, token, ...args } = move;
    const answer = await deps.tickets.move(await talkOf(request, id), {
      ...args,
      ...(fields === undefined ? {} : { fields }),
      ...(token === undefined ? {} : { token }),
    });
    response.json({ tool: "move_ticket", args: move, answer });
  });
  router.get("/tenants/:tenant/boards", async (request, response) => {
    const { boards } = await deps.tickets.describeBoard(await talkOf(request, undefined), {});
    response.json({ boards });
  });
}

function has(body: unknown, name: string): boolean {
  return typeof body === "object" && body !== null && name in body;
}

function withoutGaps({ ticket, token }: z.infer<typeof undoAgainBody>["undo"]) {
  return { ...(ticket === undefined ? {} : { ticket }), ...(token === undefined ? {} : { token }) };
}
