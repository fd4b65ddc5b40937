import { createHash } from "node:crypto";
import type { Request, Response, Router } from "express";
import { z } from "zod";
import { BoardwalkError, type ErrorCode } from "../errors.js";
import { safeParse } from "../parse.js";
import { type MoveShape, moveShape } from "../tickets/shapes.js";
import type { Conversation } from "../tickets/tickets.js";
import { speakerOf } from "./admin-caller.js";
import { type AdminDeps, pageQuery, type TenantOf } from "./admin-deps.js";
import { parseBody, sendProblem } from "./problems.js";
import { trailed } from "./requests.js";

/** Tickets, their history and their moves, over HTTP. */

export const ticketsQuery = z.object({
  query: z.string().max(500).optional(),
  /** By words, or by its id. */
  status: z.string().max(200).optional(),
  /** A workflow's name or id, or a connection's id. */
  board: z.string().max(300).optional(),
  cursor: z.string().max(500).optional(),
});

export const moveBody = z.object({
  to: z.string().min(1).max(200),
  from: z.string().min(1).max(200).optional(),
  fields: z.record(z.string(), z.unknown()).optional(),
  comment: z.string().max(10_000).optional(),
});
type MoveBody = z.infer<typeof moveBody>;

/** How long a repeated `Idempotency-Key` gets the first answer. */
const IDEMPOTENCY_MS = 24 * 3_600_000;
const keptAnswer = z.object({ body: z.string(), answer: moveShape });

/** What these routes need. */
export type TicketRouteDeps = Pick<AdminDeps, "tickets" | "replyBudgetMs">;

export function addTicketRoutes(router: Router, deps: TicketRouteDeps, tenantOf: TenantOf): void {
  const talkOf = async (request: Request): Promise<Conversation> => ({
    tenant: await tenantOf(request),
    speaker: speakerOf(request, "api", "http"),
    confirm: "never",
    ...trailed(request),
    budgetMs: deps.replyBudgetMs,
  });
  router.get("/tenants/:tenant/tickets", async (request, response) => {
    const { query, status, board, cursor } = parseBody(ticketsQuery, request.query);
    const args = {
      ...(query === undefined ? {} : { query }),
      ...(status === undefined ? {} : { status }),
      ...(board === undefined ? {} : { board }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const { tickets, total, next } = await deps.tickets.find(await talkOf(request), args);
    response.json({ tickets, total, ...(next === undefined ? {} : { next }) });
  });
  router.get("/tenants/:tenant/tickets/:id", async (request, response) => {
    const { ticket, hooks } = await deps.tickets.read(await talkOf(request), {
      ticket: await knownTicket(request, tenantOf),
    });
    response.json({ ...ticket, ...(hooks === undefined ? {} : { hooks }) });
  });
  router.get("/tenants/:tenant/tickets/:id/history", async (request, response) => {
    const { limit, cursor } = parseBody(pageQuery, request.query);
    const tenant = await tenantOf(request);
    const page = await tenant.history(await knownTicket(request, tenantOf), {
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    response.json({ events: page.items, ...(page.next === undefined ? {} : { next: page.next }) });
  });
  router.post("/tenants/:tenant/tickets/:id/moves", async (request, response) => {
    const body = parseBody(moveBody, request.body);
    const talk = await talkOf(request);
    const ticket = await knownTicket(request, tenantOf);
    sendMove(response, await moveOnce(deps, talk, ticket, body, request.headers["idempotency-key"]));
  });
}

/** The id in the path, when the tenant has such a ticket: paths take ids, not words. */
async function knownTicket(request: Request, tenantOf: TenantOf): Promise<string> {
  const id = String(request.params.id);
  const record = await (await tenantOf(request)).getActor(id);
  if (record === undefined)
    throw new BoardwalkError("not_found_or_hidden", "There is no such ticket. Search for it by its words.");
  return id;
}

/** The same key asks for the same move: it is made once and answered alike, also after a restart in between. */
async function moveOnce(
  deps: TicketRouteDeps,
  talk: Conversation,
  ticket: string,
  body: MoveBody,
  key: string | string[] | undefined,
): Promise<MoveShape> {
  const args = {
    ticket,
    to: body.to,
    ...(body.from === undefined ? {} : { from: body.from }),
    ...(body.fields === undefined ? {} : { fields: body.fields }),
    ...(body.comment === undefined ? {} : { comment: body.comment }),
  };
  if (typeof key !== "string") return await deps.tickets.move(talk, args);
  const said = JSON.stringify([ticket, body]);
  const digest = createHash("sha256").update(key).digest("hex");
  const kept = safeParse(keptAnswer, await talk.tenant.recall(`idempotency/${digest}`));
  if (kept.success && kept.data.body !== said) {
    throw new BoardwalkError("invalid", "This Idempotency-Key was used for another request. Use a new one.");
  }
  if (kept.success && kept.data.answer.outcome !== "accepted") return kept.data.answer;
  const moveId = createHash("sha256").update(`${ticket}/${key}`).digest("hex").slice(0, 24);
  const answer = await deps.tickets.move(talk, { ...args, moveId });
  await talk.tenant.remember(`idempotency/${digest}`, { body: said, answer }, IDEMPOTENCY_MS);
  return answer;
}

const CODE_OF_OUTCOME: Readonly<Partial<Record<MoveShape["outcome"], ErrorCode>>> = {
  refused: "no_such_move",
  conflict: "conflict",
  question: "needs_fields",
};

/** 200 for what is confirmed, 202 for what is under way; anything else is a problem that carries the answer. */
function sendMove(response: Response, answer: MoveShape): void {
  const fallback = CODE_OF_OUTCOME[answer.outcome];
  if (fallback === undefined)
    return void response.status(answer.outcome === "confirmed" ? 200 : 202).json(answer);
  sendProblem(
    response,
    new BoardwalkError((answer.code as ErrorCode | undefined) ?? fallback, answer.spoken),
    answer,
  );
}
