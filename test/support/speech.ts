import { ERROR_CODES } from "../../src/errors.js";
import type { Locale } from "../../src/tickets/sentences/sentences.js";

/** What every answer must be, whoever gives it: short, sayable, honest, and never without a next step. */

export interface SpokenAnswer {
  readonly spoken: string;
  readonly outcome?: string;
  readonly question?: unknown;
  readonly [fact: string]: unknown;
}

export const MOST_WORDS = 75;
export const USUAL_WORDS = 40;
/** Japanese is read at about three letters in the time of an English word. */
const LETTERS_OF_A_WORD = 3;

interface Language {
  /** Says that a ticket was moved. */
  readonly moved: RegExp;
  /** Tells one thing to do. */
  readonly nextStep: RegExp;
}

const LANGUAGES: Readonly<Record<Locale, Language>> = {
  en: {
    moved: /\b(?:moved|has (?:been )?(?:set|put|sent|transitioned)|is done now)\b/i,
    nextStep: /\b(?:please|try|ask|tell|say|connect|reconnect|wait|choose|restore|first|it can go to)\b|\?$/i,
  },
  "pt-BR": {
    moved: /\b(?:movi|movid[oa]|transferi|transferid[oa]|coloquei)\b/i,
    nextStep:
      /\b(?:tente|pergunte|diga|escolha|peça|verifique|preencha|restaure|conecte|reconecte|aguarde|pode ir para)\b|\?$/i,
  },
  "ja-JP": {
    moved: /移動しました|移しました|動かしました/,
    nextStep: /ください|に進めます|ますか|ですか|しますか|？$/,
  },
};

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\bhttps?\b|www\.|\b[a-z0-9-]+\.(?:com|net|org|io|dev|example)\b/i, "an address"],
  [/[*_#`|<>{}[\]\\/~^=$&%+@"“”]/, "a symbol"],
  [/\p{Extended_Pictographic}/u, "an emoji"],
  [/[\n\r\t]| {2}/, "a broken line"],
  [/\b(?:undefined|null|NaN|JSON|object Object|stack trace|status code|HTTP)\b/i, "a programmer's word"],
  [
    /\b(?:find_tickets|read_ticket|list_moves|move_ticket|undo_move|check_progress|describe_board)\b/i,
    "a tool",
  ],
  [/\b(?:on|at|see) (?:the|your) screen\b|\bclick\b/i, "a screen"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-|\b[0-9a-f]{16,}\b/i, "an id"],
  [new RegExp(`\\b(?:${ERROR_CODES.filter((code) => code.includes("_")).join("|")})\\b`), "a code"],
];

/**
 * Everything wrong with what is said; titles are other people's words, so they are not held to ours. Where the language
 * is not known, a move may be claimed in none of them, and the next step told in any.
 */
export function faultsOf(answer: SpokenAnswer, locale?: Locale): string[] {
  const { spoken } = answer;
  const own = withoutTitles(spoken, titlesIn(answer));
  const languages = locale === undefined ? Object.values(LANGUAGES) : [LANGUAGES[locale]];
  const faults = FORBIDDEN.filter(([pattern]) => pattern.test(own)).map(([, what]) => `holds ${what}`);
  if (spoken.trim() === "") faults.push("says nothing");
  if (!/[.?。？]$/.test(spoken)) faults.push("does not end as a sentence");
  if (wordsIn(spoken) > MOST_WORDS) faults.push(`is ${wordsIn(spoken)} words long`);
  if (answer.outcome !== "confirmed" && languages.some(({ moved }) => moved.test(own)))
    faults.push("claims a move");
  const wantsStep =
    answer.question !== undefined || ["refused", "question", "conflict"].includes(answer.outcome ?? "");
  if (wantsStep && !languages.some(({ nextStep }) => nextStep.test(lastSentences(own))))
    faults.push("leaves its hearer without a next step");
  return faults;
}

export function checkSpoken<T extends SpokenAnswer>(answer: T, locale: Locale = "en"): T {
  const faults = faultsOf(answer, locale);
  if (faults.length > 0) throw new Error(`"${answer.spoken}" ${faults.join(", and ")}.`);
  return answer;
}

export function wordsIn(spoken: string): number {
  return spoken
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) =>
      /[\u3040-\u30ff\u4e00-\u9fff]/.test(word) ? Math.ceil([...word].length / LETTERS_OF_A_WORD) : 1,
    )
    .reduce((sum, count) => sum + count, 0);
}

/** The next step stands at the end, though a detail may follow it. */
function lastSentences(spoken: string): string {
  return spoken
    .split(/(?<=[.?。？])\s*/)
    .filter((part) => part !== "")
    .slice(-2)
    .join(" ");
}

function titlesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(titlesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    (name === "title" || name === "label") && typeof inner === "string" ? [inner] : titlesIn(inner),
  );
}

function withoutTitles(spoken: string, titles: readonly string[]): string {
  return titles.reduce((said, title) => (title === "" ? said : said.replaceAll(title, "X")), spoken);
}
