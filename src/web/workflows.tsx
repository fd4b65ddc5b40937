import { useMemo, useState } from "preact/hooks";
import { segment } from "./api.js";
import {
  type Batch,
  batchesOf,
  changeWords,
  type Marks,
  marksOf,
  type StatusMark,
  wayKey,
  wordsOfMark,
} from "./diff.js";
import { WorkflowDrawing } from "./drawing.js";
import { placeOf, useLoaded, useNews, useSession } from "./hooks.js";
import { categoryName, Fault, Screen, SelectField, StatusTag, Waiting, When } from "./parts.js";
import type { Board, Change, Status, Workflow } from "./shapes.js";
import { Table } from "./table.js";

/** How far the moves can be trusted: what a person is told, and what the command line calls it. */
const TRUST: Readonly<Record<Workflow["edges"], readonly [title: string, text: string]>> = {
  authoritative: ["Complete", "the board's own workflow, whole. What is not drawn cannot be done."],
  preview: [
    "Complete",
    "the board's own view of its workflow. Conditions of a single move show only when it is made.",
  ],
  observed: [
    "Seen so far",
    "from single tickets, because this account may not read the workflow: at least these moves exist.",
  ],
  implied: [
    "Free",
    "the board has no rules: any status leads to any other, unless your own rules say otherwise.",
  ],
};

export function Trust({ edges }: Pick<Workflow, "edges">) {
  const [title, text] = TRUST[edges];
  return (
    <p class={`note ${edges === "observed" ? "warn" : "plain"}`}>
      <strong>{title}</strong>: {text}
    </p>
  );
}

export function WorkflowsScreen({ chosen }: { chosen: string | undefined }) {
  const { tenant, path } = useSession();
  const workflows = useLoaded<{ workflows: readonly Workflow[] }>(path("/workflows"));
  const boards = useLoaded<{ boards: readonly Board[] }>(path("/boards"));
  useNews(["workflows", "tickets"], () => {
    workflows.reload();
    boards.reload();
  });
  const all = (workflows.data?.workflows ?? []).toSorted((a, b) => a.name.localeCompare(b.name));
  const shown = all.find(({ id }) => id === chosen) ?? all[0];
  const board = boards.data?.boards.find(({ workflow }) => workflow === shown?.id);
  return (
    <Screen title="Workflows" lead="Each board's own rules, as this service knows them.">
      <Fault error={workflows.error ?? boards.error} />
      {workflows.data === undefined && workflows.error === undefined ? (
        <Waiting what="the workflows" />
      ) : null}
      {workflows.data !== undefined && all.length === 0 ? (
        <p class="empty">There is no workflow yet. They come with the first board that is connected.</p>
      ) : null}
      <nav aria-label="Workflows" class="chips">
        {all.map(({ id, name }) => (
          <a
            key={id}
            href={placeOf(tenant, "workflows", id)}
            aria-current={id === shown?.id ? "true" : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      {shown === undefined ? null : <WorkflowView key={shown.id} workflow={shown} board={board} />}
    </Screen>
  );
}

/** Without a choice of hers, what changed last is drawn for so long. */
const RECENT_MS = 24 * 3_600_000;

function WorkflowView({ workflow, board }: { workflow: Workflow; board: Board | undefined }) {
  const { path } = useSession();
  const { data, error, reload } = useLoaded<{ changes: readonly Change[] }>(
    path(`/workflows/${segment(workflow.id)}/changes`),
  );
  useNews(["workflows"], reload);
  const counts = useMemo(
    () => board && new Map(board.statuses.map(({ id, tickets }) => [id, tickets])),
    [board],
  );
  return (
    <>
      <h2 dir="auto">
        {workflow.name} <small>version {workflow.version}</small>
      </h2>
      <Trust edges={workflow.edges} />
      <Fault error={error} />
      {/* Drawn at once with what has changed: the marks would make it another size. */}
      {data === undefined ? (
        error === undefined && <Waiting what="what has changed" />
      ) : (
        <Marked workflow={workflow} counts={counts} changes={data.changes} />
      )}
    </>
  );
}

interface MarkedProps {
  readonly workflow: Workflow;
  /** Left out while they are not known. */
  readonly counts: ReadonlyMap<string, number> | undefined;
  readonly changes: readonly Change[];
}

/** The workflow as it is, with what has changed since a time that she chooses. */
function Marked({ workflow, counts, changes }: MarkedProps) {
  const { tenant } = useSession();
  const [chosen, choose] = useState<string>();
  const batches = batchesOf(changes);
  const recent = batches.find(({ at }) => Date.now() - Date.parse(at) < RECENT_MS)?.at;
  const since = chosen ?? recent ?? "";
  const marks = useMemo(
    () => marksOf(workflow, changes, since === "" ? undefined : since),
    [workflow, changes, since],
  );
  const linkOf = (status: string) =>
    `${placeOf(tenant, "tickets")}?board=${segment(workflow.id)}&status=${segment(status)}`;
  const known = counts === undefined ? {} : { counts };
  return (
    <>
      <SelectField
        label="Mark what has changed since"
        value={since}
        onChange={choose}
        options={[
          ["", "nothing: as it is now"],
          ...batches.map((batch) => [batch.at, titleOf(batch)] as const),
        ]}
      />
      <WorkflowDrawing workflow={workflow} marks={marks} linkOf={linkOf} {...known} />
      <StatusTable workflow={workflow} counts={counts} marks={marks} linkOf={linkOf} />
      <Changes changes={changes} workflow={workflow} />
    </>
  );
}

function titleOf({ at, changes }: Batch): string {
  const kinds = [...new Set(changes.map(({ kind }) => changeWords(kind)))].join(", ").toLowerCase();
  return `${new Date(at).toLocaleString()}: ${kinds}`;
}

interface StatusTableProps {
  readonly workflow: Workflow;
  /** Left out while they are not known. */
  readonly counts: ReadonlyMap<string, number> | undefined;
  readonly marks: Marks;
  linkOf(status: string): string;
}

function StatusTable({ workflow, counts, marks, linkOf }: StatusTableProps) {
  return (
    <Table
      caption="Statuses and where a ticket can go from each"
      head={["Status", "Tickets", "Can go to"]}
      widths={["38%", "12%", "50%"]}
      empty="This workflow has no status."
      rows={workflow.statuses.map((status) => ({
        key: status.id,
        cells: [
          <StatusCell status={status} mark={marks.statuses.get(status.id)} />,
          <a href={linkOf(status.id)}>
            {counts && (counts.get(status.id) ?? 0)}
            <span class="unseen"> in {status.name}</span>
          </a>,
          <Targets workflow={workflow} from={status.id} marks={marks} />,
        ],
      }))}
    />
  );
}

function StatusCell({ status, mark }: { status: Status; mark: StatusMark | undefined }) {
  const { name, category, retired, offBoard } = status;
  const kinds = [categoryName(category), retired ? "retired" : "", offBoard ? "not on the board" : ""];
  return (
    <>
      <StatusTag name={name} category={category} />
      <small>
        {kinds.filter(Boolean).join(", ")}
        {mark === undefined ? null : <strong class={`told ${mark.kind}`}>, {wordsOfMark(mark).words}</strong>}
      </small>
    </>
  );
}

function Targets({ workflow, from, marks }: { workflow: Workflow; from: string; marks: Marks }) {
  const { moves, statuses } = workflow;
  const targets = new Set(
    moves.filter((move) => move.from === from || move.from === "*").map(({ to }) => to),
  );
  const now = statuses.filter(({ id }) => id !== from && targets.has(id));
  const gone = statuses.filter(({ id }) => marks.removed.some((way) => way.from === from && way.to === id));
  if (now.length + gone.length === 0) return <>nowhere</>;
  const isNew = (to: string) =>
    marks.added.has(wayKey({ from, to })) || marks.added.has(wayKey({ from: "*", to }));
  return (
    <ul class="inline">
      {now.map(({ id, name }) => (
        <li key={id}>{isNew(id) ? <ins>{name}</ins> : name}</li>
      ))}
      {gone.map(({ id, name }) => (
        <li key={`gone ${id}`}>
          <del>{name}</del>
        </li>
      ))}
    </ul>
  );
}

function Changes({ changes, workflow }: Pick<MarkedProps, "changes" | "workflow">) {
  const nameOf = (id: string) =>
    id === "*" ? "anywhere" : (workflow.statuses.find((status) => status.id === id)?.name ?? id);
  return (
    <>
      <h2>What has changed</h2>
      {changes.length === 0 ? <p class="empty">Nothing since it was imported.</p> : null}
      <ol class="timeline">
        {changes.map((change) => (
          <li key={`${change.at} ${change.kind} ${change.status} ${change.after}`}>
            <When at={change.at} /> <span>{sentenceOf(change, nameOf)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function sentenceOf({ kind, status, before, after, moves }: Change, nameOf: (id: string) => string) {
  const about =
    status !== undefined && ["recategorised", "reordered", "reissued"].includes(kind)
      ? `${nameOf(status)}: `
      : "";
  const ways = [
    ...(moves?.added ?? []).map(({ from, to }) => `+ ${nameOf(from)} → ${nameOf(to)}`),
    ...(moves?.removed ?? []).map(({ from, to }) => `− ${nameOf(from)} → ${nameOf(to)}`),
  ];
  const what = before !== undefined && after !== undefined ? `${before} → ${after}` : (after ?? before ?? "");
  return (
    <>
      <strong>{changeWords(kind)}</strong> {about}
      {ways.length === 0 ? what : ways.slice(0, 12).join(", ")}
      {ways.length > 12 ? ` and ${ways.length - 12} more` : ""}
    </>
  );
}
