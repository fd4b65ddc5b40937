import { z } from "zod";
import { safeParse } from "../parse.js";
import type { Talked } from "./points.js";
import { pointerIn } from "./points.js";
import type { Conversation } from "./tickets.js";

/** What a conversation was last told, for ten minutes: the ground on which its speaker stands. */

const HEARD_MS = 10 * 60_000;
const MOST_TICKETS = 20;
/** Answers that a conversation can look back on. */
const MOST_ANSWERS = 50;

/** What one answer told. */
const heardSchema = z.object({
  /** Ticket and the status it was told to be in. */
  statuses: z.array(z.tuple([z.string(), z.string()])),
  moved: z.string().optional(),
  offered: z.array(z.string()).optional(),
});

interface Heard extends Talked {
  /** Ticket to status. */
  readonly statuses: ReadonlyMap<string, string>;
}

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

/**
 * Remembers what was just told. Losing it means only that "it" is asked about and no conflict is noticed, so the
 * answer neither waits for it nor fails with it; on its way to the store it is before whatever is asked next.
 */
export function rememberHeard(talk: Conversation, { tickets, moved, offered }: Told): void {
  if (talk.conversation === undefined || (tickets.length === 0 && offered === undefined)) return;
  const heard: z.infer<typeof heardSchema> = {
    statuses: tickets.slice(0, MOST_TICKETS).map(({ id, status }) => [id, status.id]),
    ...(moved === undefined ? {} : { moved }),
    ...(offered === undefined ? {} : { offered: offered.slice(0, MOST_TICKETS) }),
  };
  // Added, not merged: of two answers at once neither may be lost, and nothing has to be read first.
  talk.tenant.addNote(key(talk), heard, MOST_ANSWERS, HEARD_MS).catch(() => undefined);
}

/** The status in which this conversation was last told that the ticket is. */
export async function heardStatus(talk: Conversation, ticket: string): Promise<string | undefined> {
  return (await heardBy(talk)).statuses.get(ticket);
}

/** What "it" and "the second one" mean here; looked up only when the reference points at something. */
export async function talkedOf(talk: Conversation, reference: string): Promise<Talked> {
  return pointerIn(reference) === undefined ? {} : await heardBy(talk);
}

async function heardBy(talk: Conversation): Promise<Heard> {
  const notes = talk.conversation === undefined ? [] : await talk.tenant.notes(key(talk));
  const statuses = new Map<string, string>();
  let talked: Talked = {};
  for (const note of notes) {
    const heard = safeParse(heardSchema, note);
    if (!heard.success) continue;
    for (const [ticket, status] of heard.data.statuses) statuses.set(ticket, status);
    talked = afterHearing(talked, heard.data);
  }
  return { ...talked, statuses };
}

/** One ticket by itself is "it" from then on; several are to choose from, and none of them is "it". */
function afterHearing(before: Talked, heard: z.infer<typeof heardSchema>): Talked {
  const named = heard.offered ?? heard.statuses.map(([ticket]) => ticket);
  const about = named.length === 1 ? { told: named[0], offered: before.offered } : { offered: named };
  return { ...about, moved: heard.moved ?? before.moved };
}

/** By person as well: a conversation's handle may be guessed, and is no proof of who speaks. */
function key(talk: Conversation): string {
  return `heard/${talk.speaker.person}/${talk.conversation}`;
}
