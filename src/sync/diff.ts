import type { Status, StatusGraph } from "../machine/index.js";
import type { Change } from "./records.js";

/** How a freshly pulled workflow differs from the one we keep, by id: names are only labels. */

export interface Merged {
  /** The pulled graph, with vanished statuses kept as retired and former names as aliases. */
  readonly graph: StatusGraph;
  readonly changes: readonly Change[];
}

/** Pure. No changes: `graph` equals `kept`. */
export function mergeGraph(kept: StatusGraph | undefined, pulled: StatusGraph, at: Date): Merged {
  const stamp = { workflow: pulled.id, at: at.toISOString() };
  if (kept === undefined)
    return { graph: pulled, changes: [{ ...stamp, kind: "created", after: pulled.name }] };
  const before = byId(kept);
  const after = byId(pulled);
  const statuses = [
    ...pulled.statuses.map((status) => withFormerName(status, before.get(status.id))),
    ...kept.statuses
      .filter((status) => !after.has(status.id))
      .map((status) => ({ ...status, retired: true })),
  ];
  const changes: Change[] = [];
  if (kept.name !== pulled.name)
    changes.push({ ...stamp, kind: "renamed", before: kept.name, after: pulled.name });
  const reissued = reissuedStatuses(kept, pulled);
  const oldIds = new Set(reissued.values());
  for (const status of statuses) {
    if (oldIds.has(status.id)) continue;
    const oldId = reissued.get(status.id);
    if (oldId === undefined)
      for (const change of statusChanges(before.get(status.id), status))
        changes.push({ ...stamp, ...change });
    else changes.push({ ...stamp, kind: "reissued", status: status.id, before: oldId, after: status.id });
  }
  if (edgesOf(kept) !== edgesOf(pulled))
    changes.push({
      ...stamp,
      kind: "edges",
      before: `${kept.moves.length} moves`,
      after: `${pulled.moves.length} moves`,
      moves: { added: waysIn(pulled, kept), removed: waysIn(kept, pulled) },
    });
  return { graph: { ...pulled, statuses }, changes };
}

/**
 * A workflow that the board no longer has: kept, so that its tickets have a state, with every status retired and no
 * move left. Pure. No changes: it was gone before.
 */
export function retireGraph(kept: StatusGraph, at: Date): Merged {
  if (kept.moves.length === 0 && kept.statuses.every((status) => status.retired))
    return { graph: kept, changes: [] };
  const statuses = kept.statuses.map((status) => ({ ...status, retired: true }));
  const change: Change = { workflow: kept.id, at: at.toISOString(), kind: "vanished", before: kept.name };
  return { graph: { ...kept, statuses, moves: [] }, changes: [change] };
}

function byId(graph: StatusGraph): ReadonlyMap<string, Status> {
  return new Map(graph.statuses.map((status) => [status.id, status]));
}

/**
 * New ids under old names, as GitHub gives when columns are edited through its API: new id to old id. Only an exact
 * name that was one status's alone before and is one status's alone now says that they are the same column.
 */
function reissuedStatuses(kept: StatusGraph, pulled: StatusGraph): ReadonlyMap<string, string> {
  const [before, after] = [byId(kept), byId(pulled)];
  const live = kept.statuses.filter((status) => !status.retired);
  const oldNames = soleNames(live);
  const pairs: [string, string][] = [];
  for (const [name, status] of soleNames(pulled.statuses)) {
    const old = oldNames.get(name);
    if (old === undefined || before.has(status.id) || after.has(old.id)) continue;
    pairs.push([status.id, old.id]);
  }
  return new Map(pairs);
}

/** Statuses by name, but for names that several share. */
function soleNames(statuses: readonly Status[]): Map<string, Status> {
  const names = new Map<string, Status>();
  const shared = new Set<string>();
  for (const status of statuses) {
    if (names.has(status.name)) shared.add(status.name);
    names.set(status.name, status);
  }
  for (const name of shared) names.delete(name);
  return names;
}

/** People go on saying the name they know. */
function withFormerName(status: Status, before: Status | undefined): Status {
  if (before === undefined) return status;
  const former = before.aliases.filter((alias) => alias !== status.name);
  const renamed = before.name === status.name ? [] : [before.name];
  const aliases = [...new Set([...status.aliases, ...former, ...renamed])].slice(0, 12);
  return { ...status, aliases };
}

type StatusChange = Omit<Change, "workflow" | "at">;

function* statusChanges(before: Status | undefined, now: Status): Generator<StatusChange> {
  const status = now.id;
  if (before === undefined) {
    yield { kind: "added", status, after: now.name };
    return;
  }
  if (now.retired && !before.retired) yield { kind: "removed", status, before: before.name };
  if (!now.retired && before.retired) yield { kind: "restored", status, after: now.name };
  if (now.retired) return;
  if (before.name !== now.name) yield { kind: "renamed", status, before: before.name, after: now.name };
  if (before.category !== now.category)
    yield { kind: "recategorised", status, before: before.category, after: now.category };
  if (before.order !== now.order)
    yield { kind: "reordered", status, before: String(before.order), after: String(now.order) };
}

function edgesOf(graph: StatusGraph): string {
  const edges = graph.moves.map((move) =>
    JSON.stringify([move.id, move.from, move.to, move.name ?? "", move.fields ?? []]),
  );
  return edges.sort().join("\n") + graph.edges;
}

const MOST_WAYS = 100;

/** From where to where one can go in `graph` and could not in `other`; what a board calls the way is no difference. */
function waysIn(graph: StatusGraph, other: StatusGraph) {
  const known = new Set(other.moves.map(wayOf));
  const ways = new Map(
    graph.moves.filter((move) => !known.has(wayOf(move))).map((move) => [wayOf(move), move]),
  );
  return [...ways.values()]
    .slice(0, MOST_WAYS)
    .map(({ from, to, name }) => ({ from, to, ...(name === undefined ? {} : { name }) }));
}

function wayOf({ from, to }: { readonly from: string; readonly to: string }): string {
  return JSON.stringify([from, to]);
}

/** Equal in everything that a machine or a person could notice. */
export function sameGraph(a: StatusGraph, b: StatusGraph): boolean {
  return canonical(a) === canonical(b);
}

/** Key order means nothing, nor does the order of statuses, which have their own, or of moves. */
function canonical({ statuses, moves, ...rest }: StatusGraph): string {
  const plain = (items: readonly unknown[]) => items.map((item) => JSON.stringify(sorted(item))).sort();
  return JSON.stringify([sorted(rest), plain(statuses), plain(moves)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.sort(([x], [y]) => (x < y ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]),
  );
}
