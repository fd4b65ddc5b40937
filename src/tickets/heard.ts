import { z } from "zod";
import type { Talked } from "./points.js";
import { pointerIn } from "./points.js";
import type { Conversation } from "./tickets.js";

/** What a conversation was last told, for ten minutes: the ground on which its speaker stands. */

const HEARD_MS = 10 * 60_000;
const MOST_TICKETS = 20;

const heardSchema = z.object({
  /** Ticket to the status it was told to be in, the latest last. */
  statuses: z.record(z.string(), z.string()),
  told: z.string().optional(),
  moved: z.string().optional(),
  offered: z.array(z.string()).optional(),
});
type Heard = z.infer<typeof heardSchema>;

interface ToldTicket {
  readonly id: string;
  readonly status: { readonly id: string };
}

/** What an answer told: tickets and where they are, which of them was moved, and between which it asked. */
export interface Told {
  readonly tickets: readonly ToldTicket[];
  readonly moved?: string;
  readonly offered?: readonly string[];
}

/** Remembers what was just told. Losing it means only that "it" is asked about and no conflict is noticed. */
export async function rememberHeard(talk: Conversation, { tickets, moved, offered }: Told): Promise<void> {
  if (talk.conversation === undefined || (tickets.length === 0 && offered === undefined)) return;
  const before = await heardBy(talk);
  const statuses = { ...before.statuses };
  for (const ticket of tickets.slice(0, MOST_TICKETS)) {
    delete statuses[ticket.id];
    statuses[ticket.id] = ticket.status.id;
  }
  const named = offered ?? tickets.map((ticket) => ticket.id);
  const about =
    named.length === 1
      ? { told: named[0], offered: before.offered }
      : { offered: named.slice(0, MOST_TICKETS) };
  const heard: Heard = {
    ...about,
    moved: moved ?? before.moved,
    statuses: Object.fromEntries(Object.entries(statuses).slice(-MOST_TICKETS)),
  };
  await talk.tenant.remember(key(talk), heard, HEARD_MS);
}

/** The status in which this conversation was last told that the ticket is. */
export async function heardStatus(talk: Conversation, ticket: string): Promise<string | undefined> {
  const { statuses } = await heardBy(talk);
  return Object.hasOwn(statuses, ticket) ? statuses[ticket] : undefined;
}

/** What "it" and "the second one" mean here; looked up only when the reference points at something. */
export async function talkedOf(talk: Conversation, reference: string): Promise<Talked> {
  if (pointerIn(reference) === undefined) return {};
  const { told, moved, offered } = await heardBy(talk);
  return {
    ...(told === undefined ? {} : { told }),
    ...(moved === undefined ? {} : { moved }),
    ...(offered === undefined ? {} : { offered }),
  };
}

async function heardBy(talk: Conversation): Promise<Heard> {
  const kept = talk.conversation === undefined ? undefined : await talk.tenant.recall(key(talk));
  const heard = heardSchema.safeParse(kept);
  return heard.success ? heard.data : { statuses: {} };
}

/** By person as well: a conversation's handle may be guessed, and is no proof of who speaks. */
function key(talk: Conversation): string {
  return `heard/${talk.speaker.person}/${talk.conversation}`;
}
