import { Graph, layout } from "@dagrejs/dagre";
import type { Move, Status, Workflow } from "./shapes.js";

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

export function drawingOf(
  { statuses, moves }: Pick<Workflow, "statuses" | "moves">,
  across: boolean,
): Drawing {
  const { ways, rest } = inWords(statuses, moves);
  const height = BOX.height + LINE_OF_WORDS * Math.max(0, ...[...ways.values()].map((words) => words.length));
  const box = { width: BOX.width, height };
  const pairs = pairsOf(statuses, rest);
  const graph = laidOut(statuses, pairs, box, across);
  const size = graph.graph() as { width?: number; height?: number };
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    box,
    boxes: statuses.map((status) => {
      const { x = 0, y = 0 } = graph.node(status.id) as { x?: number; y?: number };
      return { status, x, y, ways: ways.get(status.id) ?? [] };
    }),
    lines: pairs.map((pair) => {
      const { points = [] } = graph.edge(pair.from, pair.to) as { points?: Line["points"] };
      return { ...pair, points };
    }),
  };
}

/** What leads nearly everywhere, or can be entered from nearly everywhere, is told in words; the rest is drawn. */
function inWords(statuses: readonly Status[], moves: readonly Move[]) {
  const live = new Set(statuses.filter(({ retired }) => !retired).map(({ id }) => id));
  const others = live.size - 1;
  const ways = new Map<string, string[]>();
  const say = (id: string, words: string) => ways.set(id, [...(ways.get(id) ?? []), words]);
  let rest = moves.filter(({ from, to }) => from !== to);
  for (const { id } of statuses) {
    const sources = new Set(rest.filter((move) => move.to === id).map((move) => move.from));
    const anywhere = sources.has("*") || (others > 3 && sources.size >= others);
    if (!anywhere) continue;
    say(id, "from anywhere");
    rest = rest.filter((move) => move.to !== id);
  }
  for (const { id } of statuses) {
    const targets = new Set(rest.filter((move) => move.from === id).map((move) => move.to));
    if (others <= 3 || targets.size < others - 1) continue;
    say(id, targets.size === others ? "to anywhere" : `to ${targets.size} others`);
    rest = rest.filter((move) => move.from !== id);
  }
  return { ways, rest };
}

type Pair = Omit<Line, "points">;

/** There and back are one line with two heads, from what comes first on the board. */
function pairsOf(statuses: readonly Status[], moves: readonly Move[]): readonly Pair[] {
  const order = new Map(statuses.map(({ id }, at) => [id, at]));
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
  const forward = ({ from, to }: Pair) => (order.get(from) ?? 0) < (order.get(to) ?? 0);
  return [...pairs.values()].map((pair) =>
    pair.both && !forward(pair) ? { ...pair, from: pair.to, to: pair.from } : pair,
  );
}

function laidOut(
  statuses: readonly Status[],
  pairs: readonly Pair[],
  box: Drawing["box"],
  across: boolean,
): Graph {
  const graph = new Graph();
  graph.setGraph({
    rankdir: across ? "LR" : "TB",
    nodesep: 34,
    ranksep: 56,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of statuses) graph.setNode(id, { ...box });
  for (const { from, to } of pairs) graph.setEdge(from, to, {});
  statuses.forEach(({ id }, at) => {
    const before = statuses[at - 1]?.id;
    if (before === undefined) return;
    const next = graph.hasEdge(before, id);
    // Neighbours on the board are neighbours here; a status without lines comes after the one before it.
    if (next) graph.setEdge(before, id, { weight: 4 });
    else if (!pairs.some(({ from, to }) => from === id || to === id))
      graph.setEdge(before, id, { weight: 0 });
  });
  layout(graph);
  return graph;
}
