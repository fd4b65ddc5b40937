import type { FsmConfig } from "../machine/index.js";
import { titleOf, transitionsOf } from "./flat.js";

export type UtteranceLocale = "en" | "pt" | "ja";

export interface UtteranceOptions {
  /** @default "en" */
  readonly locale?: UtteranceLocale;
  /** What to call an event in this language, where its own name is not how people would say it. */
  readonly words?: Readonly<Record<string, string>>;
}

export interface EventUtterances {
  readonly event: string;
  /** Things to say for it, the plainest first. No two events share one. */
  readonly utterances: readonly string[];
}

/** Ways to ask for a move to a status, and for anything else. */
const PHRASES: Readonly<Record<UtteranceLocale, { move: readonly string[]; other: readonly string[] }>> = {
  en: {
    move: ["move it to {}", "set it to {}", "mark it as {}", "it is {} now"],
    other: ["{}", "please {}", "I want to {}"],
  },
  pt: {
    move: ["mova para {}", "passe para {}", "marque como {}", "coloque em {}"],
    other: ["{}", "por favor, {}", "quero {}"],
  },
  ja: {
    move: ["{}に移動して", "{}にして", "{}に変更して", "{}へ動かして"],
    other: ["{}", "{}をお願い", "{}してください"],
  },
};

/**
 * Sample utterances for every event, for voice design and tests. Each resolves back to its event with
 * {@link resolveUtterance}: a phrase that two events would share is given to the first and numbered for the others.
 */
export function toUtterances<C extends object>(
  machine: FsmConfig<C>,
  { locale = "en", words = {} }: UtteranceOptions = {},
): readonly EventUtterances[] {
  const taken = new Set<string>();
  return [...targetsByEvent(machine)].map(([event, targets]) => {
    const { phrases, said } = wordsFor(machine, event, targets, locale, words);
    const utterances = phrases.map((phrase) =>
      free(
        phrase.replace("{}", () => said),
        event,
        taken,
      ),
    );
    return { event, utterances };
  });
}

/** The event for which this was said, whatever its case and punctuation; undefined when it is none of these. */
export function resolveUtterance(utterances: readonly EventUtterances[], said: string): string | undefined {
  const heard = normal(said);
  return utterances.find(({ utterances: known }) => known.some((one) => normal(one) === heard))?.event;
}

function targetsByEvent<C extends object>(machine: FsmConfig<C>): Map<string, Set<string>> {
  const targets = new Map<string, Set<string>>();
  for (const { event, config } of transitionsOf(machine)) {
    const known = targets.get(event) ?? new Set();
    if (config.target !== undefined) known.add(config.target);
    targets.set(event, known);
  }
  return targets;
}

function wordsFor<C extends object>(
  machine: FsmConfig<C>,
  event: string,
  targets: ReadonlySet<string>,
  locale: UtteranceLocale,
  words: Readonly<Record<string, string>>,
): { readonly phrases: readonly string[]; readonly said: string } {
  const { move, other } = PHRASES[locale];
  const given = Object.hasOwn(words, event) ? words[event] : undefined;
  const [target] = targets;
  // Events made from a board's graph lead to one status, and people say the status.
  if (target !== undefined && targets.size === 1 && event.startsWith("MOVE_TO_")) {
    return { phrases: move, said: spoken(given ?? titleOf(machine, target)) };
  }
  return { phrases: other, said: spoken(given ?? event) };
}

/** `IN_REVIEW` and `inReview` as people would say them; a name in another script as it is. */
function spoken(name: string): string {
  const words = name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/[_\s]+/g, " ")
    .trim();
  return words === words.toUpperCase() || words !== name ? words.toLowerCase() : words;
}

/** The phrase, numbered if somebody else has it already; an event's own code when there is nothing in it to hear. */
function free(phrase: string, event: string, taken: Set<string>): string {
  const start = normal(phrase) === "" ? codes(event) : phrase;
  let said = start;
  for (let n = 2; taken.has(normal(said)); n++) said = `${start} ${n}`;
  taken.add(normal(said));
  return said;
}

function codes(event: string): string {
  return `event ${[...event].map((char) => char.codePointAt(0)).join(" ")}`.trim();
}

function normal(said: string): string {
  return said
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();
}
