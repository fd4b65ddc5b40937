import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { safeParse } from "../parse.js";
import type { Conversation } from "./tickets.js";

/**
 * Questions whose answer is a second call: "shall I?", "what should the resolution be?". The token that the question
 * hands out is good once, for its speaker, for that ticket and that status, for five minutes.
 */

export const ASKED_MS = 5 * 60_000;
const TOKEN_BYTES = 24;

const askedSchema = z.object({
  person: z.string(),
  ticket: z.string(),
  to: z.string(),
  /** The status that was read back to the speaker. */
  from: z.string(),
  via: z.string().optional(),
  /** What was given so far, so that fields can be asked for one at a time. */
  fields: z.record(z.string(), z.unknown()).optional(),
  comment: z.string().optional(),
  until: z.number(),
});
type Asked = z.infer<typeof askedSchema>;

/** What the speaker agreed to, or was asked about. */
export type Question = Omit<Asked, "person" | "until">;

/** Keeps the question; only its token's hash is kept with it. */
export async function ask(talk: Conversation, question: Question, now: Date): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const asked: Asked = { ...question, person: talk.speaker.person, until: now.getTime() + ASKED_MS };
  await talk.tenant.remember(key(token), asked, ASKED_MS);
  return token;
}

/** The question that the token answers, once; `undefined` when it is not this speaker's, not about this, or too late. */
export async function answered(
  talk: Conversation,
  token: string,
  about: Pick<Question, "ticket" | "to">,
  now: Date,
): Promise<Question | undefined> {
  const kept = safeParse(askedSchema, await talk.tenant.recall(key(token)));
  if (!kept.success) return undefined;
  const { person, until, ...question } = kept.data;
  if (person !== talk.speaker.person || until <= now.getTime()) return undefined;
  if (question.ticket !== about.ticket || question.to !== about.to) return undefined;
  // Claimed before it counts: of two calls with one token, one is answered.
  if (!(await talk.tenant.claim(`${key(token)}/used`, ASKED_MS))) return undefined;
  await talk.tenant.forget(key(token));
  return question;
}

function key(token: string): string {
  return `asked/${createHash("sha256").update(token).digest("hex")}`;
}
