import { listWords } from "../words.js";
import type { Sentences } from "./sentences.js";

export const en: Sentences = {
  space: " ",
  untitled: "the untitled ticket",
  unnamed: "the unnamed status",
  unknownStatus: "a status we do not know yet",
  signs: { "&": "and", "+": "plus", "%": "percent", "@": "at" },

  and: (items) => listWords(items, "and"),
  or(items, more) {
    if (more <= 0) return listWords(items, "or");
    return more === 1 ? `${items.join(", ")}, or one more` : `${items.join(", ")}, or one of ${more} more`;
  },
  titleIn: (title, status) => `${title}, in ${status}`,
  titleAndKey: (title, key) => `${title}, ${key}`,

  foundNone: () => "I found no ticket like that. Try other words of its title.",
  foundOne: (item) => `One ticket: ${item}.`,
  foundMany: (total, items, more) =>
    `${total} tickets: ${items.join(". ")}.${more > 0 ? ` And ${more} more. Ask for the next ones to hear them.` : ""}`,
  foundIn: (status, total, items, more) =>
    `${total === 1 ? "One ticket is" : `${total} tickets are`} in ${status}: ${items.join(". ")}.${more > 0 ? ` And ${more} more. Ask for the next ones to hear them.` : ""}`,
  noneIn: (status) => `No ticket is in ${status}.`,
  unknownStatusAsked: (heard) =>
    `I know no status called ${heard}. Ask me to describe the board to hear what there is.`,
  nearest: (choices) => `I found no ticket like that. The nearest is ${choices}. Which one do you mean?`,
  which: (choices) => `Which one do you mean: ${choices}?`,
  whichStatus: (choices) => `Which status do you mean: ${choices}?`,
  oneAtATime: () => "I take one ticket at a time. Which one should be first?",
  nothingMeant: () => "I do not know which ticket you mean. Please say its key or a few words of its title.",

  isIn: (title, status) => `${title} is in ${status}.`,
  archived: () => "It is archived. Restore it on the board first.",
  detached: () => "It has left the boards that are connected. Connect its new board first.",
  canGoTo: (choices) => `It can go to ${choices}.`,
  cannotGo: () => "No move is open to it now. Please look at it on the board.",
  noWay: (from, to) => `The workflow has no way from ${from} to ${to}.`,
  noStatus: (title, heard) => `The board of ${title} has no status called ${heard}.`,

  moved: (title, to) => `Moved ${title} to ${to}.`,
  movedOn: (title, wanted, to) =>
    `Moved ${title} to ${wanted}, and the board's own rule took it on to ${to}.`,
  beside: () => "Something beside the move did not work. Please look at it on the board.",
  already: (title, status) => `${title} is in ${status} already, so nothing was changed.`,
  accepted: (title, to) =>
    `${title} is on its way to ${to}, but the board has not confirmed it yet. Ask me in a moment how it went.`,
  closed: (title, from, to) => `${title} is in ${from} and cannot go to ${to} from there.`,
  by: (steps) => `The way there is by ${steps}.`,
  offBoard: (status) => `No column of the board shows ${status}.`,
  teamRule: () => "That is your team's own rule, not the board's.",
  otherBoard: () => "It belongs to another board. Please choose one of its own moves.",
  stays: (title, status) => `${title} stays in ${status}.`,
  lookAtBoard: () => "Please look at it on the board.",
  conflict: (title, status, wanted) =>
    `${title} is in ${status} now, because someone or something changed it. Do you still want it in ${wanted}?`,
  busy: (title, to) => `${title} is already on its way to ${to}. Ask again once it is there.`,
  unknown: (title, to) =>
    `The board did not answer, so I cannot tell yet whether ${title} reached ${to}. I will find out. Ask me again in a minute.`,
  whichMove: (title, to, choices) =>
    `There are several ways to take ${title} to ${to}: ${choices}. Which one?`,

  needsField: (title, to, field) => `Moving ${title} to ${to} needs ${field}.`,
  fieldOnBoard: () => "Please fill it in on the board, then ask again.",
  fieldChoices: (choices) => `It can be ${choices}.`,
  whatField: () => "What should it be?",

  yes: "Yes",
  no: "No",
  confirm: (title, from, to) => `${title} would go from ${from} to ${to}. Shall I do that?`,
  confirmHeard: (title, from, to) => `I heard ${title}. It would go from ${from} to ${to}. Is that right?`,
  notConfirmed: () =>
    "That question is no longer open, so nothing was changed. Please ask for the move again.",

  nothingPending: () => "Nothing is under way. Tell me which ticket you mean.",
  nothingPendingFor: (title, status) =>
    `Nothing is under way for ${title}. It is in ${status}. Tell me where it should go.`,
  nothingToUndo: () => "There is no move of yours to undo. Tell me where a ticket should go instead.",
  nothingToUndoFor: (title) => `${title} has no move of yours to undo. Tell me where it should go instead.`,
  undoTooLate: (title, status) =>
    `${title} has changed since your move and is in ${status} now, so I left it there. Tell me where it should go.`,
  pullStays: () => "Its pull request stays open.",
  stepStays: (step) => `The step called ${step} is not taken back.`,

  board: (name, counts) => `${name} has ${counts}.`,
  count: (tickets, status) => `${tickets} in ${status}`,
  emptyBoard: (name) => `${name} has no tickets.`,
  boards: (names) => `The connected boards are ${names}. Which one do you want to hear about?`,
  noBoards: () => "No board is connected yet. Connect one first.",

  stepDone: (step) => `The step called ${step} is done.`,
  stepOwed: (step) => `The step called ${step} is still under way.`,
  stepWaiting: (step) => `The step called ${step} is waiting.`,
  stepFailed: (step) => `The step called ${step} did not succeed.`,
  pullOpen(draft, number, existing) {
    const name = `${draft ? "Draft pull request" : "Pull request"}${number === undefined ? "" : ` number ${number}`}`;
    return existing ? `${name} was open already.` : `${name} is open.`;
  },
  pullOwed: () => "The draft pull request is being opened.",
  pullWaiting: () => "The draft pull request is waiting for its branch.",
  pullFailed: () => "The draft pull request could not be opened.",

  arguments: {
    ticket: { label: "which ticket you mean", expects: "its key or a few words from its title" },
    to: { label: "which status it should move to", expects: "the name of a status" },
    from: { label: "which status you believe it is in", expects: "the name of a status" },
    fields: { label: "the values for its fields", expects: "each field's name together with its value" },
    comment: { label: "the comment", expects: "a sentence or two" },
    token: {
      label: "the token of the question you are answering",
      expects: "it exactly as the question gave it",
    },
    query: { label: "what to look for", expects: "a few words" },
    status: { label: "which status to look in", expects: "the name of a status" },
    board: { label: "which board you mean", expects: "the name of a board" },
    cursor: { label: "where to go on", expects: "the cursor exactly as the last answer gave it" },
    moveId: { label: "which move you mean", expects: "the move's id exactly as an answer gave it" },
  },
  missingArgument: (label, expects) => `I still need to know ${label}. Please give ${expects}.`,
  wrongArgument: (label, expects) =>
    `What you gave for ${label} is not something I can use. Please give ${expects}.`,
  longArgument: (label, expects) => `What you gave for ${label} is too long. Please give ${expects}.`,
  unknownArguments: (names) => `I do not know what to do with ${names}. Please leave it out and ask again.`,
  unnamedArguments: () => "I could not make sense of that. Please ask again with named values.",
  placeGone: () => "That page is no longer there. Please search again from the start.",

  errors: {
    invalid: "I could not make sense of that. Please say it in other words.",
    unauthorized: "Please link your account first.",
    forbidden: "The board does not allow that to this account. Please ask an administrator for access.",
    not_found_or_hidden:
      "The board does not have it, or hides it from this account. Please look at it on the board.",
    conflict: "Someone changed it meanwhile. Please ask where it is now.",
    no_such_move: "The board has no such move from there. Please ask where it can go.",
    needs_fields: "The board wants more than we know. Please look at it on the board.",
    stale_workflow: "The board's workflow has changed. Please try again in a moment.",
    archived: "It is archived. Restore it on the board first.",
    rate_limited: "The board asked us to wait. Please try again in a minute.",
    auth_expired: "The board no longer accepts our login. Please reconnect it.",
    busy: "Too much is going on with it at once. Please try again.",
    hook_failed: "A step after the move did not succeed. Please look at it on the board.",
    unavailable: "The board is having trouble. Please try again in a minute.",
    timeout: "The board took too long to answer. Please try again in a minute.",
    internal: "Something went wrong on our side. Please try again.",
  },
};
