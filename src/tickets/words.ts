/** Words as people say them, made comparable. Only for matching: what is written to a board is always an id. */

/** Accents of Latin letters; the marks of kana and of Indic scripts make other letters and stay. */
const ACCENTS = /[\u0300-\u036f]+/g;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** The dictionary parts 四十二 into four and twelve. */
const KANJI_NUMBER = /([〇一二三四五六七八九十百]{2,})/;
const japanese = new Intl.Segmenter("ja", { granularity: "word" });

/** Nobody says more, and of titles (Trello's have up to 16,384) so much tells them apart: beyond it would only be work. */
const MOST_CHARACTERS = 2_000;

/** Lower case, no accents, no punctuation or emoji, one width, single spaces. May be empty. */
export function plainWords(text: string): string {
  return text
    .slice(0, MOST_CHARACTERS)
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();
}

/** The words of a text; Japanese is parted where its dictionary says. */
export function tokensOf(text: string): string[] {
  const plain = plainWords(text);
  if (plain === "") return [];
  const parts = plain.split(" ");
  return CJK.test(plain) ? parts.flatMap((part) => (CJK.test(part) ? japaneseWords(part) : [part])) : parts;
}

function japaneseWords(text: string): string[] {
  return text
    .split(KANJI_NUMBER)
    .flatMap((part) => (KANJI_NUMBER.test(part) ? [part] : dictionaryWords(part)));
}

function dictionaryWords(text: string): string[] {
  const words: string[] = [];
  // A long vowel at the end is written or not as people please: サーバー and サーバ are one word.
  for (const { segment, isWordLike } of japanese.segment(text))
    if (isWordLike) words.push(segment.length > 1 ? segment.replace(/ー+$/, "") : segment);
  return words;
}

export function isCjk(token: string): boolean {
  return CJK.test(token);
}

/** Hiragana said for what is written in katakana. */
export function inKatakana(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\u3041-\u3096]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60));
}

/** Words that never tell one ticket from another. */
const FILLERS = new Set(
  (
    "a an the that this these those one ones thing things my our your please of for about called named uh um uhm er hm " +
    "you know can could would will i we want need me move moved is what " +
    "mover mova move mostre qual o os as um uma uns umas meu minha nosso nossa por favor esse essa aquele aquela de da do das dos e chamado chamada " +
    "の を が は に へ で と も や ね よ な やつ もの こと です ます ください お 願い お願い し します お願いし"
  ).split(" "),
);

/** Small words that people leave out and put in: dropped only when no title has them. */
const LINKS = new Set(
  (
    "with in on at by to from and or when over after before into no na nos nas em com para ao pelo pela ou sobre que " +
    "から まで より て た する した"
  ).split(" "),
);

/** What kind of thing a ticket is: dropped only when no title has the word. */
const KINDS = new Set(
  (
    "ticket tickets card cards issue issues item bug task story feature epic request " +
    "tarefa tarefas cartao cartoes bilhete chamado item historia チケット カード タスク 課題"
  ).split(" "),
);
/** Kinds that tell one ticket from another as well. */
const TELLING = new Set("bug story feature epic request historia".split(" "));

export function withoutFillers(tokens: readonly string[]): string[] {
  return tokens.filter((token) => !FILLERS.has(token));
}

export function withoutLinks(tokens: readonly string[]): string[] {
  return tokens.filter((token) => !LINKS.has(token));
}

export function withoutKinds(tokens: readonly string[]): string[] {
  return tokens.filter((token) => !KINDS.has(token));
}

const ALL = new Set(
  "all every each everything both todo todos toda todas tudo cada 全部 全て すべて 全".split(" "),
);

/** `all tickets`: many were named, and none of them. */
export function namesAll(tokens: readonly string[]): boolean {
  const said = withoutKinds(withoutLinks(withoutFillers(tokens)));
  return said.length > 0 && said.every((token) => ALL.has(token));
}

/** Does it hold a word that may tell tickets apart, such as "bug"? */
export function isTelling(tokens: readonly string[]): boolean {
  return tokens.some((token) => TELLING.has(token));
}

/** `webhooks` and `webhook`, `notificacoes` and `notificacao`, `cupons` and `cupom` are one word. */
export function stemsOf(token: string): readonly string[] {
  if (token.length < 4 || !/^[a-z]+s$/.test(token)) return [token];
  if (/(?:ss|us|is)$/.test(token)) return [token];
  if (token.endsWith("ies")) return [`${token.slice(0, -3)}y`];
  if (token.endsWith("oes")) return [`${token.slice(0, -3)}ao`];
  if (token.endsWith("ns")) return [token.slice(0, -1), `${token.slice(0, -2)}m`];
  if (/(?:s|x|z|ch|sh)es$/.test(token)) return [token.slice(0, -2)];
  return [token.slice(0, -1)];
}

/** `a p i` and `api`: letters said one by one, joined. */
export function joinLetters(tokens: readonly string[]): string[] {
  const joined: string[] = [];
  let run = "";
  for (const token of [...tokens, ""]) {
    if (/^[a-z]$/.test(token)) {
      run += token;
      continue;
    }
    if (run !== "") joined.push(run);
    run = "";
    if (token !== "") joined.push(token);
  }
  return joined;
}

/** `e mail` and `email`: a letter that belongs to the word after it. */
export function attachLetters(tokens: readonly string[]): string[] {
  return tokens.flatMap((token, i) => {
    const before = tokens[i - 1] ?? "";
    if (/^[a-z]$/.test(token) && (tokens[i + 1]?.length ?? 0) > 1) return [];
    return /^[a-z]$/.test(before) && token.length > 1 ? [before + token] : [token];
  });
}

/** `a`, `a and b`, `a, b and c`. */
export function listWords(words: readonly string[], joiner = "and"): string {
  if (words.length <= 1) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} ${joiner} ${words.at(-1) ?? ""}`;
}
