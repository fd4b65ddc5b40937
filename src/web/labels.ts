/** Names that have to fit into a box, broken between words. Pure. */

const WIDE = /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\uffee]|\p{Extended_Pictographic}/u;
const BROAD = /[A-ZMWmw@%&—]/;
const NARROW = /[ilj.,:;'’|!()[\] ]/;

/** About how many letters wide it is. */
export function widthOf(text: string): number {
  return [...text].reduce((sum, letter) => sum + letterWidth(letter), 0);
}

function letterWidth(letter: string): number {
  if (WIDE.test(letter)) return 1.9;
  if (BROAD.test(letter)) return 1.25;
  return NARROW.test(letter) ? 0.6 : 1;
}

/** In at most so many lines; what does not fit is cut, and is said in full elsewhere. */
export function wrapped(text: string, most: number, lines = 2): readonly string[] {
  const done: string[] = [];
  let line = "";
  const words = text.split(/\s+/);
  for (const [at, word] of words.entries()) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || widthOf(longer) <= most) line = longer;
    else if (done.length === lines - 1) return [...done, cut(words.slice(at).reduce(join, line), most)];
    else {
      done.push(cut(line, most));
      line = word;
    }
  }
  return [...done, cut(line, most)];
}

function join(line: string, word: string): string {
  return `${line} ${word}`;
}

export function cut(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  let kept = "";
  for (const letter of text) {
    if (widthOf(kept + letter) > most - 1) break;
    kept += letter;
  }
  return `${kept.trimEnd()}…`;
}
