import type {
  EdgeTrust,
  Status,
  StatusCategory,
  StatusGraph,
  WorkflowMove,
} from "../../src/machine/index.js";
import { workflowId } from "./keys.js";
import type { JiraColumns, JiraProject, JiraStatus, JiraWorkflows } from "./shapes.js";

/** Workflows as Jira tells them, from whichever rung of the ladder, made into status graphs. Pure. */

export interface WorkflowReading {
  /** What stays the same about it whatever is renamed. */
  readonly stable: string;
  readonly issueTypes: readonly string[];
  readonly initial?: string;
  readonly statuses: readonly Omit<Status, "order" | "offBoard">[];
  readonly moves: readonly WorkflowMove[];
}

export interface Reading {
  readonly trust: EdgeTrust;
  readonly workflows: readonly WorkflowReading[];
}

const BY_NAME: ReadonlyMap<string, StatusCategory> = new Map([
  ["TODO", "todo"],
  ["IN_PROGRESS", "doing"],
  ["DONE", "done"],
]);
const BY_KEY: ReadonlyMap<string, StatusCategory> = new Map([
  ["new", "todo"],
  ["indeterminate", "doing"],
  ["done", "done"],
]);

/** By `statusCategory.key` only: the category's name is in the account's language. */
export function statusFromJira(status: JiraStatus): Omit<Status, "order" | "offBoard"> {
  return {
    id: status.id,
    name: status.name,
    category: BY_KEY.get(status.statusCategory?.key ?? "") ?? "unknown",
    aliases: otherNames(status.name, [status.untranslatedName]),
  };
}

/** From `workflows/preview` or `workflows`. `issueTypes` is asked where the reply does not say which types use it. */
export function readingsFrom(
  reply: JiraWorkflows,
  projectId: string,
  issueTypes?: readonly string[],
): readonly WorkflowReading[] {
  // References hold within one reply only, so they are resolved here and dropped.
  const statuses = new Map(reply.statuses.map((status) => [status.statusReference, status]));
  return reply.workflows.map((workflow) => {
    const moves: WorkflowMove[] = [];
    let initial: string | undefined;
    for (const transition of workflow.transitions) {
      const to = statuses.get(transition.toStatusReference ?? "")?.id;
      // Without a target it loops: the ticket stays where it is, which is no move.
      if (to === undefined) continue;
      const common = { id: transition.id, to, ...(transition.name ? { name: transition.name } : {}) };
      if (transition.type === "INITIAL") initial = to;
      else if (transition.type === "GLOBAL") moves.push({ ...common, from: "*" });
      else {
        for (const link of transition.links ?? []) {
          const from = statuses.get(link?.fromStatusReference ?? "")?.id;
          if (from !== undefined && from !== to) moves.push({ ...common, from });
        }
      }
    }
    const contexts = (workflow.queryContext ?? []).filter((context) => context.project === projectId);
    return {
      stable: workflow.id,
      issueTypes: issueTypes ?? contexts.flatMap((context) => context.issueTypes ?? []),
      ...(initial === undefined ? {} : { initial }),
      statuses: workflow.statuses.flatMap(({ statusReference }) => {
        const status = statuses.get(statusReference);
        if (status === undefined) return [];
        return [
          {
            id: status.id,
            name: status.name,
            category: BY_NAME.get(status.statusCategory ?? "") ?? "unknown",
            aliases: otherNames(status.name, [status.rawName]),
          },
        ];
      }),
      moves,
    };
  });
}

/** The same workflow told several times, for different issue types, as one. */
export function mergeReadings(readings: readonly WorkflowReading[]): readonly WorkflowReading[] {
  const merged = new Map<string, WorkflowReading>();
  for (const reading of readings) {
    const known = merged.get(reading.stable);
    const issueTypes = [...new Set([...(known?.issueTypes ?? []), ...reading.issueTypes])];
    merged.set(reading.stable, { ...reading, issueTypes });
  }
  return [...merged.values()].filter((reading) => reading.issueTypes.length > 0);
}

/** @param boards the columns of each of the project's boards, the first giving the order; none when unreadable. */
export function graphsFrom(
  reading: Reading,
  project: JiraProject,
  site: string,
  boards: readonly JiraColumns[],
): readonly StatusGraph[] {
  return reading.workflows.map((workflow) => ({
    id: workflowId(site, project.id, workflow.stable),
    name: graphName(workflow, project, reading.workflows.length),
    ...(workflow.initial === undefined ? {} : { initial: workflow.initial }),
    statuses: orderStatuses(workflow.statuses, boards),
    moves: workflow.moves,
    edges: reading.trust,
  }));
}

/** The project's name, and where it has several workflows the kinds of tickets that use this one. */
function graphName(workflow: WorkflowReading, project: JiraProject, workflows: number): string {
  if (workflows === 1) return project.name;
  const names = new Map((project.issueTypes ?? []).map((type) => [type.id, type.name]));
  const types = workflow.issueTypes.map((id) => names.get(id) ?? id);
  const listed =
    types.length <= 3 ? types.join(", ") : `${types.slice(0, 2).join(", ")} and ${types.length - 2} more`;
  return `${project.name} ${listed}`;
}

function orderStatuses(
  statuses: WorkflowReading["statuses"],
  boards: readonly JiraColumns[],
): readonly Status[] {
  const places = new Map<string, { place: number; columns: string[] }>();
  for (const column of boards.flat()) {
    for (const { id } of column.statuses ?? []) {
      const known = places.get(id);
      if (known === undefined) places.set(id, { place: places.size, columns: [column.name] });
      else known.columns.push(column.name);
    }
  }
  const last = places.size;
  return statuses
    .map((status, index) => {
      const place = places.get(status.id);
      const aliases = otherNames(status.name, [...status.aliases, ...(place?.columns ?? [])]);
      // A column of several statuses lends its name to each: who says it is asked which one is meant.
      return { status: { ...status, aliases }, rank: place?.place ?? last + index, off: place === undefined };
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ status, off }, order) => ({
      ...status,
      order,
      ...(off && boards.length > 0 ? { offBoard: true } : {}),
    }));
}

function otherNames(name: string, others: readonly (string | undefined)[]): readonly string[] {
  return [
    ...new Set(
      others.filter((other): other is string => other !== undefined && other !== name && other !== ""),
    ),
  ];
}
