import { Graph, layout } from "@dagrejs/dagre";
import { type Marks, NO_MARKS, wayKey } from "./diff.js";
import type { Move, Status, Way, Workflow } from "./shapes.js";

/** Where the states and moves of a workflow lie when it is drawn. Pure. */

export interface Box {
  readonly status: Status;
  readonly x: number;
  readonly y: number;
  /** Ways that are told in words, because as lines they would hide all others. */
  readonly ways: readonly string[];
}

export interface Line {
  readonly from: string;
  readonly to: string;
  readonly both: boolean;
  /** Names of its moves, where the board has any. */
  readonly names: readonly string[];
  /** What has become of it, where marks were given. */
  readonly mark?: "added" | "removed";
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly box: { readonly width: number; readonly height: number };
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

const BOX = { width: 148, height: 58 } as const;
const LINE_OF_WORDS = 18;
const MARGIN = 16;
/** As many lines at one status can still be told apart. */
const FEW = 4;
const MOST_NEW = 6;

export function drawingOf(
  { statuses, moves }: Pick<Workflow, "statuses" | "moves">,
  across: boolean,
  marks: Marks = NO_MARKS,
): Drawing {
  const { ways, rest } = inWords(statuses, moves, marks);
  const lines = statuses.map(({ id }) => (ways.get(id)?.length ?? 0) + (marks.statuses.has(id) ? 1 : 0));
  const box = { width: BOX.width, height: BOX.height + LINE_OF_WORDS * Math.max(0, ...lines) };
  const pairs = withGone(statuses, markedAdded(pairsOf(statuses, rest), marks), marks.removed);
  const joined = statuses.filter(({ id }) => pairs.some(({ from, to }) => from === id || to === id));
  const graph = laidOut(joined, pairs, box, across);
  const size = graph.graph() as { width?: number; height?: number };
  const placed = joined.map((status) => {
    const { x = 0, y = 0 } = graph.node(status.id) as { x?: number; y?: number };
    return { status, x, y };
  });
  const lone = below(
    statuses.filter((status) => !joined.includes(status)),
    joined.length === 0 ? { width: 0, height: 0 } : { width: size.width ?? 0, height: size.height ?? 0 },
    box,
    across,
  );
  const order = orderOf(joined);
  return {
    width: lone.width,
    height: lone.height,
    box,
    boxes: [...placed, ...lone.places].map((place) => ({ ...place, ways: ways.get(place.status.id) ?? [] })),
    lines: pairs.map((pair) => {
      const [first, second] = inOrder(pair, order);
      const { points = [] } = graph.edge(first, second) as { points?: Line["points"] };
      return { ...pair, points: first === pair.from ? points : [...points].reverse() };
    }),
  };
}

/** Statuses without lines stand in rows below the others. */
function below(
  statuses: readonly Status[],
  above: { readonly width: number; readonly height: number },
  box: Drawing["box"],
  across: boolean,
) {
  const gap = MARGIN * 1.5;
  const columns = across ? Math.max(4, Math.floor((above.width - MARGIN) / (box.width + gap))) : 2;
  const top = above.height === 0 ? MARGIN : above.height + gap;
  const places = statuses.map((status, at) => ({
    status,
    x: MARGIN + box.width / 2 + (at % columns) * (box.width + gap),
    y: top + box.height / 2 + Math.floor(at / columns) * (box.height + gap),
  }));
  const right = Math.max(above.width, ...places.map(({ x }) => x + box.width / 2 + MARGIN));
  const bottom = Math.max(above.height, ...places.map(({ y }) => y + box.height / 2 + MARGIN));
  return { places, width: right, height: bottom };
}

/** What leads nearly everywhere, or can be entered from nearly everywhere, is told in words; the rest is drawn. */
function inWords(statuses: readonly Status[], moves: readonly Move[], { added }: Marks) {
  // A few new ways are what is looked for, so they are lines all the same.
  const drawn = (move: Move) => move.from !== "*" && added.size <= MOST_NEW && added.has(wayKey(move));
  const live = new Set(statuses.filter(({ retired }) => !retired).map(({ id }) => id));
  const others = live.size - 1;
  const ways = new Map<string, string[]>();
  const say = (id: string, words: string) => ways.set(id, [...(ways.get(id) ?? []), words]);
  let rest = moves.filter(({ from, to }) => from !== to);
  for (const { id } of statuses) {
    const sources = new Set(rest.filter((move) => move.to === id).map((move) => move.from));
    const anywhere = sources.has("*") || (others > FEW && sources.size >= others);
    if (!anywhere) continue;
    say(id, "from anywhere");
    rest = rest.filter((move) => move.to !== id || drawn(move));
  }
  for (const { id } of statuses) {
    const targets = new Set(rest.filter((move) => move.from === id).map((move) => move.to));
    if (others <= FEW || targets.size < others - 1) continue;
    say(id, targets.size === others ? "to anywhere" : `to ${targets.size} others`);
    rest = rest.filter((move) => move.from !== id || drawn(move));
  }
  return { ways, rest };
}

type Pair = Omit<Line, "points">;

/** There and back are one line with two heads, from what comes first on the board. */
function pairsOf(statuses: readonly Status[], moves: readonly Move[]): readonly Pair[] {
  const order = orderOf(statuses);
  const pairs = new Map<string, Pair>();
  for (const { from, to, name } of moves) {
    if (!order.has(from) || !order.has(to)) continue;
    const back = pairs.get(JSON.stringify([to, from]));
    const known = back ?? pairs.get(JSON.stringify([from, to])) ?? { from, to, both: false, names: [] };
    const names = name === undefined ? known.names : [...new Set([...known.names, name])];
    pairs.set(JSON.stringify([known.from, known.to]), {
      ...known,
      names,
      both: known.both || back !== undefined,
    });
  }
  return [...pairs.values()];
}

function markedAdded(pairs: readonly Pair[], { added }: Marks): readonly Pair[] {
  const isNew = ({ from, to, both }: Pair) =>
    added.has(wayKey({ from, to })) || (both && added.has(wayKey({ from: to, to: from })));
  return pairs.map((pair) => (isNew(pair) ? { ...pair, mark: "added" } : pair));
}

/** Ways that are gone are drawn too, where no other line runs between the same two. */
function withGone(
  statuses: readonly Status[],
  pairs: readonly Pair[],
  removed: readonly Way[],
): readonly Pair[] {
  const drawn = new Set(
    pairs.flatMap(({ from, to }) => [wayKey({ from, to }), wayKey({ from: to, to: from })]),
  );
  const gone = pairsOf(
    statuses,
    removed.map((way) => ({ ...way, id: "" })),
  );
  return [
    ...pairs,
    ...gone.filter((pair) => !drawn.has(wayKey(pair))).map((pair) => ({ ...pair, mark: "removed" as const })),
  ];
}

/** The ends of a line in the order of the board, so that what comes first there is drawn first. */
function inOrder({ from, to }: Pair, order: ReadonlyMap<string, number>): readonly [string, string] {
  return (order.get(from) ?? 0) < (order.get(to) ?? 0) ? [from, to] : [to, from];
}

function laidOut(
  joined: readonly Status[],
  pairs: readonly Pair[],
  box: Drawing["box"],
  across: boolean,
): Graph {
  const order = orderOf(joined);
  const graph = new Graph();
  graph.setGraph({
    rankdir: across ? "LR" : "TB",
    nodesep: 34,
    ranksep: 56,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of joined) graph.setNode(id, { ...box });
  for (const pair of pairs) {
    const [first, second] = inOrder(pair, order);
    const neighbours = (order.get(second) ?? 0) - (order.get(first) ?? 0) === 1;
    graph.setEdge(first, second, { weight: neighbours ? 4 : 1 });
  }
  layout(graph);
  return graph;
}

function orderOf(statuses: readonly Status[]): ReadonlyMap<string, number> {
  return new Map(statuses.map(({ id }, at) => [id, at]));
}
