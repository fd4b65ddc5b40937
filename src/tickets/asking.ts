import type { ActorRecord } from "../store/store.js";
import type { Wish } from "./actor.js";
import { ends } from "./answers.js";
import { answered, ask, type Question } from "./confirm.js";
import { ticketFacts } from "./facts.js";
import type { TicketJobs } from "./jobs.js";
import type { Recent } from "./recent.js";
import { confirmsClosing } from "./settings.js";
import type { MoveShape } from "./shapes.js";
import type { Speech } from "./speech.js";
import type { Target } from "./target.js";
import type { Conversation, MoveArguments } from "./tickets.js";
import type { TenantView, Views } from "./view.js";
import type { Workflow } from "./workflow.js";

/** What is asked before and on the way of a move, and how the answers come back. */

export interface MoveDeps {
  readonly views: Views;
  readonly jobs: TicketJobs;
  /** Shared with the worker of the same process, where there is one. */
  readonly recent?: Recent;
  now(): Date;
}

/** What one move is carried through: who asks, how to answer, and until when. */
export interface Course {
  readonly deps: MoveDeps;
  readonly talk: Conversation;
  readonly view: TenantView;
  readonly say: Speech;
  readonly workflow: Workflow;
  readonly deadline: number;
}

/** What the token's question was answered for: `not` when it is no answer of this speaker's to this. */
export async function agreedTo(
  { deps, talk }: Course,
  record: ActorRecord,
  to: string,
  token: string | undefined,
): Promise<Question | "not" | undefined> {
  // Nothing is left to agree to: a repeated answer finds its move made, or under way.
  if (token === undefined || isDone(record, to)) return undefined;
  return (await answered(talk, token, { ticket: record.ticket.id, to }, deps.now())) ?? "not";
}

/** Is it there, or on its way there, as far as we know? */
export function isDone({ ticket, pending }: ActorRecord, to: string): boolean {
  return pending === undefined ? ticket.status === to : pending.to === to;
}

/** A field that was asked for joins those that were given before. */
export function withAgreed(
  args: Omit<MoveArguments, "ticket">,
  agreed: Question | undefined,
): Omit<MoveArguments, "ticket"> {
  if (agreed === undefined) return args;
  const fields = { ...agreed.fields, ...args.fields };
  const comment = args.comment ?? agreed.comment;
  return {
    ...args,
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    ...(comment === undefined ? {} : { comment }),
  };
}

/** Is this a move that its speaker has to say yes to? */
export function wantsYes({ talk, view, workflow }: Course, target: Target): boolean {
  const { category, offBoard } = workflow.status(target.to) ?? {};
  if (target.heard || (offBoard && talk.confirm !== "never")) return true;
  return (category === "done" || category === "canceled") && confirmsClosing(talk, view.speech);
}

/** Reads the move back: what, from where, to where. Nothing is done until it is answered. */
export async function confirmFirst(
  course: Course,
  record: ActorRecord,
  wish: Wish,
  heard: boolean,
): Promise<MoveShape> {
  const { say, workflow } = course;
  const ticket = ticketFacts(record, workflow);
  const target = workflow.status(wish.to);
  const move = { ticket, to: target?.name ?? wish.to };
  const spoken = say.confirm(move, heard, target?.offBoard === true);
  const token = await askedOf(course, record, wish);
  const question = { about: "confirm" as const, options: say.yesAndNo(), token };
  return { outcome: "question", ticket, ...ends(workflow, record.ticket.status, wish.to), question, spoken };
}

/** A question that came up on the way is answered in a second call that need not repeat the first. */
export async function withToken(
  course: Course,
  answer: MoveShape,
  record: ActorRecord,
  wish: Wish,
): Promise<MoveShape> {
  const { question } = answer;
  if (question === undefined || question.about === "ticket") return answer;
  return { ...answer, question: { ...question, token: await askedOf(course, record, wish) } };
}

async function askedOf({ deps, talk }: Course, { ticket }: ActorRecord, wish: Wish): Promise<string> {
  const { to, via, fields, comment } = wish;
  const question: Question = {
    ticket: ticket.id,
    to,
    from: ticket.status,
    ...(via === undefined ? {} : { via }),
    ...(fields === undefined ? {} : { fields: { ...fields } }),
    ...(comment === undefined ? {} : { comment }),
  };
  return await ask(talk, question, deps.now());
}
