import { readNumber } from "./numbers.js";
import { plainWords, tokensOf } from "./words.js";

/** References that name no ticket but point back at the talk: "it", "the second one", "the one I just moved". */

export interface Talked {
  /** The one ticket last spoken of. */
  readonly told?: string | undefined;
  /** The ticket this person last moved. */
  readonly moved?: string | undefined;
  /** The tickets last named together, in the order they were named. */
  readonly offered?: readonly string[] | undefined;
}

export type Pointer =
  | { readonly to: "told" }
  | { readonly to: "moved" }
  | { readonly to: "last" }
  /** From 1; `bare` may be a ticket's number as well. */
  | { readonly to: "nth"; readonly n: number; readonly bare: boolean };

const THING = "(?:one|ticket|card|issue|task)";
const COISA = "(?:tarefa|cartao|ticket|chamado|bilhete)";
const MONO = "(?:やつ|もの|の|方|ほう|チケット|カード|タスク)";

const MOVED = [
  new RegExp(
    `^(?:the |that )?(?:last )?${THING}? ?(?:that )?(?:i|we)(?: have|ve)? (?:just |last )?moved(?: last)?$`,
  ),
  new RegExp(`^(?:[oa] )?(?:${COISA} )?que (?:eu )?(?:acabei|acabamos) de mover$`),
  /^[oa] ultim[oa] que (?:eu )?movi$/,
  new RegExp(`^(?:さっき|今|いま|先ほど|最後に)?(?:動かした|移動した)${MONO}?$`),
];
const TOLD = [
  new RegExp(`^(?:it|that|this|(?:this|that) ${THING}|the same(?: ${THING})?(?: again)?)$`),
  new RegExp(
    `^(?:el[ea]|iss?o|isto|(?:n?ess[ea]|est[ea]|aquel[ea])(?: ai)?(?: ${COISA})?|[oa] mesm[oa](?: ${COISA})?)$`,
  ),
  new RegExp(`^(?:[そこあ]れ|[そこあ]の${MONO}|(?:さっき|同じ|先ほど)の?${MONO}?)$`),
];
const LAST = [
  new RegExp(`^(?:the )?last(?: ${THING})?$`),
  /^[oa] ultim[oa]$/,
  new RegExp(`^(?:最後|一番下)の?${MONO}?$`),
];

const ORDINALS = [
  "first second third fourth fifth",
  "primeiro segundo terceiro quarto quinto",
  "primeira segunda terceira quarta quinta",
].map((words) => words.split(" "));
const NTH = new RegExp(`^(?:the |[oa] )?(\\p{L}+)(?: (?:${THING}|${COISA}|opcao|option))?$`, "u");
const NTH_JA = new RegExp(`^([一二三四五1-5])(?:番目?|つ目|個目|枚目)の?${MONO}?$`);

/** What the reference points at; `undefined` when it names something itself. */
export function pointerIn(reference: string): Pointer | undefined {
  const plain = plainWords(reference);
  if (MOVED.some((pattern) => pattern.test(plain))) return { to: "moved" };
  if (TOLD.some((pattern) => pattern.test(plain))) return { to: "told" };
  if (LAST.some((pattern) => pattern.test(plain))) return { to: "last" };
  return nth(plain);
}

function nth(plain: string): Pointer | undefined {
  const word = NTH.exec(plain)?.[1];
  const index = Math.max(...ORDINALS.map((words) => words.indexOf(word ?? "")));
  if (index >= 0) return { to: "nth", n: index + 1, bare: false };
  const japanese = NTH_JA.exec(plain)?.[1];
  if (japanese !== undefined) return { to: "nth", n: numberOf(japanese), bare: !/目/.test(plain) };
  const [lead, ...rest] = tokensOf(plain);
  if (!["number", "option", "numero", "opcao"].includes(lead ?? "")) return undefined;
  const read = readNumber(rest, 0);
  return read === undefined || read.end < rest.length
    ? undefined
    : { to: "nth", n: Number(read.digits), bare: true };
}

function numberOf(token: string): number {
  return Number(readNumber([token], 0)?.digits ?? Number.NaN);
}

/** The tickets pointed at. `undefined`: a bare number that counts none of them, so perhaps a ticket's own. */
export function pointedAt(
  pointer: Pointer,
  { told, moved, offered = [] }: Talked,
): readonly string[] | undefined {
  const only = (id: string | undefined) => (id === undefined ? [] : [id]);
  switch (pointer.to) {
    case "moved":
      return only(moved);
    case "told":
      return told === undefined ? offered : [told];
    case "last":
      return only(offered.at(-1) ?? told);
    case "nth": {
      const counted = offered[pointer.n - 1];
      return counted === undefined && pointer.bare ? undefined : only(counted);
    }
  }
}
