import { BoardwalkError } from "../../src/errors.js";
import type { WorkflowMove } from "../../src/machine/index.js";
import type { JiraApi } from "./api.js";
import { mergeReadings, type Reading, readingsFrom, statusFromJira, type WorkflowReading } from "./graph.js";
import type { JiraColumns, JiraProject, JiraTransition } from "./shapes.js";

/**
 * How a workflow is read, by what this account may see: the preview, the administrators' read, and at last the
 * statuses with the transitions seen on sample tickets. On the workflow endpoints Jira says 401 and 404 where it means
 * "not allowed" too, so any of them steps down; that the login itself works was seen on the project before.
 */

const STEPS_DOWN = new Set(["auth_expired", "forbidden", "not_found_or_hidden"]);
/** The most issue types `workflows/preview` takes at once. */
const PREVIEW_LIMIT = 25;
const MAX_BOARDS = 5;
const SAMPLES_AT_ONCE = 4;

export async function readWorkflows(
  api: JiraApi,
  project: JiraProject,
  signal: AbortSignal,
): Promise<Reading> {
  const types = (project.issueTypes ?? []).map((type) => type.id);
  const preview = await steppingDown(() => previewReading(api, project.id, types, signal));
  if (preview !== undefined) return preview;
  const admin = await steppingDown(() => adminReading(api, project.id, types, signal));
  return admin ?? observedReading(api, project.id, signal);
}

/** Which workflow each issue type uses: the ladder without the costly samples of its last rung. */
export async function readRoutes(
  api: JiraApi,
  project: JiraProject,
  signal: AbortSignal,
): Promise<{
  readonly trust: Reading["trust"];
  readonly workflows: readonly Pick<WorkflowReading, "stable" | "issueTypes">[];
}> {
  const types = (project.issueTypes ?? []).map((type) => type.id);
  const told =
    (await steppingDown(() => previewReading(api, project.id, types, signal))) ??
    (await steppingDown(() => adminReading(api, project.id, types, signal)));
  return told ?? { trust: "observed", workflows: await statusGroups(api, project.id, signal) };
}

/** `undefined` when this account may not, or when nothing was told. */
async function steppingDown(read: () => Promise<Reading>): Promise<Reading | undefined> {
  try {
    const reading = await read();
    return reading.workflows.length > 0 ? reading : undefined;
  } catch (thrown) {
    if (STEPS_DOWN.has(BoardwalkError.from(thrown).code)) return undefined;
    throw thrown;
  }
}

async function previewReading(
  api: JiraApi,
  projectId: string,
  types: readonly string[],
  signal: AbortSignal,
): Promise<Reading> {
  const readings: WorkflowReading[] = [];
  for (let start = 0; start < types.length; start += PREVIEW_LIMIT) {
    const reply = await api.previewWorkflows(projectId, types.slice(start, start + PREVIEW_LIMIT), signal);
    readings.push(...readingsFrom(reply, projectId));
  }
  return { trust: "preview", workflows: mergeReadings(readings) };
}

/** One issue type at a time, because the reply does not say which types use a workflow. */
async function adminReading(
  api: JiraApi,
  projectId: string,
  types: readonly string[],
  signal: AbortSignal,
): Promise<Reading> {
  const readings: WorkflowReading[] = [];
  for (const type of types) {
    readings.push(...readingsFrom(await api.readWorkflows(projectId, type, signal), projectId, [type]));
  }
  return { trust: "authoritative", workflows: mergeReadings(readings) };
}

/** Issue types grouped by the statuses they have: as near as `Browse projects` alone comes to workflows. */
async function statusGroups(
  api: JiraApi,
  projectId: string,
  signal: AbortSignal,
): Promise<WorkflowReading[]> {
  const groups = new Map<string, WorkflowReading>();
  for (const type of await api.projectStatuses(projectId, signal)) {
    const statuses = type.statuses.map(statusFromJira);
    const key = statuses
      .map((status) => status.id)
      .sort()
      .join(" ");
    const known = groups.get(key);
    // Named after the group's first type, not its statuses: a status that is added must not make it another workflow.
    if (known === undefined)
      groups.set(key, { stable: `t${type.id}`, issueTypes: [type.id], statuses, moves: [] });
    else groups.set(key, { ...known, issueTypes: [...known.issueTypes, type.id] });
  }
  return [...groups.values()];
}

async function observedReading(api: JiraApi, projectId: string, signal: AbortSignal): Promise<Reading> {
  const workflows: WorkflowReading[] = [];
  for (const group of await statusGroups(api, projectId, signal)) {
    const scope = `project = ${projectId} AND issuetype in (${group.issueTypes.join(", ")})`;
    const initial = await observedInitial(api, scope, signal);
    const moves = await observedMoves(api, scope, group, signal);
    workflows.push({ ...group, moves, ...(initial === undefined ? {} : { initial }) });
  }
  return { trust: "observed", workflows };
}

/** The edges that one sample ticket per status shows: at least these, never only these. */
async function observedMoves(
  api: JiraApi,
  scope: string,
  group: WorkflowReading,
  signal: AbortSignal,
): Promise<readonly WorkflowMove[]> {
  const known = new Set(group.statuses.map((status) => status.id));
  const seen = new Map<string, WorkflowMove>();
  for (let start = 0; start < group.statuses.length; start += SAMPLES_AT_ONCE) {
    const statuses = group.statuses.slice(start, start + SAMPLES_AT_ONCE);
    const samples = await Promise.all(
      statuses.map(async (status) => ({
        from: status.id,
        transitions: await sampleTransitions(api, `${scope} AND status = ${status.id}`, signal),
      })),
    );
    for (const { from, transitions } of samples) {
      for (const move of transitions.flatMap((transition) => observedMove(from, transition))) {
        if (known.has(move.to)) seen.set(`${move.from} ${move.id}`, move);
      }
    }
  }
  return [...seen.values()];
}

async function sampleTransitions(
  api: JiraApi,
  jql: string,
  signal: AbortSignal,
): Promise<readonly JiraTransition[]> {
  const page = await api.search(`${jql} ORDER BY updated DESC`, { maxResults: 1 }, signal);
  const sample = page.issues?.[0];
  if (sample === undefined) return [];
  return (await api.transitions(sample.id, signal, true)).transitions;
}

function observedMove(from: string, transition: JiraTransition): readonly WorkflowMove[] {
  const { to } = transition;
  if (to === undefined || transition.looped === true) return [];
  if (transition.isGlobal !== true && to.id === from) return [];
  return [
    {
      id: transition.id,
      from: transition.isGlobal === true ? "*" : from,
      to: to.id,
      ...(transition.name ? { name: transition.name } : {}),
    },
  ];
}

/** Where the newest ticket started: what its first change of status came from, else where it still is. */
async function observedInitial(
  api: JiraApi,
  scope: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const page = await api.search(`${scope} ORDER BY created DESC`, { maxResults: 1 }, signal);
  const newest = page.issues?.[0];
  if (newest === undefined) return undefined;
  const { values } = await api.changelog(newest.id, signal);
  const first = values.flatMap((entry) => entry.items ?? []).find((item) => item.field === "status");
  return first?.from ?? newest.fields.status.id;
}

/** The columns of the project's boards; none when this account may not see them. */
export async function readColumns(
  api: JiraApi,
  project: JiraProject,
  signal: AbortSignal,
): Promise<readonly JiraColumns[]> {
  try {
    const { values } = await api.boards(project.key, signal);
    const boards: JiraColumns[] = [];
    for (const board of values.slice(0, MAX_BOARDS)) {
      boards.push((await api.boardConfiguration(board.id, signal)).columnConfig.columns);
    }
    return boards;
  } catch (thrown) {
    const { code } = BoardwalkError.from(thrown);
    // Business projects have no boards, and the agile API answers 400 where Jira Software is not licensed.
    if (STEPS_DOWN.has(code) || code === "invalid") return [];
    throw thrown;
  }
}
