import { ERROR_CODES, type ErrorCode } from "../errors.js";
import { TEAM_RULE } from "./decide.js";
import { sayable, shorten } from "./sayable.js";
import { faultSaid } from "./sentences/arguments.js";
import { en } from "./sentences/en.js";
import { jaJP } from "./sentences/ja-jp.js";
import { ptBR } from "./sentences/pt-br.js";
import type { ArgumentFault, Locale, Sentences } from "./sentences/sentences.js";
import type { FieldShape, HookShape, OpenMoveShape, TicketShape } from "./shapes.js";

/**
 * The one place that makes what is said. Title first, key only to tell twins apart; no symbols, addresses or codes;
 * every refusal ends with one thing to do; "moved" only for what the board has confirmed. The words of each language
 * are in `sentences/`.
 */

/** How a status is called that the imported workflow does not have. */
export const UNKNOWN_STATUS = "a status we do not know yet";

const MOST_WORDS_OF_A_TITLE = 14;
const MOST_WORDS_OF_A_CHOICE = 8;
const MOST_WORDS_OF_A_NAME = 6;
const MOST_WORDS_OF_A_MESSAGE = 32;
const MOST_HOOKS = 2;
const MOST_STEPS = 3;
const MOST_WORDS_OF_A_PATH = 6;

const sentences: Readonly<Record<Locale, Sentences>> = { en, "pt-BR": ptBR, "ja-JP": jaJP };
const speeches = new Map<Locale, Speech>();

/** What can be said in one language. */
export function speechIn(locale: Locale): Speech {
  const speech = speeches.get(locale) ?? new Speech(locale, sentences[locale]);
  speeches.set(locale, speech);
  return speech;
}

interface Move {
  readonly ticket: TicketShape;
  readonly to: string;
}

export class Speech {
  readonly locale: Locale;
  readonly #s: Sentences;

  constructor(locale: Locale, words: Sentences) {
    this.locale = locale;
    this.#s = words;
  }

  /** A title as it can be said: other people's words, so markup, addresses and symbols are left out. */
  title(title: string, mostWords = MOST_WORDS_OF_A_TITLE): string {
    return (
      shorten(this.#sayable(title).replaceAll(":", ","), mostWords).replace(/[.,?-]+$/, "") ||
      this.#s.untitled
    );
  }

  /** A status, a board or a field's name as it can be said. */
  name(name: string): string {
    if (name === UNKNOWN_STATUS) return this.#s.unknownStatus;
    return shorten(this.#sayable(name).replace(/[.,?:]+/g, ""), MOST_WORDS_OF_A_NAME) || this.#s.unnamed;
  }

  /** Tells twins apart: the key is said only when titles alone would not. */
  labels(tickets: readonly TicketShape[]): string[] {
    const titles = tickets.map((ticket) => this.title(ticket.title, MOST_WORDS_OF_A_CHOICE));
    return tickets.map((ticket, i) => {
      const title = titles[i] ?? "";
      const twins = tickets.filter((_, j) => titles[j] === title);
      const differ = (fact: (twin: TicketShape) => string) => new Set(twins.map(fact)).size === twins.length;
      if (twins.length === 1) return title;
      if (differ((twin) => twin.status.id)) return this.#s.titleIn(title, this.name(ticket.status.name));
      if (ticket.key !== undefined) return this.#s.titleAndKey(title, this.#sayable(ticket.key));
      // Cards without keys: the board is all that is left to tell them apart.
      if (differ((twin) => twin.connection))
        return this.#s.titleAndKey(title, this.#sayable(ticket.connection));
      return this.#s.titleIn(title, this.name(ticket.status.name));
    });
  }

  found(tickets: readonly TicketShape[], total: number): string {
    const items = tickets
      .slice(0, 3)
      .map(({ title, status }) =>
        this.#s.titleIn(this.title(title, MOST_WORDS_OF_A_CHOICE), this.name(status.name)),
      );
    const [only] = items;
    if (only === undefined) return this.#s.foundNone();
    return total === 1 ? this.#s.foundOne(only) : this.#s.foundMany(total, items, total - items.length);
  }

  /** What is in the one status that was asked for, so that it is named once. */
  foundIn(status: string, tickets: readonly TicketShape[], total: number): string {
    const name = this.name(status);
    if (tickets.length === 0) return this.#s.noneIn(name);
    const items = tickets.slice(0, 3).map(({ title }) => this.title(title, MOST_WORDS_OF_A_CHOICE));
    return this.#s.foundIn(name, total, items, total - items.length);
  }

  unknownStatusAsked(heard: string): string {
    return this.#s.unknownStatusAsked(this.name(heard));
  }

  ticket(ticket: TicketShape, open: readonly OpenMoveShape[]): string {
    const where = this.#s.isIn(this.title(ticket.title), this.name(ticket.status.name));
    if (ticket.archived) return this.join(where, this.#s.archived());
    if (ticket.detached) return this.join(where, this.#s.detached());
    return open.length === 0 ? where : this.join(where, this.open(open));
  }

  open(open: readonly OpenMoveShape[]): string {
    if (open.length === 0) return this.#s.cannotGo();
    return this.#s.canGoTo(this.#names(open.map((move) => move.status.name)));
  }

  noWay(from: string, to: string): string {
    return this.#s.noWay(this.name(from), this.name(to));
  }

  notFound(near: readonly TicketShape[]): string {
    return near.length === 0 ? this.#s.foundNone() : this.#s.nearest(this.#choices(this.labels(near)));
  }

  which(tickets: readonly TicketShape[]): string {
    return this.#s.which(this.#choices(this.labels(tickets.slice(0, 3)), tickets.length));
  }

  nothingMeant(): string {
    return this.#s.nothingMeant();
  }

  oneAtATime(): string {
    return this.#s.oneAtATime();
  }

  whichStatus(names: readonly string[]): string {
    return this.#s.whichStatus(this.#names(names));
  }

  noStatus(ticket: TicketShape, words: string, open: readonly OpenMoveShape[]): string {
    return this.join(this.#s.noStatus(this.title(ticket.title), this.name(words)), this.open(open));
  }

  moved({ ticket, to }: Move, hooks: readonly HookShape[]): string {
    return this.join(this.#s.moved(this.title(ticket.title), this.name(to)), this.#hooks(hooks));
  }

  /** `message`, in English: what the board did not do beside the move. */
  beside(message: string): string {
    return this.locale === "en" ? this.#reason(message) : this.#s.beside();
  }

  movedOn({ ticket, to }: Move, wanted: string, hooks: readonly HookShape[]): string {
    const moved = this.#s.movedOn(this.title(ticket.title), this.name(wanted), this.name(to));
    return this.join(moved, this.#hooks(hooks));
  }

  already({ ticket, to }: Move, hooks: readonly HookShape[]): string {
    return this.join(this.#s.already(this.title(ticket.title), this.name(to)), this.#hooks(hooks));
  }

  accepted({ ticket, to }: Move): string {
    return this.#s.accepted(this.title(ticket.title), this.name(to));
  }

  /** `why`: the rule behind it, in English. `path`: the steps that lead there all the same, its end included. */
  closed(
    { ticket, to }: Move,
    open: readonly OpenMoveShape[],
    { why, path }: { readonly why?: string | undefined; readonly path?: readonly string[] | undefined } = {},
  ): string {
    const closed = this.#s.closed(this.title(ticket.title), this.name(ticket.status.name), this.name(to));
    const rule = why === undefined ? "" : this.#rule(why);
    return this.join(closed, rule, this.open(open), path === undefined ? "" : this.#path(path));
  }

  /** Left out where it would be too long to be followed. */
  #path(path: readonly string[]): string {
    const steps = path.slice(0, -1).map((name) => this.name(name));
    const short = steps.length <= MOST_STEPS && steps.join(" ").split(" ").length <= MOST_WORDS_OF_A_PATH;
    return short ? this.#s.by(this.#s.and(steps)) : "";
  }

  #rule(why: string): string {
    if (why === TEAM_RULE) return this.#s.teamRule();
    return this.locale === "en" ? this.#reason(why) : "";
  }

  /** `message` is English: in other languages the code says as much as can be said. */
  refused(ticket: TicketShape, message: string | undefined, code: string | undefined): string {
    return this.join(this.#stays(ticket), this.because(message, code));
  }

  otherBoard(ticket: TicketShape, open: readonly OpenMoveShape[]): string {
    return this.join(this.#stays(ticket), this.#s.otherBoard(), open.length === 0 ? "" : this.open(open));
  }

  /** Why something could not be done, and one thing to do about it. */
  because(message: string | undefined, code: string | undefined): string {
    if (message === TEAM_RULE) return this.join(this.#s.teamRule(), this.#s.lookAtBoard());
    const known = this.#s.errors[errorCode(code) ?? "needs_fields"];
    return this.locale === "en" && message !== undefined ? this.#message(message) : known;
  }

  conflict(ticket: TicketShape, wanted: string): string {
    return this.#s.conflict(this.title(ticket.title), this.name(ticket.status.name), this.name(wanted));
  }

  busy({ ticket, to }: Move): string {
    return this.#s.busy(this.title(ticket.title), this.name(to));
  }

  unknown({ ticket, to }: Move): string {
    return this.#s.unknown(this.title(ticket.title), this.name(to));
  }

  needsField({ ticket, to }: Move, field: Pick<FieldShape, "name" | "type" | "allowed">): string {
    const name = this.locale === "ja-JP" ? this.name(field.name) : this.name(field.name).toLowerCase();
    const wants = this.#s.needsField(this.title(ticket.title), this.name(to), name);
    if (field.type === "unsupported") return this.join(wants, this.#s.fieldOnBoard());
    const labels = (field.allowed ?? []).map((option) => option.label);
    const choices = labels.length === 0 ? "" : this.#s.fieldChoices(this.#names(labels));
    return this.join(wants, choices, this.#s.whatField());
  }

  whichMove({ ticket, to }: Move, names: readonly string[]): string {
    return this.#s.whichMove(this.title(ticket.title), this.name(to), this.#names(names));
  }

  /**
   * Reads a move back before it is made. `heard`: its ticket or its status was known only by the sound. `offBoard`: no
   * column shows where it would go.
   */
  confirm({ ticket, to }: Move, heard: boolean, offBoard: boolean): string {
    const words = [this.title(ticket.title), this.name(ticket.status.name), this.name(to)] as const;
    const question = heard ? this.#s.confirmHeard(...words) : this.#s.confirm(...words);
    return this.join(offBoard ? this.offBoard(to) : "", question);
  }

  /** A warning: who moves a ticket there will look for it on the board in vain. */
  offBoard(status: string): string {
    return this.#s.offBoard(this.name(status));
  }

  /** The answers to `confirm`. */
  yesAndNo(): { readonly id: string; readonly label: string }[] {
    return [
      { id: "yes", label: this.#s.yes },
      { id: "no", label: this.#s.no },
    ];
  }

  notConfirmed(): string {
    return this.#s.notConfirmed();
  }

  nothingPending(ticket?: TicketShape): string {
    if (ticket === undefined) return this.#s.nothingPending();
    return this.#s.nothingPendingFor(this.title(ticket.title), this.name(ticket.status.name));
  }

  nothingToUndo(ticket?: TicketShape): string {
    return ticket === undefined
      ? this.#s.nothingToUndo()
      : this.#s.nothingToUndoFor(this.title(ticket.title));
  }

  undoTooLate(ticket: TicketShape): string {
    return this.#s.undoTooLate(this.title(ticket.title), this.name(ticket.status.name));
  }

  /** What taking a move back leaves as it is. */
  notUndone(hooks: readonly HookShape[]): string {
    return this.join(
      ...hooks
        .slice(0, MOST_HOOKS)
        .map(({ hook }) => (isPull(hook) ? this.#s.pullStays() : this.#s.stepStays(this.#step(hook)))),
    );
  }

  board(name: string, columns: readonly { name: string; tickets: number }[]): string {
    const shown = columns.filter((column) => column.tickets > 0).slice(0, 5);
    if (shown.length === 0) return this.#s.emptyBoard(this.name(name));
    const counts = shown.map((column) => this.#s.count(column.tickets, this.name(column.name)));
    return this.#s.board(this.name(name), this.#s.and(counts));
  }

  boards(names: readonly string[]): string {
    if (names.length === 0) return this.#s.noBoards();
    return this.#s.boards(this.#s.and(names.slice(0, 5).map((name) => this.name(name))));
  }

  /** What is wrong with what a tool was given. */
  wrongArguments(fault: ArgumentFault): string {
    return faultSaid(this.#s, fault);
  }

  #sayable(text: string): string {
    return sayable(text, this.#s.signs);
  }

  #stays(ticket: TicketShape): string {
    return this.#s.stays(this.title(ticket.title), this.name(ticket.status.name));
  }

  #names(names: readonly string[]): string {
    return this.#choices(
      names.slice(0, 3).map((name) => this.name(name)),
      names.length,
    );
  }

  #choices(said: readonly string[], total = said.length): string {
    return this.#s.or(said, total - said.length);
  }

  #hooks(hooks: readonly HookShape[]): string {
    return this.join(
      ...hooks.slice(0, MOST_HOOKS).map((hook) => (isPull(hook.hook) ? this.#pull(hook) : this.#other(hook))),
    );
  }

  #other(hook: HookShape): string {
    const step = this.#step(hook.hook);
    if (hook.state === "done") return this.#s.stepDone(step);
    if (hook.state === "owed") return this.#s.stepOwed(step);
    if (hook.reason !== undefined && this.locale === "en") return this.#message(hook.reason);
    return hook.state === "waiting"
      ? this.#s.stepWaiting(step)
      : this.join(this.#s.stepFailed(step), this.#s.lookAtBoard());
  }

  #pull(hook: HookShape): string {
    if (hook.state === "owed") return this.#s.pullOwed();
    if (hook.state === "done") {
      const { draft, number, existing } = hook.result ?? {};
      return this.#s.pullOpen(
        draft !== false,
        typeof number === "number" ? number : undefined,
        existing === true,
      );
    }
    if (hook.reason !== undefined && this.locale === "en") return this.#reason(hook.reason);
    return hook.state === "waiting" ? this.#s.pullWaiting() : this.#s.pullFailed();
  }

  #step(hook: string): string {
    return this.name(hook.replaceAll("-", " "));
  }

  /** A message made elsewhere, with one thing to do at its end. */
  #message(message: string): string {
    const said = this.#reason(message);
    return NEXT_STEP.test(said) ? said : this.join(said, this.#s.lookAtBoard());
  }

  #reason(message: string): string {
    const plain = shorten(this.#sayable(message), MOST_WORDS_OF_A_MESSAGE);
    return /[.?]$/.test(plain) || plain === "" ? plain : `${plain.replace(/[,:-]+$/, "")}.`;
  }

  /** Sentences one after another. */
  join(...parts: readonly string[]): string {
    return parts.filter((part) => part !== "").join(this.#s.space);
  }
}

/** English messages that tell what to do already. */
const NEXT_STEP = /\b(please|try|ask|connect|wait|which|reconnect|first)\b|\?$/i;

function isPull(hook: string): boolean {
  return hook === "draft-pull-request";
}

function errorCode(code: string | undefined): ErrorCode | undefined {
  return ERROR_CODES.find((known) => known === code);
}
