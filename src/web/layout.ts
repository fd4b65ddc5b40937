import { Graph, layout } from "@dagrejs/dagre";

/** Where boxes and lines lie: in rows as wide as there is room, each row going on where the last one ended. Pure. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** From the one that comes first to the one that comes after it. */
export interface Tie {
  readonly first: string;
  readonly second: string;
  /** They follow each other, so that they should lie beside each other. */
  readonly neighbours: boolean;
}

export interface Laid<T extends Tie> extends Size {
  readonly places: ReadonlyMap<string, Point>;
  readonly lines: ReadonlyMap<T, readonly Point[]>;
  /** Ties between rows that lie apart: a line would run over all that is between. */
  readonly far: readonly T[];
}

export interface LayoutOptions {
  readonly box: Size;
  readonly across: boolean;
  /** As wide as a row across may be. */
  readonly room: number;
}

export const MARGIN = 16;
const BETWEEN_RANKS = 56;
/** On each side of a row that is folded: the way to the next one runs there. */
const SIDE = 28;
const BETWEEN_ROWS = 40;

export function laidOut<T extends Tie>(
  ids: readonly string[],
  ties: readonly T[],
  { box, across, room }: LayoutOptions,
): Laid<T> {
  if (ids.length === 0) return { places: new Map(), lines: new Map(), far: [], width: 0, height: 0 };
  const graph = new Graph();
  const rankdir = across ? "LR" : "TB";
  const [nodesep, marginx] = across ? [34, MARGIN] : [18, MARGIN / 2];
  graph.setGraph({ rankdir, nodesep, ranksep: BETWEEN_RANKS, marginx, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...box });
  for (const { first, second, neighbours } of ties)
    graph.setEdge(first, second, { weight: neighbours ? 4 : 1 });
  layout(graph);
  const places = new Map(ids.map((id) => [id, graph.node(id) as Point]));
  const lines = new Map(
    ties.map((tie) => [tie, (graph.edge(tie.first, tie.second) as { points: Point[] }).points]),
  );
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  if (!across || width <= room) return { places, lines, far: [], width, height };
  return folded(places, lines, box, room);
}

interface Row {
  readonly ids: readonly string[];
  readonly left: number;
  readonly right: number;
}

/** What a row lies on, and where it ends. */
interface Placed<T extends Tie> {
  readonly places: ReadonlyMap<string, Point>;
  readonly lines: ReadonlyMap<T, readonly Point[]>;
  readonly bottom: number;
}

function folded<T extends Tie>(
  places: ReadonlyMap<string, Point>,
  lines: ReadonlyMap<T, readonly Point[]>,
  box: Size,
  room: number,
): Laid<T> {
  const rows = rowsOf(places, room - 2 * SIDE - box.width);
  const rowOf = new Map(rows.flatMap(({ ids }, at) => ids.map((id) => [id, at] as const)));
  const done: Placed<T>[] = [];
  for (const [at, row] of rows.entries()) {
    const own = [...lines].filter(
      ([{ first, second }]) => rowOf.get(first) === at && rowOf.get(second) === at,
    );
    const top = done.length === 0 ? MARGIN : (done.at(-1)?.bottom ?? 0) + BETWEEN_ROWS;
    done.push(placedAt(top, row, { places, lines: new Map(own) }, box));
  }
  const width = Math.max(...rows.map(({ left, right }) => right - left)) + box.width + 2 * SIDE;
  const placed = new Map(done.flatMap((row) => [...row.places]));
  const between = [...lines.keys()].filter((tie) => rowOf.get(tie.first) !== rowOf.get(tie.second));
  const near = between.filter((tie) => isNext(tie, rows, rowOf, places));
  const turns = near.map((tie): [T, readonly Point[]] => {
    const gap = (done[rowOf.get(tie.first) ?? 0]?.bottom ?? 0) + BETWEEN_ROWS / 2;
    return [tie, turning([placed.get(tie.first), placed.get(tie.second)], box, { gap, width })];
  });
  return {
    places: placed,
    lines: new Map([...done.flatMap((row) => [...row.lines]), ...turns]),
    far: between.filter((tie) => !near.includes(tie)),
    width,
    height: (done.at(-1)?.bottom ?? 0) + MARGIN,
  };
}

/** A row and the lines within it, moved to the left side and down to `top`. */
function placedAt<T extends Tie>(
  top: number,
  { ids, left }: Row,
  { places, lines }: Pick<Placed<T>, "places" | "lines">,
  box: Size,
): Placed<T> {
  const own = ids.map((id): [string, Point] => [id, places.get(id) ?? { x: 0, y: 0 }]);
  const ys = [
    ...own.flatMap(([, { y }]) => [y - box.height / 2, y + box.height / 2]),
    ...[...lines.values()].flat().map(({ y }) => y),
  ];
  const by = { x: SIDE + box.width / 2 - left, y: top - Math.min(...ys) };
  return {
    places: new Map(own.map(([id, place]) => [id, shifted(place, by)])),
    lines: new Map([...lines].map(([tie, points]) => [tie, points.map((point) => shifted(point, by))])),
    bottom: top + Math.max(...ys) - Math.min(...ys),
  };
}

/** By where they lie across, as many as there is room for beside each other. */
function rowsOf(places: ReadonlyMap<string, Point>, room: number): readonly Row[] {
  const rows: { ids: string[]; left: number; right: number }[] = [];
  for (const [id, { x }] of [...places].sort(([, a], [, b]) => a.x - b.x)) {
    const row = rows.at(-1);
    if (row === undefined || x - row.left > room) rows.push({ ids: [id], left: x, right: x });
    else {
      row.ids.push(id);
      row.right = x;
    }
  }
  return rows;
}

/** From the end of one row to the beginning of the next. */
function isNext(
  { first, second }: Tie,
  rows: readonly Row[],
  rowOf: ReadonlyMap<string, number>,
  places: ReadonlyMap<string, Point>,
): boolean {
  const [from = 0, to = 0] = [rowOf.get(first), rowOf.get(second)];
  return (
    to === from + 1 && places.get(first)?.x === rows[from]?.right && places.get(second)?.x === rows[to]?.left
  );
}

const CORNER = 12;

/** Out to the right, down into the gap, back to the left, and in. */
function turning(
  [from = { x: 0, y: 0 }, to = { x: 0, y: 0 }]: readonly [Point | undefined, Point | undefined],
  box: Size,
  { gap, width }: { readonly gap: number; readonly width: number },
): readonly Point[] {
  const [right, left] = [width - SIDE / 2, SIDE / 2];
  const corners: readonly Point[] = [
    { x: right, y: from.y },
    { x: right, y: gap },
    { x: left, y: gap },
    { x: left, y: to.y },
  ];
  const ends = [
    { x: from.x + box.width / 2, y: from.y },
    { x: to.x - box.width / 2, y: to.y },
  ] as const;
  const all = [ends[0], ...corners, ends[1]];
  return [
    ends[0],
    ...corners.flatMap((corner, at) => [
      towards(corner, all[at] ?? corner),
      corner,
      towards(corner, all[at + 2] ?? corner),
    ]),
    ends[1],
  ];
}

/** A little way from here to there. */
function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const share = Math.min(CORNER, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

function shifted({ x, y }: Point, by: Point): Point {
  return { x: x + by.x, y: y + by.y };
}
