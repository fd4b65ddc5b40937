import type { Choice } from "../../src/board/connector.js";
import type { JiraApi } from "./api.js";

/** The projects that a login may browse. */

const MOST = 500;

export async function listProjects(
  api: Pick<JiraApi, "projects">,
  signal: AbortSignal,
): Promise<readonly Choice[]> {
  const found: Choice[] = [];
  while (found.length < MOST) {
    const { values, isLast } = await api.projects(found.length, signal);
    found.push(...values.map(({ key, name }) => ({ value: key, label: `${name} (${key})` })));
    if (isLast || values.length === 0) break;
  }
  return found.slice(0, MOST);
}
