import { type Marks, NO_MARKS, wayKey } from "./diff.js";
import { wrapped } from "./labels.js";
import { type Laid, laidOut, MARGIN, type Point, type Size, type Tie } from "./layout.js";
import type { Move, Status, Way, Workflow } from "./shapes.js";

/** Where the states and moves of a workflow lie when it is drawn. Pure. */

export interface Box {
  readonly status: Status;
  readonly x: number;
  readonly y: number;
  /** Its name, in the lines that fit. */
  readonly name: readonly string[];
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
  readonly points: readonly Point[];
}

export interface Drawing extends Size {
  readonly box: Size;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

export const BOX = { across: 160, down: 126, height: 41 } as const;
export const LINE = 17;
/** Letters of a name that fit beside each other. */
const MOST_LETTERS = { across: 13.5, down: 10 } as const;
/** A row across may be so wide: on a wide screen it is shown whole. */
const ROOM = 1_360;
/** As many lines at one status can still be told apart. */
const FEW = 4;
const MOST_NEW = 6;
/** As many ways in words at one status; the others are in the table. */
const MOST_WAYS = 3;

export function drawingOf(
  { statuses, moves }: Pick<Workflow, "statuses" | "moves">,
  across: boolean,
  marks: Marks = NO_MARKS,
): Drawing {
  const { ways, rest } = inWords(statuses, moves, marks);
  const order = orderOf(statuses);
  const ties = withGone(statuses, markedAdded(pairsOf(statuses, rest), marks), marks.removed).map((pair) =>
    tieOf(pair, order),
  );
  const names = new Map(
    statuses.map(({ id, name }) => [id, wrapped(name, MOST_LETTERS[across ? "across" : "down"])]),
  );
  // A line that would run over whole rows is told in words, which makes boxes higher, so it is laid out anew.
  for (let spoken: readonly PairTie[] = []; ; ) {
    const drawn = ties.filter((tie) => !spoken.includes(tie));
    const told = withSpoken(ways, spoken, statuses);
    const box = boxSize(statuses, { names, ways: told, marks, across });
    const joined = statuses.filter(({ id }) => drawn.some(({ from, to }) => from === id || to === id));
    const laid = laidOut(
      joined.map(({ id }) => id),
      drawn,
      { box, across, room: ROOM },
    );
    if (laid.far.length === 0) return drawingFrom(laid, { statuses, names, ways: told, box, across });
    spoken = [...spoken, ...laid.far];
  }
}

interface Told {
  readonly names: ReadonlyMap<string, readonly string[]>;
  readonly ways: ReadonlyMap<string, readonly string[]>;
  readonly across: boolean;
}

function boxSize(statuses: readonly Status[], { names, ways, marks, across }: Told & { marks: Marks }): Size {
  const lines = statuses.map(
    ({ id }) => (names.get(id)?.length ?? 1) + (ways.get(id)?.length ?? 0) + (marks.statuses.has(id) ? 1 : 0),
  );
  const width = across ? BOX.across : BOX.down;
  return { width, height: BOX.height + LINE * Math.max(1, ...lines) };
}

function drawingFrom(
  laid: Laid<PairTie>,
  { statuses, names, ways, box, across }: Told & { readonly statuses: readonly Status[]; readonly box: Size },
): Drawing {
  const lone = below(
    statuses.filter(({ id }) => !laid.places.has(id)),
    laid,
    box,
    across,
  );
  const boxes = statuses.map((status) => {
    const { x, y } = laid.places.get(status.id) ?? lone.places.get(status.id) ?? { x: 0, y: 0 };
    return { status, x, y, name: names.get(status.id) ?? [], ways: ways.get(status.id) ?? [] };
  });
  const lines = [...laid.lines].map(([{ first, second: _second, neighbours: _near, ...pair }, points]) => ({
    ...pair,
    points: first === pair.from ? points : [...points].reverse(),
  }));
  return { width: lone.width, height: lone.height, box, boxes, lines };
}

/** Statuses without lines stand in rows below the others. */
function below(statuses: readonly Status[], above: Size, box: Size, across: boolean) {
  const gap = MARGIN * 1.5;
  const columns = across ? Math.max(4, Math.floor((above.width - MARGIN) / (box.width + gap))) : 2;
  const top = above.height === 0 ? MARGIN : above.height + gap;
  const places = new Map(
    statuses.map(({ id }, at) => [
      id,
      {
        x: MARGIN + box.width / 2 + (at % columns) * (box.width + gap),
        y: top + box.height / 2 + Math.floor(at / columns) * (box.height + gap),
      },
    ]),
  );
  const all = [...places.values()];
  const width = Math.max(above.width, ...all.map(({ x }) => x + box.width / 2 + MARGIN));
  const height = Math.max(above.height, ...all.map(({ y }) => y + box.height / 2 + MARGIN));
  return { places, width, height };
}

/** What is drawn as a line, with the end that comes first on the board first. */
type PairTie = Pair & Tie;

function tieOf(pair: Pair, order: ReadonlyMap<string, number>): PairTie {
  const [from, to] = [order.get(pair.from) ?? 0, order.get(pair.to) ?? 0];
  const ends = from < to ? { first: pair.from, second: pair.to } : { first: pair.to, second: pair.from };
  return { ...pair, ...ends, neighbours: Math.abs(to - from) === 1 };
}

/** The ways of each status, and after them those of lines that are told in words. */
function withSpoken(
  ways: ReadonlyMap<string, readonly string[]>,
  spoken: readonly PairTie[],
  statuses: readonly Status[],
): ReadonlyMap<string, readonly string[]> {
  const names = new Map(statuses.map(({ id, name }) => [id, name]));
  const told = new Map<string, string[]>();
  const say = (from: string, to: string, mark: Line["mark"]) => {
    const sign = mark === undefined ? "" : mark === "added" ? "+ " : "− ";
    told.set(from, [...(told.get(from) ?? []), `${sign}→ ${names.get(to)}`]);
  };
  for (const { from, to, both, mark } of spoken) {
    say(from, to, mark);
    if (both) say(to, from, mark);
  }
  return new Map(statuses.map(({ id }) => [id, [...(ways.get(id) ?? []), ...shortened(told.get(id) ?? [])]]));
}

/** Signs first: what has changed is what is looked for. */
function shortened(words: readonly string[]): readonly string[] {
  if (words.length <= MOST_WAYS) return words;
  const sorted = [
    ...words.filter((one) => !one.startsWith("→")),
    ...words.filter((one) => one.startsWith("→")),
  ];
  return [...sorted.slice(0, MOST_WAYS - 1), `→ ${words.length - MOST_WAYS + 1} more`];
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

function orderOf(statuses: readonly Status[]): ReadonlyMap<string, number> {
  return new Map(statuses.map(({ id }, at) => [id, at]));
}
