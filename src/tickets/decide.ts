import { type FieldSpec, moveEvent, type Status, transition, type WorkflowMove } from "../machine/index.js";
import type { ActorRecord } from "../store/store.js";
import type { Workflow } from "./workflow.js";

/** Whether a move may be tried, by our opinion of the ticket. The board has the last word, at the move. */
export type Decision =
  | { readonly kind: "go" }
  /** The ticket stands in the target already, as far as we know. */
  | { readonly kind: "there" }
  | { readonly kind: "refused"; readonly why?: string };

export function decide(workflow: Workflow, record: ActorRecord, to: string): Decision {
  const { status } = record.ticket;
  if (status === to) return { kind: "there" };
  if (workflow.status(status) === undefined) return { kind: "go" };
  const step = transition(
    workflow.machine,
    { value: status, context: record.context },
    { type: moveEvent(to) },
  );
  if (step.ok) return { kind: "go" };
  const why = step.why ?? (workflow.graph.teamRules ? TEAM_RULE : undefined);
  return why === undefined ? { kind: "refused" } : { kind: "refused", why };
}

export const TEAM_RULE = "That is your team's own rule, not the board's.";

/** Does a rule of the team's own close this move, which the board would make? */
export function closedByTeam(workflow: Workflow, from: string, to: string): string | undefined {
  if (!workflow.graph.teamRules || from === to || workflow.status(from) === undefined) return undefined;
  return workflow.machine.states[from]?.on?.[moveEvent(to)] === undefined ? TEAM_RULE : undefined;
}

/** Can this graph be believed when it says that there is no such edge? An observed one knows only what it has seen. */
export function knowsAllEdges(workflow: Workflow): boolean {
  return workflow.graph.edges !== "observed";
}

export interface OpenStatus {
  readonly status: Status;
  readonly moves: readonly WorkflowMove[];
}

/** Where this ticket may go, by the machine, in board order. */
export function openStatuses(workflow: Workflow, record: ActorRecord): readonly OpenStatus[] {
  const on = workflow.machine.states[record.ticket.status]?.on ?? {};
  const open: OpenStatus[] = [];
  for (const status of workflow.graph.statuses) {
    if (status.id === record.ticket.status || on[moveEvent(status.id)] === undefined) continue;
    if (decide(workflow, record, status.id).kind !== "go") continue;
    open.push({ status, moves: movesAlong(workflow, record.ticket.status, status.id) });
  }
  return open.sort((a, b) => a.status.order - b.status.order);
}

/** The shortest way there in several steps, its end included; `undefined` when there is none, or one step would do. */
export function pathTo(workflow: Workflow, record: ActorRecord, to: string): readonly Status[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[record.ticket.status, undefined]]);
  for (const from of cameFrom.keys()) {
    if (from === to) break;
    for (const { status } of openStatuses(workflow, {
      ...record,
      ticket: { ...record.ticket, status: from },
    }))
      if (!cameFrom.has(status.id) && !status.retired) cameFrom.set(status.id, from);
  }
  const path: Status[] = [];
  for (let id: string | undefined = to; id !== undefined; id = cameFrom.get(id)) {
    const status = cameFrom.has(id) ? workflow.status(id) : undefined;
    if (status === undefined) return undefined;
    path.unshift(status);
  }
  return path.length > 2 ? path.slice(1) : undefined;
}

function movesAlong(workflow: Workflow, from: string, to: string): readonly WorkflowMove[] {
  return workflow.graph.moves.filter((move) => move.to === to && (move.from === from || move.from === "*"));
}

/** The fields that the easiest of these moves wants. */
export function wantedFields(moves: readonly WorkflowMove[]): readonly FieldSpec[] {
  const wanted = moves.map((move) => (move.fields ?? []).filter((field) => field.required));
  return wanted.sort((a, b) => a.length - b.length)[0] ?? [];
}
