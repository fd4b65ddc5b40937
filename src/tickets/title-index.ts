import MiniSearch, { type Query } from "minisearch";
import { withDigits } from "./numbers.js";
import { soundsOf } from "./sounds.js";
import { isCjk, stemsOf, tokensOf } from "./words.js";

/** How closely a title must fit the words: whole words, the same words in another form, or words that sound like them. */
export type Closeness = "exact" | "same" | "near" | "heard";

interface Entry {
  readonly id: string;
  readonly title: string;
}

/** Marks terms that are no words, so that no word can be taken for one. */
const STEM = "=";
const SOUND = "~";
/** More words than this are a story, not a reference; their pairs are not tried. */
const MOST_PAIRED = 10;
/** Each may name thousands of titles. */
const MOST_KNOWN = 100;
/** Letters that may be wrong in one word. */
const MOST_SLIPS = 3;
/** Longer words are no two words run together. */
const LONGEST_PARTED = 24;
const ASKED_AS_IS = { tokenize: (term: string) => [term], processTerm: (term: string) => term };

/** The titles of one tenant's tickets, findable by words, by their stems and by their sound. */
export class TitleIndex {
  readonly #index = new MiniSearch<Entry>({
    fields: ["title", "loose"],
    extractField: (entry, field) => (field === "id" ? entry.id : entry.title),
    tokenize: (text, field) => (field === "loose" ? looseTerms(titleTokens(text)) : titleTokens(text)),
    processTerm: (term) => term,
  });

  /** Which titles have a word, for the words last asked for: one reference asks for the same few again and again. */
  readonly #known = new Map<string, ReadonlySet<string>>();

  put(id: string, title: string): void {
    this.#known.clear();
    this.#index.add({ id, title });
  }

  drop(id: string): void {
    this.#known.clear();
    this.#index.discard(id);
  }

  /** Ids of the titles that have all of these words. */
  withAll(words: readonly string[], closeness: Closeness): readonly string[] {
    if (words.length === 0) return [];
    if (closeness === "exact" || closeness === "same") return this.#all(words, closeness);
    const found = new Set(this.#all(words, closeness));
    for (const variant of this.#regrouped(words))
      for (const id of this.#all(variant, closeness)) found.add(id);
    return [...found];
  }

  /** The titles that have the most of these words, the nearest first. */
  nearest(words: readonly string[], limit: number): readonly string[] {
    if (words.length === 0) return [];
    const found = this.#index
      .search({ combineWith: "OR", queries: words.map((word) => termQuery(word, "heard")) }, ASKED_AS_IS)
      .slice(0, 50)
      .map((hit) => ({ id: String(hit.id), words: new Set(hit.queryTerms.map(plainTerm)).size }));
    const most = Math.max(0, ...found.map((hit) => hit.words));
    return found
      .filter((hit) => hit.words === most)
      .slice(0, limit)
      .map((hit) => hit.id);
  }

  #all(words: readonly string[], closeness: Closeness): string[] {
    const sets: ReadonlySet<string>[] = [];
    for (const word of words) {
      const having = this.#having(word, closeness);
      if (having.size === 0) return [];
      sets.push(having);
    }
    const [fewest, ...others] = sets.sort((a, b) => a.size - b.size);
    return [...(fewest ?? [])].filter((id) => others.every((set) => set.has(id)));
  }

  #having(word: string, closeness: Closeness): ReadonlySet<string> {
    const key = `${closeness} ${word}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const hits = this.#index.search(termQuery(word, closeness), ASKED_AS_IS);
    const having = new Set(hits.map((hit) => String(hit.id)));
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(key, having);
    return having;
  }

  #has(term: string): boolean {
    return this.#index.search(term, { ...ASKED_AS_IS, fields: ["title"], prefix: false }).length > 0;
  }

  /** `log in` for `login`, `timezone` for `time zone`: one pair of words joined, or one word parted. */
  *#regrouped(words: readonly string[]): Generator<string[]> {
    if (words.length > MOST_PAIRED) return;
    for (let i = 0; i < words.length; i++) {
      const [word = "", next] = [words[i], words[i + 1]];
      if (next !== undefined) yield [...words.slice(0, i), word + next, ...words.slice(i + 2)];
      for (const [head, tail] of this.#parted(word))
        yield [...words.slice(0, i), head, tail, ...words.slice(i + 1)];
    }
  }

  *#parted(word: string): Generator<readonly [string, string]> {
    if (word.length < 5 || word.length > LONGEST_PARTED || isCjk(word)) return;
    for (let at = 1; at < word.length - 1; at++) {
      const [head, tail] = [word.slice(0, at), word.slice(at)];
      if (this.#has(tail) && this.#has(head)) yield [head, tail];
    }
  }
}

/** A title's words as they are indexed. */
export function titleTokens(text: string): string[] {
  return withDigits(tokensOf(text));
}

function looseTerms(tokens: readonly string[]): string[] {
  return tokens.flatMap((token) => [
    ...stemsOf(token).map((stem) => STEM + stem),
    ...soundsOf(token).map((sound) => SOUND + sound),
  ]);
}

/** What was asked for, of the several terms that stand for one word. */
function plainTerm(term: string): string {
  return term.startsWith(STEM) || term.startsWith(SOUND) ? "" : term;
}

function termQuery(word: string, closeness: Closeness): Query {
  const exact: Query = { queries: [word], fields: ["title"], prefix: false, fuzzy: false };
  if (closeness === "exact") return exact;
  const stems = stemsOf(word).map((stem) => STEM + stem);
  const queries: Query[] = [exact, { queries: stems, combineWith: "OR", fields: ["loose"] }];
  const beginning = word.length >= (isCjk(word) ? 2 : 4);
  if (closeness !== "same" && beginning) queries.push({ queries: [word], fields: ["title"], prefix: true });
  if (closeness === "heard") {
    for (const sound of soundsOf(word)) queries.push({ queries: [SOUND + sound], fields: ["loose"] });
    if (/^[^\d]{5,}$/.test(word) && !isCjk(word))
      queries.push({ queries: [word], fields: ["title"], fuzzy: 0.2, maxFuzzy: MOST_SLIPS });
  }
  return { combineWith: "OR", queries };
}
