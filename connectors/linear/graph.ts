import type { Status, StatusCategory, StatusGraph } from "../../src/machine/index.js";
import { workflowId } from "./keys.js";
import type { LinearState, LinearWorkflow } from "./shapes.js";

/** A team's states as a status graph. Pure. */

/** In the order of Linear's own board. A type we do not know is not taken to end anything. */
const TYPES: Readonly<Record<string, { readonly rank: number; readonly category: StatusCategory }>> = {
  triage: { rank: 0, category: "todo" },
  backlog: { rank: 1, category: "todo" },
  unstarted: { rank: 2, category: "todo" },
  started: { rank: 3, category: "doing" },
  completed: { rank: 5, category: "done" },
  canceled: { rank: 6, category: "canceled" },
  duplicate: { rank: 7, category: "canceled" },
};
const UNKNOWN = { rank: 4, category: "unknown" } as const;

function typeOf({ type }: Pick<LinearState, "type">) {
  return (Object.hasOwn(TYPES, type) ? TYPES[type] : undefined) ?? UNKNOWN;
}

/** By type, and within a type by position. */
export function inOrder<T extends Pick<LinearState, "id" | "type" | "position">>(
  states: readonly T[],
): readonly T[] {
  return states.toSorted(
    (a, b) => typeOf(a).rank - typeOf(b).rank || a.position - b.position || (a.id < b.id ? -1 : 1),
  );
}

/** Whether people may move issues there. Duplicate is set by Linear itself, when an issue is marked as one. */
export function isTarget(state: Pick<LinearState, "type" | "archivedAt">): boolean {
  return state.type !== "duplicate" && !state.archivedAt;
}

/** Any state may follow any other: Linear has no edges. */
export function graphFromTeam(site: string, team: LinearWorkflow): StatusGraph {
  const states = inOrder(team.states.nodes);
  const initial = (team.triageEnabled ? team.triageIssueState : undefined) ?? team.defaultIssueState;
  return {
    id: workflowId(site, team.id),
    name: team.name,
    ...(initial && states.some(({ id }) => id === initial.id) ? { initial: initial.id } : {}),
    statuses: states.map(statusFrom),
    moves: states.filter(isTarget).map(({ id }) => ({ id, from: "*", to: id })),
    edges: "implied",
  };
}

function statusFrom(state: LinearState, order: number): Status {
  return {
    id: state.id,
    name: state.name,
    category: typeOf(state).category,
    order,
    aliases: aliasesOf(state),
    ...(state.archivedAt ? { retired: true } : {}),
  };
}

/** The name it has in the team it was inherited from, and the other spelling of canceled. */
function aliasesOf({ name, inheritedFrom }: LinearState): readonly string[] {
  const names = [inheritedFrom?.name, otherSpelling(name)];
  return [...new Set(names.filter((other) => other !== undefined && other !== name))] as string[];
}

function otherSpelling(name: string): string | undefined {
  if (/cancelled/i.test(name)) return name.replace(/(cancel)l(ed)/gi, "$1$2");
  return /canceled/i.test(name) ? name.replace(/(cance)(l)(ed)/gi, "$1$2$2$3") : undefined;
}
