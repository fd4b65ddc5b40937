import { useMemo } from "preact/hooks";
import { segment } from "./api.js";
import { WorkflowDrawing } from "./drawing.js";
import { placeOf, useLoaded, useNews, useSession } from "./hooks.js";
import { categoryName, Fault, Screen, StatusTag, Table, Waiting, When } from "./parts.js";
import type { Board, Change, Workflow } from "./shapes.js";

/** How far the moves can be trusted, in the words of the command line. */
const TRUST: Readonly<Record<Workflow["edges"], string>> = {
  authoritative: "The board's own workflow, whole: what is not drawn cannot be done.",
  preview:
    "The board's own view of its workflow: complete, but conditions of a single move show only at the move.",
  observed:
    "Seen from single tickets, because this account may not read the workflow: at least these moves exist.",
  implied:
    "The board has no rules: any status leads to any other, unless your own allowedMoves say otherwise.",
};

export function WorkflowsScreen({ chosen }: { chosen: string | undefined }) {
  const { tenant, path } = useSession();
  const workflows = useLoaded<{ workflows: readonly Workflow[] }>(path("/workflows"));
  const boards = useLoaded<{ boards: readonly Board[] }>(path("/boards"));
  useNews(() => {
    workflows.reload();
    boards.reload();
  });
  const all = workflows.data?.workflows ?? [];
  const shown = all.find(({ id }) => id === chosen) ?? all[0];
  const board = boards.data?.boards.find(({ workflow }) => workflow === shown?.id);
  return (
    <Screen title="Workflows" lead="Each board's own rules, as this service knows them.">
      <Fault error={workflows.error ?? boards.error} />
      {workflows.data === undefined && workflows.error === undefined ? (
        <Waiting what="the workflows" />
      ) : null}
      {workflows.data !== undefined && all.length === 0 ? <p>No workflow has been imported yet.</p> : null}
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

function WorkflowView({ workflow, board }: { workflow: Workflow; board: Board | undefined }) {
  const counts = useMemo(() => new Map(board?.statuses.map(({ id, tickets }) => [id, tickets])), [board]);
  return (
    <>
      <h2>
        {workflow.name} <small>version {workflow.version}</small>
      </h2>
      <p class={`note ${workflow.edges === "observed" ? "warn" : "plain"}`}>
        <strong>{workflow.edges}</strong>: {TRUST[workflow.edges]}
      </p>
      <WorkflowDrawing workflow={workflow} counts={counts} />
      <StatusTable workflow={workflow} counts={counts} />
      <Changes workflow={workflow} />
    </>
  );
}

function StatusTable({ workflow, counts }: { workflow: Workflow; counts: ReadonlyMap<string, number> }) {
  const { tenant } = useSession();
  return (
    <Table
      caption="Statuses and where a ticket can go from each"
      head={["Status", "Kind", "Tickets", "Can go to"]}
    >
      {workflow.statuses.map((status) => (
        <tr key={status.id}>
          <th scope="row">
            <StatusTag name={status.name} category={status.category} />
          </th>
          <td>
            {[
              categoryName(status.category),
              status.retired ? "retired" : "",
              status.offBoard ? "not on the board" : "",
            ]
              .filter(Boolean)
              .join(", ")}
          </td>
          <td>
            <a href={`${placeOf(tenant, "tickets")}?status=${segment(status.name)}`}>
              {counts.get(status.id) ?? 0}
              <span class="unseen"> in {status.name}</span>
            </a>
          </td>
          <td>{targetsOf(workflow, status.id).join(", ") || "nowhere"}</td>
        </tr>
      ))}
    </Table>
  );
}

function targetsOf({ moves, statuses }: Workflow, from: string): readonly string[] {
  const targets = new Set(
    moves.filter((move) => move.from === from || move.from === "*").map(({ to }) => to),
  );
  return statuses.filter(({ id }) => id !== from && targets.has(id)).map(({ name }) => name);
}

function Changes({ workflow }: { workflow: Workflow }) {
  const { path } = useSession();
  const { data } = useLoaded<{ changes: readonly Change[] }>(
    path(`/workflows/${segment(workflow.id)}/changes`),
  );
  return (
    <>
      <h2>What has changed</h2>
      {data?.changes.length === 0 ? <p class="quiet">Nothing since it was imported.</p> : null}
      <ol class="timeline">
        {data?.changes.map(({ at, kind, status, before, after }) => (
          <li key={`${at} ${kind} ${status} ${after}`}>
            <When at={at} />{" "}
            <span>
              <strong>{kind}</strong>{" "}
              {before !== undefined && after !== undefined ? `${before} → ${after}` : (after ?? before ?? "")}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
