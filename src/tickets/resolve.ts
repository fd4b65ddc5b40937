import { NO_STATUS, type Status } from "../machine/index.js";
import type { ActorRecord } from "../store/store.js";
import type { TenantView } from "./view.js";
import { plainWords, tokensOf, withoutFillers, withoutKinds } from "./words.js";
import type { Workflow } from "./workflow.js";

/** What a reference can mean. Never a guess: several candidates are a question, none says what is near. */
export type Resolved<T> =
  | { readonly kind: "one"; readonly value: T }
  | { readonly kind: "many"; readonly values: readonly T[] }
  | { readonly kind: "none"; readonly near: readonly T[] };

/** The ticket that `reference` names: an id, a key said any way, or words of its title. Exact beats loose. */
export function resolveTicket(view: TenantView, reference: string): Resolved<ActorRecord> {
  const byId = view.actors.get(reference.trim());
  if (byId !== undefined) return { kind: "one", value: byId };
  for (const candidates of ladder(view, reference)) {
    const [first, ...others] = candidates;
    if (first === undefined) continue;
    return others.length === 0 ? { kind: "one", value: first } : { kind: "many", values: candidates };
  }
  return { kind: "none", near: view.nearTitle(withoutKinds(withoutFillers(tokensOf(reference))), 3) };
}

/** Readings of a ticket reference, the surest first. */
function* ladder(view: TenantView, reference: string): Generator<readonly ActorRecord[]> {
  yield view.byKey(reference);
  for (const key of keysIn(reference)) yield view.byKey(key);
  const all = tokensOf(reference);
  const words = withoutFillers(all);
  yield exactTitle(view, all, plainWords(reference));
  yield exactTitle(view, words, words.join(" "));
  yield view.byTitle(words, true);
  const core = withoutKinds(words);
  if (core.length < words.length) yield view.byTitle(core, true);
  yield view.byTitle(words, false);
  if (core.length < words.length) yield view.byTitle(core, false);
}

function exactTitle(view: TenantView, words: readonly string[], title: string): readonly ActorRecord[] {
  return view.byTitle(words, true).filter((record) => plainWords(record.ticket.title) === title);
}

/** `ticket ENG 42`, `eng-42 please`: whatever looks like a key; whether it is one, the tickets tell. */
function keysIn(reference: string): string[] {
  return [...plainWords(reference).matchAll(/([\p{L}][\p{L}\p{N}]*) (\d+)/gu)].map(
    (match) => `${match[1]}${match[2]}`,
  );
}

/** The status of this workflow that `words` name. Retired ones are never meant; "no status" only by its own name. */
export function resolveStatus(workflow: Workflow, words: string): Resolved<Status> {
  const statuses = workflow.graph.statuses.filter((status) => !status.retired);
  const byId = statuses.find((status) => status.id === words.trim());
  if (byId !== undefined) return { kind: "one", value: byId };
  const wanted = plainWords(words);
  const tokens = withoutFillers(tokensOf(words)).filter((token) => token !== "status" && token !== "column");
  const named = statuses.filter((status) => status.id !== NO_STATUS);
  const rungs: (() => readonly Status[])[] = [
    () => statuses.filter((status) => status.name.trim() === words.trim()),
    () => statuses.filter((status) => wanted !== "" && plainWords(status.name) === wanted),
    () =>
      statuses.filter(
        (status) => wanted !== "" && status.aliases.some((alias) => plainWords(alias) === wanted),
      ),
    () => named.filter((status) => hasTokens(status.name, tokens, (a, b) => a === b)),
    () =>
      named.filter((status) =>
        hasTokens(status.name, tokens, (name, said) => said.length > 2 && name.startsWith(said)),
      ),
    () => named.filter((status) => joined(status.name) === joined(words) && joined(words) !== ""),
    () => byCategory(named, tokens),
  ];
  for (const rung of rungs) {
    const found = rung();
    const [first, ...others] = found;
    if (first === undefined) continue;
    return others.length === 0 ? { kind: "one", value: first } : { kind: "many", values: found };
  }
  return { kind: "none", near: [] };
}

function hasTokens(
  name: string,
  tokens: readonly string[],
  same: (name: string, said: string) => boolean,
): boolean {
  const own = tokensOf(name);
  return tokens.length > 0 && tokens.every((said) => own.some((token) => same(token, said)));
}

/** `to do` and `todo`, `inprogress` and `In Progress`. */
function joined(text: string): string {
  return plainWords(text).replaceAll(" ", "");
}

const CATEGORY_WORDS: Readonly<Record<string, Status["category"]>> = {
  done: "done",
  finished: "done",
  complete: "done",
  completed: "done",
  closed: "done",
  started: "doing",
  doing: "doing",
  todo: "todo",
  cancelled: "canceled",
  canceled: "canceled",
};

/** "Done" means the board's one status of that category, when no status is called so. */
function byCategory(statuses: readonly Status[], tokens: readonly string[]): readonly Status[] {
  const category = tokens.length === 1 ? CATEGORY_WORDS[tokens[0] ?? ""] : undefined;
  return category === undefined
    ? []
    : statuses.filter((status) => status.category === category && !status.offBoard);
}
