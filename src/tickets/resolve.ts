import type { ActorRecord } from "../store/store.js";
import { keyParts, keysIn, type SpokenKey, spokenKey } from "./keys.js";
import { withDigits } from "./numbers.js";
import { pointedAt, pointerIn, type Talked } from "./points.js";
import { soundAlike } from "./sounds.js";
import { titleTokens } from "./title-index.js";
import { keysOf, type TenantView } from "./view.js";
import {
  attachLetters,
  inKatakana,
  isTelling,
  joinLetters,
  namesAll,
  tokensOf,
  withoutFillers,
  withoutKinds,
  withoutLinks,
} from "./words.js";

/**
 * What a reference can mean. Never a guess: several candidates are a question, none says what is near.
 * `heard`: it fits only by its sound, so its speaker should be asked before anything is done.
 */
export type Resolved<T> =
  | { readonly kind: "one"; readonly value: T; readonly heard?: true }
  | { readonly kind: "many"; readonly values: readonly T[] }
  | {
      readonly kind: "none";
      readonly near: readonly T[];
      /** Many were named at once, or what was pointed at has not been spoken of. */
      readonly because?: "all" | "nothing";
    };

const NOT_FOUND = { kind: "none", near: [] } as const;

/**
 * The ticket that `reference` names: an id, a key said any way, words of its title, or what the talk was about.
 * Exact beats loose, and loose beats what merely sounds alike.
 */
export function resolveTicket(
  view: TenantView,
  reference: string,
  talked: Talked = {},
): Resolved<ActorRecord> {
  const byId = view.actors.get(reference.trim());
  if (byId !== undefined) return { kind: "one", value: byId };
  return (
    byPointing(view, reference, talked) ??
    byKey(view, reference) ??
    byTitle(view, reference) ?? { kind: "none", near: nearest(view, reference) }
  );
}

function byPointing(view: TenantView, reference: string, talked: Talked): Resolved<ActorRecord> | undefined {
  const pointer = pointerIn(reference);
  const ids = pointer === undefined ? undefined : pointedAt(pointer, talked);
  if (ids === undefined) return undefined;
  return oneOf(ids.flatMap((id) => view.actors.get(id) ?? [])) ?? { ...NOT_FOUND, because: "nothing" };
}

function byKey(view: TenantView, reference: string): Resolved<ActorRecord> | undefined {
  const written = oneOf(view.byKey(reference));
  if (written !== undefined) return written;
  const key = spokenKey(reference);
  const spoken = key === undefined ? undefined : bySpokenKey(view, key);
  if (spoken !== undefined) return spoken;
  return oneOf([...new Set(keysIn(reference).flatMap((part) => view.byKey(part)))]);
}

function bySpokenKey(view: TenantView, key: SpokenKey): Resolved<ActorRecord> | undefined {
  const numbered = view.byNumber(key.number);
  if (key.prefixes.length === 0) {
    if (key.misheard) return undefined;
    return oneOf(numbered) ?? (key.explicit ? NOT_FOUND : undefined);
  }
  for (const prefix of key.prefixes) {
    if (!view.hasPrefix(prefix)) continue;
    const found = oneOf(numbered.filter((record) => prefixesOf(record, key.number).includes(prefix)));
    // A key that was said plainly and is nobody's is no title.
    return key.misheard ? asHeard(found) : (found ?? { kind: "none", near: numbered.slice(0, 3) });
  }
  const alike = (record: ActorRecord) =>
    prefixesOf(record, key.number).some((own) => key.prefixes.some((said) => soundAlike(own, said)));
  return asHeard(oneOf(numbered.filter(alike)));
}

function prefixesOf(record: ActorRecord, number: string): readonly string[] {
  return keysOf(record).flatMap((key) => {
    const parts = keyParts(key);
    return parts?.number === number ? parts.prefixes : [];
  });
}

function byTitle(view: TenantView, reference: string): Resolved<ActorRecord> | undefined {
  if (namesAll(titleTokens(reference))) return { ...NOT_FOUND, because: "all" };
  const readings = readingsOf(reference);
  const whole = oneOf(entirely(view, titleTokens(reference)));
  if (whole !== undefined) return whole;
  for (const { words, surely } of readings) {
    const found = inWords(view, words);
    if (found !== undefined) return surely ? found : asHeard(found);
  }
  for (const { words } of readings) {
    const found = oneOf(view.byTitle(words, "heard"));
    if (found !== undefined) return asHeard(found);
  }
  return undefined;
}

interface Reading {
  /** What a title must have. */
  readonly words: readonly string[];
  readonly surely: boolean;
}

/** The ways to take these words, the most literal first. */
function readingsOf(reference: string): readonly Reading[] {
  const tokens = titleTokens(reference);
  const spelled = joinLetters(tokensOf(reference));
  const attached = attachLetters(tokensOf(reference));
  const kana = tokensOf(inKatakana(reference));
  const readings = [tokens, spelled, attached, kana].flatMap((said) => {
    const words = withDigits(withoutFillers(said));
    const core = withoutLinks(words);
    if (core.length === 0) return [];
    const bare = withoutKinds(core);
    // "The log and bug" is no log: with a telling word left out, one word alone is too little to go by.
    const surely = bare.length > 1 || !isTelling(core);
    return [
      { words, surely: true },
      { words: core, surely: true },
      { words: bare, surely },
    ];
  });
  const seen = new Set<string>();
  return readings.filter(({ words }) => {
    const key = words.join(" ");
    return words.length > 0 && !seen.has(key) && seen.add(key);
  });
}

/** Tickets called exactly this. */
function entirely(view: TenantView, words: readonly string[]): readonly ActorRecord[] {
  const title = words.join(" ");
  // Parting titles into words is the dear part of this, so those that are much longer are left out first.
  const longest = title.length * 2 + 12;
  return view
    .byTitle(words, "exact")
    .filter((record) => record.ticket.title.length <= longest)
    .filter((record) => titleTokens(record.ticket.title).join(" ") === title);
}

function inWords(view: TenantView, words: readonly string[]): Resolved<ActorRecord> | undefined {
  const whole = entirely(view, words);
  if (whole.length > 0) return oneOf(whole);
  const same = view.byTitle(words, "same");
  if (same.length > 1) {
    const begun = same.filter((record) => beginsWith(record, words));
    return oneOf(begun.length === 1 ? begun : same);
  }
  if (same.length === 1 && view.byTitle(words, "exact").length === 1) return oneOf(same);
  // The one that fits in another form may have a twin that fits as loosely.
  return oneOf(view.byTitle(words, "near"));
}

/** Most of a title, from its beginning, is as good as the title; a word or two of it are not. */
function beginsWith(record: ActorRecord, words: readonly string[]): boolean {
  if (words.length < 3) return false;
  const title = withoutFillers(titleTokens(record.ticket.title));
  return words.length * 2 > title.length && words.every((word, i) => title[i] === word);
}

function nearest(view: TenantView, reference: string): readonly ActorRecord[] {
  const number = spokenKey(reference)?.number;
  const numbered = number === undefined ? [] : view.byNumber(number);
  if (numbered.length > 0) return numbered.slice(0, 3);
  const words = joinLetters(titleTokens(reference));
  return view.nearTitle(withoutKinds(withoutLinks(withoutFillers(words))), 3);
}

function oneOf<T>(values: readonly T[]): Resolved<T> | undefined {
  const [first, ...others] = values;
  if (first === undefined) return undefined;
  return others.length === 0 ? { kind: "one", value: first } : { kind: "many", values };
}

function asHeard<T>(found: Resolved<T> | undefined): Resolved<T> | undefined {
  return found?.kind === "one" ? { ...found, heard: true } : found;
}
