import type { FieldShape, HookShape, OpenMoveShape, TicketShape } from "./shapes.js";
import { listWords } from "./words.js";

/**
 * The one place that makes sentences. Title first, key only to tell twins apart; no symbols, addresses or codes;
 * every refusal ends with one thing to do; "moved" only for what the board has confirmed.
 */

const MOST_WORDS_OF_A_TITLE = 14;

/** A title as it can be said: other people's words, so markup, addresses and symbols are left out. */
export function sayTitle(title: string): string {
  const plain = title
    .replace(/https?:\/\/\S+/gi, " ")
    .replace(/[^\p{L}\p{N}\p{M}'’,.:?! -]+/gu, " ")
    .replace(/:/g, ",")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.,?!-]+$/, "");
  const words = plain.split(" ");
  const short =
    words.length > MOST_WORDS_OF_A_TITLE ? words.slice(0, MOST_WORDS_OF_A_TITLE).join(" ") : plain;
  return short === "" ? "the untitled ticket" : short;
}

/** A status name as it can be said. */
export function sayStatus(name: string): string {
  return (
    name
      .replace(/[^\p{L}\p{N}\p{M}'’ -]+/gu, " ")
      .replace(/\s+/g, " ")
      .trim() || "the unnamed status"
  );
}

/** At most three choices, and how many there are beside them. */
export function sayChoices(choices: readonly string[], total = choices.length): string {
  const said = choices.slice(0, 3);
  const rest = total - said.length;
  if (rest <= 0) return listWords(said, "or");
  return rest === 1 ? `${said.join(", ")}, or one more` : `${said.join(", ")}, or one of ${rest} more`;
}

/** Tells twins apart: the key is said only when titles alone would not. */
export function labelsOf(tickets: readonly TicketShape[]): string[] {
  const titles = tickets.map((ticket) => sayTitle(ticket.title));
  return tickets.map((ticket, i) => {
    const twin = titles.filter((title) => title === titles[i]).length > 1;
    return twin && ticket.key !== undefined ? `${titles[i]}, ${ticket.key}` : (titles[i] ?? "");
  });
}

export function sayOpen(open: readonly OpenMoveShape[]): string {
  if (open.length === 0) return "No move is open to it now. Please look at it on the board.";
  return `It can go to ${sayChoices(open.map((move) => sayStatus(move.status.name)))}.`;
}

export const say = {
  found(tickets: readonly TicketShape[], total: number): string {
    if (total === 0) return "I found no ticket like that. Try other words of its title.";
    const first = tickets
      .slice(0, 3)
      .map((ticket, i) => `${labelsOf(tickets)[i]}, in ${sayStatus(ticket.status.name)}`);
    if (total === 1) return `One ticket: ${first[0]}.`;
    const more = total > first.length ? ` And ${total - first.length} more; ask for the next ones.` : "";
    return `${total} tickets: ${first.join("; ")}.${more}`;
  },

  ticket(ticket: TicketShape, open: readonly OpenMoveShape[]): string {
    const where = `${sayTitle(ticket.title)} is in ${sayStatus(ticket.status.name)}.`;
    if (ticket.archived) return `${where} It is archived.`;
    if (ticket.detached) return `${where} It has left the boards that are connected.`;
    return open.length === 0 ? where : `${where} ${sayOpen(open)}`;
  },

  notFound(near: readonly TicketShape[]): string {
    if (near.length === 0) return "I found no ticket like that. Try other words of its title.";
    return `I found no ticket like that. The nearest is ${sayChoices(labelsOf(near))}. Which one do you mean?`;
  },

  which(tickets: readonly TicketShape[], total: number): string {
    return `Which one do you mean: ${sayChoices(labelsOf(tickets), total)}?`;
  },

  whichStatus(names: readonly string[], total: number): string {
    return `Which status do you mean: ${sayChoices(names.map(sayStatus), total)}?`;
  },

  noStatus(ticket: TicketShape, words: string, open: readonly OpenMoveShape[]): string {
    const heard = sayStatus(words);
    return `The board of ${sayTitle(ticket.title)} has no status called ${heard.slice(0, 60)}. ${sayOpen(open)}`;
  },

  moved(ticket: TicketShape, to: string, hooks: readonly HookShape[]): string {
    return joinSentences(`Moved ${sayTitle(ticket.title)} to ${sayStatus(to)}.`, ...hooks.map(sayHook));
  },

  movedOn(ticket: TicketShape, wanted: string, to: string, hooks: readonly HookShape[]): string {
    const moved = `Moved ${sayTitle(ticket.title)} to ${sayStatus(wanted)}, and the board's own rule took it on to ${sayStatus(to)}.`;
    return joinSentences(moved, ...hooks.map(sayHook));
  },

  already(ticket: TicketShape, to: string, hooks: readonly HookShape[]): string {
    return joinSentences(
      `${sayTitle(ticket.title)} is in ${sayStatus(to)} already, so nothing was changed.`,
      ...hooks.map(sayHook),
    );
  },

  accepted(ticket: TicketShape, to: string): string {
    return `${sayTitle(ticket.title)} is on its way to ${sayStatus(to)}, but the board has not confirmed it yet. Ask me in a moment how it went.`;
  },

  closed(ticket: TicketShape, to: string, open: readonly OpenMoveShape[], why?: string): string {
    const because = why === undefined ? "" : ` ${why}`;
    return `${sayTitle(ticket.title)} is in ${sayStatus(ticket.status.name)} and cannot go to ${sayStatus(to)} from there.${because} ${sayOpen(open)}`;
  },

  refused(ticket: TicketShape, message: string): string {
    return `${sayTitle(ticket.title)} stays in ${sayStatus(ticket.status.name)}. ${withNextStep(message)}`;
  },

  conflict(ticket: TicketShape, to: string): string {
    return `${sayTitle(ticket.title)} is in ${sayStatus(ticket.status.name)} now; someone or something changed it. Do you still want it in ${sayStatus(to)}?`;
  },

  busy(ticket: TicketShape, to: string): string {
    return `${sayTitle(ticket.title)} is already on its way to ${sayStatus(to)}. Ask again once it is there.`;
  },

  unknown(ticket: TicketShape, to: string): string {
    return `The board did not answer, so I cannot tell yet whether ${sayTitle(ticket.title)} reached ${sayStatus(to)}. I will find out; ask me again in a minute.`;
  },

  needsField(
    ticket: TicketShape,
    to: string,
    field: Pick<FieldShape, "name" | "allowed">,
    unsupported: boolean,
  ): string {
    const wants = `Moving ${sayTitle(ticket.title)} to ${sayStatus(to)} needs ${sayStatus(field.name).toLowerCase()}.`;
    if (unsupported) return `${wants} Please fill it in on the board, then ask again.`;
    const choices =
      field.allowed === undefined || field.allowed.length === 0
        ? ""
        : ` It can be ${sayChoices(field.allowed.map((option) => sayStatus(option.label)))}.`;
    return `${wants}${choices} What should it be?`;
  },

  whichMove(ticket: TicketShape, to: string, names: readonly string[]): string {
    return `There are several ways to take ${sayTitle(ticket.title)} to ${sayStatus(to)}: ${sayChoices(names.map(sayStatus))}. Which one?`;
  },

  nothingPending(ticket?: TicketShape): string {
    return ticket === undefined
      ? "Nothing is under way. Tell me which ticket you mean."
      : `Nothing is under way for ${sayTitle(ticket.title)}. It is in ${sayStatus(ticket.status.name)}.`;
  },

  nothingToUndo(ticket?: TicketShape): string {
    return ticket === undefined
      ? "There is no move of yours to undo. Tell me where a ticket should go instead."
      : `${sayTitle(ticket.title)} has no move of yours to undo. Tell me where it should go instead.`;
  },

  undoTooLate(ticket: TicketShape): string {
    return `${sayTitle(ticket.title)} has changed since your move and is in ${sayStatus(ticket.status.name)} now, so I left it there. Tell me where it should go.`;
  },

  notUndone(): string {
    return "Its pull request stays open.";
  },

  board(name: string, columns: readonly { name: string; tickets: number }[]): string {
    const shown = columns.filter((column) => column.tickets > 0).slice(0, 5);
    const counts = shown.map((column) => `${column.tickets} in ${sayStatus(column.name)}`);
    return counts.length === 0
      ? `${sayStatus(name)} has no tickets.`
      : `${sayStatus(name)} has ${listWords(counts)}.`;
  },

  boards(names: readonly string[]): string {
    if (names.length === 0) return "No board is connected yet. Connect one first.";
    return `The connected boards are ${listWords(names.map(sayStatus).slice(0, 5))}. Which one do you want to hear about?`;
  },
};

function sayHook(hook: HookShape): string {
  if (hook.hook === "draft-pull-request") return sayPullRequest(hook);
  const name = sayStatus(hook.hook.replaceAll("-", " "));
  if (hook.state === "done") return `The step called ${name} is done.`;
  return hook.state === "owed"
    ? `The step called ${name} is still under way.`
    : withNextStep(hook.reason ?? `The step called ${name} did not succeed.`);
}

function sayPullRequest(hook: HookShape): string {
  if (hook.state === "owed") return "The draft pull request is being opened.";
  if (hook.state !== "done") return hook.reason ?? "The draft pull request could not be opened.";
  const kind = hook.result?.draft === false ? "Pull request" : "Draft pull request";
  const number = typeof hook.result?.number === "number" ? ` number ${hook.result.number}` : "";
  return hook.result?.existing === true ? `${kind}${number} was open already.` : `${kind}${number} is open.`;
}

/** A refusal that does not say what to do gets the one thing that always helps. */
function withNextStep(message: string): string {
  return /\b(please|try|ask|connect|wait|which|reconnect|first)\b|\?$/i.test(message)
    ? message
    : `${message} Please look at it on the board.`;
}

function joinSentences(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== "").join(" ");
}
