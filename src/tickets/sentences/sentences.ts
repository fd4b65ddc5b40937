import type { ErrorCode } from "../../errors.js";

export const LOCALES = ["en", "pt-BR", "ja-JP"] as const;
export type Locale = (typeof LOCALES)[number];

/** What tools take. */
export const ARGUMENT_NAMES = [
  ...(["ticket", "to", "from", "fields", "comment", "token"] as const),
  ...(["query", "status", "board", "cursor", "moveId"] as const),
] as const;
export type ArgumentName = (typeof ARGUMENT_NAMES)[number];

/**
 * What is wrong with what a tool was given. `unnamed`: it was not given by names at all. `gone`: the place in a list to
 * go on from is no more.
 */
export type ArgumentFault =
  | { readonly kind: "missing" | "wrong" | "long"; readonly name: ArgumentName }
  | { readonly kind: "unknown"; readonly names: readonly string[] }
  | { readonly kind: "unnamed" | "gone" };

/** How people call what a tool takes: never by its identifier. */
export interface ArgumentWords {
  /** What it is, as in `missingArgument`. */
  readonly label: string;
  /** What to give, as in "Please give ...". */
  readonly expects: string;
}

/**
 * Every sentence of one language. Titles, statuses and names come in as they can be said; every refusal and question
 * ends with one thing to do. Words for "moved" stand only in `moved` and `movedOn`.
 */
export interface Sentences {
  /** What stands between two sentences. */
  readonly space: string;
  readonly untitled: string;
  readonly unnamed: string;
  readonly unknownStatus: string;
  /** Signs that are words when said. */
  readonly signs: Readonly<Record<string, string>>;

  and(items: readonly string[]): string;
  /** Choices, and how many more there are beside them. */
  or(items: readonly string[], more: number): string;
  titleIn(title: string, status: string): string;
  titleAndKey(title: string, key: string): string;

  foundNone(): string;
  foundOne(item: string): string;
  foundMany(total: number, items: readonly string[], more: number): string;
  /** All of these tickets are in the one status that was asked for. */
  foundIn(status: string, total: number, items: readonly string[], more: number): string;
  noneIn(status: string): string;
  unknownStatusAsked(heard: string): string;
  nearest(choices: string): string;
  which(choices: string): string;
  whichStatus(choices: string): string;
  oneAtATime(): string;
  nothingMeant(): string;

  isIn(title: string, status: string): string;
  archived(): string;
  detached(): string;
  canGoTo(choices: string): string;
  cannotGo(): string;
  noWay(from: string, to: string): string;
  noStatus(title: string, heard: string): string;

  moved(title: string, to: string): string;
  movedOn(title: string, wanted: string, to: string): string;
  /** Something beside a move that was made, such as its comment, was not. */
  beside(): string;
  already(title: string, status: string): string;
  accepted(title: string, to: string): string;
  closed(title: string, from: string, to: string): string;
  /** The way to a status that no single step leads to. */
  by(steps: string): string;
  offBoard(status: string): string;
  teamRule(): string;
  otherBoard(): string;
  stays(title: string, status: string): string;
  lookAtBoard(): string;
  conflict(title: string, status: string, wanted: string): string;
  busy(title: string, to: string): string;
  unknown(title: string, to: string): string;
  whichMove(title: string, to: string, choices: string): string;

  needsField(title: string, to: string, field: string): string;
  fieldOnBoard(): string;
  fieldChoices(choices: string): string;
  whatField(): string;

  readonly yes: string;
  readonly no: string;
  confirm(title: string, from: string, to: string): string;
  confirmHeard(title: string, from: string, to: string): string;
  notConfirmed(): string;

  nothingPending(): string;
  nothingPendingFor(title: string, status: string): string;
  nothingToUndo(): string;
  nothingToUndoFor(title: string): string;
  undoTooLate(title: string, status: string): string;
  pullStays(): string;
  stepStays(step: string): string;

  board(name: string, counts: string): string;
  count(tickets: number, status: string): string;
  emptyBoard(name: string): string;
  boards(names: string): string;
  noBoards(): string;

  stepDone(step: string): string;
  stepOwed(step: string): string;
  stepWaiting(step: string): string;
  stepFailed(step: string): string;
  pullOpen(draft: boolean, number: number | undefined, existing: boolean): string;
  pullOwed(): string;
  pullWaiting(): string;
  pullFailed(): string;

  readonly arguments: Readonly<Record<ArgumentName, ArgumentWords>>;
  missingArgument(label: string, expects: string): string;
  wrongArgument(label: string, expects: string): string;
  longArgument(label: string, expects: string): string;
  unknownArguments(names: string): string;
  unnamedArguments(): string;
  placeGone(): string;

  /** Why something could not be done, by code: said where the message itself is in another language. */
  readonly errors: Readonly<Record<ErrorCode, string>>;
}

/** The locale that a tag such as `pt-PT` or `ja` asks for. */
export function localeFor(tag: string): Locale | undefined {
  const language = tag.trim().toLowerCase().split(/[-_]/)[0];
  return LOCALES.find((locale) => locale.toLowerCase().split("-")[0] === language);
}

/** The first locale of an Accept-Language header that we speak. */
export function localeAccepted(header: string): Locale | undefined {
  const wanted = header.split(",").map((part) => {
    const [tag = "", ...options] = part.split(";");
    const weight = options.map((option) => /^\s*q=([\d.]+)/.exec(option)?.[1]).find((q) => q !== undefined);
    return { locale: localeFor(tag), weight: Number(weight ?? 1) };
  });
  return wanted
    .sort((a, b) => b.weight - a.weight)
    .find(({ locale, weight }) => locale !== undefined && weight > 0)?.locale;
}
