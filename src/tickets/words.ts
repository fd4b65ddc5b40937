/** Words as people say them, made comparable. Only for matching: what is written to a board is always an id. */

/** Lower case, no accents, no punctuation or emoji, single spaces. May be empty. */
export function plainWords(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

export function tokensOf(text: string): string[] {
  const plain = plainWords(text);
  return plain === "" ? [] : plain.split(" ");
}

/** Words that point at a ticket without saying which. */
const FILLERS = new Set(
  "a an the that this one thing my our please of for with about called named".split(" "),
);

/** What kind of thing a ticket is: dropped only when no title has the word. */
const KINDS = new Set("ticket card issue item bug task story feature epic request".split(" "));

export function withoutFillers(tokens: readonly string[]): string[] {
  return tokens.filter((token) => !FILLERS.has(token));
}

export function withoutKinds(tokens: readonly string[]): string[] {
  return tokens.filter((token) => !KINDS.has(token));
}

/** `a`, `a and b`, `a, b and c`. */
export function listWords(words: readonly string[], joiner = "and"): string {
  if (words.length <= 1) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} ${joiner} ${words.at(-1) ?? ""}`;
}
