import type { Category, Change, Status, Way, Workflow } from "./shapes.js";

/** What has become of a workflow since a point in time, as marks on the drawing of what it is now. Pure. */

export type StatusMark =
  | { readonly kind: "added" | "removed" | "restored" | "reissued" }
  | { readonly kind: "changed"; readonly was?: string; readonly wasCategory?: Category };

export interface Marks {
  readonly statuses: ReadonlyMap<string, StatusMark>;
  /** Ways that are there now and were not. */
  readonly added: ReadonlySet<string>;
  /** Ways that were there and are not now. */
  readonly removed: readonly Way[];
}

export const NO_MARKS: Marks = { statuses: new Map(), added: new Set(), removed: [] };

/** Changes that were seen together, newest first. */
export interface Batch {
  readonly at: string;
  readonly changes: readonly Change[];
}

/** All but the first import, which is no change. */
export function batchesOf(changes: readonly Change[]): readonly Batch[] {
  const batches = new Map<string, Change[]>();
  for (const change of changes) {
    if (change.kind === "created") continue;
    batches.set(change.at, [...(batches.get(change.at) ?? []), change]);
  }
  return [...batches].map(([at, own]) => ({ at, changes: own }));
}

export function wayKey({ from, to }: Pick<Way, "from" | "to">): string {
  return JSON.stringify([from, to]);
}

/** What came of all changes from `since` on: what went to and fro has not changed. */
export function marksOf(
  { statuses }: Pick<Workflow, "statuses">,
  changes: readonly Change[],
  since: string | undefined,
): Marks {
  if (since === undefined) return NO_MARKS;
  const told = changes.filter(({ at, kind }) => at >= since && kind !== "created").toReversed();
  const marks = new Map<string, StatusMark>();
  for (const status of statuses) {
    const mark = markOf(
      status,
      told.filter((change) => change.status === status.id),
    );
    if (mark !== undefined) marks.set(status.id, mark);
  }
  return { statuses: marks, ...waysOf(told) };
}

/** From the changes of one status, oldest first. */
function markOf(status: Status, changes: readonly Change[]): StatusMark | undefined {
  const first = (...kinds: string[]) => changes.find(({ kind }) => kinds.includes(kind));
  const presence = changes.filter(({ kind }) => ["added", "removed", "restored"].includes(kind));
  const [began, ended] = [presence[0]?.kind, presence.at(-1)?.kind];
  if (ended === "removed") return began === "added" ? undefined : { kind: "removed" };
  if (began === "added") return { kind: "added" };
  if (began === "restored") return { kind: "restored" };
  if (first("reissued") !== undefined) return { kind: "reissued" };
  const was = first("renamed")?.before;
  const wasCategory = first("recategorised")?.before as Category | undefined;
  const renamed = was !== undefined && was !== status.name;
  const recategorised = wasCategory !== undefined && wasCategory !== status.category;
  if (!renamed && !recategorised) return undefined;
  return { kind: "changed", ...(renamed ? { was } : {}), ...(recategorised ? { wasCategory } : {}) };
}

function waysOf(changes: readonly Change[]): Pick<Marks, "added" | "removed"> {
  const balance = new Map<string, { readonly way: Way; sum: number }>();
  const count = (way: Way, by: number) => {
    const known = balance.get(wayKey(way)) ?? { way, sum: 0 };
    known.sum += by;
    balance.set(wayKey(way), known);
  };
  for (const { moves } of changes) {
    for (const way of moves?.added ?? []) count(way, 1);
    for (const way of moves?.removed ?? []) count(way, -1);
  }
  const all = [...balance];
  return {
    added: new Set(all.filter(([, { sum }]) => sum > 0).map(([key]) => key)),
    removed: all.filter(([, { sum }]) => sum < 0).map(([, { way }]) => way),
  };
}

/** What a mark is called, beside its sign: colour alone says nothing. */
export function wordsOfMark(mark: StatusMark): { readonly sign: string; readonly words: string } {
  switch (mark.kind) {
    case "added":
      return { sign: "+", words: "new" };
    case "removed":
      return { sign: "−", words: "gone from the board" };
    case "restored":
      return { sign: "+", words: "back again" };
    case "reissued":
      return { sign: "~", words: "new id" };
    case "changed": {
      const was = [mark.was, mark.wasCategory].filter((word) => word !== undefined);
      return { sign: "~", words: `was ${was.join(", ")}` };
    }
  }
}

const KINDS: Readonly<Record<string, string>> = {
  created: "Imported",
  added: "New status",
  renamed: "Renamed",
  recategorised: "Of another kind",
  reordered: "At another place",
  removed: "Status gone",
  restored: "Status back",
  reissued: "Given a new id",
  edges: "Moves",
  vanished: "Workflow gone",
};

/** What a kind of change is called. */
export function changeWords(kind: string): string {
  return KINDS[kind] ?? kind;
}
