import { describe, expect, it } from "vitest";
import { type Marks, wayKey } from "../../../src/web/diff.js";
import { type Drawing, drawingOf } from "../../../src/web/graph.js";
import { widthOf, wrapped } from "../../../src/web/labels.js";
import type { Move, Status } from "../../../src/web/shapes.js";

const status = (id: string, more: Partial<Status> = {}): Status => ({
  id,
  name: id,
  category: "doing",
  ...more,
});
const move = (from: string, to: string, name?: string): Move => ({
  id: `${from}-${to}`,
  from,
  to,
  ...(name === undefined ? {} : { name }),
});
const statuses = ["todo", "doing", "review", "done"].map((id) => status(id));

function boxOf(drawing: Drawing, id: string) {
  const box = drawing.boxes.find((one) => one.status.id === id);
  if (box === undefined) throw new Error(`${id} is not drawn`);
  return box;
}

/** How many boxes lie over another, or over the edge. */
function misplaced({ boxes, box, width, height }: Drawing): number {
  return boxes.filter(
    (one) =>
      one.x - box.width / 2 < 0 ||
      one.x + box.width / 2 > width ||
      one.y - box.height / 2 < 0 ||
      one.y + box.height / 2 > height ||
      boxes.some(
        (other) =>
          other !== one && Math.abs(other.x - one.x) < box.width && Math.abs(other.y - one.y) < box.height,
      ),
  ).length;
}

describe.each([
  ["across", true],
  ["down", false],
] as const)("a workflow drawn %s", (_name, across) => {
  it("has what comes first on the board first, also with moves back", () => {
    const moves = [
      move("done", "todo"),
      move("todo", "doing"),
      move("doing", "review"),
      move("review", "done"),
    ];
    const drawing = drawingOf({ statuses, moves }, across);
    const along = statuses.map(({ id }) => (across ? boxOf(drawing, id).x : boxOf(drawing, id).y));
    expect(along).toEqual([...along].sort((a, b) => a - b));
    expect(misplaced(drawing)).toBe(0);
  });

  it("shows a way and its way back as one line with two heads and all names", () => {
    const moves = [
      move("todo", "doing", "Start"),
      move("doing", "todo", "Stop"),
      move("doing", "todo", "Pause"),
    ];
    const { lines } = drawingOf({ statuses, moves }, across);
    expect(lines).toMatchObject([
      { from: "todo", to: "doing", both: true, names: ["Start", "Stop", "Pause"] },
    ]);
  });

  it("points a line from where a ticket comes to where it goes", () => {
    const drawing = drawingOf({ statuses, moves: [move("done", "todo")] }, across);
    const [line] = drawing.lines;
    const [from, to] = [boxOf(drawing, "done"), boxOf(drawing, "todo")];
    const far = (point = { x: 0, y: 0 }, end: { x: number; y: number }) =>
      Math.hypot(point.x - end.x, point.y - end.y);
    expect(far(line?.points[0], from)).toBeLessThan(far(line?.points[0], to));
    expect(far(line?.points.at(-1), to)).toBeLessThan(far(line?.points.at(-1), from));
  });

  it("tells in words what leads, or can be entered from, nearly everywhere", () => {
    const many = ["a", "b", "c", "d", "e", "f", "g"].map((id) => status(id));
    const moves = [
      move("a", "b"),
      move("*", "c"),
      ...["a", "b", "c", "e", "f", "g"].map((from) => move(from, "d")),
      ...["a", "b", "f", "e"].map((to) => move("g", to)),
    ];
    const drawing = drawingOf({ statuses: many, moves }, across);
    expect(boxOf(drawing, "c").ways).toEqual(["from anywhere"]);
    expect(boxOf(drawing, "d").ways).toEqual(["from anywhere"]);
    // Four of six are few enough to be drawn.
    expect(boxOf(drawing, "g").ways).toEqual([]);
    expect(drawing.lines).toHaveLength(5);
    expect(misplaced(drawing)).toBe(0);
  });

  it("leaves no status out where any leads to any", () => {
    const many = Array.from({ length: 12 }, (_, at) => status(`s${at}`));
    const moves = many.flatMap(({ id }) => many.filter((to) => to.id !== id).map((to) => move(id, to.id)));
    const drawing = drawingOf({ statuses: many, moves }, across);
    expect(drawing.boxes).toHaveLength(12);
    expect(drawing.lines).toEqual([]);
    expect(drawing.boxes.every(({ ways }) => ways.includes("from anywhere"))).toBe(true);
    expect(misplaced(drawing)).toBe(0);
  });

  it("draws a status without moves, none at all, and moves of statuses that are gone", () => {
    expect(drawingOf({ statuses: [status("alone")], moves: [] }, across).boxes).toHaveLength(1);
    expect(drawingOf({ statuses: [], moves: [] }, across).boxes).toEqual([]);
    const gone = drawingOf({ statuses, moves: [move("todo", "gone"), move("todo", "todo")] }, across);
    expect(gone.lines).toEqual([]);
    expect(gone.boxes).toHaveLength(4);
  });
});

describe("a long workflow drawn across", () => {
  const chain = (length: number) => Array.from({ length }, (_, at) => status(`s${at}`));
  const along = (length: number) =>
    Array.from({ length: length - 1 }, (_, at) => move(`s${at}`, `s${at + 1}`, `Step ${at}`));

  it.each([15, 40])("is folded into rows that a wide screen shows whole: %i statuses", (length) => {
    const moves = [...along(length), move("s9", "s2"), move(`s${length - 1}`, "s0")];
    const drawing = drawingOf({ statuses: chain(length), moves }, true);
    expect(drawing.width).toBeLessThanOrEqual(1_360);
    expect(misplaced(drawing)).toBe(0);
    // In the order of the board: row by row, and from the left to the right in each.
    const places = chain(length).map(({ id }) => boxOf(drawing, id));
    const rows = [...new Set(places.map(({ y }) => y))].sort((a, b) => a - b);
    const inOrder = places.toSorted((a, b) => rows.indexOf(a.y) - rows.indexOf(b.y) || a.x - b.x);
    expect(inOrder).toEqual(places);
    // Each move is a line, or else in words at the status it leaves.
    for (const { from, to } of moves) {
      const line = drawing.lines.some((one) => one.from === from && one.to === to);
      expect(line || boxOf(drawing, from).ways.includes(`→ ${to}`), `${from} to ${to}`).toBe(true);
    }
    expect(drawing.lines.length).toBeGreaterThanOrEqual(length - 1);
    expect(boxOf(drawing, `s${length - 1}`).ways).toEqual(["→ s0"]);
  });

  it("keeps its lines within it, and says of a far move that is new that it is new", () => {
    const moves = [...along(20), move("s18", "s1")];
    const marks: Marks = {
      statuses: new Map(),
      added: new Set([wayKey({ from: "s18", to: "s1" })]),
      removed: [{ from: "s17", to: "s0" }],
    };
    const drawing = drawingOf({ statuses: chain(20), moves }, true, marks);
    for (const { points } of drawing.lines)
      for (const { x, y } of points) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThanOrEqual(drawing.width);
        expect(y).toBeGreaterThanOrEqual(0);
        expect(y).toBeLessThanOrEqual(drawing.height);
      }
    expect(boxOf(drawing, "s18").ways).toEqual(["+ → s1"]);
    expect(boxOf(drawing, "s17").ways).toEqual(["− → s0"]);
  });

  it("counts the ways in words that are too many for a box", () => {
    const statuses = chain(30);
    const back = ["s0", "s1", "s2", "s3", "s4"].map((to) => move("s29", to));
    const drawing = drawingOf({ statuses, moves: [...along(30), ...back] }, true);
    expect(boxOf(drawing, "s29").ways).toEqual(["→ s0", "→ s1", "→ 3 more"]);
  });
});

describe("a name in a box", () => {
  it.each<[string, readonly string[]]>([
    ["Done", ["Done"]],
    ["Ready for development", ["Ready for", "development"]],
    ["Waiting for the external legal department", ["Waiting for", "the external l…"]],
    ["Donaudampfschifffahrtsgesellschaft", ["Donaudampfsc…"]],
    ["", [""]],
  ])("is broken between words, and cut where it does not fit: %s", (name, lines) => {
    expect(wrapped(name, 13.5)).toEqual(lines);
  });

  it("takes letters that are wider for wider, and cuts no sign in two", () => {
    expect(wrapped("待办事项清单状态", 13.5)).toEqual(["待办事项清单…"]);
    expect(wrapped("🚀🚀🚀🚀🚀🚀🚀🚀🚀", 13.5)[0]).toMatch(/^(🚀)+…$/u);
    expect(widthOf("WWWW")).toBeGreaterThan(widthOf("iiii"));
  });
});
