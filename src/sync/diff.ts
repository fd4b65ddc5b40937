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
  const before = new Map(kept.statuses.map((status) => [status.id, status]));
  const after = new Map(pulled.statuses.map((status) => [status.id, status]));
  const statuses = [
    ...pulled.statuses.map((status) => withFormerName(status, before.get(status.id))),
    ...kept.statuses
      .filter((status) => !after.has(status.id))
      .map((status) => ({ ...status, retired: true })),
  ];
  const changes: Change[] = [];
  for (const status of statuses) {
    for (const change of statusChanges(before.get(status.id), status)) changes.push({ ...stamp, ...change });
  }
  if (edgesOf(kept) !== edgesOf(pulled))
    changes.push({
      ...stamp,
      kind: "edges",
      before: `${kept.moves.length} moves`,
      after: `${pulled.moves.length} moves`,
    });
  return { graph: { ...pulled, statuses }, changes };
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

/** Equal in everything that a machine or a person could notice. */
export function sameGraph(a: StatusGraph, b: StatusGraph): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** Key order and the order of moves mean nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.sort(([x], [y]) => (x < y ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]),
  );
}
