import type { Point } from "./layout.js";

/** Lines as they are drawn. Pure. */

/** Through the middles between the points, so that corners are round. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return "";
  const bends = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? last;
    const end = at === rest.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  return `M${first.x} ${first.y}${bends.length === 0 ? `L${last.x} ${last.y}` : bends.join("")}`;
}

/** On the curve, not beside it: half way along the bend in its middle. */
export function middleOf(points: readonly Point[]): Point | undefined {
  const at = Math.floor(points.length / 2);
  const [before, bend, after] = [points[at - 1], points[at], points[at + 1]];
  if (before === undefined || bend === undefined || after === undefined) return bend;
  const start = at === 1 ? before : between(before, bend);
  const end = at === points.length - 2 ? after : between(bend, after);
  return between(between(start, bend), between(bend, end));
}

function between(a: Point, b: Point) {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
