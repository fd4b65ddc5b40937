import { z } from "zod";
import type { Conversation } from "./tickets.js";

/** What a conversation was last told, for ten minutes: the ground on which its speaker stands. */

const HEARD_MS = 10 * 60_000;
const MOST_TICKETS = 20;

const heardSchema = z.record(z.string(), z.string());

/** Remembers the statuses just told. Losing this only means that no conflict can be noticed, so nobody waits for it. */
export async function rememberHeard(
  talk: Conversation,
  told: readonly { readonly id: string; readonly status: { readonly id: string } }[],
): Promise<void> {
  if (talk.conversation === undefined || told.length === 0) return;
  const before = await heardBy(talk);
  const next = { ...before };
  for (const ticket of told.slice(0, MOST_TICKETS)) {
    delete next[ticket.id];
    next[ticket.id] = ticket.status.id;
  }
  await talk.tenant.remember(
    key(talk),
    Object.fromEntries(Object.entries(next).slice(-MOST_TICKETS)),
    HEARD_MS,
  );
}

/** The status in which this conversation was last told that the ticket is. */
export async function heardStatus(talk: Conversation, ticket: string): Promise<string | undefined> {
  if (talk.conversation === undefined) return undefined;
  const heard = await heardBy(talk);
  return Object.hasOwn(heard, ticket) ? heard[ticket] : undefined;
}

async function heardBy(talk: Conversation): Promise<Record<string, string>> {
  const heard = heardSchema.safeParse(await talk.tenant.recall(key(talk)));
  return heard.success ? heard.data : {};
}

/** By person as well: a conversation's handle may be guessed, and is no proof of who speaks. */
function key(talk: Conversation): string {
  return `heard/${talk.speaker.person}/${talk.conversation}`;
}
