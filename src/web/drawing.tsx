import type { RefObject } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { curve, middleOf } from "./curve.js";
import { type Marks, NO_MARKS, type StatusMark, wordsOfMark } from "./diff.js";
import { BOX, type Box, type Drawing, drawingOf, LINE, type Line } from "./graph.js";
import { useMedia } from "./hooks.js";
import { cut } from "./labels.js";
import { categoryName } from "./parts.js";
import type { Category, Workflow } from "./shapes.js";

/** A workflow as a picture. The same facts are in the table beside it. */

interface DrawingProps {
  readonly workflow: Workflow;
  /** How many tickets are in each; left out, it is not known. */
  readonly counts?: ReadonlyMap<string, number>;
  /** What has changed, to be marked. */
  readonly marks?: Marks;
  /** Where a state leads when it is clicked. */
  readonly linkOf?: (status: string) => string;
}

/** Beyond this it scrolls within itself. */
const MOST_HEIGHT = { across: 1_100, down: 520 } as const;
/** On a narrow screen it shrinks to this, and scrolls beyond. */
const SMALLEST = 0.72;

export function WorkflowDrawing({ workflow, counts, marks = NO_MARKS, linkOf }: DrawingProps) {
  const across = useMedia("(min-width: 56rem)");
  const drawing = useMemo(() => drawingOf(workflow, across, marks), [workflow, across, marks]);
  const frame = useRef<HTMLElement>(null);
  const { height, scale } = useFrame(frame, drawing, across);
  const head = useId().replaceAll(":", "");
  return (
    <figure class="picture">
      <section
        ref={frame}
        class="scroll drawing"
        aria-label={`Drawing of ${workflow.name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        tabIndex={0}
        style={{ height: `${height}px` }}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be drawn in */}
        <svg
          role="group"
          aria-label={`${workflow.name}: ${workflow.statuses.length} statuses and the moves between them, also in the table below`}
          width={drawing.width * scale}
          height={drawing.height * scale}
          viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        >
          <defs>
            {(["plain", "added", "removed"] as const).map((kind) => (
              <marker
                key={kind}
                id={`${head}${kind}`}
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="7"
                markerHeight="7"
                markerUnits="userSpaceOnUse"
                orient="auto-start-reverse"
              >
                <path d="M0 0 8 4 0 8Z" class={`arrow ${kind}`} />
              </marker>
            ))}
          </defs>
          {drawing.lines.map((line) => (
            <LineMark key={`${line.from} ${line.to}`} line={line} head={head} trusted={isTrusted(workflow)} />
          ))}
          {drawing.boxes.map((box) => (
            <BoxMark
              key={box.status.id}
              box={box}
              size={drawing.box}
              tickets={counts && (counts.get(box.status.id) ?? 0)}
              mark={marks.statuses.get(box.status.id)}
              href={linkOf?.(box.status.id)}
            />
          ))}
        </svg>
      </section>
      <Legend workflow={workflow} marks={marks} />
    </figure>
  );
}

/**
 * As high as the drawing was at first, with room for what it may still become, so that nothing below it moves when it
 * changes: what is more by then is drawn smaller, as far as it can be read, and is scrolled to beyond that.
 */
function useFrame(frame: RefObject<HTMLElement>, { width, height, box }: Drawing, across: boolean) {
  const room = useWidth(frame);
  const wide = room === 0 ? 1 : Math.max(SMALLEST, Math.min(1, room / width));
  // For each box above another one line more, as a rename needs it.
  const later = LINE * Math.floor(height / box.height) + PADDING;
  const most = MOST_HEIGHT[across ? "across" : "down"];
  const kept = useKept(Math.min(most, (height + later) * wide + PADDING), `${room} ${across}`);
  const scale = across ? Math.max(SMALLEST, Math.min(wide, (kept - PADDING) / height)) : wide;
  return { height: kept, scale };
}

/** The room inside, and 0 before it is known. */
function useWidth(frame: RefObject<HTMLElement>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const look = () => {
      const { current } = frame;
      if (current !== null) setWidth(current.clientWidth - PADDING);
    };
    look();
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, [frame]);
  return width;
}

/** Of the frame, on both sides together. */
const PADDING = 16;

/** What it was at first, until `anew` is another. */
function useKept(value: number, anew: unknown): number {
  const kept = useRef<{ readonly value: number; readonly anew: unknown }>();
  if (kept.current?.anew !== anew) kept.current = { value, anew };
  return kept.current?.value ?? value;
}

const CATEGORIES: readonly Category[] = ["todo", "doing", "done", "canceled", "unknown"];

function Legend({ workflow, marks }: { workflow: Workflow; marks: Marks }) {
  const used = CATEGORIES.filter((one) => workflow.statuses.some(({ category }) => category === one));
  const kinds = new Set([...marks.statuses.values()].map(({ kind }) => kind));
  const gone = marks.removed.length > 0 || kinds.has("removed");
  const fresh = marks.added.size > 0 || kinds.has("added") || kinds.has("restored");
  const changed = kinds.has("changed") || kinds.has("reissued");
  return (
    <figcaption class="legend">
      {used.map((category) => (
        <span key={category} class={category}>
          <i class="swatch" aria-hidden="true" /> {categoryName(category)}
        </span>
      ))}
      {isTrusted(workflow) ? null : (
        <span>
          <i class="swatch unsure" aria-hidden="true" /> a move that may be refused
        </span>
      )}
      {workflow.statuses.some(({ retired }) => retired) ? (
        <span>
          <i class="swatch retired" aria-hidden="true" /> retired
        </span>
      ) : null}
      {fresh ? <MarkKey kind="added" sign="+" words="new" /> : null}
      {gone ? <MarkKey kind="removed" sign="−" words="gone" /> : null}
      {changed ? <MarkKey kind="changed" sign="~" words="changed" /> : null}
    </figcaption>
  );
}

function MarkKey({ kind, sign, words }: { kind: string; sign: string; words: string }) {
  return (
    <span>
      <i class={`badge ${kind}`} aria-hidden="true">
        {sign}
      </i>{" "}
      {words}
    </span>
  );
}

function isTrusted({ edges }: Workflow): boolean {
  return edges === "authoritative" || edges === "preview";
}

function LineMark({ line, head, trusted }: { line: Line; head: string; trusted: boolean }) {
  const { mark = "plain", both, names, points } = line;
  const middle = middleOf(points);
  const end = `url(#${head}${mark})`;
  return (
    <>
      <path
        d={curve(points)}
        class={`move ${mark}${trusted ? "" : " unsure"}`}
        marker-end={end}
        marker-start={both ? end : undefined}
      >
        {names.length === 0 ? null : <title>{names.join(", ")}</title>}
      </path>
      {mark === "plain" || middle === undefined ? null : (
        <g class={`sign ${mark}`} transform={`translate(${middle.x} ${middle.y})`}>
          <title>{mark === "added" ? "a new move" : "a move that is gone"}</title>
          <circle r="9" />
          <text y="4.5" text-anchor="middle">
            {mark === "added" ? "+" : "−"}
          </text>
        </g>
      )}
    </>
  );
}

/** Letters of a line of small print. */
const MOST_SMALL = { across: 18, down: 13 } as const;

interface BoxProps {
  readonly box: Box;
  readonly size: Drawing["box"];
  readonly tickets: number | undefined;
  readonly mark: StatusMark | undefined;
  readonly href: string | undefined;
}

function BoxMark({ box, size, tickets, mark, href }: BoxProps) {
  const { status, x, y, ways } = box;
  const most = size.width < BOX.across ? MOST_SMALL.down : MOST_SMALL.across;
  const top = 25 + LINE * (box.name.length - 1);
  const { name } = status;
  const counted = [
    tickets === undefined ? "" : `${tickets} ticket${tickets === 1 ? "" : "s"}`,
    status.retired ? "retired" : "",
  ]
    .filter(Boolean)
    .join(" · ");
  const told = mark === undefined ? undefined : wordsOfMark(mark);
  const label = [name, categoryName(status.category), counted, told?.words].filter(Boolean).join(", ");
  const drawn = (
    <>
      <title>{label}</title>
      <rect width={size.width} height={size.height} rx="9" />
      <rect class="bar" width="6" height={size.height - 16} x="7" y="8" rx="3" />
      {box.name.map((line, at) => (
        <text key={line} x="22" y={25 + at * LINE} class="name">
          {line}
        </text>
      ))}
      {[counted, ...ways, told?.words ?? ""].filter(Boolean).map((words, at) => (
        <text
          key={words}
          x="22"
          y={top + 19 + at * LINE}
          class={words === told?.words ? "marks told" : "marks"}
        >
          {cut(words, most)}
        </text>
      ))}
      {told === undefined ? null : (
        <g class={`sign ${mark?.kind}`} transform={`translate(${size.width - 4} 4)`}>
          <circle r="9" />
          <text y="4.5" text-anchor="middle">
            {told.sign}
          </text>
        </g>
      )}
    </>
  );
  return (
    <g
      class={`state ${status.category}${status.retired ? " retired" : ""} ${mark?.kind ?? ""}`}
      transform={`translate(${x - size.width / 2} ${y - size.height / 2})`}
    >
      {href === undefined ? drawn : <a href={href}>{drawn}</a>}
    </g>
  );
}
