import { useId, useMemo } from "preact/hooks";
import { type Box, type Drawing, drawingOf, type Line } from "./graph.js";
import { useMedia } from "./hooks.js";
import { categoryName } from "./parts.js";
import type { Workflow } from "./shapes.js";

/** A workflow as a picture. The same facts are in the table beside it, which screen readers and keyboards use. */
export function WorkflowDrawing({
  workflow,
  counts,
}: {
  workflow: Workflow;
  counts: ReadonlyMap<string, number>;
}) {
  const across = useMedia("(min-width: 56rem)");
  const drawing = useMemo(() => drawingOf(workflow, across), [workflow, across]);
  const head = useId().replaceAll(":", "");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="scroll drawing" aria-label={`Drawing of ${workflow.name}`} tabIndex={0}>
      <svg
        role="img"
        aria-label={`${workflow.name}: ${workflow.statuses.length} statuses and the moves between them, also in the table below`}
        width={drawing.width}
        height={drawing.height}
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      >
        <defs>
          <marker
            id={head}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <path d="M0 0 8 4 0 8Z" class="arrow" />
          </marker>
        </defs>
        {drawing.lines.map((line) => (
          <LineMark key={`${line.from} ${line.to}`} line={line} head={head} trusted={isTrusted(workflow)} />
        ))}
        {drawing.boxes.map((box) => (
          <BoxMark
            key={box.status.id}
            box={box}
            size={drawing.box}
            tickets={counts.get(box.status.id) ?? 0}
          />
        ))}
      </svg>
    </section>
  );
}

function isTrusted({ edges }: Workflow): boolean {
  return edges === "authoritative" || edges === "preview";
}

function LineMark({ line, head, trusted }: { line: Line; head: string; trusted: boolean }) {
  return (
    <path
      d={curve(line.points)}
      class={trusted ? "move" : "move unsure"}
      marker-end={`url(#${head})`}
      marker-start={line.both ? `url(#${head})` : undefined}
    >
      {line.names.length === 0 ? null : <title>{line.names.join(", ")}</title>}
    </path>
  );
}

/** Through the middles between the points, so that corners are round. */
function curve(points: Line["points"]): string {
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

const MOST_LETTERS = 15;

function BoxMark({
  box: { status, x, y, ways },
  size,
  tickets,
}: {
  box: Box;
  size: Drawing["box"];
  tickets: number;
}) {
  const { name } = status;
  const marks = `${tickets} ticket${tickets === 1 ? "" : "s"}${status.retired ? " · retired" : ""}`;
  return (
    <g
      class={`state ${status.category}${status.retired ? " retired" : ""}`}
      transform={`translate(${x - size.width / 2} ${y - size.height / 2})`}
    >
      <title>{`${name}, ${categoryName(status.category)}`}</title>
      <rect width={size.width} height={size.height} rx="9" />
      <rect class="bar" width="6" height={size.height - 16} x="7" y="8" rx="3" />
      <text x="22" y="25" class="name">
        {name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name}
      </text>
      {[marks, ...ways].map((words, at) => (
        <text key={words} x="22" y={44 + at * 17} class="marks">
          {words}
        </text>
      ))}
    </g>
  );
}
