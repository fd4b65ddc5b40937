import type { Move, Ticket } from "../../src/board/connector.js";
import { NO_STATUS, type Status, type StatusGraph } from "../../src/machine/index.js";
import type { ItemContent, ProjectFacts, ProjectItem, SingleSelectField } from "./documents.js";
import { isOptionId, ticketIdOf } from "./ids.js";

/** GitHub's shapes as ours. Pure. */

/** A project and the one field of it whose options are the columns. */
export interface ProjectBoard {
  readonly owner: "Organization" | "User";
  readonly viewer: string;
  readonly project: ProjectFacts;
  readonly field: SingleSelectField;
}

/** A field's value belongs to project and field, so both are in the workflow's id; names may change. */
export function workflowIdOf(site: string, board: Pick<ProjectBoard, "project" | "field">): string {
  return `github.${site}.${board.project.id}.${board.field.id}`;
}

/** Any option may follow any other: GitHub has no edges. The null value is a status of its own, first in order. */
export function graphFromBoard(site: string, board: ProjectBoard): StatusGraph {
  const statuses = statusesOf(board.field);
  return {
    id: workflowIdOf(site, board),
    name: board.project.title,
    initial: NO_STATUS,
    statuses,
    moves: statuses.map(({ id }) => ({ id, from: "*", to: id })),
    edges: "implied",
  };
}

function statusesOf(field: SingleSelectField): readonly Status[] {
  // A field may own a real option called "No Status" beside the null value.
  const taken = field.options.some(({ name }) => name.trim().toLowerCase() === "no status");
  const all = [
    { id: NO_STATUS, name: taken ? "No Status Set" : "No Status" },
    ...field.options.filter(isColumn),
  ];
  // GitHub has no categories, and a name such as "Done" proves nothing about what a team means by it.
  return all.map(({ id, name }, order) => ({ id, name, category: "unknown", order, aliases: [] }));
}

function isColumn({ id }: { readonly id: string }): boolean {
  return isOptionId(id);
}

export function ticketFromItem(site: string, item: ProjectItem, field: SingleSelectField): Ticket {
  const { content } = item;
  const reason = immovableReason(item);
  const key = keyOf(content);
  const branches = branchesOf(content);
  return {
    id: ticketIdOf(site, item.id),
    ...(key === undefined ? {} : { key }),
    title: content?.title ?? "Hidden item",
    workflow: workflowIdOf(site, { project: item.project, field }),
    status: item.fieldValueByName?.optionId ?? NO_STATUS,
    updatedAt: later(item.updatedAt, content?.updatedAt),
    ...(item.isArchived ? { archived: true } : {}),
    ...(reason === undefined ? {} : { immovable: reason }),
    ...(branches.length === 0 ? {} : { branches }),
    ...(isCommentable(content) ? { ref: { content: content.id } } : {}),
  };
}

/** Moves open to an item: every other option, unless nothing about it may be changed. */
export function movesFrom(ticket: Ticket, field: SingleSelectField): readonly Move[] {
  if (ticket.archived || ticket.immovable !== undefined) return [];
  return statusesOf(field)
    .filter(({ id }) => id !== ticket.status)
    .map(({ id, name }) => ({
      id,
      to: id,
      name,
      fields: [],
      takesComment: ticket.ref?.content !== undefined,
    }));
}

/** Why nobody may move this item, whatever its status. Archived ones are told by `archived`. */
function immovableReason(item: ProjectItem): string | undefined {
  if (item.content === null) return "It is hidden: it lies in a repository that this account cannot see.";
  return readOnlyReason(item.project);
}

export function readOnlyReason(project: ProjectFacts): string | undefined {
  if (project.closed) return "Its project is closed. Reopen the project on GitHub first.";
  if (project.template) return "Its project is a template, and the items of a template are not moved.";
  return undefined;
}

/** `web#12`. A draft issue has no number, so it has no key. */
function keyOf(content: ItemContent | null): string | undefined {
  return isCommentable(content) ? `${content.repository.name}#${content.number}` : undefined;
}

function isCommentable(
  content: ItemContent | null,
): content is Extract<ItemContent, { __typename: "Issue" | "PullRequest" }> {
  return content !== null && content.__typename !== "DraftIssue";
}

function branchesOf(content: ItemContent | null): readonly string[] {
  if (content?.__typename === "PullRequest") return [content.headRefName];
  if (content?.__typename !== "Issue") return [];
  return (content.linkedBranches?.nodes ?? []).flatMap((node) => (node?.ref ? [node.ref.name] : []));
}

function later(a: string, b: string | undefined): string {
  return b !== undefined && Date.parse(b) > Date.parse(a) ? b : a;
}
