import type { Problem } from "../../src/board/connector.js";
import { problemOf } from "../../src/board/probe.js";
import type { LinearApi } from "./api.js";
import { GIT_RULES, VIEWER } from "./documents.js";
import type { LinearGitRule } from "./shapes.js";
import { isRetired, type TeamKeeper } from "./team.js";

/** What this login can and cannot do, each lack with what to do about it. */

export async function probeLinear(
  api: LinearApi,
  setting: string,
  keeper: TeamKeeper,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const login = await problemOf(
    () => api.run(VIEWER, {}, signal),
    {
      auth_expired: {
        message: "Linear does not accept this login.",
        fix: "Make a new personal API key in Linear under Settings, Security & access, or sign in again, and reconnect.",
      },
    },
    FIX,
  );
  if ("problem" in login) return [login.problem];
  const team = await problemOf(
    () => keeper.read(signal),
    {
      not_found_or_hidden: {
        message: `Linear does not have a team "${setting}", or does not show it to this account.`,
        fix: "Check the team's key. A private team is shown to its members only: add this account to it.",
      },
    },
    FIX,
  );
  if ("problem" in team) return [team.problem];
  const problems: Problem[] = [];
  if (isRetired(team.value)) {
    problems.push({
      code: "archived",
      message: `The team ${team.value.name} is retired in Linear, so nothing in it can be moved.`,
      fix: "Restore the team in Linear, or connect another one.",
    });
  }
  const rules = await problemOf(() => readGitRules(api, team.value.id, signal), {}, FIX);
  if ("problem" in rules) return [...problems, rules.problem];
  return [...problems, ...gitProblems(rules.value)];
}

async function readGitRules(api: LinearApi, id: string, signal: AbortSignal): Promise<LinearGitRule[]> {
  const rules: LinearGitRule[] = [];
  const pages = api.pages(GIT_RULES, { id }, ({ team }) => team.gitAutomationStates, signal);
  for await (const rule of pages) rules.push(rule);
  return rules;
}

const EVENTS: Readonly<Record<string, string>> = {
  draft: "a draft pull request is opened",
  start: "a branch is pushed to",
};

/**
 * Linear's own rules that a draft pull request of ours would set off: they take the ticket out of the status whose
 * entry opened it. We only tell; moving it back would make two systems play ping-pong.
 */
export function gitProblems(rules: readonly LinearGitRule[]): readonly Problem[] {
  return rules.flatMap(({ event, state, targetBranch }) => {
    const when = Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined;
    if (when === undefined || !state) return [];
    const branch = targetBranch ? ` towards ${targetBranch.branchPattern}` : "";
    return [
      {
        code: "git_automation",
        message: `When ${when}${branch}, Linear itself moves the ticket to ${state.name}, also when Boardwalk opened it.`,
        fix: `Set this rule to no action in the team's workflow settings in Linear, or open pull requests on entering ${state.name}.`,
      },
    ];
  });
}

/** For what has no sentence of its own. */
const FIX = "Check the connection's settings and that Linear can be reached, then try again.";
