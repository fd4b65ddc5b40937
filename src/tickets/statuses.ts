import { NO_STATUS, type Status } from "../machine/index.js";
import { withDigits } from "./numbers.js";
import type { Resolved } from "./resolve.js";
import { soundAlike } from "./sounds.js";
import { joinLetters, plainWords, tokensOf, withoutFillers, withoutLinks } from "./words.js";
import type { Workflow } from "./workflow.js";

/** Statuses as they are said: by name, by column, by the common words for them in three languages. */

/** Words for one stage of work. A board's own name for it may be any of them; so may what is said. */
const STAGES: readonly (readonly string[])[] = [
  "in progress, progress, doing, work in progress, wip, started, start, working, em andamento, andamento, fazendo, em progresso, iniciado, iniciar, começar, 進行中, 作業中, 対応中, 着手, 開始",
  "in review, review, code review, peer review, reviewing, em revisão, revisão, revisar, レビュー中, レビュー, 確認中",
  "qa, qa uat, uat, testing, test, in testing, in qa, quality assurance, em teste, testes, testando, テスト, テスト中",
  "blocked, on hold, hold, stuck, bloqueado, bloqueada, em espera, parado, 保留, 保留中, ブロック中",
  "to do, todo, to do list, not started, a fazer, por fazer, 未着手, やること, 未対応",
  "backlog, back log, バックログ, pendências",
].map((words) => words.split(", ").map(joined));

/** Words for how work ends or stands, used where no status is called so. */
const ENDINGS = new Map<string, Status["category"]>(
  (
    [
      [
        "done",
        "done finish finished complete completed close closed resolve resolved deliver delivered concluir concluido concluida feito feita pronto pronta finalizar finalizado finalizada terminar terminado fechar fechado 完了 完成 終了 終わり 終わった 済み",
      ],
      [
        "canceled",
        "cancel canceled cancelled abandon abandoned drop dropped discard wontdo wontfix cancelar cancelado cancelada descartar 中止 キャンセル 取り消し 取消",
      ],
      ["doing", "start started begin begun doing iniciar iniciado comecar fazendo 開始 着手"],
      ["todo", "todo"],
    ] as const
  ).flatMap(([category, words]) => words.split(" ").map((word) => [word, category] as const)),
);

/** Words that only say that a status is meant. */
const STATUS_WORDS = new Set(
  "it now again status column state list lane stage coluna estado lista etapa 列 ステータス 状態".split(" "),
);

/** How a status was found: several found by a column or a common word may be told apart by which of them is open. */
export type StatusFound = Resolved<Status> & { readonly by?: "name" | "column" | "word" };

/** The status of this workflow that `words` name. Retired ones are never meant; "no status" only by its own name. */
export function resolveStatus(workflow: Workflow, words: string): StatusFound {
  const statuses = workflow.graph.statuses.filter((status) => !status.retired);
  const byId = statuses.find((status) => status.id === words.trim());
  if (byId !== undefined) return { kind: "one", value: byId };
  const named = statuses.filter((status) => status.id !== NO_STATUS);
  for (const { by, find } of rungs(statuses, named, words)) {
    const found = find();
    const [first, ...others] = found;
    if (first === undefined) continue;
    if (others.length > 0) return { kind: "many", values: found, by: by === "sound" ? "name" : by };
    return by === "sound" ? { kind: "one", value: first, heard: true } : { kind: "one", value: first, by };
  }
  return { kind: "none", near: [] };
}

interface Rung {
  readonly by: "name" | "column" | "word" | "sound";
  find(): readonly Status[];
}

/** Readings of the words, the surest first. */
function rungs(statuses: readonly Status[], named: readonly Status[], words: string): readonly Rung[] {
  const wanted = plainWords(words);
  const tokens = withDigits(joinLetters(tokensOf(words))).filter((token) => !STATUS_WORDS.has(token));
  const core = withoutLinks(withoutFillers(tokens));
  const bare = tokens.join(" ");
  const isCalled = (name: string) => bare !== "" && [wanted, bare].includes(plainWords(name));
  const byName = (find: Rung["find"]): Rung => ({ by: "name", find });
  return [
    byName(() => statuses.filter((status) => status.name.trim() === words.trim())),
    byName(() => statuses.filter((status) => isCalled(status.name))),
    { by: "column", find: () => statuses.filter((status) => status.aliases.some(isCalled)) },
    byName(() => named.filter((status) => hasTokens(status.name, core, (own, said) => own === said))),
    byName(() => named.filter((status) => hasTokens(status.name, core, begins))),
    byName(() => named.filter((status) => joined(status.name) === joined(bare) && bare !== "")),
    { by: "word", find: () => inStage(named, bare, core) },
    { by: "word", find: () => inCategory(named, [joined(bare), core.join("")]) },
    { by: "sound", find: () => named.filter((status) => hasTokens(status.name, core, soundAlike)) },
  ];
}

function begins(own: string, said: string): boolean {
  return said.length > 2 && own.startsWith(said);
}

function hasTokens(
  name: string,
  tokens: readonly string[],
  same: (own: string, said: string) => boolean,
): boolean {
  const own = tokensOf(name);
  return tokens.length > 0 && tokens.every((said) => own.some((token) => same(token, said)));
}

/** `to do` and `todo`, `inprogress` and `In Progress`. */
function joined(text: string): string {
  return plainWords(text).replaceAll(" ", "");
}

function inStage(statuses: readonly Status[], said: string, core: readonly string[]): readonly Status[] {
  const spoken = [joined(said), core.join("")];
  const stages = STAGES.filter((words) => words.some((word) => spoken.includes(word)));
  const isIn = (name: string) => stages.some((words) => words.includes(joined(name)));
  // A status that no column shows is meant by its own name only: a card guessed into it would vanish from the board.
  return statuses.filter((status) => !status.offBoard && (isIn(status.name) || status.aliases.some(isIn)));
}

/** "Done" means the board's one status of that category, when no status is called so. */
function inCategory(statuses: readonly Status[], said: readonly string[]): readonly Status[] {
  const category = said.map((word) => ENDINGS.get(word)).find((known) => known !== undefined);
  return category === undefined
    ? []
    : statuses.filter((status) => status.category === category && !status.offBoard);
}
