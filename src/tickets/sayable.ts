/** Text of boards and people, made fit to be spoken. */

/** Where words are not parted by spaces, this many letters count as one. */
const LETTERS_OF_A_WORD = 3;
/** Elsewhere what is longer than this is no word. */
const MOST_LETTERS = 30;

/** Other people's text as it can be said: without markup, addresses, emoji and signs that have no name. */
export function sayable(text: string, signs: Readonly<Record<string, string>>): string {
  return text
    .normalize("NFC")
    .replace(/\b(?:https?:\/\/|www\.)[^\s)\]]+/gi, " ")
    .replace(/<\/?[a-z][^<>]*>/gi, " ")
    .replace(/[&+%@]/g, (sign) => ` ${signs[sign] ?? ""} `)
    .replace(/_/g, " ")
    .replace(/!/g, ".")
    .replace(/[^\p{L}\p{N}\p{M}'’,.:?、。？ー・ -]+/gu, " ")
    .replace(/(?<=^|\s)[-.,:?]+(?=\s|$)/g, " ")
    .replace(/\s+([.,?:])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/** At most so many words; text without spaces, and what is too long for a word, by its letters. */
export function shorten(text: string, most: number): string {
  const words: string[] = [];
  let room = most;
  for (const word of text.split(" ")) {
    const unparted = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word);
    const letters = unparted ? LETTERS_OF_A_WORD : MOST_LETTERS;
    const weight = Math.ceil(word.length / letters);
    if (weight > room && words.length > 0) break;
    words.push(
      weight > room ? [...word.slice(0, 2 * room * letters)].slice(0, room * letters).join("") : word,
    );
    room -= weight;
    if (room <= 0) break;
  }
  return words.join(" ");
}
