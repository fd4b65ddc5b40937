import { readNumber } from "./numbers.js";
import { plainWords, tokensOf, withoutFillers, withoutKinds } from "./words.js";

/** Keys as they are said: `eng forty two`, `E N G 42`, `ticket forty-two`. */

export interface SpokenKey {
  /** What its letters may be, the likeliest first; none when only a number was said. */
  readonly prefixes: readonly string[];
  readonly number: string;
  /** A word was taken for the digit that sounds like it: `eng for`. */
  readonly misheard: boolean;
  /** Nothing but a number, said to be a ticket's. */
  readonly explicit: boolean;
}

const SEPARATORS = new Set("number numero dash hyphen minus hash no nr traco hifen ハイフン 番号".split(" "));
const AFTER = new Set("please por favor 番 号 の 目 です お願い ください".split(" "));
const ARTICLES = new Set("the my our that this".split(" "));
const HOMOPHONES: Readonly<Record<string, string>> = {
  to: "2",
  too: "2",
  for: "4",
  fore: "4",
  ate: "8",
  won: "1",
  o: "0",
};

const LETTERS = new Map(
  [
    "ay:a bee:b be:b see:c sea:c cee:c dee:d ee:e eff:f ef:f gee:g jee:g aitch:h eye:i jay:j kay:k el:l ell:l em:m en:n",
    "oh:o pee:p cue:q queue:q ar:r are:r ess:s es:s tee:t tea:t you:u vee:v ex:x why:y zee:z zed:z",
    "ce:c de:d efe:f ge:g aga:h jota:j ka:k ele:l eme:m ene:n pe:p erre:r esse:s te:t ve:v xis:x",
    "alpha:a alfa:a bravo:b charlie:c delta:d echo:e foxtrot:f golf:g hotel:h india:i juliet:j juliett:j kilo:k lima:l",
    "mike:m november:n oscar:o papa:p quebec:q romeo:r sierra:s tango:t uniform:u victor:v whiskey:w xray:x yankee:y zulu:z",
  ]
    .join(" ")
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** The key in these words, when they hold nothing else. Whether there is such a ticket, the tickets tell. */
export function spokenKey(reference: string): SpokenKey | undefined {
  const tokens = tokensOf(reference).flatMap(partDigits);
  while (tokens.length > 0 && isAfter(tokens, tokens.length - 1)) tokens.pop();
  const plain = keyOf(tokens, false);
  if (plain !== undefined) return plain;
  const digit = HOMOPHONES[tokens.at(-1) ?? ""];
  return digit === undefined ? undefined : keyOf([...tokens.slice(0, -1), digit], true);
}

function isAfter(tokens: readonly string[], at: number): boolean {
  const token = tokens[at] ?? "";
  // `四十二番のチケット`: the kind of thing may follow the number, where something else came before it.
  return AFTER.has(token) || (at > 0 && withoutKinds([token]).length === 0);
}

/** No key's number is said in more: tried from each word on, a longer one would take the square of its length. */
const MOST_WORDS_OF_A_NUMBER = 20;

function keyOf(tokens: readonly string[], misheard: boolean): SpokenKey | undefined {
  const first = Math.max(0, tokens.length - MOST_WORDS_OF_A_NUMBER);
  const at = tokens.findIndex((_, i) => i >= first && readNumber(tokens, i)?.end === tokens.length);
  const number = at < 0 ? undefined : readNumber(tokens, at)?.digits.replace(/^0+(?=\d)/, "");
  if (number === undefined || (at === 0 && /^(?:oh|uma?)$/.test(tokens[0] ?? ""))) return undefined;
  const before = tokens.slice(0, at);
  const named = before.filter((token) => !SEPARATORS.has(token) && !ARTICLES.has(token));
  const letters = withoutKinds(named);
  const prefixes = prefixesIn(letters);
  return { prefixes, number, misheard, explicit: prefixes.length === 0 && before.length > 0 };
}

function prefixesIn(letters: readonly string[]): string[] {
  const spelled = letters.map((token) => (token.length === 1 ? token : (LETTERS.get(token) ?? "?"))).join("");
  const rest = withoutFillers(letters);
  const said = [spelled.length > 1 && !spelled.includes("?") ? spelled : "", rest.join("")];
  return [...new Set(said)].filter((prefix) => prefix !== "");
}

/** `eng42` and `42番`. */
function partDigits(token: string): string[] {
  return token.match(/\d+|\D+/g) ?? [];
}

/** `ticket ENG 42, the slow one`: whatever looks like a written key. Looked for once a word: from each letter on would take the square of its length. */
export function keysIn(reference: string): string[] {
  return [...plainWords(reference).matchAll(/(?<![\p{L}\p{N}])\p{N}*(\p{L}[\p{L}\p{N}]*) (\d+)/gu)].map(
    (match) => `${match[1]}${match[2]}`,
  );
}

/** `ENG-42`, `eng 42` and `Eng42` are one key. */
export function plainKey(key: string): string {
  return plainWords(key).replaceAll(" ", "");
}

/** The letters and the number of a key; a repository's `acme/web#42` is called `web` as well. */
export function keyParts(
  key: string,
): { readonly prefixes: readonly string[]; readonly number: string } | undefined {
  const match = /^(.*?)(\d+)$/.exec(plainKey(key));
  if (match === null) return undefined;
  const [, letters = "", number = ""] = match;
  const last = plainWords(key).split(" ").at(-2) ?? "";
  return { prefixes: [...new Set([letters, last])].filter((prefix) => prefix !== ""), number };
}
