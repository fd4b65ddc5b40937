import type { Move, Ticket } from "../../src/board/connector.js";
import type { FieldSpec } from "../../src/machine/index.js";
import { inOrder, isTarget } from "./graph.js";
import { ticketId, workflowId } from "./keys.js";
import type { LinearIssue, LinearState } from "./shapes.js";

/** Linear's shapes as ours. Pure. */

const ARCHIVED = "It is archived in Linear, so it cannot be moved there.";
const TRASHED = "It is in Linear's trash, so it cannot be moved there.";

export function mapTicket(issue: LinearIssue, site: string): Ticket {
  const archived = isArchived(issue);
  return {
    id: ticketId(site, issue.id),
    key: issue.identifier,
    ...(issue.previousIdentifiers.length > 0 ? { formerKeys: issue.previousIdentifiers } : {}),
    title: issue.title,
    workflow: workflowId(site, issue.team.id),
    status: issue.state.id,
    updatedAt: issue.updatedAt,
    ...(archived ? { archived, immovable: issue.trashed ? TRASHED : ARCHIVED } : {}),
    ...(issue.branchName ? { branches: [issue.branchName] } : {}),
    ref: { team: issue.team.id },
  };
}

export function isArchived({ archivedAt, trashed }: Pick<LinearIssue, "archivedAt" | "trashed">): boolean {
  return Boolean(archivedAt) || trashed === true;
}

/** Wanted of issues that leave triage, in teams that say so; Linear's 0 is "no priority". */
export const PRIORITY: FieldSpec = {
  id: "priority",
  name: "Priority",
  type: "option",
  required: true,
  allowed: [
    { id: "1", label: "Urgent" },
    { id: "2", label: "High" },
    { id: "3", label: "Medium" },
    { id: "4", label: "Low" },
  ],
};

/** Moves open to an issue among the states of the team it is in: to each other one that people may choose. */
export function mapMoves(
  issue: LinearIssue & { readonly team: { readonly requirePriorityToLeaveTriage: boolean } },
  states: readonly LinearState[],
): readonly Move[] {
  if (isArchived(issue)) return [];
  const here = states.find(({ id }) => id === issue.state.id);
  const wantsPriority =
    here?.type === "triage" && issue.team.requirePriorityToLeaveTriage && issue.priority === 0;
  return inOrder(states)
    .filter((state) => isTarget(state) && state.id !== issue.state.id)
    .map(({ id, name }) => ({ id, to: id, name, fields: wantsPriority ? [PRIORITY] : [] }));
}
