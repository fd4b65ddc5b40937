/** Numbers said as words, in English, Portuguese and Japanese. */

const WORDS = {
  units:
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
  unidades:
    "zero um dois tres quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove",
  tens: "twenty thirty forty fifty sixty seventy eighty ninety",
  dezenas: "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
  centenas: "cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos",
};

function table(
  entries: readonly (readonly [words: string, first: number, step: number])[],
): Map<string, number> {
  return new Map(
    entries.flatMap(([words, first, step]) =>
      words.split(" ").map((word, i) => [word, first + i * step] as const),
    ),
  );
}

const UNITS = table([
  [WORDS.units, 0, 1],
  [WORDS.unidades, 0, 1],
  ["oh uma", 0, 1],
  ["duas", 2, 1],
  ["catorze", 14, 1],
]);
const TENS = table([
  [WORDS.tens, 20, 10],
  [WORDS.dezenas, 20, 10],
]);
const HUNDREDS = table([
  [WORDS.centenas, 100, 100],
  ["cem", 100, 100],
]);
/** They are other words too, so alone they are no number. */
const NOT_ALONE = new Set(["oh", "um", "uma", "one"]);

interface Read {
  readonly value: number | string;
  readonly end: number;
}

/** The number that begins at `start`, as digits: `one twenty three` is 123, as keys are said. */
export function readNumber(
  tokens: readonly string[],
  start: number,
): { readonly digits: string; readonly end: number } | undefined {
  let digits = "";
  let end = start;
  for (let next = readPart(tokens, end); next !== undefined; next = readPart(tokens, end)) {
    digits += String(next.value);
    end = next.end;
  }
  return end === start ? undefined : { digits, end };
}

/** The same words with numbers as digits, so that `two factor` and `2 factor` are one. */
export function withDigits(tokens: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i] ?? "";
    const part = NOT_ALONE.has(token) ? undefined : readPart(tokens, i);
    out.push(part === undefined ? token : String(part.value));
    i = part?.end ?? i + 1;
  }
  return out;
}

function readPart(tokens: readonly string[], start: number): Read | undefined {
  const token = tokens[start];
  if (token === undefined) return undefined;
  if (/^\d+$/.test(token)) return { value: token, end: start + 1 };
  const kanji = kanjiNumber(token);
  if (kanji !== undefined) return { value: kanji, end: start + 1 };
  const hundreds = readHundreds(tokens, start);
  if (hundreds === undefined) return readSmall(tokens, start);
  const joined = ["and", "e"].includes(tokens[hundreds.end] ?? "");
  const rest = readSmall(tokens, hundreds.end + (joined ? 1 : 0));
  return rest === undefined ? hundreds : { value: hundreds.value + rest.value, end: rest.end };
}

interface SmallRead extends Read {
  readonly value: number;
}

function readHundreds(tokens: readonly string[], start: number): SmallRead | undefined {
  const token = tokens[start] ?? "";
  const own = HUNDREDS.get(token);
  if (own !== undefined) return { value: own, end: start + 1 };
  if (token === "hundred") return { value: 100, end: start + 1 };
  const unit = UNITS.get(token);
  if (unit === undefined || unit < 1 || unit > 9 || tokens[start + 1] !== "hundred") return undefined;
  return { value: unit * 100, end: start + 2 };
}

/** Up to ninety-nine. */
function readSmall(tokens: readonly string[], start: number): SmallRead | undefined {
  const token = tokens[start] ?? "";
  const tens = TENS.get(token);
  if (tens === undefined) {
    const unit = UNITS.get(token);
    return unit === undefined ? undefined : { value: unit, end: start + 1 };
  }
  const at = tokens[start + 1] === "e" ? start + 2 : start + 1;
  const said = tokens[at] ?? "";
  const unit = /^[1-9]$/.test(said) ? Number(said) : UNITS.get(said);
  return unit !== undefined && unit >= 1 && unit <= 9
    ? { value: tens + unit, end: at + 1 }
    : { value: tens, end: start + 1 };
}

const KANJI = "〇一二三四五六七八九";

/** 四十二, 百五, 一二三. */
function kanjiNumber(token: string): string | undefined {
  if (!/^[〇一二三四五六七八九十百]+$/.test(token)) return undefined;
  if (!/[十百]/.test(token)) return [...token].map((digit) => KANJI.indexOf(digit)).join("");
  let total = 0;
  let digit = 0;
  for (const char of token) {
    if (char === "百" || char === "十") {
      total += (digit || 1) * (char === "百" ? 100 : 10);
      digit = 0;
    } else digit = KANJI.indexOf(char);
  }
  return String(total + digit);
}
