import type { Problem } from "../../src/board/connector.js";
import { problemOf } from "../../src/board/probe.js";
import type { JiraApi } from "./api.js";
import { readRoutes } from "./ladder.js";
import type { JiraProject } from "./shapes.js";

/** What this login can and cannot do, each lack with what to do about it. */

const PERMISSIONS: readonly { readonly key: string; readonly name: string; readonly without: string }[] = [
  { key: "BROWSE_PROJECTS", name: "Browse projects", without: "its tickets cannot be read" },
  { key: "TRANSITION_ISSUES", name: "Transition issues", without: "no ticket can be moved" },
  { key: "ADD_COMMENTS", name: "Add comments", without: "comments spoken with a move are lost" },
];

export async function probeJira(
  api: JiraApi,
  projectKey: string,
  loadProject: (signal: AbortSignal) => Promise<JiraProject>,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const login = await problemOf(
    () => api.myself(signal),
    {
      auth_expired: {
        message: "Jira does not accept this login.",
        fix: "Make a new API token at id.atlassian.com, or sign in again, and reconnect. A token with scopes needs the base URL https://api.atlassian.com/ex/jira/{cloudId}.",
      },
    },
    FIX,
  );
  if ("problem" in login) return [login.problem];
  const project = await problemOf(
    () => loadProject(signal),
    {
      not_found_or_hidden: {
        message: `Jira does not have project ${projectKey}, or does not show it to this account.`,
        fix: `Check the project key, and give the account the permission "Browse projects" in it.`,
      },
    },
    FIX,
  );
  if ("problem" in project) return [project.problem];
  const problems = [...(await lackingPermissions(api, project.value.key, signal))];
  if (project.value.archived === true) {
    problems.push({
      code: "archived",
      message: `Project ${project.value.key} is archived in Jira, so nothing in it can be moved.`,
      fix: "Restore the project in Jira, or connect another one.",
    });
  }
  const reading = await problemOf(() => readRoutes(api, project.value, signal), {}, FIX);
  if ("problem" in reading) return [...problems, reading.problem];
  if (reading.value.trust === "observed") {
    problems.push({
      code: "forbidden",
      message: "This account may not read the workflow, so only moves seen on existing tickets are known.",
      fix: 'Give the account the project permission "View (read-only) workflow" or "Administer projects".',
    });
  }
  return problems;
}

async function lackingPermissions(
  api: JiraApi,
  projectKey: string,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const keys = PERMISSIONS.map((permission) => permission.key);
  const { permissions } = await api.myPermissions(projectKey, keys, signal);
  return PERMISSIONS.filter(({ key }) => permissions[key]?.havePermission !== true).map(
    ({ name, without }) => ({
      code: "forbidden",
      message: `This account lacks the permission "${name}" in project ${projectKey}, so ${without}.`,
      fix: `Ask a Jira administrator for "${name}" in the permission scheme of ${projectKey}.`,
    }),
  );
}

/** For what has no sentence of its own. */
const FIX = "Check the base URL and that Jira can be reached, then try again.";
